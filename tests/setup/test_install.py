"""Where PostgreSQL, TimescaleDB and Redis come from: the machine's own packages, else its own archive's."""

import pytest

from scripts.problem import Problem
from scripts.services import archive, cluster, install
from scripts.services.folder import Folder

DEBIAN = "https://mirror.example/debian"
SECURITY = "https://mirror.example/debian-security"


@pytest.fixture
def addresses(monkeypatch):
    """Sets what /etc/apt names."""
    for variable in ("DEBIAN_URI", "DEBIAN_SECURITY_URI"):
        monkeypatch.delenv(variable, raising=False)
    return lambda *names: monkeypatch.setattr(archive, "configured_addresses", lambda: list(names))


def test_the_archive_is_the_one_that_the_machine_is_set_up_for(addresses):
    addresses("https://packages.example/apt", SECURITY + "/", DEBIAN + "/")
    main, security = archive.sources().splitlines()
    assert main == f"deb [signed-by={archive.KEYRING}] {DEBIAN}/ trixie main"
    assert security == f"deb [signed-by={archive.KEYRING}] {SECURITY}/ trixie-security main"


def test_a_machine_without_a_security_archive_takes_the_main_one_alone(addresses):
    addresses(DEBIAN)
    assert len(archive.sources().splitlines()) == 1


def test_the_environment_may_name_another_archive(addresses, monkeypatch):
    addresses(DEBIAN)
    monkeypatch.setenv("DEBIAN_URI", "http://10.0.0.1/debian")
    assert archive.sources().startswith(f"deb [signed-by={archive.KEYRING}] http://10.0.0.1/debian trixie main")


def test_a_machine_without_any_archive_is_told_what_to_set(addresses):
    addresses("https://packages.example/apt")
    with pytest.raises(Problem, match=r"DEBIAN_URI.*DATABASE_URL.*REDIS_URL"):
        archive.sources()


def test_packages_left_out_are_called_installed_in_a_version_newer_than_any():
    entries = archive.pretended_status(archive.MACHINES["x86_64"]).strip().split("\n\n")
    assert len(entries) == len(archive.NOT_NEEDED)
    assert all("Status: install ok installed\nVersion: 9999:1\nArchitecture: amd64" in entry for entry in entries)
    assert not set(archive.NOT_NEEDED) & set(archive.WANTED)


def test_apt_writes_into_the_private_folder_only(tmp_path):
    written = archive.private_configuration(tmp_path, archive.MACHINES["x86_64"])
    for setting in ("Dir::State", "Dir::State::Lists", "Dir::State::status", "Dir::Cache", "Dir::Log", "Dir::Etc"):
        assert f'{setting} "{tmp_path}' in written


@pytest.fixture
def debian13(tmp_path):
    """The files of the three packages."""
    names = (
        "lib/postgresql/17/bin/postgres",
        "lib/postgresql/17/lib/timescaledb.so",
        "share/postgresql/17/extension/timescaledb.control",
        "bin/redis-server",
    )
    files = [tmp_path / name for name in names]
    for file in files:
        file.parent.mkdir(parents=True, exist_ok=True)
        file.touch()
    return files


def test_installed_packages_are_used_as_they_are(debian13, tmp_path):
    found = install.installed_on_machine(tmp_path)
    assert found == install.Programs(tmp_path / "lib/postgresql/17/bin", tmp_path / "bin/redis-server")


@pytest.mark.parametrize("missing", range(4))
def test_one_missing_package_is_enough_for_the_private_folder(debian13, tmp_path, missing):
    debian13[missing].unlink()
    assert install.installed_on_machine(tmp_path) is None


@pytest.mark.parametrize(("owner", "stays"), [("postgres", True), ("bash", False)])
def test_a_postmaster_pid_that_is_somebody_elses_by_now_is_forgotten(tmp_path, owner, stays):
    folder, proc = Folder(tmp_path / "services", None), tmp_path / "proc"
    folder.cluster.mkdir(parents=True)
    pid_file = folder.cluster / "postmaster.pid"
    pid_file.write_text("4711\n/data\n")
    (proc / "4711").mkdir(parents=True)
    (proc / "4711" / "comm").write_text(owner + "\n")
    cluster.forget_dead_postmaster(folder, proc)
    assert pid_file.exists() is stays


def test_a_postmaster_pid_of_no_process_is_left_to_postgres(tmp_path):
    folder = Folder(tmp_path, None)
    folder.cluster.mkdir()
    cluster.forget_dead_postmaster(folder, tmp_path / "proc")
    (folder.cluster / "postmaster.pid").write_text("4711\n")
    cluster.forget_dead_postmaster(folder, tmp_path / "proc")
    assert (folder.cluster / "postmaster.pid").exists()
