"""Where do the things of a checkout lie?"""

import os
from pathlib import Path

from scripts.problem import Problem

ROOT = Path(__file__).resolve().parent.parent
VAR = ROOT / "var"
VENV = ROOT / ".venv"
NODE_MODULES = ROOT / "node_modules"
LOGS = VAR / "log"
PIDS = VAR / "pids"
FIRST_RUN = Path(os.environ.get("FIRST_RUN_FILE", VAR / "first-run.json"))
AGENT_KEY = Path(os.environ.get("AGENT_KEY_FILE", VAR / "agent.key"))


def in_venv(program: str) -> str:
    """The path of a program of the virtual environment."""
    return str(VENV / "bin" / program)


def make_var() -> Path:
    """`var/` and its folders; what is secret in there has a mode of its own."""
    for folder in (VAR, LOGS, PIDS):
        folder.mkdir(exist_ok=True)
        if folder.stat().st_uid != os.geteuid():
            raise Problem(f"{folder} belongs to another user: run this as that user, or let them `make clean` first")
    return VAR
