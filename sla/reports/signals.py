"""What others may want to know: a statement was frozen. Sent inside the transaction that stores it."""

from django.dispatch import Signal

# The receiver is given the new row of `Statement` as `statement`.
statement_frozen = Signal()
