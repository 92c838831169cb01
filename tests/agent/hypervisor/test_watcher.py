"""Who gets which guest's disk where several sources see it, and what is said of those that see none."""

from types import SimpleNamespace

from plimsoll_agent.hypervisor.assign import Seen
from plimsoll_agent.hypervisor.guests import Guest
from plimsoll_agent.hypervisor.watcher import Watcher
from plimsoll_agent.policy import Policy
from plimsoll_agent.settings import Settings
from plimsoll_agent.state import locate, pairs_from_bytes

WEB = Guest("id-web", "web-1", "vda", "vol-1", "", ())
DB = Guest("id-db", "db-1", "vda", "vol-2", "", ())


def source(vm: str, **drives: str) -> SimpleNamespace:
    seen = tuple(Seen(vm, name, serial, None) for name, serial in drives.items())
    return SimpleNamespace(vm=vm, seen=seen, assigned={}, trouble="", foreign=(), looks=3, missed=1)


def watcher(tmp_path) -> Watcher:
    (tmp_path / "map").write_text("vm:db-1/vda,db-1,vda\n")
    settings = Settings({"state_dir": str(tmp_path / "s"), "run_dir": str(tmp_path), "disk_map": str(tmp_path / "map")})
    one = Watcher(settings, locate(settings))
    one.map.renewed()
    one.orders.policy = Policy(guests=[WEB, DB])
    return one


def test_a_vms_own_monitor_goes_before_libvirt_and_libvirt_fills_the_rest(tmp_path) -> None:
    one = watcher(tmp_path)
    one.pollers = {"/q": source("web-1", disk0="vol-1")}
    one.bulk = source("", **{})
    one.bulk.seen = (
        Seen("web-1", "vda", "vol-1", None),
        Seen("db-1", "vda", None, None),
        Seen("x", "vda", "vol-7", None),
    )
    one._assign()
    assert one.pollers["/q"].assigned == {"disk0": WEB}
    assert one.bulk.assigned == {("db-1", "vda"): DB}
    assert [word.partition(":")[0] for word in one.words] == ["drive x/vda"]


def test_what_is_wrong_is_written_down_for_the_server_and_the_doctor(tmp_path, capfd) -> None:
    one = watcher(tmp_path)
    one.pollers = {"/q": source("web-1", disk0="vol-1")}
    one.pollers["/q"].trouble = "/q: no greeting"
    one.pollers["/q"].foreign = ("disk0",)
    one._assign()
    one._report()
    one._report()
    assert capfd.readouterr().err.splitlines() == [
        "plimsoll-agent: /q: no greeting",
        "plimsoll-agent: VM web-1: another program's histogram is set on disk0 and left alone",
    ]
    told = pairs_from_bytes((tmp_path / "hypervisor").read_bytes())
    assert (told["vms"], told["mapped"], told["looks"], told["missed"]) == ("1", "1", "3", "1")
    assert told["trouble"].startswith("/q: no greeting; VM web-1")
