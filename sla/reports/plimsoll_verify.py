#!/usr/bin/env python3
"""Is this statement genuine, and does its evidence say the same? Offline; Python 3.9 or newer and `cryptography`.

    python plimsoll-verify.py BUNDLE.zip
    python plimsoll-verify.py statement.json [hours.csv] [slots.csv] [seconds.csv] [--key public.pem]

The signature is checked, then every file's digest, and then everything is worked out again: minutes from seconds as far
as they are there, hours from minutes, each disk's month from hours, its verdict, attained share and credit from that.
All of it is arithmetic of integers, so a figure is either the same or it is not. Nothing is sent anywhere.
"""

# One file for any Python from 3.9 on, so it is written a little older than the rest of the house.
# ruff: noqa: B905, PTH123, SIM905, PLW0108, UP, PLR0912

import argparse
import base64
import hashlib
import io
import json
import sys
import zipfile
from fractions import Fraction

PPM, PPB = 10**6, 10**9
# What a bundle may hold and how large it may be: a file that unpacks to more is refused before it does.
NAMES = {
    *("statement.json", "statement.pdf", "contract.txt", "exclusions.csv", "hours.csv", "slots.csv", "seconds.csv"),
    *("evidence.json", "public-key.pem", "plimsoll-verify.py", "README.txt"),
}
MOST_BYTES = 8 * 2**30
MOST_RATIO = 400
MOST_DOCUMENT = 128 * 2**20
BLOCK = 2**20
MINUTE, HOUR = 60, 3600

HOURS = (
    "disk start term excluded grade slots slots_met slots_met_proved slots_breached slots_breached_proved "
    "slots_excused slots_idle slots_no_data observed_s read_ios write_ios read_bytes write_bytes read_ms write_ms "
    "eligible_low eligible eligible_high slow_low slow slow_high lost_ms gap_ios gap_ms"
).split()
SLOTS = (
    "disk start term excluded state proved reason grade observed_s read_ios write_ios read_bytes write_bytes read_ms "
    "write_ms in_flight eligible_low eligible eligible_high slow_low slow slow_high lost_ms gap_ios gap_ms"
).split()
SECONDS = (
    "disk start step_s case ios covered excess_low excess_high slow_low slow slow_high lost_ms in_flight pool left"
).split()
ADDED = HOURS[HOURS.index("observed_s") :]
VERDICT = (
    "observed_s ios eligible_low eligible eligible_high slow_low slow slow_high lost_ms gap_ios gap_ms slots_met "
    "slots_met_proved slots_breached slots_breached_proved"
).split()
MAINTENANCE, NO_DATA, IDLE, BREACHED, EXCUSED, MET = range(1, 7)
NO_REASON, UNAVAILABLE = 0, 5
UNKNOWN_CASE = 7
EXCUSED_BELOW_PPM = 50_000


class Wrong(Exception):
    """Something is not as it was signed; the message begins with the file it is in."""


class Report:
    """What was found: problems (none: valid), what was checked, and the verdict of each disk."""

    def __init__(self):
        self.problems, self.checked, self.disks = [], [], []
        self.head = {}

    @property
    def valid(self):
        return not self.problems

    def wrong(self, file, what):
        if len(self.problems) < 50:
            self.problems.append({"file": file, "problem": what})


# ---- where files come from -------------------------------------------------------------------------------------------


