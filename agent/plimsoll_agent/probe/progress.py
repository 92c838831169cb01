"""A bar on a terminal: which step runs, for how long?"""

from __future__ import annotations

import sys

BAR = 30


def progress(step: int, concurrency: int | None, seconds: float) -> None:
    """Draw it on standard error; `concurrency` None: take it away."""
    if not sys.stderr.isatty():
        return
    if concurrency is None:
        sys.stderr.write("\r" + " " * (BAR + 50) + "\r")
    else:
        bar = "#" * min(BAR, 2 * step + 1)
        sys.stderr.write(f"\r[{bar:{BAR}}] step {step + 1}: {concurrency} in flight for {seconds:.1f} s  ")
    sys.stderr.flush()
