"""Who is told that a window opened, changed or closed? Receivers run inside the transaction that wrote it."""

from django.dispatch import Signal

# kwargs: window (NeighbourWindow), change ("opened", "updated" or "closed")
window_changed = Signal()
