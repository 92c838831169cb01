"""What is being done, and how long did it take? Plain lines on stderr, so that stdout stays a command's own."""

import sys
import threading
import time
from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor, wait
from contextlib import contextmanager

STILL_EVERY_S = 15  # long enough to stay quiet on a fast machine, short enough that nobody thinks it hangs


def say(text: str) -> None:
    print(text, file=sys.stderr, flush=True)


@contextmanager
def step(what: str) -> Iterator[None]:
    """Say what begins, that it still goes on, and how long it took; a failure passes through."""
    begin, ended = time.monotonic(), threading.Event()

    def remind() -> None:
        while not ended.wait(STILL_EVERY_S):
            say(f"  … {what}: {time.monotonic() - begin:.0f} s so far")

    say(f"  → {what}")
    threading.Thread(target=remind, daemon=True).start()
    try:
        yield
    except BaseException:
        say(f"  ✗ {what}: failed after {time.monotonic() - begin:.1f} s")
        raise
    else:
        say(f"  ✓ {what} ({time.monotonic() - begin:.1f} s)")
    finally:
        ended.set()


def side_by_side(*tasks: Callable[[], object]) -> None:
    """Run the tasks at the same time; raise the first failure once all have ended. Ctrl-C waits for none of them."""
    pool = ThreadPoolExecutor(max_workers=len(tasks))
    futures = [pool.submit(task) for task in tasks]
    try:
        wait(futures)
    except KeyboardInterrupt:
        pool.shutdown(wait=False, cancel_futures=True)
        raise
    for future in futures:
        future.result()
