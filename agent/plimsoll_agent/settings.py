"""How is this agent set up: one flat set of names, the same in the file, the environment and the flags.

Flags win over PLIMSOLL_* variables, these over the file. The long-lived process gets the result as PLIMSOLL_*
variables, so that it needs no parser of its own.
"""

from __future__ import annotations

from collections.abc import Mapping

from .kernel.files import read_all

PREFIX = "PLIMSOLL_"
DEFAULT_FILE = "/etc/plimsoll/agent.conf"
LADDER_MS = (1000, 100, 50, 20, 10)

# name -> (default, what it is). The command line builds its flags from this table.
NAMES: dict[str, tuple[str, str]] = {
    "url": ("", "address of the server, such as https://plimsoll.example.net"),
    "key": ("", "enrolment key; better in key_file"),
    "key_file": ("", "file that holds the enrolment key"),
    "state_dir": ("/var/lib/plimsoll-agent", "where the spool, the token and the policy are kept"),
    "run_dir": ("", "memory-backed folder for the seconds not yet sent; found by itself if empty"),
    "devices": ("", "the disks to watch, comma separated; every whole disk if empty; none"),
    "ca_file": ("", "certificates to trust instead of the system's"),
    "vantage": ("guest", "guest, or host on a hypervisor whose key allows it"),
    "format": ("packed", "packed (msgpack) or json requests"),
    "qmp": ("", "on a hypervisor: its VMs' QMP sockets, paths or patterns, comma separated"),
    "libvirt": ("", "on a hypervisor: libvirt's address, such as qemu:///system, to read its bulk statistics"),
    "disk_map": ("", "on a hypervisor: file of lines source,machine,disk that says whose disk is whose"),
    "from_node_exporter": ("", "address of a node_exporter to read instead of this machine's own counters"),
    "scrape_s": ("5", "how often it, or libvirt, is read, in seconds"),
    "cadence": ("", "fixed fine cadence in ms (1000, 100, 50, 20 or 10); the server's policy if empty"),
    "ebpf": ("auto", "time each I/O in the kernel: auto (where it lets us), on (or do not start), off"),
    "canary_s": ("0", "read one block of each disk that has been idle for so many seconds; 0 for never"),
    "memory_mb": ("64", "memory the agent may take, in MiB, before it looks less often"),
    "upload_kbps": ("512", "what uploads may send, in kilobits a second over a minute"),
    "spool_mb": ("64", "disk space the spool may take, in MiB"),
    "spool_days": ("10", "frames older than this are dropped"),
    "timeout_s": ("10", "longest wait for the server's answer"),
    "proc": ("/proc", "where procfs is mounted"),
    "sys": ("/sys", "where sysfs is mounted"),
    "etc": ("/etc", "where machine-id is looked for"),
}
VANTAGES = ("guest", "host")
EBPF = ("auto", "on", "off")
FORMATS = ("packed", "json")
# Steps that divide a minute; finer than a second is not for a page of text.
SCRAPE_S = (1, 2, 3, 4, 5, 6, 10, 12, 15, 20, 30, 60)
# More often it would be a load of its own, and a disk is not idle between two of them.
LEAST_CANARY_S = 5


class SettingsError(ValueError):
    """A setting that cannot be; the message names it, its value and what would do."""


