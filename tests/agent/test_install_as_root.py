"""The installer as root of a whole system: this machine's files, written to a copy of what changes.

An overlay shows the machine as it is and keeps each write apart; chroot goes in. The service manager is a script that
writes down how it is called, so that no service of this machine is touched.
"""

import os
import shutil
import subprocess
import tempfile
from pathlib import Path

import pytest

from plimsoll_agent import __version__, package
from tests.agent.test_install import data, served  # noqa: F401 - fixtures

CALLS = "var/plimsoll-calls"
ENTER = """set -e
mount -t overlay overlay -o "lowerdir=$1/lower:/,upperdir=$1/upper,workdir=$1/work" "$1/root"
mount --rbind /dev "$1/root/dev"
mkdir -p "$1/root/run"
shift
exec chroot "$@"
"""
PATH = "/usr/sbin:/usr/bin:/sbin:/bin"


class System:
    """`upper` holds what was written, as it lies below /."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        self.upper = folder / "upper"
        for name in ("upper", "work", "root", "lower/fakes"):
            (folder / name).mkdir(parents=True)
        self.path = PATH

    def has(self, *names: str, then: str = "") -> None:
        """Commands that write down how they were called."""
        for name in names:
            file = self.folder / "lower/fakes" / name
            file.write_text(f'#!/bin/sh\necho "{name} $*" >>/{CALLS}\n{then}\n')
            file.chmod(0o755)

    def run(self, *command: str, text: str = "") -> subprocess.CompletedProcess[str]:
        enter = ["unshare", "--mount", "sh", "-c", ENTER, "sh", str(self.folder), str(self.folder / "root")]
        return subprocess.run(
            [*enter, "env", f"PATH=/fakes:{self.path}", *command],
            input=text,
            env={"PATH": PATH},
            capture_output=True,
            text=True,
            timeout=120,
            check=False,
        )

    def calls(self) -> list[str]:
        """What the service manager was asked for since the last look."""
        file = self.upper / CALLS
        lines = file.read_text().splitlines() if file.exists() else []
        file.unlink(missing_ok=True)
        return lines


@pytest.fixture
def system():
    if os.geteuid():
        pytest.skip("needs root")
    folder = Path(tempfile.mkdtemp(prefix="plimsoll-test-", dir="/dev/shm"))
    made = System(folder)
    if made.run("true").returncode:
        shutil.rmtree(folder)
        pytest.skip("no overlay can be mounted here")
    yield made
    shutil.rmtree(folder)


def installer(served, data) -> str:  # noqa: F811 - the fixtures' values
    return package.installer(served, data, __version__)


def users(system: System) -> list[str]:
    return [line.split(":")[0] for line in (system.upper / "etc/passwd").read_text().splitlines()]


def test_systemd(system: System, served, data) -> None:  # noqa: F811
    system.has("systemctl")
    (system.upper / "run/systemd/system").mkdir(parents=True)
    script = installer(served, data)

    done = system.run("sh", "-s", "--", "--key", "s3cret", text=script)
    assert done.returncode == 0, done.stderr
    assert system.calls() == [
        "systemctl daemon-reload",
        "systemctl enable --quiet plimsoll-agent",
        "systemctl restart plimsoll-agent",
    ]
    assert "plimsoll-agent" in users(system)
    key, state = system.upper / "etc/plimsoll/key", system.upper / "var/lib/plimsoll-agent"
    assert key.stat().st_mode & 0o777 == 0o640 and key.stat().st_uid == 0 and key.stat().st_gid == state.stat().st_gid
    assert state.stat().st_uid != 0 and state.stat().st_mode & 0o777 == 0o700
    assert (system.upper / "etc/systemd/system/plimsoll-agent.service").exists()
    assert system.run("/usr/local/bin/plimsoll-agent", "--version").stdout.split()[-1] == __version__

    (state / "token").write_text("kept")
    again = system.run("sh", text=script)
    assert again.returncode == 0 and "user plimsoll-agent is made" not in again.stdout, again.stderr
    assert system.calls()[-1] == "systemctl restart plimsoll-agent"
    assert key.read_text() == "s3cret\n" and (state / "token").read_text() == "kept"

    gone = system.run("sh", "-s", "--", "--uninstall", text=script)
    assert gone.returncode == 0, gone.stderr
    assert system.calls() == ["systemctl disable --now --quiet plimsoll-agent", "systemctl daemon-reload"]
    assert (state / "token").exists() and not (system.upper / "opt/plimsoll-agent").is_dir()
    assert system.run("sh", "-s", "--", "--purge", text=script).returncode == 0
    assert "plimsoll-agent" not in users(system) and not state.is_dir() and not key.is_file()


def test_openrc_with_the_tools_of_alpine(system: System, served, data) -> None:  # noqa: F811
    system.path = "/usr/bin:/bin"  # without useradd
    system.has("rc-service", "rc-update", "addgroup")
    system.has("adduser", then="exec /usr/sbin/useradd --system --user-group plimsoll-agent")
    system.has("deluser", then='exec /usr/sbin/userdel "$1"')
    script = installer(served, data)
    shell = ["busybox", "sh"] if shutil.which("busybox") else ["sh"]

    done = system.run(*shell, "-s", "--", "--ebpf", text=script)
    assert done.returncode == 0, done.stderr
    assert "no enrolment key was given" in done.stdout and "--ebpf" in done.stdout
    assert system.calls() == [
        "addgroup -S plimsoll-agent",
        "adduser -S -D -H -h /var/lib/plimsoll-agent -s /sbin/nologin -G plimsoll-agent plimsoll-agent",
        "rc-update add plimsoll-agent default",
        "rc-service plimsoll-agent restart",
    ]
    assert os.access(system.upper / "etc/init.d/plimsoll-agent", os.X_OK)
    gone = system.run(*shell, "-s", "--", "--purge", text=script)
    assert gone.returncode == 0, gone.stderr
    assert system.calls() == [
        "rc-service plimsoll-agent stop",
        "rc-update del plimsoll-agent default",
        "deluser plimsoll-agent",
    ]
    assert "plimsoll-agent" not in users(system) and not (system.upper / "etc/init.d/plimsoll-agent").is_file()


def test_what_is_not_what_was_announced_changes_nothing(system: System, served, data) -> None:  # noqa: F811
    system.has("systemctl")
    (system.upper / "run/systemd/system").mkdir(parents=True)
    done = system.run("sh", text=installer(served, data + b"x"))
    assert done.returncode == 1 and "nothing is installed" in done.stderr
    assert system.calls() == []
    assert not any((system.upper / place).exists() for place in ("opt", "etc", "usr", "var"))
