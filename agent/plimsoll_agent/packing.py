"""Journals that were cut become frames in the spool."""

from __future__ import annotations

import os

from . import journal, spool
from .core.layout import LayoutError
from .frames import frame_of
from .state import State


def pack_waiting(state: State) -> list[str]:
    """Make a frame of every cut journal, and remove it. Answers what was wrong with those that gave none.

    A crash between the two steps makes the same frame again: the spool's name for it is the same, and so is the
    server's answer (duplicate). Raises OSError where the spool cannot be written: the journals stay.
    """
    troubles = []
    for path in journal.waiting(state.run):
        try:
            frame = frame_of(journal.read(path))
            if frame is not None:
                spool.put(state.spool, frame)
        except (journal.JournalError, LayoutError) as error:
            troubles.append(str(error))
        os.unlink(path)
    return troubles
