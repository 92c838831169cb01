"""The agent's README names what there is."""

from pathlib import Path

from plimsoll_agent import cli
from plimsoll_agent.settings import NAMES

README = (Path(__file__).parents[2] / "agent" / "README.md").read_text()


def test_every_setting_is_in_the_table_with_its_default():
    rows = [line for line in README.splitlines() if line.startswith("| `")]
    for name, (default, _) in NAMES.items():
        [row] = [row for row in rows if f"`{name}`" in row.split("|")[1]]
        assert default in row, name


def test_every_command_is_named():
    commands = next(action for action in cli._parser()._actions if action.dest == "command").choices
    for name in commands:
        assert f"| `{name}" in README
