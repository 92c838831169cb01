"""Does what an agent tells of a test agree with itself? Its shape is bounded already."""

from sla.probes.shapes import Durability, Fsync, Result, Steps, Verdict

# As for frames: a clock may be this far ahead, and a spool a week late.
MOST_AHEAD_S = 120
OLDEST_S = 35 * 86_400
LONGEST_S = 86_400


class Implausible(ValueError):
    """What was told cannot be; `field` names it."""

    def __init__(self, field: str, message: str) -> None:
        super().__init__(message)
        self.field = field


def check(result: Result, now: float) -> None:
    """Implausible."""
    if not now - OLDEST_S <= result.started_at <= now + MOST_AHEAD_S:
        raise Implausible("started_at", f"started_at {result.started_at:.0f}: over two minutes ahead, or too long ago")
    if isinstance(result, Durability):
        return
    if not result.started_at <= result.ended_at <= min(now + MOST_AHEAD_S, result.started_at + LONGEST_S):
        raise Implausible("ended_at", f"ended_at {result.ended_at:.0f}: no end of a test begun {result.started_at:.0f}")
    if isinstance(result, Steps):
        _steps(result)
    else:
        _fsync(result)


def _steps(result: Steps) -> None:
    for at, step in enumerate(result.steps):
        if sum(count for _, count in step.hist) != step.ios:
            raise Implausible("steps", f"step {at}: its histogram does not hold its {step.ios} I/Os")
        if step.slow > step.ios:
            raise Implausible("steps", f"step {at}: {step.slow} of {step.ios} I/Os are slow")
        if len({bucket for bucket, _ in step.hist}) != len(step.hist):
            raise Implausible("steps", f"step {at}: a bucket is there twice")
        if abs(step.iops * step.seconds - step.ios) > 1 + step.seconds / 10 + step.ios / 100:
            raise Implausible(
                "steps", f"step {at}: {step.ios} I/Os in {step.seconds:g} s are not {step.iops:g} a second"
            )


def _fsync(result: Fsync) -> None:
    for name in ("alone", "beside_flood", "several_writers"):
        run = getattr(result, name)
        if run.slowest_writer_per_s > run.commits_per_s:
            raise Implausible(name, f"{name}: the slowest writer alone does {run.slowest_writer_per_s:g} commits/s")
        if run.commits and run.mean_ms is None:
            raise Implausible(name, f"{name}: {run.commits} commits without a mean")


def check_verdict(verdict: Verdict, acknowledged: int) -> None:
    """Implausible: the agent must have looked for just the blocks that were acknowledged here."""
    if verdict.acknowledged != acknowledged:
        raise Implausible("acknowledged", f"{verdict.acknowledged} blocks were looked for, {acknowledged} acknowledged")
    last = -1
    for low, high in verdict.missing:
        if not last < low <= high < acknowledged:
            raise Implausible(
                "missing", f"[{low}, {high}] is no run of the {acknowledged} acknowledged blocks in order"
            )
        last = high
    named = sum(high - low + 1 for low, high in verdict.missing)
    if not named <= verdict.lost <= acknowledged or (verdict.lost and not named):
        raise Implausible(
            "lost", f"{verdict.lost} blocks are lost, {named} are named, {acknowledged} were acknowledged"
        )
