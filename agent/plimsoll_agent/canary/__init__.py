"""An idle disk is asked for one block now and then, if the settings say so."""
