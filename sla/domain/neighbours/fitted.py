"""Constants of the accusation, and what they were fitted on."""

# In the order of features.NAMES: share, lead, size, unusual, together, onset, harmless, growth.
WEIGHTS = (3.0, 2.0, 3.0, 1.0, 4.0, 1.0, -4.0, 1.0)
NOBODY = 6.0
ACCUSE = 0.6
