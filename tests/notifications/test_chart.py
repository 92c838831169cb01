"""Can the small picture in a mail be read, whatever its scale?"""

from hypothesis import given
from hypothesis import strategies as st

from sla.notifications.chart import LEFT, labels_of, nice_top, width_of


def test_slow_ones_are_told_in_seconds() -> None:
    assert labels_of(20) == ["0", "5", "10", "15", "20 ms"]
    assert labels_of(2000) == ["0", "0.5", "1", "1.5", "2 s"]


@given(st.floats(0.001, 600_000))
def test_no_label_is_cut_at_the_left(most: float) -> None:
    assert all(width_of(one) <= LEFT - 12 for one in labels_of(nice_top(most)))
