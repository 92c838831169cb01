"""Processes of the soak itself: they end with it, however it ends."""

import ctypes
import signal
import subprocess
import sys
from pathlib import Path
from typing import Any

from scripts.paths import ROOT

PR_SET_PDEATHSIG = 1
_LIBC = ctypes.CDLL(None, use_errno=True)


def end_with_parent() -> None:
    """In the child, before its program: SIGTERM when the parent is gone."""
    _LIBC.prctl(PR_SET_PDEATHSIG, int(signal.SIGTERM))


def start(module: str, *arguments: str | Path, **options: Any) -> subprocess.Popen[bytes]:
    """python -m MODULE, from this checkout."""
    words = [sys.executable, "-m", module, *map(str, arguments)]
    return subprocess.Popen(words, cwd=ROOT, preexec_fn=end_with_parent, **options)  # noqa: PLW1509
