"""How long from a disk going bad to the mail that says so? `make bench-alerts`; the last line on stdout is JSON.

The line as it runs in life: frames of a simulated fleet through the API, a web server, a Celery worker and beat as
processes, a mail server on loopback that notes when it said 250. One run in which nothing is disturbed gives the
delays; others kill -9 the worker again and again: nothing may be lost, nobody told twice of one cause.

    python -m bench.alerts --disks 200 --spread-s 240 --runs 2 --kills 8 [--recover]
"""

import argparse
import json
import os
import random
import sys
import threading
import time
from collections import defaultdict
from dataclasses import dataclass, field
from datetime import timedelta
from pathlib import Path
from typing import Any

import django

os.environ.setdefault("DJANGO_SETTINGS_MODULE", "sla.settings")
sys.path.insert(0, str(Path(__file__).resolve().parent.parent))
django.setup()

from django.core.management import call_command  # noqa: E402  Django must be set up before its parts are imported
from django.db import connection, transaction  # noqa: E402

from bench.alerts_fleet import Api, Fleet, Member, staggered  # noqa: E402
from bench.alerts_house import House  # noqa: E402
from sla.accounts.models import Customer, Membership, User  # noqa: E402
from sla.contracts.services import ensure_default_contract  # noqa: E402
from sla.fleet.models import Disk, Pool  # noqa: E402
from sla.fleet.services import issue_enrolment_key  # noqa: E402
from sla.incidents.models import IncidentDisk  # noqa: E402
from sla.notifications.models import Notice  # noqa: E402
from sla.telemetry.models import DueSlot  # noqa: E402
from tests.notifications.sink import Server, Sink  # noqa: E402

CUSTOMERS = 5
DISKS_A_POOL = 10
# Half of the disks fail alone, half with their pool: one cause each.
SHARE_IN_POOLS = 0.5
LEAD_S = 5
# The rule's window, a frame, the rules, the mail: who has not heard after this is not told.
PATIENCE_S = 180
# Long enough for the rule whatever the load, short enough that no budget of days is spent.
BAD_FOR_S = 150
# Five calm minutes, a look of the rules, the mail.
RECOVERY_S = 480
EMPTIED = (
    *("telemetry_frame", "telemetry_dueslot", "scoring_slot", "scoring_hour", "scoring_day", "accounts_customer"),
    *("accounts_user", "fleet_pool", "incidents_jobrun", "incidents_mark", "notifications_server"),
)


def say(words: str) -> None:
    print(words, file=sys.stderr, flush=True)


@dataclass(slots=True)
class Outcome:
    """What one run found. A cause is what goes bad together: a single disk, or a pool."""

    causes: int = 0
    delays: list[float] = field(default_factory=list)
    to_incident: list[float] = field(default_factory=list)
    to_mail: list[float] = field(default_factory=list)
    lost: list[str] = field(default_factory=list)
    duplicates: list[str] = field(default_factory=list)
    not_recovered: list[str] = field(default_factory=list)
    mails: int = 0
    pairs: int = 0
    repeats: int = 0
    other_mails: int = 0
    refused: int = 0
    kills: int = 0


def build(disks: int, rng: random.Random) -> list[Member]:
    """People, customers, keys; the disks of the fleet, not yet enrolled."""
    ensure_default_contract()
    keys = {}
    for number in range(CUSTOMERS):
        customer = Customer.objects.create(name=f"customer-{number}")
        user = User.objects.create(username=f"person-{number}", email=f"person-{number}@example.com")
        Membership.objects.create(user=user, customer=customer)
        keys[customer.name] = issue_enrolment_key(
            customer=customer, name="bench", uses=disks, lifetime=timedelta(hours=4)
        )
    for number in range(2):
        User.objects.create(username=f"noc-{number}", email=f"noc-{number}@example.com", noc_role="operator")
    pooled = int(disks * SHARE_IN_POOLS) // DISKS_A_POOL * DISKS_A_POOL
    names = sorted(keys)
    members = []
    for number in range(disks):
        customer = rng.choice(names)
        pool = f"pool-{number // DISKS_A_POOL}" if number < pooled else ""
        members.append(Member(f"vm-{number:03d}", customer, pool, keys[customer]))
    return members


def place(members: list[Member]) -> None:
    """Into their pools, as inventory does."""
    found = {disk.machine.hostname: disk for disk in Disk.objects.select_related("machine")}
    for member in members:
        member.disk = found[member.name].pk
        if member.pool:
            pool, _ = Pool.objects.get_or_create(name=member.pool)
            Disk.objects.filter(pk=member.disk).update(pool=pool)


def settled(within_s: float) -> None:
    """Wait until the past is scored."""
    end = time.monotonic() + within_s
    while DueSlot.objects.exists():
        if time.monotonic() > end:
            raise SystemExit(f"{DueSlot.objects.count()} minutes of the past are not scored after {within_s:.0f} s")
        time.sleep(1)


