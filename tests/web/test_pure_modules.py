"""The pages' pure modules, under Node's own runner."""

import shutil
import subprocess
from pathlib import Path

import pytest

TESTS = Path(__file__).parent / "js"


def test_lines_bands_and_ticks_hold_in_node() -> None:
    node = shutil.which("node")
    if node is None:
        pytest.skip("node is not installed: apt-get install nodejs")
    files = sorted(str(path) for path in TESTS.glob("*.test.js"))
    done = subprocess.run([node, "--test", *files], capture_output=True, text=True, timeout=60, check=False)
    assert done.returncode == 0, done.stdout[-4_000:]
