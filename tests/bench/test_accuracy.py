"""Does the benchmark's own arithmetic hold, on a run made up here?"""

from fractions import Fraction

from bench.accuracy import right_ratio, row, summary
from bench.accuracy_run import Outcome
from bench.lab import Run, Sample, rule_of


def test_only_kernels_from_6_16_on_count_every_io_in_flight() -> None:
    assert rule_of("6.18") == "accounted"
    assert rule_of("6.16.3") == "accounted"
    assert rule_of("6.1.0 (Debian cloud)") == "driver"
    assert rule_of("5.10") == "driver"


def test_a_coarser_cadence_takes_the_first_sample_at_or_after_each_tick_and_the_last_one() -> None:
    stamps = [0, 10, 20, 31, 39, 50, 60, 175, 180, 190]
    run = Run("loop_s01_x", "accounted", [Sample(ms * 1_000_000, ms * 1_000_000, ()) for ms in stamps], [], [])
    assert [sample.before_ns // 1_000_000 for sample in run.at_cadence(20)] == [0, 20, 39, 60, 175, 180, 190]


def test_a_claim_of_proof_against_the_truth_is_counted() -> None:
    wrong = Outcome("x", 10, 15, ios=1000, truth=5, low=20, estimate=20, high=40, windows=1, missed_windows=1)
    line = row(wrong, Fraction(99, 100))
    assert (line["truth_verdict"], line["proved_verdict"]) == ("met", "breached")
    assert summary([wrong] + [Outcome("x", c, 15, 1000, 5, 0, 5, 9, 1) for c in (20, 100, 1000)])["proved_wrong"] == 1
    assert right_ratio([wrong]) == 0.5  # 0.5 % is over 0.1 %, and so is the estimate
