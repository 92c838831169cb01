"""How are whole numbers of unknown size written in as few bytes as they need? (LEB128, seven bits a byte)"""

from __future__ import annotations

MAX_BYTES = 10  # 64 bits; anything longer is no number of ours


def put(out: bytearray, value: int) -> None:
    """Append a number from 0 to 2^64 - 1. Raises ValueError with the value otherwise."""
    if not 0 <= value < 1 << 64:
        raise ValueError(f"{value} does not fit 64 bits")
    while value > 0x7F:
        out.append(value & 0x7F | 0x80)
        value >>= 7
    out.append(value)


class Reader:
    """Reads numbers and raw bytes one after the other. Raises ValueError where the data ends too early."""

    __slots__ = ("at", "data")

    def __init__(self, data: bytes, at: int = 0) -> None:
        self.data = data
        self.at = at

    def take(self) -> int:
        """The next number; only its shortest spelling is accepted, so that one content has one form."""
        value = shift = 0
        for _ in range(MAX_BYTES):
            byte = self.raw(1)[0]
            value |= (byte & 0x7F) << shift
            shift += 7
            if byte < 0x80:
                if byte == 0 and shift > 7:
                    raise ValueError(f"number before offset {self.at} is spelt longer than it needs")
                return value
        raise ValueError(f"number before offset {self.at} is longer than {MAX_BYTES} bytes")

    def raw(self, count: int) -> bytes:
        """The next `count` bytes."""
        piece = self.data[self.at : self.at + count]
        if len(piece) != count:
            raise ValueError(f"{count} bytes wanted at offset {self.at}, {len(piece)} there")
        self.at += count
        return piece
