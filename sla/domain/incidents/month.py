"""Can this month still be met? Certain, likely or not, at the load that there was so far."""


def over(left: float | None, elapsed: float) -> bool:
    """Is more spent already than the whole month will allow?

    `left`: 1 − spent/allowed so far (semantics §5), may be negative, None: nothing judged; `elapsed`: share 0..1 of the
    time to be judged that has passed. Spent is (1 − left) of what is allowed so far, and that is `elapsed` of what the
    whole month allows at this load. A bad first hour is over the budget so far, and no lost month.
    """
    return left is not None and (1 - left) * elapsed > 1


def lost_over(lost_ms: int, total_s: float, slow_ppm: int) -> bool:
    """Is more time lost already than 1 − objective of all the time to be judged?"""
    return lost_ms * 1_000 > slow_ppm * total_s


def period_over(*, breached: bool, left: tuple[float | None, float | None], elapsed: float, lost: bool) -> bool | None:
    """True: certain; False: likely; None: neither. `left`: by estimate, and at best (what is proved spent)."""
    if not breached:
        return None
    by_estimate, at_best = left
    if lost or over(at_best, elapsed):
        return True
    return False if over(by_estimate, elapsed) else None
