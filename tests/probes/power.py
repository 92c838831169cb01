"""A disk that QEMU serves and that can lose its power at any moment: qemu-storage-daemon, a loop device, ext4."""

import json
import os
import shutil
import subprocess
import time
from pathlib import Path

SIZE = 64 << 20


class Missing(Exception):
    """Why there is no such disk here."""


def needed() -> None:
    """Missing, by name."""
    if os.geteuid() or not Path("/dev/fuse").exists():
        raise Missing("a disk that QEMU serves needs root and /dev/fuse")
    for tool in ("qemu-storage-daemon", "qemu-img", "mkfs.ext4", "losetup"):
        if shutil.which(tool) is None:
            raise Missing(f"{tool} is not installed")


def run(*words: object) -> str:
    done = subprocess.run([str(word) for word in words], capture_output=True, text=True, check=False)
    if done.returncode:
        raise Missing(f"{words[0]}: {done.stderr.strip()[-200:]}")
    return done.stdout.strip()


class Drive:
    """`lies`: what is written goes to an overlay that a power cut takes away, as with `-drive snapshot=on`."""

    def __init__(self, folder: Path, *, lies: bool) -> None:
        self.folder = folder
        self.lies = lies
        self.base = folder / "disk"
        self.overlay = folder / "overlay"
        self.served = folder / "served"
        self.mounted = folder / "mnt"
        self.mounted.mkdir()
        self.served.touch()
        with self.base.open("wb") as file:
            file.truncate(SIZE)
        run("mkfs.ext4", "-q", "-F", self.base)
        self.daemon: subprocess.Popen[bytes] | None = None
        self.loop = ""

    def switch_on(self) -> None:
        """Serve it and mount its file system."""
        node = {"driver": "raw", "node-name": "disk", "file": {"driver": "file", "filename": str(self.base)}}
        if self.lies:
            run("qemu-img", "create", "-q", "-f", "qcow2", "-b", self.base, "-F", "raw", self.overlay)
            node = {"driver": "qcow2", "node-name": "disk", "file": {"driver": "file", "filename": str(self.overlay)}}
        served = {"type": "fuse", "id": "e", "node-name": "disk", "mountpoint": str(self.served), "writable": True}
        words = ["--blockdev", json.dumps(node), "--export", json.dumps(served)]
        self.daemon = subprocess.Popen(["qemu-storage-daemon", *words], stderr=subprocess.PIPE)
        until = time.monotonic() + 20
        while self.served.stat().st_size != SIZE:
            if self.daemon.poll() is not None or time.monotonic() > until:
                raise Missing("qemu-storage-daemon serves nothing here")
            time.sleep(0.05)
        self.loop = run("losetup", "--find", "--show", self.served)
        run("mount", self.loop, self.mounted)

    def cut_the_power(self) -> None:
        """The daemon is gone from one moment to the next, and with it whatever it had promised and not kept."""
        if self.daemon is not None:
            self.daemon.kill()
            self.daemon.communicate()
            self.daemon = None
        for words in (
            ("umount", "-l", self.mounted),
            ("losetup", "--detach", self.loop),
            ("umount", "-l", self.served),
        ):
            subprocess.run([str(word) for word in words], capture_output=True, check=False)
        if self.overlay.exists():
            self.overlay.unlink()
