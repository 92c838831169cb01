"""Is direct I/O what it says?"""

from plimsoll_agent.kernel.identity import virtualisation
from plimsoll_agent.kernel.odirect import fsync_honoured, honoured, in_openvz


def container(tmp_path, **switches):
    (tmp_path / "vz").mkdir(parents=True)
    (tmp_path / "sys/fs").mkdir(parents=True)
    for name, value in switches.items():
        (tmp_path / "sys/fs" / name.replace("fsync_", "fsync-")).write_text(f"{value}\n")
    return str(tmp_path)


def test_an_openvz_container_asks_its_nodes_switches(tmp_path):
    off = container(tmp_path / "off", odirect_enable=0, fsync_enable=0)
    on = container(tmp_path / "on", odirect_enable=1, fsync_enable=2)
    assert (honoured(off), fsync_honoured(off)) == (False, False)
    assert (honoured(on), fsync_honoured(on)) == (True, True)
    assert virtualisation(str(tmp_path), off) == "openvz"


def test_where_the_node_does_not_say_it_is_unknown(tmp_path):
    assert honoured(container(tmp_path)) is None and fsync_honoured(str(tmp_path)) is None


def test_other_kernels_have_no_switch_and_do_what_they_are_asked(tmp_path):
    assert honoured(str(tmp_path)) is True and not in_openvz(str(tmp_path))
    (tmp_path / "vz").mkdir()
    (tmp_path / "bc").mkdir()
    assert not in_openvz(str(tmp_path)), "the node itself"
