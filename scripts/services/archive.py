"""Fetch the signed packages of Debian 13 with the machine's own apt, without touching the machine's own packages."""

import os
import re
import shutil
import subprocess
from dataclasses import dataclass
from pathlib import Path

from scripts.problem import Problem
from scripts.shell import run

WANTED = ("postgresql-17-timescaledb", "redis-server", "patchelf")
# Left out on purpose: the just-in-time compiler, Perl, and what only installation scripts use. apt is told that they
# are there already, so that it fetches some 40 packages and not 96.
NOT_NEEDED = (  # noqa: SIM905  words are easier to read and to change
    "libllvm19 perl perl-base locales openssl ssl-cert postgresql-common postgresql-client-common passwd adduser"
    " debconf procps ucf netbase base-passwd init-system-helpers sysvinit-utils libc-bin libpam-modules"
    " libpam-modules-bin libpam-runtime tzdata readline-common libselinux1 libxslt1.1 libaudit-common"
    " libsasl2-modules-db"
).split()
KEYRING = Path("/usr/share/keyrings/debian-archive-keyring.gpg")
SUITE = "trixie"
ADDRESS = re.compile(r"https?://[^\s\]]+")


@dataclass(frozen=True, slots=True)
class Machine:
    """What the names of the machine's kind are."""

    deb: str  # Debian's name of the architecture
    triplet: str  # its folder under /usr/lib
    loader: str  # its program loader


MACHINES = {
    "x86_64": Machine("amd64", "x86_64-linux-gnu", "ld-linux-x86-64.so.2"),
    "aarch64": Machine("arm64", "aarch64-linux-gnu", "ld-linux-aarch64.so.1"),
}
USE_YOUR_OWN = "set DATABASE_URL (PostgreSQL 17 with TimescaleDB) and REDIS_URL to servers of your own"


def this_machine() -> Machine:
    kind = os.uname().machine
    if kind not in MACHINES:
        raise Problem(f"there is no TimescaleDB package for {kind}: {USE_YOUR_OWN}")
    missing = [name for name in ("apt-get", "apt-config", "dpkg-deb", "tar") if not shutil.which(name)]
    if missing or not KEYRING.is_file():
        raise Problem(f"this is no Debian ({', '.join(missing) or KEYRING} is missing): {USE_YOUR_OWN}")
    return MACHINES[kind]


def configured_addresses() -> list[str]:
    """The archives that the machine is set up for, in apt's own order."""
    listed = subprocess.run(
        ["apt-get", "indextargets", "--format", "$(REPO_URI)", "Created-By: Packages"],
        capture_output=True,
        text=True,
        check=False,
    ).stdout
    etc = Path("/etc/apt")
    files = [etc / "sources.list", *sorted((etc / "sources.list.d").glob("*"))]
    written = "\n".join(file.read_text(errors="replace") for file in files if file.is_file())
    return ADDRESS.findall(listed) + ADDRESS.findall(written)


def archive_of(name: str, variable: str) -> str | None:
    """The address that ends in /NAME; the environment variable comes first."""
    if os.environ.get(variable):
        return os.environ[variable]
    return next((found for found in configured_addresses() if found.rstrip("/").endswith("/" + name)), None)


def sources() -> str:
    main, security = archive_of("debian", "DEBIAN_URI"), archive_of("debian-security", "DEBIAN_SECURITY_URI")
    if main is None:
        raise Problem(f"/etc/apt names no Debian archive: set DEBIAN_URI to one, or {USE_YOUR_OWN}")
    lines = [f"deb [signed-by={KEYRING}] {main} {SUITE} main"]
    if security is not None:
        lines.append(f"deb [signed-by={KEYRING}] {security} {SUITE}-security main")
    return "\n".join(lines) + "\n"


def pretended_status(machine: Machine) -> str:
    """A dpkg status file that calls the packages not needed installed, in a version newer than any."""
    entry = (
        "Package: {}\nStatus: install ok installed\nVersion: 9999:1\nArchitecture: {}\nMulti-Arch: foreign\n"
        "Maintainer: -\nDescription: -\n\n"
    )
    return "".join(entry.format(name, machine.deb) for name in NOT_NEEDED)


def private_configuration(state: Path, machine: Machine) -> str:
    """An apt configuration in which every path lies in `state`; proxies and clock settings are the machine's own."""
    own = subprocess.run(["apt-config", "dump"], capture_output=True, text=True, check=False).stdout
    kept = [line for line in own.splitlines() if re.match(r"Acquire::(https?::|Check-)", line)]
    return "\n".join(
        [
            f'Dir::State "{state}"; Dir::State::Lists "{state}/lists"; Dir::State::status "{state}/status";',
            f'Dir::Cache "{state}/cache"; Dir::Log "{state}"; Dir::Etc "{state}/etc";',
            f'Dir::Etc::SourceList "{state}/sources.list";',
            'Dir::Etc::SourceParts "/dev/null"; Dir::Etc::Parts "/dev/null";',
            f'APT::Architecture "{machine.deb}"; APT::Architectures {{ "{machine.deb}"; }};',
            'APT::Sandbox::User ""; APT::Install-Recommends "false"; Acquire::Languages "none"; Acquire::Retries "3";',
            'Debug::NoLocking "true"; Binary::apt::APT::Keep-Downloaded-Packages "true";',
            *kept,
        ]
    )


def fetch(state: Path, machine: Machine) -> list[Path]:
    """The packages, downloaded and their signatures checked by apt, into `state` (made afresh)."""
    shutil.rmtree(state, ignore_errors=True)
    for folder in ("lists/partial", "cache/archives/partial", "etc/preferences.d"):
        (state / folder).mkdir(parents=True)
    (state / "sources.list").write_text(sources())
    (state / "status").write_text(pretended_status(machine))
    (state / "apt.conf").write_text(private_configuration(state, machine) + "\n")
    env = {**os.environ, "APT_CONFIG": str(state / "apt.conf"), "LC_ALL": "C.UTF-8"}
    run(["apt-get", "-qq", "update"], what="reading Debian's package lists", env=env)
    run(
        ["apt-get", "-qq", "-y", "-d", "install", *WANTED],
        what="downloading PostgreSQL, TimescaleDB and Redis",
        env=env,
    )
    return sorted((state / "cache" / "archives").glob("*.deb"))
