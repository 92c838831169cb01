"""The lines that run PostgreSQL and Redis: no TCP, nothing lost by a kill, nobody let in by trust."""

import shlex
from pathlib import Path

from scripts.procfile import read_procfile
from scripts.services import cluster
from scripts.services.folder import Folder
from scripts.services.install import Programs

FOLDER = Folder(Path("/srv/a/var/services"), None)
PROGRAMS = Programs(Path("/srv/a/root/bin"), Path("/srv/a/root/redis-server"))


def line(name: str, tmp_path: Path) -> list[str]:
    file = tmp_path / "Procfile"
    file.write_text(cluster.procfile(FOLDER, PROGRAMS))
    return shlex.split(read_procfile(file)[name])


def test_postgres_listens_on_a_socket_of_the_folder_only_and_flushes_what_it_commits(tmp_path):
    words = line("postgres", tmp_path)
    assert words[:3] == ["/srv/a/root/bin/postgres", "-D", "/srv/a/var/services/postgres"]
    assert "listen_addresses=" in words
    assert "unix_socket_directories=/srv/a/var/services/run" in words
    assert "shared_preload_libraries=timescaledb" in words
    assert not [word for word in words if word.startswith(("fsync", "synchronous_commit", "full_page_writes"))]


def test_redis_listens_on_a_socket_only_and_keeps_what_was_queued(tmp_path):
    words = line("redis", tmp_path)
    pairs = dict(zip(words[1::2], words[2::2], strict=True))
    assert pairs["--port"] == "0"
    assert pairs["--unixsocket"] == "/srv/a/var/services/run/redis.sock"
    assert pairs["--unixsocketperm"] == "700"
    assert pairs["--appendonly"] == "yes"
    assert pairs["--save"] == ""


def test_only_peers_are_let_in():
    methods = [line.split() for line in cluster.HBA.splitlines()]
    assert methods == [["local", "all", "all", "peer", "map=plimsoll"]]


def test_the_names_let_in_are_whoever_runs_make_and_the_databases_own_user(monkeypatch):
    monkeypatch.setattr(cluster.users, "own_name", lambda: "root")
    assert cluster.allowed_names("postgres") == ["postgres", "root"]
    assert cluster.allowed_names(None) == ["root"]
