"""Limits of control groups, of both hierarchies."""

from plimsoll_agent.kernel.throttle import limits


def test_both_hierarchies_are_read_and_what_is_no_limit_is_none(tmp_path):
    root = tmp_path / "fs/cgroup"
    for folder in ("db.slice/a.scope", "web.slice", "blkio/tenant"):
        (root / folder).mkdir(parents=True)
    (root / "db.slice/a.scope/io.max").write_text("254:0 rbps=max wbps=max riops=500 wiops=300\n8:0 riops=9\n")
    (root / "web.slice/io.max").write_text("254:0 rbps=max wbps=max riops=max wiops=max\n")
    (root / "blkio/tenant/blkio.throttle.read_iops_device").write_text("254:0 120\n")
    (root / "blkio/tenant/blkio.throttle.write_bps_device").write_text("")
    found = [(one.group, one.number, one.words) for one in limits(str(tmp_path))]
    assert found == [
        ("/blkio/tenant", "254:0", "riops=120"),
        ("/db.slice/a.scope", "254:0", "riops=500 wiops=300"),
        ("/db.slice/a.scope", "8:0", "riops=9"),
    ]


def test_a_machine_without_control_groups_has_no_limits(tmp_path):
    assert limits(str(tmp_path)) == []
