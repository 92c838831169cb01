"""The virtual environment: pip runs when what is pinned has changed, and not otherwise."""

import pytest

from scripts import paths, venv


@pytest.fixture
def pip(tmp_path, monkeypatch):
    """A checkout with requirements files and a virtual environment; what was installed into it, in order."""
    monkeypatch.setattr(paths, "ROOT", tmp_path)
    monkeypatch.setattr(paths, "VENV", tmp_path / ".venv")
    for name in (venv.RUNTIME, venv.DEVELOPMENT, venv.NODE):
        (tmp_path / name).write_text(name)
    (tmp_path / ".venv/bin").mkdir(parents=True)
    (tmp_path / ".venv/bin/pip").touch()
    ran: list[str] = []
    monkeypatch.setattr(venv, "run", lambda command, **_: ran.append(command[-1]))
    return ran


def test_pip_runs_once_for_the_same_pins(pip):
    venv.install(venv.RUNTIME)
    venv.install(venv.RUNTIME)
    assert pip == [venv.RUNTIME]


def test_development_includes_the_runtime_and_not_the_reverse(pip):
    venv.install(venv.DEVELOPMENT)
    venv.install(venv.RUNTIME)
    assert pip == [venv.DEVELOPMENT]


def test_the_runtime_does_not_pass_for_development(pip):
    venv.install(venv.RUNTIME)
    venv.install(venv.DEVELOPMENT)
    assert pip == [venv.RUNTIME, venv.DEVELOPMENT]


def test_a_changed_pin_of_the_runtime_is_installed_for_both(pip):
    venv.install(venv.DEVELOPMENT)
    (paths.ROOT / venv.RUNTIME).write_text("another pin")
    venv.install(venv.DEVELOPMENT)
    venv.install(venv.RUNTIME)
    assert pip == [venv.DEVELOPMENT, venv.DEVELOPMENT]


def test_what_pip_refused_is_tried_again(pip, monkeypatch):
    def refuse(command, **_):
        raise OSError("no network")

    with monkeypatch.context() as patch:
        patch.setattr(venv, "run", refuse)
        with pytest.raises(OSError, match="no network"):
            venv.install(venv.RUNTIME)
    venv.install(venv.RUNTIME)
    assert pip == [venv.RUNTIME]