class Files:
    """Files by name, each opened afresh on demand. `opener(name)` gives a binary stream."""

    def __init__(self, names, opener):
        self.names, self.open = list(names), opener

    def __contains__(self, name):
        return name in self.names

    def blocks(self, name):
        try:
            with self.open(name) as stream:
                while block := stream.read(BLOCK):
                    yield block
        except (zipfile.BadZipFile, OSError, EOFError, ValueError, NotImplementedError, RuntimeError) as error:
            raise Wrong(f"{name}: it cannot be read ({error})") from error
        except Exception as error:  # zlib.error and whatever else a harmed stream makes of itself
            raise Wrong(f"{name}: it cannot be unpacked ({error})") from error

    def whole(self, name):
        found, size = [], 0
        for block in self.blocks(name):
            size += len(block)
            if size > MOST_DOCUMENT:
                raise Wrong(f"{name}: it is over {MOST_DOCUMENT // 2**20} MiB: no statement is that long")
            found.append(block)
        return b"".join(found)

    def digest(self, name):
        digest, size = hashlib.sha256(), 0
        for block in self.blocks(name):
            digest.update(block)
            size += len(block)
        return digest.hexdigest(), size

    def rows(self, name, columns):
        """Rows of integers; an empty field is None. The header must name exactly these columns."""
        rest, line = b"", 0
        for block in self.blocks(name):
            lines = (rest + block).split(b"\n")
            rest = lines.pop()
            for text in lines:
                line += 1
                if line == 1:
                    if text.decode("ascii", "replace").split(",") != list(columns):
                        raise Wrong(f"{name}: line 1 does not name the columns of this table")
                    continue
                yield self._row(name, line, text, len(columns))
        if rest or line == 0:
            raise Wrong(f"{name}: it ends in the middle of a line")

    @staticmethod
    def _row(name, line, text, wide):
        fields = text.split(b",")
        try:
            row = [int(field) for field in fields] if b"" not in fields else [int(f) if f else None for f in fields]
        except ValueError:
            row = []
        if len(row) != wide:
            raise Wrong(f"{name}: line {line} is no row of {wide} integers")
        return row


def from_zip(stream, most=MOST_BYTES):
    """The files of a bundle. Wrong for anything that is no plain bundle: other names, paths, links, bombs."""
    try:
        bundle = zipfile.ZipFile(stream)
    except (zipfile.BadZipFile, ValueError, OSError, NotImplementedError) as error:
        raise Wrong(f"the bundle: it is no ZIP archive ({error})") from error
    seen, total = [], 0
    for entry in bundle.infolist():
        name = entry.filename
        if name not in NAMES:
            raise Wrong(f"{name[:80]!r}: a bundle holds no such file")
        if name in seen:
            raise Wrong(f"{name}: it is in the bundle twice")
        if entry.flag_bits & 1 or entry.compress_type not in (zipfile.ZIP_STORED, zipfile.ZIP_DEFLATED):
            raise Wrong(f"{name}: it is encrypted or packed in a way no bundle uses")
        total += entry.file_size
        if total > most or entry.file_size > MOST_RATIO * max(entry.compress_size, 1024):
            raise Wrong(f"{name}: it unpacks to {entry.file_size:,} bytes: that is no bundle")
        seen.append(name)
    return Files(seen, lambda name: bundle.open(name))


def from_bytes(contents):
    """Files that lie in memory: name -> bytes."""
    return Files(contents, lambda name: io.BytesIO(contents[name]))


def from_paths(paths):
    """Files on disk, told apart by their names' ends."""
    found = {}
    for path in paths:
        base = path.replace("\\", "/").rsplit("/", 1)[-1]
        name = next(
            (known for known in NAMES if base.endswith(known)), "statement.json" if base.endswith("json") else None
        )
        if name is None or name in found:
            raise Wrong(f"{path}: which file of a statement is it? Call it one of {', '.join(sorted(NAMES))}")
        found[name] = path
    return Files(found, lambda name: open(found[name], "rb"))


# ---- signatures ------------------------------------------------------------------------------------------------------


def canonical(document):
    """The one text of a document."""
    return json.dumps(document, ensure_ascii=False, sort_keys=True, separators=(",", ":"), allow_nan=False).encode()


def no_float(text):
    raise ValueError(f"{text}: there are no fractions in a statement")


