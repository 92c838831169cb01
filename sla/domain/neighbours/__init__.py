"""Was storage slower than its load explains, for whom, and whose load did it (semantics §9)? Pure: numpy only."""
