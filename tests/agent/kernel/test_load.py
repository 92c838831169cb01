"""How fast a disk was while it was busy."""

from plimsoll_agent.kernel.load import busy_bps


def test_bytes_over_busy_time_and_nothing_from_too_little(tmp_path):
    stat = tmp_path / "stat"
    stat.write_text("1000 0 2000000 900 1000 0 2000000 800 0 20000 1700 0 0 0 0 0 0\n")
    assert busy_bps(str(tmp_path)) == 4_000_000 * 512 * 1000 // 20_000
    stat.write_text("10 0 80 9 10 0 80 8 0 20000 17 0 0 0 0 0 0\n")
    assert busy_bps(str(tmp_path)) is None
    stat.write_text("nonsense\n")
    assert busy_bps(str(tmp_path)) is None and busy_bps(str(tmp_path / "gone")) is None
