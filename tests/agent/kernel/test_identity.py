"""Which machine, in which boot, on what."""

from plimsoll_agent.kernel.identity import boot_id, machine_id, virtualisation


def tree(tmp_path, **files):
    for name, text in files.items():
        path = tmp_path / name.replace("__", "/")
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text + "\n")
    return str(tmp_path)


def test_a_machine_id_has_32_digits_or_is_none(tmp_path):
    etc = tree(tmp_path, **{"machine-id": "0123456789abcdef0123456789abcdef"})
    assert machine_id(etc) == "0123456789abcdef0123456789abcdef"
    assert machine_id(tree(tmp_path, **{"machine-id": "uninitialized"})) is None
    assert machine_id(str(tmp_path / "nowhere")) is None


def test_the_boot_has_an_id(tmp_path):
    assert boot_id(tree(tmp_path, sys__kernel__random__boot_id="a-b-c")) == "a-b-c"
    assert boot_id(str(tmp_path / "nowhere")) == ""


def test_the_hypervisor_is_told_by_dmi_then_by_the_cpu(tmp_path):
    assert virtualisation(tree(tmp_path / "a", class__dmi__id__sys_vendor="QEMU"), "/nowhere") == "kvm"
    assert virtualisation(tree(tmp_path / "b", hypervisor__type="xen"), "/nowhere") == "xen"
    surface = tree(
        tmp_path / "c", class__dmi__id__sys_vendor="Microsoft Corporation", class__dmi__id__product_name="Surface"
    )
    bare = tree(tmp_path / "d", cpuinfo="processor : 0\nflags\t\t: fpu vme")
    guest = tree(tmp_path / "e", cpuinfo="processor : 0\nflags\t\t: fpu hypervisor lahf")
    assert virtualisation(surface, bare) == "none"
    assert virtualisation(surface, guest) == "vm"
    assert virtualisation("/nowhere", "/nowhere") is None
