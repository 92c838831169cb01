"""The command: run, once, doctor, record, replay, enrol."""

from __future__ import annotations

import argparse
import compileall
import contextlib
import json
import os
import signal
import sys
import time
from collections.abc import Sequence
from pathlib import Path
from typing import Any

from . import __version__, doctor, once, recording
from .canary import look as canary
from .child import BARE, LIGHT, ZIPPED
from .core.terms import Term
from .ebpf import load
from .enrolment import Enrolment, EnrolmentError
from .hypervisor.look import sources
from .hypervisor.mapping import MappingError
from .hypervisor.mapping import read as read_mapping
from .imports.node_exporter import ExporterError
from .imports.scrape import ScrapeError
from .probe import command as probing
from .qmp import command as asking
from .replay import replay
from .settings import DEFAULT_FILE, NAMES, Settings, SettingsError, from_environment, from_file, to_environment
from .state import StateError, locate
from .transport import NetworkError, Server

USAGE_ERROR = 2
MARKS = {doctor.OK: "ok     ", doctor.WARNING: "warning", doctor.FAULT: "FAULT  "}


def main(arguments: Sequence[str] | None = None) -> int:
    """Exit codes: 0 fine, 1 something is at fault or was refused, 2 the command or a setting cannot be."""
    parser = _parser()
    options = parser.parse_args(arguments)
    try:
        if options.check:
            return _check(_values(options))
        if options.command is None:
            parser.print_help()
            return USAGE_ERROR
        return int(options.act(options))
    except (SettingsError, StateError, recording.RecordingError) as error:
        print(f"plimsoll-agent: {error}", file=sys.stderr)
        return USAGE_ERROR
    except BrokenPipeError:
        return 1


def _parser() -> argparse.ArgumentParser:
    parser = argparse.ArgumentParser(
        prog="plimsoll-agent", description="Reads disk latency finely and sends it to a Plimsoll server."
    )
    parser.add_argument("--version", action="version", version=f"plimsoll-agent {__version__}")
    parser.add_argument("--check", action="store_true", help="say whether the settings can be used, and end")
    shared = argparse.ArgumentParser(add_help=False)
    for holder in (parser, shared):
        # A flag before the command and one after it are the same flag: only a given one sets anything.
        holder.add_argument(
            "--config", default=argparse.SUPPRESS, help=f"settings file ({DEFAULT_FILE} if it is there)"
        )
        for name, (default, what) in NAMES.items():
            flag = "--" + name.replace("_", "-")
            shown = f" ({default})" if default else ""
            holder.add_argument(flag, dest=name, default=argparse.SUPPRESS, help=what + shown)
    commands = parser.add_subparsers(dest="command", metavar="COMMAND")

    def command(name: str, act: object, text: str) -> argparse.ArgumentParser:
        sub = commands.add_parser(name, parents=[shared], help=text, description=text)
        sub.set_defaults(act=act)
        return sub

    command("run", _run, "watch the disks until told to stop")
    command("enrol", _enrol, "get this machine's token now")
    sub = command("once", _once, "print what the disks did during one second")
    sub.add_argument("--seconds", type=float, default=1.0, help="how long to look (1)")
    sub = command("doctor", _doctor, "say what is found, and what is wrong")
    sub.add_argument("--json", action="store_true", help="as JSON")
    probing.add_arguments(command("probe", _probe, "load a disk on purpose: where does it tip?"))
    asking.add_arguments(command("qmp", asking.look, "what a VM's drives did, as its hypervisor sees it"))
    sub = command("record", _record, "write /proc/diskstats down, for replay")
    sub.add_argument("file", help="where to write; - is standard output")
    sub.add_argument("--every-ms", type=int, default=100, help="cadence (100)")
    sub.add_argument("--seconds", type=float, default=None, help="how long; until Ctrl-C if not given")
    sub = command("replay", _replay, "judge a recording")
    sub.add_argument("file", help="a recording; - is standard input")
    sub.add_argument("--threshold-ms", type=float, required=True, help="slow is what takes at least this long")
    sub.add_argument("--iops", type=int, default=1000, help="contracted load (1000)")
    sub.add_argument("--io-unit", type=int, default=262144, help="bytes of one counted I/O (262144)")
    sub.add_argument("--device", action="append", default=[], help="only this device; may be given again")
    sub.add_argument(
        "--in-flight-rule",
        choices=("accounted", "driver"),
        default="driver",
        help="accounted if recorded on Linux 6.16 or later",
    )
    sub.add_argument("--json", action="store_true", help="one JSON line per disk")
    return parser


def _values(options: argparse.Namespace) -> dict[str, str]:
    """File, then environment, then flags."""
    given = vars(options)
    path = given.get("config") or os.environ.get("PLIMSOLL_CONFIG")
    values = from_file(path) if path else from_file(DEFAULT_FILE) if Path(DEFAULT_FILE).exists() else {}
    values |= from_environment(os.environ)
    values |= {name: given[name] for name in NAMES if given.get(name) is not None}
    # The agent may be started in one folder and its children look from another.
    for name in ("state_dir", "run_dir", "key_file", "ca_file", "disk_map"):
        if values.get(name):
            values[name] = str(Path(values[name]).absolute())
    return values


