"""Who wants to know when an incident's history grows? Sent inside the transaction that changes the incident."""

from django.dispatch import Signal

# kwargs: incident, event.
event_recorded = Signal()