def envelope(files, name, inside, pinned):
    """The signed document in a file, its digest and the key's name. Wrong where one byte of it is not as signed."""
    data = files.whole(name)
    try:
        outer = json.loads(data.decode(), parse_float=no_float, parse_constant=no_float)
        again = canonical(outer)
        document, signature = outer[inside], outer["signature"]
        public = base64.b64decode(signature["public"], validate=True)
        value = base64.b64decode(signature["value"], validate=True)
        claimed, key, algorithm = signature["digest"], signature["key"], signature["algorithm"]
    except (ValueError, KeyError, TypeError, RecursionError, AttributeError) as error:
        raise Wrong(f"{name}: it is not a signed document any more ({error})") from error
    if again != data or set(outer) != {inside, "signature"}:
        raise Wrong(f"{name}: it is not written as it was signed")
    text = canonical(document)
    if hashlib.sha256(text).hexdigest() != claimed:
        raise Wrong(f"{name}: its content is not the one that was signed")
    if algorithm != "Ed25519" or hashlib.sha256(public).hexdigest()[:16] != key:
        raise Wrong(f"{name}: its key is not the one that it names")
    if pinned is not None and public != pinned:
        raise Wrong(f"{name}: it was signed by key {key}, not by the key that was given")
    if not good(public, value, text):
        raise Wrong(f"{name}: the signature does not belong to it")
    return document, claimed, key


def good(public, value, text):
    """Is this the Ed25519 signature of the text?"""
    from cryptography.exceptions import InvalidSignature
    from cryptography.hazmat.primitives.asymmetric.ed25519 import Ed25519PublicKey

    try:
        Ed25519PublicKey.from_public_bytes(public).verify(value, text)
    except (InvalidSignature, ValueError):
        return False
    return True


def pem_key(data):
    """The 32 bytes of a PEM public key."""
    from cryptography.exceptions import UnsupportedAlgorithm
    from cryptography.hazmat.primitives import serialization

    try:
        loaded = serialization.load_pem_public_key(data)
        return loaded.public_bytes(serialization.Encoding.Raw, serialization.PublicFormat.Raw)
    except (ValueError, TypeError, UnsupportedAlgorithm) as error:
        raise Wrong(f"public-key.pem: it holds no Ed25519 key ({error})") from error


# ---- the arithmetic --------------------------------------------------------------------------------------------------


def cut(value):
    """A ratio in billionths, cut towards minus infinity."""
    return None if value is None else value.numerator * PPB // value.denominator


def share(slow, eligible):
    return 1 - min(Fraction(1), Fraction(slow, eligible)) if eligible else None


def attained(total):
    """The share of requests in time: from the pessimistic to the optimistic end."""
    pairs = (("slow_high", "eligible_low"), ("slow", "eligible"), ("slow_low", "eligible_high"))
    return [share(total[slow], total[eligible]) for slow, eligible in pairs]


def allowed(parts, name):
    """(1 - objective) x a figure, in millionths, each version's time by its own objective."""
    return sum(part["slow_ppm"] * part[name] for part in parts)


def ratio_left(spent, whole):
    return 1 - Fraction(spent) / whole if whole else None


def slots_left(parts, total):
    """What is left of the budget of minutes: at least, likely, at most."""
    whole = Fraction(sum(part["slow_ppm"] * (part["slots_met"] + part["slots_breached"]) for part in parts), PPM)
    doubtful = total["slots_met"] + total["slots_breached"] - total["slots_met_proved"]
    return [ratio_left(spent, whole) for spent in (doubtful, total["slots_breached"], total["slots_breached_proved"])]


def judge(parts, total, contract, coverage_ppm):
    """State, proved, reasons of a closed month: the first that fits."""
    lost = total["lost_ms"] * PPM > allowed(parts, "observed_s") * 1000
    by_slots = contract["budget_by"] == "slots"
    left = slots_left(parts, total)
    slow = total["slow"] * PPM > allowed(parts, "eligible")
    reasons = []
    if by_slots and left[1] is not None and left[1] < 0:
        reasons.append("SLOW_SLOTS")
    if not by_slots and slow:
        reasons.append("SLOW")
    checks = (
        (lost, "LOST_TIME"),
        (coverage_ppm < contract["min_coverage_ppm"], "LOW_COVERAGE"),
        (total["eligible"] < contract["min_eligible"], "LOW_VOLUME"),
        (total["gap_ios"], "GAP"),
    )
    reasons += [word for holds, word in checks if holds]
    if by_slots:
        over = [end is not None and end < 0 for end in left]
        breached, proof_breached, proof_met = over[1] or lost, over[2] or lost, not over[0] and not lost
    else:
        breached = slow or lost
        proof_breached = total["slow_low"] * PPM > allowed(parts, "eligible_high") or lost
        proof_met = total["slow_high"] * PPM <= allowed(parts, "eligible_low") and not lost
    if breached:
        return "breached", proof_breached, reasons
    if "LOW_COVERAGE" in reasons or ("LOW_VOLUME" in reasons and total["ios"]):
        return "no_data", True, reasons
    if total["ios"] and total["eligible"] * PPM < EXCUSED_BELOW_PPM * total["ios"]:
        return "excused", total["eligible_high"] * PPM < EXCUSED_BELOW_PPM * total["ios"], reasons
    if not total["ios"]:
        return "idle", True, reasons
    return "met", proof_met, reasons


