"""What went wrong in a set-up step, in words for the person at the terminal."""


class Problem(Exception):
    """The message holds the offending value and what to do; it is printed without a traceback."""
