"""Tests run side by side: each worker has a Redis database of its own (pytest-django gives each its PostgreSQL one).

Loaded by `-p` before anything reads the settings.
"""

import os
import re

import pytest

FIRST = 10  # `make run`, tests alone and benchmarks use 0 to 2; Redis has sixteen

worker = os.environ.get("PYTEST_XDIST_WORKER", "")
if worker.startswith("gw") and "REDIS_URL" in os.environ:
    number = FIRST + int(worker[2:]) % 6
    url, found = re.subn(r"(/|db=)\d+$", rf"\g<1>{number}", os.environ["REDIS_URL"])
    os.environ["REDIS_URL"] = url if found else f"{url.rstrip('/')}/{number}"

SLOW = ("page", "long")


@pytest.hookimpl(trylast=True)
def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    """Slow files first: one that begins last is waited for by all. xdist would begin with those of most tests."""
    slow = {item.path for item in items if any(map(item.get_closest_marker, SLOW))}
    items.sort(key=lambda item: item.path not in slow)
