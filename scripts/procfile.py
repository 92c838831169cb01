"""Which processes make up the house?"""

import re
from pathlib import Path

LINE = re.compile(r"([A-Za-z0-9_-]+):\s*(.+)")


def read_procfile(path: Path) -> dict[str, str]:
    """Name to shell command, in the file's order; comments and blank lines are left out."""
    found = (LINE.fullmatch(line.strip()) for line in path.read_text().splitlines())
    return {match[1]: match[2] for match in found if match}
