"""How much dirty memory a machine allows."""

from plimsoll_agent.kernel.dirty import read


def proc_with(tmp_path, vmstat="", **settings):
    (tmp_path / "sys/vm").mkdir(parents=True)
    for name, value in settings.items():
        (tmp_path / "sys/vm" / name).write_text(f"{value}\n")
    (tmp_path / "meminfo").write_text("MemTotal: 16000000 kB\nMemAvailable: 10000000 kB\nDirty: 120 kB\n")
    if vmstat:
        (tmp_path / "vmstat").write_text(vmstat)
    return str(tmp_path)


def test_the_kernels_own_threshold_counts_where_it_prints_one(tmp_path):
    vmstat = "nr_dirty 9\nnr_dirty_threshold 996728\nnr_dirty_background_threshold 497755\n"
    found = read(proc_with(tmp_path, vmstat, dirty_bytes=0, dirty_ratio=20), page=4096)
    assert (found.limit_bytes, found.background_bytes) == (996728 * 4096, 497755 * 4096)
    assert found.now_bytes == 120 * 1024 and found.set_by == "vm.dirty_ratio = 20"


def test_bytes_rule_over_the_ratio_and_the_ratio_is_of_what_is_available(tmp_path):
    fixed = read(proc_with(tmp_path / "a", dirty_bytes=1 << 28, dirty_ratio=0), page=4096)
    assert fixed.limit_bytes == 1 << 28 and fixed.set_by == "vm.dirty_bytes = 268435456"
    share = read(proc_with(tmp_path / "b", dirty_bytes=0, dirty_ratio=20), page=4096)
    assert share.limit_bytes == 10_000_000 * 1024 // 5


def test_a_kernel_that_says_nothing_gives_nothing(tmp_path):
    found = read(str(tmp_path))
    assert (found.limit_bytes, found.background_bytes, found.now_bytes, found.set_by) == (None,) * 4
