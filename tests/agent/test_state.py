"""Folders: private, in memory while it runs, and never another agent's."""

import os
from pathlib import Path

import pytest

from plimsoll_agent.settings import Settings
from plimsoll_agent.state import StateError, locate, lock, make_run, notes, open_state, park, write_atomically


@pytest.fixture
def wanted(tmp_path):
    return Settings({"state_dir": str(tmp_path / "state"), "run_dir": str(tmp_path / "run")})


def test_folders_are_for_their_owner_alone(wanted):
    state = open_state(wanted)
    for path in (state.top, state.run, state.spool, state.rejected):
        assert Path(path).stat().st_mode & 0o777 == 0o700


def test_looking_makes_no_folder_in_memory(wanted):
    assert not Path(locate(wanted).run).exists()


def test_seconds_of_a_deleted_state_folder_are_not_taken_over(wanted):
    state = open_state(wanted)
    Path(state.run, "1-vda.cut").write_text("a stranger's seconds")
    open_state(wanted)
    assert Path(state.run, "1-vda.cut").exists()
    Path(state.top, "owner").unlink()
    open_state(wanted)
    assert not Path(state.run, "1-vda.cut").exists()


def test_a_folder_made_again_under_a_running_agent_is_its_own(wanted):
    state = open_state(wanted)
    Path(state.run, "owner").unlink()
    Path(state.run).rmdir()
    make_run(state)
    Path(state.run, "1-vda.cut").write_text("own seconds")
    open_state(wanted)
    assert Path(state.run, "1-vda.cut").exists()


def test_stopping_leaves_notes_and_nothing_in_memory_unless_seconds_wait(wanted):
    state = open_state(wanted)
    write_atomically(state.run + "/sampler", b"high 7\n")
    Path(state.run, "1-vda.cut").write_text("seconds")
    park(state)
    assert Path(state.run, "1-vda.cut").exists() and notes(state, "sampler") == {"high": "7"}
    Path(state.run, "1-vda.cut").unlink()
    park(state)
    assert not Path(state.run).exists() and notes(state, "sampler") == {"high": "7"}


def test_a_link_or_a_file_in_the_place_of_a_folder_is_refused(tmp_path, wanted):
    (tmp_path / "elsewhere").mkdir()
    (tmp_path / "run").symlink_to(tmp_path / "elsewhere")
    with pytest.raises(StateError, match="run"):
        open_state(wanted)


def test_another_users_folder_is_refused(tmp_path, wanted, monkeypatch):
    (tmp_path / "run").mkdir()
    monkeypatch.setattr(os, "geteuid", lambda: os.getuid() + 1)
    with pytest.raises(StateError, match=f"belongs to user {os.getuid()}"):
        open_state(wanted)


def test_a_write_that_fails_leaves_the_old_text_and_no_rubbish(tmp_path, monkeypatch):
    path = tmp_path / "token"
    write_atomically(str(path), b"old")

    def full(fd, data):
        raise OSError(28, "No space left on device")

    monkeypatch.setattr(os, "write", full)
    with pytest.raises(OSError, match="No space"):
        write_atomically(str(path), b"new")
    assert path.read_bytes() == b"old" and list(tmp_path.iterdir()) == [path]


def test_a_lock_is_held_once(tmp_path):
    held = lock(str(tmp_path / "l"))
    assert lock(str(tmp_path / "l")) is None
    os.close(held)
    again = lock(str(tmp_path / "l"))
    assert again is not None
    os.close(again)
