"""Which processes make up the house?"""

import os
import re
from pathlib import Path

DEMO = "HOUSE_HAS_DEMO"  # set where the simulated fleet lives in the house too
LINE = re.compile(r"([A-Za-z0-9_-]+):\s*(.+)")


def read_procfile(path: Path) -> dict[str, str]:
    """Name to shell command, in the file's order; comments and blank lines are left out."""
    found = (LINE.fullmatch(line.strip()) for line in path.read_text().splitlines())
    return {match[1]: match[2] for match in found if match}


def read_house(root: Path) -> dict[str, str]:
    """The members of the house that stands in `root`; with the demonstration's where it was asked for."""
    members = read_procfile(root / "Procfile")
    return members | read_procfile(root / "Procfile.demo") if os.environ.get(DEMO) else members