def causes_of(members: list[Member]) -> dict[str, list[Member]]:
    grouped = defaultdict(list)
    for member in members:
        grouped[member.pool or member.name].append(member)
    return grouped


def expected(members: list[Member]) -> set[tuple[str, str]]:
    """(cause, address) of everybody who has to hear of it."""
    noc = [f"noc-{number}@example.com" for number in range(2)]
    return {
        (cause, to)
        for cause, hit in causes_of(members).items()
        for to in (*noc, *{f"person-{one.customer.split('-')[1]}@example.com" for one in hit})
    }


def told(sink: Sink, members: list[Member]) -> tuple[dict[tuple[str, str], list[Any]], int]:
    """Per (cause, address) the mails about it; and how many there were about anything else."""
    cause_of_disk = {member.disk: member.pool or member.name for member in members}
    rows = IncidentDisk.objects.exclude(incident__kind__in=("silent", "watcher", "period"))
    cause_of = {i: cause_of_disk[d] for i, d in rows.values_list("incident", "disk") if d in cause_of_disk}
    found, others = defaultdict(list), 0
    for mail in sink.mails:
        root = str(mail.message["References"] or "")
        number = root.removeprefix("<incident-").partition("@")[0]
        cause = cause_of.get(int(number)) if number.isdigit() else None
        if cause is None:
            others += 1
        else:
            found[cause, mail.to].append(mail)
    return found, others


def account(sink: Sink, members: list[Member], outcome: Outcome, *, recovered: bool) -> None:
    """What came, held against what had to come: of each cause one mail to each, and one of its end where it ended."""
    came, outcome.other_mails = told(sink, members)
    begun = {cause: min(one.bad_at or 0 for one in hit) for cause, hit in causes_of(members).items()}
    outcome.causes = len(begun)
    hit_at: dict[tuple[str, str], int] = {}
    for member in members:
        for key in ((member.pool or member.name, f"person-{member.customer.split('-')[1]}@example.com"),):
            hit_at[key] = min(hit_at.get(key, 2**62), member.bad_at or 0)
    _stages(sink, begun, members, outcome)
    for cause, to in sorted(expected(members)):
        every = came.get((cause, to), [])
        mails = [mail for mail in every if not str(mail.message["Subject"]).startswith("Re: ")]
        ends = {mail.message_id for mail in every} - {mail.message_id for mail in mails}
        if recovered and len(ends) != 1:
            outcome.not_recovered.append(f"{cause} to {to}: {len(ends)} mails of its end")
        ids = {mail.message_id for mail in mails}
        outcome.pairs += 1
        outcome.mails += len(ids)
        outcome.repeats += len(mails) - len(ids)
        if not mails:
            outcome.lost.append(f"{cause} to {to}")
            continue
        if len(ids) > 1:
            outcome.duplicates.append(f"{cause} to {to}: {[str(mail.message['Subject']) for mail in mails]}")
        # A customer's person is concerned from their own first disk on.
        since = hit_at.get((cause, to), begun[cause])
        outcome.delays.append(min(mail.at for mail in mails) - since)


def _stages(sink: Sink, begun: dict[str, int], members: list[Member], outcome: Outcome) -> None:
    """Where the time goes: from bad to the incident (the rule's window, frames, scoring), from there to the mail."""
    cause_of_disk = {member.disk: member.pool or member.name for member in members}
    opened: dict[str, float] = {}
    for disk, at in IncidentDisk.objects.values_list("disk", "incident__opened_at"):
        cause = cause_of_disk.get(disk, "")
        opened[cause] = min(opened.get(cause, 1e12), at.timestamp())
    outcome.to_incident = [at - begun[cause] for cause, at in opened.items() if cause in begun]
    written = dict(Notice.objects.values_list("message_id", "created_at"))
    firsts = {mail.message_id: mail.at for mail in reversed(sink.mails)}
    outcome.to_mail = [at - written[key].timestamp() for key, at in firsts.items() if key in written]


def strike(house: House, kills: int, begin: int, spread_s: int, rng: random.Random, stop: threading.Event) -> None:
    """kill -9 of the worker at random moments while disks go bad and mail goes out."""
    moments = sorted(begin + 30 + rng.uniform(0, spread_s + 30) for _ in range(kills))
    for at in moments:
        if stop.wait(max(0.0, at - time.time())):
            return
        say(f"  kill -9 of the worker, {at - begin:.0f} s in")
        house.kill("worker")


