"""Which disks would a canary ask, and which can it not: sentences for the doctor and --check."""

from __future__ import annotations

import errno
import os

from ..choose import choose
from ..kernel import release
from ..kernel.blockdev import block_devices
from ..kernel.direct import open_disk
from ..settings import Settings
from .reads import refusal

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import List

    Sentences = List[tuple[bool, str]]


def sentences(settings: Settings, folder: str = "/dev") -> Sentences:
    """(well, sentence) about each disk, as seen by the user who asks; each is opened, and none is read.

    `folder`: where the devices' names are.
    """
    if not settings.canary_s:
        return [(True, "The canary is off: a disk that nobody uses is watched, and not asked whether it answers.")]
    if settings.from_node_exporter:
        return [(False, "canary_s asks nothing of the disks behind a node_exporter.")]
    devices = block_devices(settings.sys, release.version_of(release.release_of(settings.proc)))
    told: Sentences = []
    able = []
    for disk in choose(devices, settings.devices, settings.sys).picked:
        try:
            os.close(open_disk(f"{folder}/{disk.device}", disk.number))
        except OSError as error:
            word = refusal(disk.device, error.errno or errno.EIO)
            told.append((False, f"{word[0].upper()}{word[1:]}."))
        else:
            able.append(disk.device)
    if able:
        text = (
            f"The canary reads 4 KiB of {', '.join(able)} after {settings.canary_s} s without an I/O, and never writes."
        )
        told.insert(0, (True, text))
    return told
