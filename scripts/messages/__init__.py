"""`make messages`: what the product says, found in the sources and kept in `locale/`, compiled at set-up."""

import subprocess

from scripts import paths, venv


def messages() -> int:
    """Bring the catalogues of all languages up to date."""
    venv.install(venv.DEVELOPMENT)
    return subprocess.run([paths.in_venv("python"), "-m", "scripts.messages"], cwd=paths.ROOT, check=False).returncode
