"""With which settings do the processes of this checkout run?"""

import os
import secrets
from pathlib import Path

from scripts import paths

WRITTEN = ("DATABASE_URL", "REDIS_URL", "BROKER_URL", "SECRET_KEY_FILE", "BASE_URL")


def write_secret(file: Path, text: str) -> None:
    """Whole or not at all, and never readable by others, not even for a moment."""
    new = file.with_name(file.name + ".new")
    new.unlink(missing_ok=True)
    with os.fdopen(os.open(new, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o600), "w") as opened:
        opened.write(text)
    new.replace(file)


def secret_key_file() -> Path:
    file = paths.VAR / "secret-key"
    if not file.is_file():
        write_secret(file, secrets.token_urlsafe(50) + "\n")
    return file


def broker_url(redis_url: str) -> str:
    """The same Redis in the words of Celery's transport: a socket has another scheme there, a database another key."""
    if not redis_url.startswith("unix://"):
        return redis_url
    return redis_url.replace("unix://", "redis+socket://", 1).replace("?db=", "?virtual_host=", 1)


def environment(database_url: str, redis_url: str, *, port: int) -> dict[str, str]:
    """The caller's own environment first, then what this checkout chose."""
    env = dict(os.environ)
    env.pop("VIRTUAL_ENV", None)
    env["PATH"] = f"{paths.VENV / 'bin'}:{env['PATH']}"
    env["PORT"] = str(port)
    env["DATABASE_URL"], env["REDIS_URL"] = database_url, redis_url
    env.setdefault("BROKER_URL", broker_url(redis_url))
    env.setdefault("BASE_URL", f"http://127.0.0.1:{port}")
    if not {"SECRET_KEY", "SECRET_KEY_FILE"} & env.keys():
        env["SECRET_KEY_FILE"] = str(secret_key_file())
    env.setdefault("WEB_WORKERS", "1")
    env.setdefault("WEB_THREADS", "4")
    env.setdefault("WORKER_PROCESSES", "2")
    env["PYTHONUNBUFFERED"] = "1"  # a line in the log when it happens
    if os.geteuid() == 0:
        # Celery's five lines about root at each start; a production has users (docker-compose.yml).
        env.setdefault("PYTHONWARNINGS", "ignore:::celery.platforms")
    return env


def write_env(env: dict[str, str]) -> None:
    """`var/env`, which the settings read: so that a bare `python manage.py …` finds the same database."""
    lines = [f"{name}={env[name]}\n" for name in WRITTEN if name in env]
    write_secret(paths.VAR / "env", "".join(lines))
