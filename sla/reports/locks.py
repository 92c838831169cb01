"""Who states this customer's months? One at a time, whichever worker or person asks."""

from collections.abc import Iterator
from contextlib import contextmanager

from django.db import connection

# Any number that no other lock of ours uses.
SPACE = 0x5354


@contextmanager
def one_at_a_time(customer: int) -> Iterator[None]:
    """Held by the session, so that it is taken before the transaction whose snapshot must see what the last one did."""
    with connection.cursor() as cursor:
        cursor.execute("SELECT pg_advisory_lock(%s, %s)", [SPACE, customer])
    try:
        yield
    finally:
        with connection.cursor() as cursor:
            cursor.execute("SELECT pg_advisory_unlock(%s, %s)", [SPACE, customer])
