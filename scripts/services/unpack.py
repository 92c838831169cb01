"""Make packages run out of a folder: unpack them, point their programs at its own libraries, prove it."""

import os
import shutil
import subprocess
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

from scripts.problem import Problem
from scripts.services.archive import Machine
from scripts.shell import run

LEFT_OUT = (
    *(f"./usr/share/{name}" for name in ("doc/*/*", "man", "locale", "lintian", "bug", "info", "perl5")),
    "./usr/share/postgresql/17/man",
    *("*/llvmjit*", "*/bitcode", "*/gconv", "./etc", "./var", "./usr/lib/systemd"),
)
NEED_WHAT_IS_LEFT_OUT = ("sepgsql.so", "pgxml.so")
PROVED = ("postgres", "initdb", "pg_ctl", "psql", "pg_dump", "pg_restore", "pg_isready")


def postgres_programs(root: Path) -> Path:
    return root / "usr/lib/postgresql/17/bin"


def unpack(packages: list[Path], into: Path) -> None:
    into.mkdir()

    def one(package: Path) -> None:
        words = ["tar", "-x", "-C", str(into), "--no-same-owner", "--no-same-permissions"]
        words += [f"--exclude={pattern}" for pattern in LEFT_OUT]
        with subprocess.Popen(["dpkg-deb", "--fsys-tarfile", str(package)], stdout=subprocess.PIPE) as source:
            tar = subprocess.run(words, stdin=source.stdout, capture_output=True, text=True, check=False)
        if source.returncode or tar.returncode:
            raise Problem(f"unpacking {package.name} failed: {tar.stderr.strip() or 'dpkg-deb refused it'}")

    with ThreadPoolExecutor(max_workers=os.cpu_count()) as pool:
        list(pool.map(one, packages))
    run(["chmod", "-R", "u+rwX,go+rX", into], what="opening the unpacked folder to its readers")
    for name in NEED_WHAT_IS_LEFT_OUT:
        (into / "usr/lib/postgresql/17/lib" / name).unlink(missing_ok=True)


def is_program(file: Path) -> bool:
    if file.is_symlink() or not file.is_file():
        return False
    with file.open("rb") as opened:
        return opened.read(4) == b"\x7fELF"


def point_inside(root: Path, machine: Machine) -> None:
    """Set loader and library path (DT_RPATH: the modules that a program loads inherit it) of every program."""
    libraries = root / "usr/lib" / machine.triplet
    loader, tool = libraries / machine.loader, root / ".patchelf"
    # patchelf cannot rewrite itself while it runs, and it is built for the folder's libraries too.
    shutil.copy(root / "usr/bin/patchelf", tool)
    programs = [*postgres_programs(root).iterdir(), *(root / "usr/bin").glob("redis-*")]
    patch = [loader, "--inhibit-cache", "--library-path", libraries, tool]
    patch += ["--set-interpreter", loader, "--force-rpath", "--set-rpath", libraries]
    for program in filter(is_program, programs):
        run([*patch, program], what=f"pointing {program.name} at its libraries")
    tool.unlink()


def prove(root: Path, machine: Machine) -> None:
    """Every program starts, and every module finds its libraries inside the folder; raises Problem otherwise."""
    libraries = root / "usr/lib" / machine.triplet
    programs = [postgres_programs(root) / name for name in PROVED] + [root / "usr/bin/redis-server"]
    for program in programs:
        run([program, "--version"], what=f"trying {program.name}")
    modules = sorted((root / "usr/lib/postgresql/17/lib").glob("*.so"))
    for module in [postgres_programs(root) / "postgres", *modules]:
        command = [libraries / machine.loader, "--inhibit-cache", "--library-path", libraries, "--list", module]
        for line in run(command, what=f"resolving {module.name}").splitlines():
            if "not found" in line or "=> /lib" in line or "=> /usr/lib" in line:
                raise Problem(f"{module.name} does not find its libraries in {root}: {line.strip()}")
