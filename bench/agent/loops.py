"""Sixteen disks to watch: loop devices over small files in memory, where this machine lets us make them."""

import subprocess
from pathlib import Path

SIZE = 16 << 20


class Loops:
    """`devices` are empty where loop devices cannot be had (no root, no module)."""

    def __init__(self, folder: Path, count: int) -> None:
        self.devices: list[str] = []
        for number in range(count):
            image = folder / f"disk{number}"
            with image.open("wb") as file:
                file.truncate(SIZE)
            made = subprocess.run(["losetup", "-f", "--show", str(image)], capture_output=True, text=True, check=False)
            if made.returncode:
                self.close()
                return
            self.devices.append(made.stdout.strip())

    def close(self) -> None:
        for device in self.devices:
            subprocess.run(["losetup", "-d", device], check=False)
        self.devices = []
