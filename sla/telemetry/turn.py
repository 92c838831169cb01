"""How does one statement reach the database and its answer come back with nothing in between?

A cursor of psycopg converts the statement and waits for its answer in Python. libpq's own call, which lets other
threads run while it waits, takes a third of that CPU; what it leaves out is done here: preparing, the transaction, the
errors.
"""

from collections.abc import Sequence
from typing import Any
from weakref import WeakSet

import psycopg
from psycopg import pq

Connection = psycopg.Connection[tuple[Any, ...]]


class Statement:
    """A statement with parameters of these types (pg_type.oid), all binary, and one text as its answer."""

    def __init__(self, name: str, text: str, types: Sequence[int]) -> None:
        self._name, self._text, self._types = name.encode(), text.encode(), types
        self._formats = [pq.Format.BINARY] * len(types)
        self._known: WeakSet[Connection] = WeakSet()

    def run(self, on: Connection, values: Sequence[bytes]) -> str:
        """The first value of the first row. psycopg.Error as a cursor would raise it."""
        line = on.pgconn
        if on not in self._known:
            _held(line, line.prepare(self._name, self._text, self._types), pq.ExecStatus.COMMAND_OK)
            self._known.add(on)
        if not on.autocommit and line.transaction_status == pq.TransactionStatus.IDLE:
            _held(line, line.exec_(b"BEGIN"), pq.ExecStatus.COMMAND_OK)
        result = line.exec_prepared(self._name, values, self._formats, pq.Format.TEXT)
        _held(line, result, pq.ExecStatus.TUPLES_OK)
        return (result.get_value(0, 0) or b"").decode()


def _held(line: pq.abc.PGconn, result: pq.abc.PGresult, wanted: pq.ExecStatus) -> None:
    if result.status == wanted:
        return
    if line.status != pq.ConnStatus.OK:
        raise psycopg.OperationalError(f"the connection is lost: {line.get_error_message()}")
    raise psycopg.errors.error_from_result(result)
