"""Where do a statement's files lie? In compressed pieces beside it, written and read one piece at a time."""

import hashlib
from collections.abc import Iterable, Iterator

import zstandard

from sla.domain.statement.document import Evidence
from sla.reports.models import Statement, StatementFile

# A piece before compression: small enough for any memory, large enough that a month of 500 disks is some tens.
PIECE_BYTES = 2 * 2**20
LEVEL = 3


class Keeper:
    """Takes a file as it is made: compresses pieces, counts, digests. They are stored when the statement exists."""

    def __init__(self, name: str) -> None:
        self.name = name
        self.pieces: list[bytes] = []
        self.size = self.rows = 0
        self._digest = hashlib.sha256()
        self._open: list[bytes] = []
        self._open_size = 0
        self._squeeze = zstandard.ZstdCompressor(level=LEVEL).compress

    def take(self, block: bytes) -> None:
        self._digest.update(block)
        self.size += len(block)
        self.rows += block.count(b"\n")
        self._open.append(block)
        self._open_size += len(block)
        if self._open_size >= PIECE_BYTES:
            self._close()

    def _close(self) -> None:
        if self._open:
            self.pieces.append(self._squeeze(b"".join(self._open)))
            self._open, self._open_size = [], 0

    def evidence(self) -> Evidence:
        """What the statement says of it; its header is no row."""
        self._close()
        return Evidence(self.name, self._digest.hexdigest(), self.size, max(0, self.rows - 1))

    def store(self, statement: Statement, *, once: bool = False) -> None:
        """`once`: where somebody else has stored it meanwhile, theirs stays."""
        self._close()
        StatementFile.objects.bulk_create(
            [
                StatementFile(statement=statement, name=self.name, place=place, body=body)
                for place, body in enumerate(self.pieces)
            ],
            batch_size=4,
            ignore_conflicts=once,
        )


def keep(name: str, blocks: Iterable[bytes]) -> Keeper:
    """A whole file taken."""
    keeper = Keeper(name)
    for block in blocks:
        keeper.take(block)
    return keeper


def read(statement: Statement, name: str) -> Iterator[bytes]:
    """The file, a piece at a time."""
    places = list(statement.pieces.filter(name=name).order_by("place").values_list("pk", flat=True))
    opened = zstandard.ZstdDecompressor()
    for piece in places:
        yield opened.decompress(bytes(StatementFile.objects.values_list("body", flat=True).get(pk=piece)))


def has(statement: Statement, name: str) -> bool:
    """Is there such a file?"""
    return statement.pieces.filter(name=name).exists()
