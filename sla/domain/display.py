"""How is a ratio shown? Truncated, so that 99.996 % never becomes 100 % (semantics §6)."""

from fractions import Fraction
from math import ceil, floor


def ratio(value: Fraction | None, digits: int = 6) -> float | None:
    """A ratio for the API, cut (towards −∞) to so many decimals; None stays None."""
    if value is None:
        return None
    scale = int(10**digits)
    return value.numerator * scale // value.denominator / scale


def percent(value: Fraction | None, digits: int = 2) -> str | None:
    """'99.99' for 0.99996: floor, never round."""
    if value is None:
        return None
    cut = floor(value * 10 ** (digits + 2))
    sign, cut = ("-", -cut) if cut < 0 else ("", cut)
    whole, part = divmod(cut, 10**digits)
    return f"{sign}{whole}.{part:0{digits}d}" if digits else f"{sign}{whole}"


def burn(value: Fraction | None, digits: int = 1) -> float | None:
    """A burn rate, cut upwards."""
    return None if value is None else ceil(value * 10**digits) / 10**digits
