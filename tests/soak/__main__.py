"""python -m tests.soak [--minutes 10] [--seed N]: the long form.

The account as JSON on stdout; exit code 1 on a fault.
"""

import argparse
import json
import random
import signal
import sys
import time
from collections.abc import Callable
from functools import partial

from tests.soak.house import NotInTime
from tests.soak.members import ALL
from tests.soak.soak import Soak, soaking
from tests.soak.twin import CannotSoak

AWAY_S, HANG_S = 70, 30
PAUSE_S = (1.0, 12.0)  # between two kills: shorter than a frame, longer than an upload's retries
PARTS = ("web", "worker", "postgres")


def deck(soak: Soak) -> list[Callable[[], None]]:
    """Each way to die once, in random order."""
    cards: list[Callable[[], None]] = [soak.strike_uplink]
    cards += [partial(soak.strike, name) for name in ALL]
    cards += [partial(soak.strike_in_upload, name) for name in ("web", "postgres", "redis")]
    cards += [partial(soak.strike_part, name) for name in PARTS]
    soak.choose.shuffle(cards)
    return cards


def kill_until(soak: Soak, end: float) -> None:
    """Whole decks, until the time is up; the first one always to its end."""
    first = True
    while first or time.monotonic() < end:
        for strike in deck(soak):
            if not first and time.monotonic() >= end:
                return
            strike()
            time.sleep(soak.choose.uniform(*PAUSE_S))
        first = False


def main() -> int:
    parser = argparse.ArgumentParser(prog="python -m tests.soak")
    parser.add_argument("--minutes", type=float, default=10)
    parser.add_argument("--seed", type=int, default=int(time.time()))
    given = parser.parse_args()
    signal.signal(signal.SIGTERM, lambda *_: sys.exit(1))  # through every `finally`
    begin = time.monotonic()

    def say(text: str) -> None:
        print(f"{time.monotonic() - begin:6.1f} s  {text}", file=sys.stderr, flush=True)

    say(f"soak for {given.minutes:g} min, seed {given.seed}")
    end = begin + 60 * given.minutes
    try:
        with soaking(say) as soak:
            soak.choose = random.Random(given.seed)
            soak.hang(HANG_S)
            soak.away(AWAY_S)
            kill_until(soak, end)
            outcome = soak.close()
    except CannotSoak as why:
        say(f"nothing done: {why}")
        return 1
    except NotInTime as error:
        say(str(error))
        return 1
    print(json.dumps({"seed": given.seed, **outcome.as_plain()}, indent=2))
    return 1 if outcome.faults else 0


if __name__ == "__main__":
    sys.exit(main())