def tier(sli, tiers):
    """Per cent owed at a share: the largest of the tiers it lies below."""
    if sli is None:
        return 0
    return max((one["percent"] for one in tiers if sli * PPM < one["below_ppm"]), default=0)


def credit(ends, state, contract):
    """What is owed on the proved end, and what it could be at most."""
    low, estimate, high = ends
    judged = state in ("breached", "met", "at_risk")
    proved = tier(high, contract["credit_tiers"]) if judged else 0
    worst = low if low is not None else estimate
    up_to = max(proved, tier(worst, contract["credit_tiers"])) if judged else 0
    fee = contract["fee_cents"]
    return {
        "proved_percent": proved,
        "up_to_percent": up_to,
        "proved_cents": None if fee is None else fee * proved // 100,
        "up_to_cents": None if fee is None else fee * up_to // 100,
        "currency": contract["currency"],
    }


def taken_out(statement, disk):
    """Seconds of the covered time whose minute begins in a window that excludes."""
    start = disk["coverage"]["from"]
    start, end = disk["span"]["start"] if start is None else start, disk["coverage"]["until"]
    minutes = set()
    for window in statement["exclusions"]:
        if window["excludes"] and disk["id"] in window["disks"]:
            first = -(-max(window["start"], start - MINUTE + 1) // MINUTE)
            minutes.update(range(first, -(-min(window["end"], end) // MINUTE)))
    return sum(max(0, min(end, (m + 1) * MINUTE) - max(start, m * MINUTE)) for m in minutes)


def coverage(disk, observed_s, excluded_s):
    """Observed share of the time that was to be observed, in millionths."""
    if disk["coverage"]["from"] is None:
        return 0
    expected = disk["coverage"]["until"] - disk["coverage"]["from"] - excluded_s
    return min(PPM, observed_s * PPM // expected) if expected > 0 else 0


def added(parts):
    return {name: sum(part[name] for part in parts) for name in VERDICT}


def judge_disk(statement, disk, parts):
    """What the disk's section must say, worked out from `parts`: sums by (version, excluded)."""
    terms = {one["term"]: one for one in statement["contracts"]}
    kept = [part for part in parts if not part["excluded"]]
    total, whole = added(kept), added(parts)
    excluded_s = taken_out(statement, disk)
    covered = coverage(disk, total["observed_s"], excluded_s)
    contract = terms.get(disk["term"])
    ends = attained(total) if kept else [None] * 3
    without = attained(whole) if parts else [None] * 3
    if contract is None:
        state, proved, reasons, owed = "excused", True, ["NO_CONTRACT"], None
    else:
        blank = [dict.fromkeys(VERDICT, 0) | {"slow_ppm": PPM - contract["objective_ppm"]}]
        state, proved, reasons = judge(kept or blank, total, contract, covered)
        owed = credit(ends, state, contract)
    return {
        "total": total,
        "excess": total["ios"] - total["eligible"],
        "excluded_ios": whole["ios"] - total["ios"],
        "sli_ppb": dict(zip(("low", "estimate", "high"), map(cut, ends))),
        "sli_with_excluded_time_ppb": dict(zip(("low", "estimate", "high"), map(cut, without))),
        "coverage": {**disk["coverage"], "observed_s": total["observed_s"], "excluded_s": excluded_s, "ppm": covered},
        "state": state,
        "proved": bool(proved),
        "reasons": reasons,
        "credit": owed,
    }


# ---- tables against each other ---------------------------------------------------------------------------------------


class Runs:
    """Rows in runs of one disk, as the tables are written; one run is in memory at a time."""

    def __init__(self, rows):
        self.rows, self.next = rows, next(rows, None)

    def take(self):
        """(disk, its rows up to where another disk begins)."""
        disk = self.next[0]

        def run():
            while self.next is not None and self.next[0] == disk:
                row = self.next
                self.next = next(self.rows, None)
                yield row

        return disk, run()


def named(columns, row):
    return dict(zip(columns, row))


def check_hours(report, files, statement):
    """Months from hours: every section's sums and verdict."""
    places = {}
    for place, one in enumerate(statement["disks"]):
        places.setdefault(one["id"], []).append((one["span"]["start"], one["span"]["end"], place))
    sums = [{} for _ in statement["disks"]]
    count = 0
    for row in files.rows("hours.csv", HOURS):
        count += 1
        disk, start, term, excluded = row[:4]
        place = next((p for first, last, p in places.get(disk, ()) if first <= start < last), None)
        if place is None:
            raise Wrong(f"hours.csv: an hour of disk {disk} at {start} belongs to no disk of the statement")
        add_hour(sums[place].setdefault((term, excluded), dict.fromkeys((*ADDED, *HOURS[5:13], "grade"), 0)), row)
    for section, found in zip(statement["disks"], sums):
        compare_section(report, statement, section, found)
    report.checked.append(f"hours.csv: {count:,} hours make every disk's month, verdict and credit")


def add_hour(total, row):
    for name, value in zip(HOURS[4:], row[4:]):
        total[name] = max(total[name], value) if name == "grade" else total[name] + value


def compare_section(report, statement, section, found):
    """A disk's section against what its hours make of it."""
    name = f"{section['machine']} / {section['device']}"
    parts = []
    ppm = {one["term"]: one["slow_ppm"] for one in section["sums"]}
    for (term, excluded), total in sorted(found.items()):
        figures = {"term": term, "excluded": bool(excluded), "slow_ppm": ppm.get(term, 0)}
        figures |= {key: total["read_ios"] + total["write_ios"] if key == "ios" else total[key] for key in VERDICT}
        parts.append(figures)
    if parts != sorted(section["sums"], key=lambda one: (one["term"], one["excluded"])):
        report.wrong("hours.csv", f"{name}: its hours do not add up to the sums in the statement")
    known = {one["term"]: PPM - one["objective_ppm"] for one in statement["contracts"]}
    if any(part["slow_ppm"] != known.get(part["term"], part["slow_ppm"]) for part in parts):
        report.wrong("statement.json", f"{name}: an objective is not the contract's")
    for key, value in judge_disk(statement, section, parts).items():
        if section[key] != value:
            report.wrong("statement.json", f"{name}: {key} is {section[key]}, its hours make it {value}")


def check_slots(report, files, statement, only):
    """Hours from minutes, and minutes from seconds where there are any. `only`: disks whose minutes are there."""
    hours = Runs(files.rows("hours.csv", HOURS))
    slots = Runs(files.rows("slots.csv", SLOTS))
    seconds = Runs(files.rows("seconds.csv", SECONDS)) if "seconds.csv" in files else None
    objective = {one["term"]: PPM - one["objective_ppm"] for one in statement["contracts"]}
    begins = {}
    for section in statement["disks"]:
        objective.update({one["term"]: one["slow_ppm"] for one in section["sums"]})
        # Where a span cuts an hour, its first hour begins there.
        begin = section["span"]["start"]
        begins.setdefault(section["id"], {})[begin - begin % HOUR] = begin
    minutes = proved = 0
    while hours.next is not None:
        disk, told = hours.take()
        expected = {tuple(row[1:4]): row for row in told}
        if only is not None and disk not in only:
            continue
        if slots.next is None or slots.next[0] != disk:
            raise Wrong(f"slots.csv: the minutes of disk {disk} are missing")
        rows = {row[1]: row for row in slots.take()[1]}
        check_words(report, rows.values(), objective)
        compare_hours(report, disk, by_hour(rows.values(), begins.get(disk, {})), expected)
        minutes += len(rows)
        if seconds is not None and seconds.next is not None and seconds.next[0] == disk:
            proved += check_seconds(report, seconds.take()[1], rows)
    if slots.next is not None:
        raise Wrong(f"slots.csv: there are minutes of disk {slots.next[0]} that no hour knows")
    which = "" if only is None or all(one["id"] in only for one in statement["disks"]) else f" of {len(only)} disks"
    report.checked.append(f"slots.csv: {minutes:,} minutes{which} make the same hours, each judged again")
    if seconds is not None:
        if seconds.next is not None:
            raise Wrong(f"seconds.csv: there are seconds of disk {seconds.next[0]} that no minute knows")
        report.checked.append(f"seconds.csv: the seconds of {proved:,} minutes make the same minutes")


def by_hour(rows, begins):
    """Minutes by (hour, version, exclusion): what an hour of the table is made of."""
    found = {}
    for row in rows:
        hour = row[1] - row[1] % HOUR
        begin = begins.get(hour, hour)
        found.setdefault((begin if row[1] >= begin else hour, row[2], row[3]), []).append(row)
    return found


def compare_hours(report, disk, made, expected):
    """Each hour against the sum of its minutes, field by field."""
    for key in sorted({*made, *expected}):
        told = expected.get(key)
        if told is None or told[4:] != hour_of(made.get(key, [])):
            report.wrong("slots.csv", f"disk {disk}: the minutes of the hour at {key[0]} do not add up to it")


def hour_of(rows):
    """An hour's fields after its key, from its minutes."""
    if not rows:
        return None
    columns = dict(zip(SLOTS, zip(*rows)))
    states = columns["state"]
    proved = [state for state, sure in zip(states, columns["proved"]) if sure]
    counts = [len(rows), states.count(MET), proved.count(MET), states.count(BREACHED), proved.count(BREACHED)]
    counts += [states.count(EXCUSED), states.count(IDLE), states.count(NO_DATA)]
    return [max(columns["grade"]), *counts, *(sum(columns[name]) for name in ADDED)]


def check_words(report, rows, objective):
    """Every minute's word from its own figures."""
    for row in rows:
        slot = dict(zip(SLOTS, row))
        ios = slot["read_ios"] + slot["write_ios"]
        # Whether requests waited all through an idle minute is known from its seconds only.
        waiting = slot["in_flight"] or (0 if slot["state"] == IDLE else 1)
        if (slot["state"], bool(slot["proved"])) != judge_slot(slot, ios, objective.get(slot["term"], 0), waiting):
            report.wrong("slots.csv", f"disk {row[0]}: the minute at {row[1]} is not judged as its figures say")
        if slot["reason"] not in (NO_REASON, UNAVAILABLE) and (slot["eligible_high"] or slot["slow_high"]):
            report.wrong("slots.csv", f"disk {row[0]}: the minute at {row[1]} is outside the contract, yet counted")


def judge_slot(slot, ios, slow_ppm, waiting):
    """(state, proved), first that fits."""
    lost = slot["lost_ms"] * PPM > slow_ppm * slot["observed_s"] * 1000
    if slot["excluded"]:
        return MAINTENANCE, True
    if slot["observed_s"] * 2 < MINUTE:
        return NO_DATA, True
    if not ios and not waiting and not slot["lost_ms"]:
        return IDLE, True
    if slot["slow"] * PPM > slow_ppm * slot["eligible"] or lost:
        return BREACHED, slot["slow_low"] * PPM > slow_ppm * slot["eligible_high"] or lost
    if slot["eligible"] * PPM < EXCUSED_BELOW_PPM * ios:
        return EXCUSED, slot["eligible_high"] * PPM < EXCUSED_BELOW_PPM * ios
    return MET, slot["slow_high"] * PPM <= slow_ppm * slot["eligible_low"] and not lost


def check_seconds(report, rows, slots):
    """Minutes from their seconds; how many were checked."""
    checked, at, some = 0, None, []
    for row in rows:
        minute = row[1] - row[1] % MINUTE
        if minute != at and some:
            checked += compare_minute(report, at, some, slots)
            some = []
        at = minute
        some.append(named(SECONDS, row))
    return checked + (compare_minute(report, at, some, slots) if some else 0)


def compare_minute(report, at, seconds, slots):
    row = slots.get(at)
    if row is None:
        report.wrong("seconds.csv", f"disk {seconds[0]['disk']}: there are seconds at {at} but no minute")
        return 0
    slot = named(SLOTS, row)
    made = minute_of(seconds)
    if slot["reason"] not in (NO_REASON, UNAVAILABLE):
        for name in ("eligible_low", "eligible", "eligible_high", "slow_low", "slow", "slow_high"):
            made[name] = 0
    told = {**slot, "ios": slot["read_ios"] + slot["write_ios"]}
    if any(told[name] != value for name, value in made.items()):
        report.wrong("seconds.csv", f"disk {slot['disk']}: the seconds at {at} do not add up to their minute")
    return 1


def minute_of(seconds):
    """The figures of a minute from its observed seconds."""
    seen = [one for one in seconds if one["case"] != UNKNOWN_CASE]

    def total(name):
        return sum(one[name] for one in seen)

    ios, observed = total("ios"), total("step_s")
    low = max(0, ios - total("pool") - total("excess_high"))
    high = ios - min(max(total("excess_low") - total("left"), 0), ios)
    slow_low = min(total("slow_low"), high)
    slow_high = min(max(total("slow_high"), slow_low), max(high, slow_low))
    return {
        "ios": ios,
        "observed_s": observed,
        "eligible_low": low,
        "eligible": min(max(total("covered"), low), high),
        "eligible_high": high,
        "slow_low": slow_low,
        "slow": min(max(total("slow"), slow_low), slow_high),
        "slow_high": slow_high,
        "lost_ms": min(total("lost_ms"), observed * 1000),
    }


# ---- all of it -------------------------------------------------------------------------------------------------------


def verify(files, pinned=None):
    """A report on these files. Nothing is raised for what is wrong in them: it is in the report."""
    report = Report()
    try:
        _verify(report, files, pinned)
    except Wrong as wrong:
        file, _, what = str(wrong).partition(": ")
        report.wrong(file, what)
    except (KeyError, TypeError, IndexError, AttributeError, ValueError) as error:
        report.wrong("statement.json", f"it is signed but it is no statement of this kind ({error!r})")
    return report


def _verify(report, files, pinned):
    if "statement.json" not in files:
        raise Wrong("statement.json: it is missing")
    statement, digest, key = envelope(files, "statement.json", "statement", pinned)
    if statement["format"] != "plimsoll-statement/1" or statement["draft"]:
        raise Wrong("statement.json: it is a draft, or a format that this program does not know")
    report.head = {
        "number": statement["number"],
        "supersedes": statement["supersedes"],
        "customer": statement["customer"]["name"],
        "period": statement["period"]["text"],
        "zone": statement["period"]["zone"],
        "digest": digest,
        "key": key,
        "issuer": statement["issuer"],
    }
    report.checked.append(f"statement.json: signed by key {key}, not a byte changed")
    report.disks = [verdict_line(one) for one in statement["disks"]]
    only = check_manifest(report, files, statement, digest, key, pinned)
    for one in statement["evidence"]:
        if one["name"] in files:
            check_digest(report, files, one)
    if "hours.csv" in files:
        guarded(report, check_hours, files, statement)
        if "slots.csv" in files:
            guarded(report, check_slots, files, statement, only)
    else:
        report.checked.append("hours.csv is not here: the signature was checked, the figures were not worked out again")


def guarded(report, check, *given):
    """One table's trouble must not hide another's."""
    try:
        check(report, *given)
    except Wrong as wrong:
        file, _, what = str(wrong).partition(": ")
        report.wrong(file, what)


def check_digest(report, files, told):
    try:
        digest, size = files.digest(told["name"])
    except Wrong as wrong:
        file, _, what = str(wrong).partition(": ")
        report.wrong(file, what)
        return
    if digest != told["sha256"] or size != told["bytes"]:
        report.wrong(told["name"], "it is not the file that was signed for")


def check_manifest(report, files, statement, digest, key, pinned):
    """Every file of a bundle against the signed list of them; the disks whose minutes it holds (None: all)."""
    if "evidence.json" not in files:
        if "public-key.pem" in files:
            raise Wrong("evidence.json: it is missing from the bundle")
        return None
    manifest, _, other = envelope(files, "evidence.json", "manifest", pinned)
    if manifest["statement"] != {"number": statement["number"], "digest": digest}:
        raise Wrong("evidence.json: it belongs to another statement")
    listed = {one["name"]: one for one in manifest["files"]}
    for name in files.names:
        if name not in listed and name != "evidence.json":
            report.wrong(name, "it is in the bundle but was not signed for")
    for name, told in listed.items():
        if name in files:
            check_digest(report, files, told)
        else:
            report.wrong(name, "it is missing from the bundle")
    if "public-key.pem" in files and hashlib.sha256(pem_key(files.whole("public-key.pem"))).hexdigest()[:16] not in (
        key,
        other,
    ):
        report.wrong("public-key.pem", "it is not the key that signed")
    report.checked.append(f"evidence.json: signed by key {other}, {len(listed)} files are as they were signed for")
    return None if manifest["disks"] is None else set(manifest["disks"])


def per_cent(ppb):
    """'98.611' of billionths, cut."""
    if ppb is None:
        return "?"
    sign, ppb = ("-", -ppb) if ppb < 0 else ("", ppb)
    return f"{sign}{ppb // 10**7}.{ppb // 10**4 % 1000:03d}"


def verdict_line(disk):
    sli, owed = disk["sli_ppb"], disk["credit"] or {"proved_percent": 0, "up_to_percent": 0}
    return {
        "disk": f"{disk['machine']} / {disk['device']}",
        "state": disk["state"],
        "proved": disk["proved"],
        "attained": f"{per_cent(sli['low'])}-{per_cent(sli['high'])} %, estimate {per_cent(sli['estimate'])} %",
        "coverage": f"{per_cent(disk['coverage']['ppm'] * 1000)} %",
        "credit": f"{owed['proved_percent']} % due, up to {owed['up_to_percent']} %",
    }


def printed(report):
    """The report as text."""
    lines = []
    if report.head:
        head = report.head
        lines.append(f"Statement {head['number']} of {head['customer']}, {head['period']} ({head['zone']})")
        if head["supersedes"]:
            lines.append(f"It corrects {head['supersedes']}.")
    if report.valid:
        for one in report.disks:
            word = one["state"] if one["proved"] else f"likely {one['state']}"
            lines.append(f"  {one['disk']:<28} {word:<16} attained {one['attained']}; credit {one['credit']}")
    lines += [f"  + {line}" for line in report.checked]
    lines += [f"  ! {one['file']}: {one['problem']}" for one in report.problems]
    if report.valid:
        lines.append("VALID: signed, unchanged, and every figure comes out the same.")
        lines.append(f"Compare the key {report.head['key']} with the one that {report.head['issuer']}/verify names.")
    else:
        lines.append("NOT VALID")
    return "\n".join(lines)


def main(arguments=None):
    options = argparse.ArgumentParser(description="Checks a Plimsoll statement or bundle offline.")
    options.add_argument("files", nargs="+", metavar="FILE", help="a bundle, or a statement and its tables")
    options.add_argument("--key", metavar="PEM", help="only this public key counts")
    options.add_argument("--json", action="store_true", help="print the report as JSON")
    given = options.parse_args(arguments)
    try:
        pinned = None
        if given.key:
            with open(given.key, "rb") as file:
                pinned = pem_key(file.read())
        if len(given.files) == 1 and given.files[0].lower().endswith(".zip"):
            with open(given.files[0], "rb") as stream:
                report = verify(from_zip(stream), pinned)
        else:
            report = verify(from_paths(given.files), pinned)
    except Wrong as wrong:
        report = Report()
        file, _, what = str(wrong).partition(": ")
        report.wrong(file, what)
    except OSError as error:
        print(f"{error.filename}: {error.strerror}", file=sys.stderr)
        return 2
    print(json.dumps({"valid": report.valid, **vars(report)}, ensure_ascii=False) if given.json else printed(report))
    return 0 if report.valid else 1


if __name__ == "__main__":
    sys.exit(main())