class Settings:
    """The checked settings. Paths as text, because the sampler must not load pathlib (1.1 MB)."""

    __slots__ = (
        "ca_file",
        "cadence_ms",
        "canary_s",
        "devices",
        "disk_map",
        "ebpf",
        "etc",
        "format",
        "from_node_exporter",
        "key",
        "key_file",
        "libvirt",
        "memory_bytes",
        "proc",
        "qmp",
        "run_dir",
        "scrape_s",
        "spool_bytes",
        "spool_s",
        "state_dir",
        "sys",
        "timeout_s",
        "upload_bytes",
        "url",
        "vantage",
    )

    def __init__(self, values: Mapping[str, str]) -> None:
        """`values`: names of NAMES to text; what is missing has its default. Raises SettingsError."""

        def text(name: str) -> str:
            return values.get(name, NAMES[name][0]).strip()

        self.url = text("url").rstrip("/")
        if self.url and not self.url.startswith(("http://", "https://")):
            raise SettingsError(f"url must begin with https:// or http://, not {self.url!r}")
        self.key = text("key")
        self.key_file = text("key_file")
        self.state_dir = text("state_dir").rstrip("/")
        if not self.state_dir:
            raise SettingsError("state_dir is empty: the agent needs a folder of its own")
        self.run_dir = text("run_dir").rstrip("/")
        self.devices = [name for name in text("devices").replace(",", " ").split() if name]
        self.ca_file = text("ca_file")
        self.vantage = _one_of("vantage", text("vantage"), VANTAGES)
        self.format = _one_of("format", text("format"), FORMATS)
        self.ebpf = _one_of("ebpf", text("ebpf"), EBPF)
        self.qmp = [path for path in text("qmp").replace(",", " ").split() if path]
        if odd := [path for path in self.qmp if not path.startswith("/")]:
            raise SettingsError(f"qmp names sockets by paths from / on, such as /run/qemu-server/*.qmp, not {odd[0]!r}")
        self.libvirt = text("libvirt")
        if self.libvirt and ":" not in self.libvirt:
            raise SettingsError(f"libvirt is an address such as qemu:///system, not {self.libvirt!r}")
        self.disk_map = text("disk_map")
        self.from_node_exporter = text("from_node_exporter")
        if self.from_node_exporter and not self.from_node_exporter.startswith(("http://", "https://")):
            raise SettingsError(
                f"from_node_exporter must begin with http:// or https://, not {self.from_node_exporter!r}"
            )
        self.scrape_s = _number("scrape_s", text("scrape_s"), 1, 60)
        if self.scrape_s not in SCRAPE_S:
            raise SettingsError(f"scrape_s must divide a minute ({', '.join(map(str, SCRAPE_S))}), not {self.scrape_s}")
        cadence = text("cadence")
        self.cadence_ms = _number("cadence", cadence, 1, 1000) if cadence else None
        if self.cadence_ms is not None and self.cadence_ms not in LADDER_MS:
            raise SettingsError(f"cadence must be one of {', '.join(map(str, LADDER_MS))} ms, not {cadence}")
        self.canary_s = _number("canary_s", text("canary_s"), 0, 86400)
        if 0 < self.canary_s < LEAST_CANARY_S:
            raise SettingsError(f"canary_s must be 0 or at least {LEAST_CANARY_S}, not {self.canary_s}")
        self.memory_bytes = _number("memory_mb", text("memory_mb"), 16, 1 << 20) << 20
        # An allowance a minute: uploads come once a minute.
        self.upload_bytes = _number("upload_kbps", text("upload_kbps"), 8, 10_000_000) * 1000 // 8 * 60
        self.spool_bytes = _number("spool_mb", text("spool_mb"), 1, 1 << 20) << 20
        self.spool_s = _number("spool_days", text("spool_days"), 1, 3650) * 86400
        self.timeout_s = _number("timeout_s", text("timeout_s"), 1, 40)
        self.proc = text("proc")
        self.sys = text("sys")
        self.etc = text("etc")

    @property
    def has_guests(self) -> bool:
        """Is this a hypervisor that speaks for its guests' disks?"""
        return bool(self.qmp or self.libvirt or self.disk_map)

    def enrolment_key(self) -> str | None:
        """The key, read again each time: an operator may put a fresh one there. None: there is none."""
        if self.key:
            return self.key
        if not self.key_file:
            return None
        raw = read_all(self.key_file)
        return None if raw is None else raw.decode("utf-8", "replace").strip() or None


def from_environment(environ: Mapping[str, str]) -> dict[str, str]:
    """The settings among the environment's variables."""
    return {name: environ[PREFIX + name.upper()] for name in NAMES if environ.get(PREFIX + name.upper())}


def from_file(path: str) -> dict[str, str]:
    """The settings in an INI or KEY=VALUE file: sections are allowed and mean nothing, # and ; begin a comment line.

    Raises SettingsError for an unreadable file, a line without = and an unknown name.
    """
    raw = read_all(path)
    if raw is None:
        raise SettingsError(f"cannot read the settings file {path}")
    values: dict[str, str] = {}
    for number, line in enumerate(raw.decode("utf-8", "replace").splitlines(), 1):
        if not line.strip() or line.strip()[0] in "#;[":
            continue
        name, equals, value = line.partition("=")
        name = name.strip().lower().removeprefix("plimsoll_")
        if not equals:
            raise SettingsError(f"{path}:{number}: no = in {line!r}")
        if name not in NAMES:
            raise SettingsError(f"{path}:{number}: unknown setting {name!r}; known are {', '.join(NAMES)}")
        values[name] = value.strip().strip("\"'")
    return values


def to_environment(values: Mapping[str, str]) -> dict[str, str]:
    """The variables that hand these settings to another process of the agent."""
    return {PREFIX + name.upper(): value for name, value in values.items() if value}


def _one_of(name: str, value: str, allowed: tuple[str, ...]) -> str:
    if value not in allowed:
        raise SettingsError(f"{name} must be one of {', '.join(allowed)}, not {value!r}")
    return value


def _number(name: str, value: str, low: int, high: int) -> int:
    try:
        number = int(value)
    except ValueError as error:
        raise SettingsError(f"{name} must be a whole number, not {value!r}") from error
    if not low <= number <= high:
        raise SettingsError(f"{name} must lie between {low} and {high}, not {number}")
    return number
