"""Which kernels' queue counts as proof."""

import pytest

from plimsoll_agent.kernel.release import in_flight_rule, jiffy_ms, release_of, version_of


@pytest.mark.parametrize(
    ("release", "rule"),
    [
        ("6.16.0", "accounted"),
        ("6.18.44-fc-v669", "accounted"),
        ("7.0-rc1", "accounted"),
        ("6.16-rc3+", "accounted"),
        ("6.15.9", "driver"),
        ("6.1.0-18-amd64", "driver"),
        ("5.14.0-427.el9.x86_64", "driver"),
        ("2.6.32", "driver"),
        ("unheard-of", "driver"),
    ],
)
def test_in_flight_proves_something_from_6_16_on(release, rule):
    assert in_flight_rule(release) == rule


def test_a_release_with_letters_has_its_numbers():
    assert version_of("6.2rc1") == (6, 2)


@pytest.mark.parametrize(
    ("config", "ms"), [("CONFIG_HZ=250", 4), ("CONFIG_HZ=1000", 1), ("CONFIG_HZ=300", 4), ("", 10)]
)
def test_the_tick_is_rounded_up_and_the_slowest_where_unknown(tmp_path, config, ms):
    (tmp_path / "config-6.1").write_text(f"CONFIG_A=y\n{config}\nCONFIG_B=y\n")
    assert jiffy_ms("6.1", str(tmp_path)) == ms
    assert jiffy_ms("5.0", str(tmp_path)) == 10


def test_the_release_is_read_from_the_given_proc(tmp_path):
    (tmp_path / "sys/kernel").mkdir(parents=True)
    (tmp_path / "sys/kernel/osrelease").write_text("6.1.2\n")
    assert release_of(str(tmp_path)) == "6.1.2"
