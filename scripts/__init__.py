"""How a checkout sets itself up, runs, tests, measures and cleans itself; standard library only."""
