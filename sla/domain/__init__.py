"""The pure rules: contract, slots, verdicts. Standard library and numpy; no Django, no clock, no I/O."""