def _recovered(sink: Sink, last: int, wanted: set[tuple[str, str]]) -> None:
    """Wait until the end of every cause has been told, or as long as that may take."""
    say("  all are well again, or soon will be: five calm minutes")
    while time.time() < last + BAD_FOR_S + RECOVERY_S:
        time.sleep(2)
        if sum(str(mail.message["Subject"]).startswith("Re: ") for mail in list(sink.mails)) >= len(wanted):
            return


def run(given: argparse.Namespace, kills: int, seed: int) -> Outcome:
    disks, spread_s = given.disks, given.spread_s
    rng, outcome, sink = random.Random(seed), Outcome(kills=kills), Sink()
    with transaction.atomic(), connection.cursor() as cursor:
        cursor.execute(f"TRUNCATE {', '.join(EMPTIED)} CASCADE")
    members = build(disks, rng)
    server = Server(sink)
    server.start()
    house, stop = House(server.port, given.workers), threading.Event()
    try:
        house.open()
        fleet = Fleet(Api(house.port), members)
        fleet.enrol()
        place(members)
        say(f"  {disks} disks have enrolled; telling their past")
        fleet.tell_past(int(time.time()))
        settled(within_s=60 + disks)
        begin = int(time.time()) + LEAD_S
        staggered(members, begin, spread_s, rng, BAD_FOR_S if given.recover else None)
        fleet.start()
        say(f"  {len(causes_of(members))} causes from now on, over {spread_s} s")
        striker = threading.Thread(target=strike, args=(house, kills, begin, spread_s, rng, stop), daemon=True)
        striker.start()
        wanted, last = expected(members), max(member.bad_at or 0 for member in members)
        while time.time() < last + PATIENCE_S:
            time.sleep(2)
            if time.time() > last + 100 and wanted <= told(sink, members)[0].keys():
                break
        stop.set()
        striker.join()
        if given.recover:
            _recovered(sink, last, wanted)
        time.sleep(5)  # what would come twice comes now
        fleet.stop()
        outcome.refused = len(fleet.refused)
        if fleet.refused:
            say(f"  frames were refused: {fleet.refused[:3]}")
    finally:
        stop.set()
        house.close()
        server.stop()
    account(sink, members, outcome, recovered=given.recover)
    if outcome.lost:
        say(house.last_words())
    return outcome


def spread_of(delays: list[float]) -> dict[str, float | None]:
    if not delays:
        return {"p50": None, "p95": None, "max": None}
    ordered = sorted(delays)
    at = {"p50": ordered[len(ordered) // 2], "p95": ordered[int(len(ordered) * 0.95)], "max": ordered[-1]}
    return {name: round(value, 1) for name, value in at.items()}


def main() -> None:
    parser = argparse.ArgumentParser(prog="python -m bench.alerts")
    parser.add_argument("--disks", type=int, default=200)
    parser.add_argument("--spread-s", type=int, default=240)
    parser.add_argument("--runs", type=int, default=2, help="the first is left alone, the others are killed in")
    parser.add_argument("--kills", type=int, default=8, help="of the worker, in each run but the first")
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--recover", action="store_true", help="let all get well again, and count the mails of the end")
    parser.add_argument("--workers", type=int, default=2)
    given = parser.parse_args()
    call_command("migrate", verbosity=0)
    outcomes = []
    for number in range(given.runs):
        say(f"run {number + 1} of {given.runs}")
        kills = given.kills if number else 0
        outcomes.append(run(given, kills, given.seed + number))
        one = outcomes[-1]
        say(f"  {spread_of(one.delays)}, lost {len(one.lost)}, duplicate {len(one.duplicates)}, repeats {one.repeats}")
        for line in (*one.lost[:5], *one.duplicates[:5], *one.not_recovered[:5]):
            say(f"  {line}")
    pairs = sum(one.pairs for one in outcomes)
    print(
        json.dumps(
            {
                "runs": len(outcomes),
                "delay_s": spread_of(outcomes[0].delays),
                "lost": sum(len(one.lost) for one in outcomes),
                "duplicate": sum(len(one.duplicates) for one in outcomes),
                "mails_per_cause": round(sum(one.mails for one in outcomes) / pairs, 4) if pairs else None,
                "to_incident_s": spread_of(outcomes[0].to_incident),
                "to_mail_s": spread_of(outcomes[0].to_mail),
                "load_average": [round(one, 1) for one in os.getloadavg()],
                "delay_killed_s": spread_of([delay for one in outcomes[1:] for delay in one.delays]),
                "ends_not_told_once": sum(len(one.not_recovered) for one in outcomes) if given.recover else None,
                "kills": sum(one.kills for one in outcomes),
                "repeats_with_the_same_id": sum(one.repeats for one in outcomes),
                "other_mails": sum(one.other_mails for one in outcomes),
                "refused_frames": sum(one.refused for one in outcomes),
                "disks": given.disks,
                "causes": sum(one.causes for one in outcomes),
            }
        )
    )


if __name__ == "__main__":
    main()