def _run(options: argparse.Namespace) -> int:
    """Become the sampler: this interpreter has loaded far more than a process for weeks should hold."""
    values = _values(options)
    settings = Settings(values)
    if not settings.url:
        raise SettingsError("url is not set: where is the server?")
    _mapping(settings)
    environ = {**os.environ, **to_environment(values), "PLIMSOLL_PATH": _psutil_folder(), **_exact(settings)}
    # Compiling leaves 1.5 MB behind in the process that does it: let it not be the one that stays.
    if not ZIPPED:
        compileall.compile_dir(Path(LIGHT).parent, quiet=2)
    sys.stdout.flush()
    os.execve(BARE[0], [*BARE, LIGHT, "import" if settings.from_node_exporter else "sample"], environ)  # noqa: S606 - no shell is wanted


def _mapping(settings: Settings) -> None:
    """Refuse to begin with a mapping that says something impossible; one that is changed later is told in the log."""
    if settings.disk_map:
        try:
            read_mapping(Path(settings.disk_map).read_text(encoding="utf-8", errors="replace"), settings.disk_map)
        except OSError as error:
            raise SettingsError(f"cannot read the mapping file {settings.disk_map}: {error.strerror}") from error
        except MappingError as error:
            raise SettingsError(str(error)) from error


def _exact(settings: Settings) -> dict[str, str]:
    """Have the kernel time each I/O, if it is asked for and possible; what the sampler must be told of it."""
    if settings.ebpf == "off" or settings.from_node_exporter:
        return {}
    try:
        begun = load.begin(proc=settings.proc, sys=settings.sys)
    except load.Missing as error:
        if settings.ebpf == "on":
            raise SettingsError(f"ebpf is on, but {error}") from error
        print(f"plimsoll-agent: latencies come from the counters, not from eBPF: {error}", file=sys.stderr)
        return {}
    return load.hand_over(begun)


def _probe(options: argparse.Namespace) -> int:
    return probing.probe(options, lambda: Settings(_values(options)))


def _psutil_folder() -> str:
    """Where psutil lies, for the children that run without site packages; empty where it is not installed."""
    from importlib.util import find_spec  # only `run` needs to know

    spec = find_spec("psutil")
    return str(Path(spec.origin).parent.parent) if spec and spec.origin else ""


def _enrol(options: argparse.Namespace) -> int:
    settings = Settings(_values(options))
    if not settings.url:
        raise SettingsError("url is not set: where is the server?")
    state = locate(settings)
    try:
        Enrolment(state, settings).enrol(Server(settings.url, settings.ca_file, settings.timeout_s))
    except (NetworkError, EnrolmentError) as error:
        print(f"plimsoll-agent: {error}", file=sys.stderr)
        return 1
    print(f"enrolled at {settings.url}; the token is in {state.token}")
    return 0


def _once(options: argparse.Namespace) -> int:
    try:
        print(once.table(Settings(_values(options)), max(0.01, options.seconds)))
    except (ScrapeError, ExporterError) as error:
        print(f"plimsoll-agent: {error}", file=sys.stderr)
        return 1
    return 0


def _check(values: dict[str, str]) -> int:
    settings = Settings(values)
    _mapping(settings)
    locate(settings)
    print(f"settings are fine: {settings.url or 'no server yet'}, state in {settings.state_dir}")
    told = sources(settings) + (canary.sentences(settings) if settings.canary_s else [])
    for well, sentence in told:
        print(("" if well else "but: ") + sentence)
    return 0


def _doctor(options: argparse.Namespace) -> int:
    findings = doctor.examine(Settings(_values(options)))
    if options.json:
        told = {"well": findings.status == 0, "status": findings.status, "findings": findings.items}
        print(json.dumps(told, indent=2))
    else:
        for item in findings.items:
            print(f"{MARKS[item['verdict']]}  {item['text']}")
    return findings.status


def _record(options: argparse.Namespace) -> int:
    settings = Settings(_values(options))
    end = None if options.seconds is None else time.monotonic() + options.seconds
    stopped: list[int] = []
    for number in (signal.SIGINT, signal.SIGTERM):
        signal.signal(number, lambda got, frame: stopped.append(got))

    def over() -> bool:
        return bool(stopped) or (end is not None and time.monotonic() >= end)

    with contextlib.ExitStack() as stack:
        out = sys.stdout.buffer if options.file == "-" else stack.enter_context(Path(options.file).open("wb"))
        count = recording.record(out, settings.proc + "/diskstats", max(1, options.every_ms), over)
    print(f"{count} readings", file=sys.stderr)
    return 0


def _replay(options: argparse.Namespace) -> int:
    term = Term.from_policy(
        {"term": 1, "threshold_ms": options.threshold_ms, "iops": options.iops, "io_unit_bytes": options.io_unit}
    )
    with contextlib.ExitStack() as stack:
        try:
            source = sys.stdin.buffer if options.file == "-" else stack.enter_context(Path(options.file).open("rb"))
        except OSError as error:
            print(f"plimsoll-agent: {options.file}: {error.strerror}", file=sys.stderr)
            return USAGE_ERROR
        for line in replay(recording.moments(source), term, options.in_flight_rule, set(options.device)):
            print(json.dumps(line) if options.json else _sentence(line))
    return 0


def _sentence(line: dict[str, Any]) -> str:
    slow, covered = line["slow"], line["covered"]
    return (
        f"{line['device']}: {line['ios']} I/Os in {line['seconds']} s, mean {line['await_ms']} ms; "
        f"slow {slow['low']} to {slow['high']}, likely {slow['estimate']}; "
        f"covered {covered['low']} to {covered['high']}, likely {covered['estimate']}"
    )


if __name__ == "__main__":
    raise SystemExit(main())
