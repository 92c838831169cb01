"""Which demonstration is this checkout's? A small file beside the database's: when it was set up, and by which seed."""

import json
from dataclasses import asdict, dataclass
from pathlib import Path

from django.conf import settings

SEED = 1


@dataclass(frozen=True, slots=True)
class State:
    """What the whole story hangs on."""

    anchor: int
    seed: int = SEED
    ready: bool = False  # its past is written


def path() -> Path:
    """Where it is kept."""
    return Path(settings.BASE_DIR) / "var" / "demo.json"


def load(file: Path) -> State | None:
    """None where no demonstration was made."""
    return State(**json.loads(file.read_text())) if file.is_file() else None


def save(file: Path, state: State) -> None:
    """Remember it."""
    file.parent.mkdir(parents=True, exist_ok=True)
    file.write_text(json.dumps(asdict(state)))
