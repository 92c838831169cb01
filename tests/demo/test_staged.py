"""Does an event that somebody stages reach the pool that was named, and nobody else?"""

import time
from pathlib import Path

import numpy as np
import pytest
from django.core.management import CommandError, call_command

from sla.demo import staged, state
from sla.demo.cast import cast
from sla.demo.live import Live
from sla.domain.contract_text import parse_contract
from sla.simulator.world import Event, Kind

DAY_S = 86_400


@pytest.fixture
def checkout(tmp_path: Path, settings: object) -> Path:
    settings.BASE_DIR = tmp_path  # type: ignore[attr-defined]
    now = int(time.time()) // 60 * 60
    state.save(state.path(), state.State(anchor=now, ready=True))
    return tmp_path


def test_what_was_staged_is_read_again_and_forgotten_after_a_day(checkout: Path) -> None:
    file = staged.path()
    old = Event(Kind.FAULT, 0, 0, 60, factor=3.0)
    new = Event(Kind.BURST, 2, 3 * DAY_S, 120, (7,), 4.0)
    staged.add(file, old)
    assert staged.load(file) == (old,)
    staged.add(file, new)
    assert staged.load(file) == (new,)


def test_the_pool_stalls_and_its_neighbours_do_not(checkout: Path) -> None:
    call_command("demo_event", "ssd-1", minutes=3)
    (event,) = staged.load(staged.path())
    who = cast(1)
    assert (event.kind, event.pool, event.length_s) == (Kind.FAULT, who.pool("ssd-1"), 180)
    term = parse_contract("99% < 15 ms at 1000 IOPS").term(1)
    live = Live(who, event.start, {}, {member.number: term for member in who.members}, 0)
    before, _ = live._minute(event.start - 60)
    during, _ = live._minute(event.start)
    hit = [member.number for member in who.in_pool("ssd-1") if member.tenant.rest < 1]
    calm = [member.number for member in who.in_pool("archive-1") if member.tenant.rest < 1]
    took = {
        name: t.time_ms.sum(axis=1) / np.maximum(t.ios.sum(axis=1), 1) for name, t in (("b", before), ("d", during))
    }
    assert np.median(took["d"][hit]) > 30 * np.median(took["b"][hit])
    assert np.median(took["d"][calm]) < 3 * np.median(took["b"][calm])


def test_several_pools_are_hit_at_the_same_moment_or_none(checkout: Path) -> None:
    with pytest.raises(CommandError, match="no pool is named 'tape-9'"):
        call_command("demo_event", "ssd-1", "tape-9")
    assert not staged.path().exists()
    call_command("demo_event", "ssd-1", "hdd-1")
    events, who = staged.load(staged.path()), cast(1)
    assert {one.pool for one in events} == {who.pool("ssd-1"), who.pool("hdd-1")}
    assert len({(one.kind, one.start, one.length_s) for one in events}) == 1


@pytest.mark.parametrize(
    ("given", "said"),
    [
        (("tape-9",), "no pool is named 'tape-9'"),
        (("ssd-1", "--minutes", "0"), "--minutes 0: 1 to"),
        (("ssd-1", "--factor", "1"), "--factor 1: more than 1"),
        (("ssd-1", "--kind", "burst", "--disk", "999"), "--disk 999: the pool ssd-1 has 1 to"),
    ],
)
def test_what_makes_no_sense_is_named(checkout: Path, given: tuple[str, ...], said: str) -> None:
    with pytest.raises(CommandError, match=said):
        call_command("demo_event", *given)
    assert not staged.path().exists()
