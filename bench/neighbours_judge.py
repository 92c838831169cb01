"""What did the detector make of one pool's events? One row an event, one a window that nobody caused."""

from dataclasses import dataclass

from bench.neighbours_case import Case, Event
from sla.domain.neighbours.detect import Contention, Found, detect
from sla.domain.neighbours.model import learn

# A window belongs to an event that it overlaps, or that ended this long before: latency may take a while to go back.
AFTER_S = 300
POOL_WIDE = ("neighbour", "backend")


@dataclass(frozen=True, slots=True)
class Heard:
    """One event of the whole pool, and what was said. delay_s: from its onset to the end of the slot that opened the
    window; the first suspect with its score, whatever it is; accused: whom it names."""

    source: str
    kind: str
    length_s: int
    factor: float
    fair: bool
    culprit: int | None
    cause: str
    found: bool
    delay_s: float | None
    said: str
    accused: int | None
    top: int | None
    score: float
    nobody: float
    step_s: int


@dataclass(frozen=True, slots=True)
class Told:
    """One pool: its events, windows without one, days looked at, and whether it had no event at all. overload: windows
    without an event in which the back end was really busier by tenants' ordinary ups and downs; false: the others."""

    name: str
    source: str
    heard: list[Heard]
    windows: int
    false: int
    overload: int
    days: float
    clean: bool
    own_found: int
    own_events: int
    own_false: int


def tell(case: Case) -> Told | None:
    """Learn from the history, detect in the rest. None where the history is too short."""
    model = learn(case.slots.of(case.slots.starts < case.since))
    found = detect(case.slots, model, since=case.since) if model is not None else None
    return None if found is None else compared(case, found)


def compared(case: Case, found: Found) -> Told:
    events = [event for event in case.events if event.cause in POOL_WIDE and event.end > case.since]
    own = [event for event in case.events if event.cause not in POOL_WIDE]
    used: set[int] = set()
    heard = []
    for event in events:
        hits = [place for place, window in enumerate(found.contentions) if touches(window, event)]
        used |= set(hits)
        heard.append(_heard(case, event, [found.contentions[place] for place in hits]))
    # A disk that floods itself may slow its pool as well: neither right nor wrong.
    for event in own:
        used |= {place for place, window in enumerate(found.contentions) if touches(window, event)}
    others = [window.span for place, window in enumerate(found.contentions) if place not in used]
    overload = sum(case.overloaded(span.start, span.end) for span in others)
    alone = [one for one in found.alone if one.span.end > case.since]
    own_hits = [
        any(one.disk == event.culprit and _meet(one.span.start, one.span.end, event) for one in alone) for event in own
    ]
    own_false = sum(not any(_meet(one.span.start, one.span.end, event) for event in case.events) for one in alone)
    return Told(
        case.name, case.source, heard, len(found.contentions), len(others) - overload, overload, case.days,
        not case.events, sum(own_hits), len(own), own_false,
    )  # fmt: skip


def touches(window: Contention, event: Event) -> bool:
    return _meet(window.span.start, window.span.end, event)


def _meet(start: int, end: int, event: Event) -> bool:
    return start < event.end + AFTER_S and event.start < end


def _heard(case: Case, event: Event, hits: list[Contention]) -> Heard:
    first = hits[0] if hits else None
    # The window that lies in most of the event speaks for it.
    most = max(hits, key=lambda one: min(one.span.end, event.end) - max(one.span.start, event.start), default=None)
    scores = most.suspicion.score if most else None
    top = int(scores.argmax()) if scores is not None and len(scores) else None
    return Heard(
        case.source, event.kind, event.end - event.start, event.factor, event.fair, event.culprit, event.cause,
        bool(hits), None if first is None else first.span.seen - event.start,
        most.verdict.cause.value if most else "", most.verdict.culprit if most else None, top,
        float(scores[top]) if scores is not None and top is not None else 0.0,
        most.suspicion.nobody if most else 1.0, case.slots.step_s,
    )  # fmt: skip
