"""What root keeps for an agent that runs as another user."""

import json
import os
import shutil
import tempfile
from pathlib import Path

import pytest

from plimsoll_agent.probe import outbox

NOBODY = 65534
pytestmark = pytest.mark.skipif(os.geteuid() != 0, reason="needs root")


@pytest.fixture
def top():
    """The agent's state folder, where its user can reach it."""
    folder = Path(tempfile.mkdtemp(prefix="plimsoll-test-"))
    folder.chmod(0o755)
    (folder / "state").mkdir()
    os.chown(folder / "state", NOBODY, NOBODY)
    yield folder / "state"
    shutil.rmtree(folder)


def test_it_belongs_to_the_agents_user(top):
    path = Path(outbox.keep(str(top), {"id": "a", "kind": "steps"}))
    assert json.loads(path.read_text())["id"] == "a"
    assert {(each.stat().st_uid, each.stat().st_gid) for each in (path, path.parent)} == {(NOBODY, NOBODY)}
    assert (os.geteuid(), os.getegid()) == (0, 0)


def test_a_link_that_the_agents_user_has_put_there_leads_root_nowhere(top):
    precious = top.parent / "precious"
    precious.mkdir()
    (top / "probes").symlink_to(precious)
    with pytest.raises(PermissionError):
        outbox.keep(str(top), {"id": "a"})
    assert precious.stat().st_uid == 0 and not list(precious.iterdir())
    assert (os.geteuid(), os.getegid()) == (0, 0)
