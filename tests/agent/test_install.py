"""The single file, the installer in a scratch root, and the units."""

import configparser
import http.server
import os
import shutil
import subprocess
import sys
import threading
import zipfile
from io import BytesIO
from pathlib import Path

import pytest

from plimsoll_agent import __version__, package

INSTALL = Path(package.HERE) / "install"


@pytest.fixture(scope="module")
def data():
    return package.as_one_file()


@pytest.fixture
def served(tmp_path, data):
    """A server of what `files` holds; its address."""
    files = tmp_path / "www/agent"
    files.mkdir(parents=True)
    (files / "plimsoll-agent.pyz").write_bytes(data)

    class Quiet(http.server.SimpleHTTPRequestHandler):
        def __init__(self, *args, **named):
            super().__init__(*args, directory=str(tmp_path / "www"), **named)

        def log_message(self, *args):
            pass

    server = http.server.ThreadingHTTPServer(("127.0.0.1", 0), Quiet)
    threading.Thread(target=server.serve_forever, args=(0.05,), daemon=True).start()
    yield f"http://127.0.0.1:{server.server_address[1]}"
    server.shutdown()
    server.server_close()


def install(url, data, root, *flags, **environ):
    return subprocess.run(
        ["sh", "-s", "--", "--root", str(root), *flags],
        input=package.installer(url, data, __version__),
        env={"PATH": os.environ["PATH"], **environ},
        capture_output=True,
        text=True,
        timeout=120,
        check=False,
    )


def test_the_same_sources_give_the_same_bytes(data):
    assert package.as_one_file() == data
    names = zipfile.ZipFile(BytesIO(data)).namelist()
    assert "__main__.py" in names and "plimsoll_agent/install/install.sh" in names
    assert not [name for name in names if "__pycache__" in name or name.endswith(".pyc")]


def test_the_file_runs_as_it_is_and_its_children_out_of_it(tmp_path, data):
    (tmp_path / "a.pyz").write_bytes(data)
    done = subprocess.run(
        [sys.executable, "-I", "-S", tmp_path / "a.pyz", "--version"], capture_output=True, text=True, check=False
    )
    assert done.stdout.split() == ["plimsoll-agent", __version__]
    environ = {"PLIMSOLL_STATE_DIR": str(tmp_path / "s"), "PLIMSOLL_RUN_DIR": str(tmp_path / "r"), "PATH": ""}
    done = subprocess.run(
        [sys.executable, "-I", "-S", tmp_path / "a.pyz", "pack"],
        env=environ,
        capture_output=True,
        text=True,
        check=False,
    )
    assert done.returncode == 0, done.stderr
    assert (tmp_path / "r/uplink").exists()


@pytest.mark.parametrize("shell", ["sh -n", "dash -n", "busybox sh -n"])
def test_the_installer_is_plain_sh(shell):
    if not shutil.which(shell.split()[0]):
        pytest.skip(f"no {shell.split()[0]} here")
    assert subprocess.run([*shell.split(), INSTALL / "install.sh"], capture_output=True, check=False).returncode == 0


def test_it_installs_upgrades_and_removes(served, data, tmp_path):
    root = tmp_path / "root"
    done = install(served, data, root, "--init", "systemd", "--ebpf", PLIMSOLL_KEY="s3cret")
    assert done.returncode == 0, done.stderr
    conf = root / "etc/plimsoll/agent.conf"
    assert f"url = {served}" in conf.read_text()
    assert (root / "etc/plimsoll/key").read_text() == "s3cret\n"
    assert (root / "etc/plimsoll/key").stat().st_mode & 0o777 == 0o640
    assert (root / "etc/systemd/system/plimsoll-agent.service").exists()
    assert (root / "etc/systemd/system/plimsoll-agent.service.d/ebpf.conf").exists()
    done = subprocess.run(
        [sys.executable, root / "opt/plimsoll-agent/lib", "--version"], capture_output=True, text=True, check=False
    )
    assert __version__ in done.stdout
    assert list((root / "opt/plimsoll-agent/lib").rglob("__pycache__"))
    assert "exec" in (root / "usr/local/bin/plimsoll-agent").read_text()

    conf.write_text("url = https://mine.example\n")
    again = install(served, data, root, "--init", "openrc")
    assert again.returncode == 0, again.stderr
    assert conf.read_text() == "url = https://mine.example\n", "an upgrade keeps the settings"
    assert (root / "etc/plimsoll/key").read_text() == "s3cret\n"
    assert os.access(root / "etc/init.d/plimsoll-agent", os.X_OK)

    gone = install(served, data, root, "--init", "systemd", "--uninstall")
    assert gone.returncode == 0 and conf.exists()
    assert not (root / "opt/plimsoll-agent").exists() and not (root / "usr/local/bin/plimsoll-agent").exists()
    assert install(served, data, root, "--purge").returncode == 0
    assert [str(path) for path in root.rglob("*") if path.is_file()] == []


def test_another_file_than_announced_is_not_installed(served, data, tmp_path):
    done = install(served, data + b"x", tmp_path / "root")
    assert done.returncode == 1 and "nothing is installed" in done.stderr
    assert not (tmp_path / "root").exists()


@pytest.mark.parametrize(
    ("flags", "word"), [(["--url"], "needs a value"), (["--frob"], "unknown option"), (["--init", "x"], "must be")]
)
def test_what_cannot_be_is_said(data, tmp_path, flags, word):
    done = install("http://127.0.0.1:9", data, tmp_path / "root", *flags)
    assert done.returncode == 1 and word in done.stderr


def test_a_download_that_was_cut_short_does_nothing(served, data, tmp_path):
    text = package.installer(served, data, __version__)
    for cut in (len(text) // 2, len(text) - 12):
        done = subprocess.run(["sh"], input=text[:cut], capture_output=True, text=True, check=False)
        assert "is installed" not in done.stdout and "fetching" not in done.stdout


def test_the_unit_has_no_privileges_and_hides_nothing_it_reads():
    unit = configparser.ConfigParser(strict=False, interpolation=None)
    unit.optionxform = str
    unit.read(INSTALL / "plimsoll-agent.service")
    service = unit["Service"]
    assert service["User"] == "plimsoll-agent" and service["CapabilityBoundingSet"] == ""
    assert service["NoNewPrivileges"] == "true" and service["ProtectSystem"] == "strict"
    assert "ProcSubset" not in service, "pid would hide /proc/diskstats"
    assert service["RestrictAddressFamilies"].split() == ["AF_INET", "AF_INET6", "AF_UNIX"]


@pytest.mark.parametrize("drop_ins", [[], ["ebpf.conf"]])
def test_systemd_rates_the_unit_well(drop_ins, tmp_path):
    if not shutil.which("systemd-analyze"):
        pytest.skip("no systemd-analyze here")
    unit = tmp_path / "plimsoll-agent.service"
    unit.write_text("\n".join((INSTALL / name).read_text() for name in (unit.name, *drop_ins)))
    command = ["systemd-analyze", "security", "--offline=true", "--no-pager", unit]
    done = subprocess.run(command, capture_output=True, text=True, check=False)
    exposure = float(done.stdout.rpartition("service: ")[2].split()[0])
    assert exposure < 2.0
