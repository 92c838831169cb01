"""The server's policy, and its plain form."""

import pytest

from plimsoll_agent.policy import PolicyError, from_json, from_plain, to_plain
from tests.agent.stub_server import TERM, policy_for


def test_the_plain_form_says_the_same():
    policy = from_json(policy_for(("vda", "s-1"), ("cciss/c0d0", None)))
    again = from_plain(to_plain(policy))
    for name in policy.__slots__:
        assert getattr(again, name) == getattr(policy, name)
    assert again.terms_of("vda", "s-1")[0].depth == 13


def test_a_disk_is_found_by_name_and_serial_then_by_a_serial_that_is_alone():
    policy = from_json(policy_for(("vda", "a"), ("vdb", "shared"), ("vdc", "shared")))
    policy.disks[2] = (*policy.disks[2][:2], ())
    assert policy.terms_of("vdb", "shared") and not policy.terms_of("vdc", "shared")
    assert policy.terms_of("vdz", "a"), "the disk changed its name and kept its serial"
    assert not policy.terms_of("vdz", "shared"), "two disks answer to that serial"
    assert not policy.terms_of("vdz", None)


def test_reads_and_writes_may_differ():
    sent = policy_for(("vda", "a"))
    sent["disks"][0]["terms"] = [TERM | {"threshold_ms": None, "read_threshold_ms": 5, "write_threshold_ms": 10.5}]
    term = from_plain(to_plain(from_json(sent))).terms_of("vda", "a")[0]
    assert (term.read_threshold_us, term.write_threshold_us) == (5_000, 10_500)


@pytest.mark.parametrize(("asked", "used"), [(60, 60), (45, 30), (10, 10), (1, 10), (3600, 60)])
def test_a_frame_is_as_long_as_a_part_of_a_minute_can_be(asked, used):
    assert from_json({"flush_s": asked}).flush_s == used


@pytest.mark.parametrize(
    "change",
    [{"flush_s": "soon"}, {"fine_ms": {"base": 5}}, {"cpu_budget_ratio": 3}, {"disks": [{"terms": []}]}, {"disks": 3}],
)
def test_a_policy_that_cannot_be_followed_is_refused(change):
    with pytest.raises(PolicyError):
        from_json({"flush_s": 60} | change)


@pytest.mark.parametrize("raw", [b"", b"plimsoll-policy\t2\nend\n", b"plimsoll-policy\t1\nreport\t60\n", b"\0\0\0"])
def test_half_a_file_is_no_policy(raw):
    with pytest.raises(PolicyError):
        from_plain(raw)
