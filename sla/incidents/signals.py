"""Who wants to know when an incident's history grows? Sent inside the transaction that changes the incident.

Receivers: `event.kind` is a word of `sla.domain.incidents.words.Happened`. Where `event.data` has `"muted"`, nobody is
to be told. Loud are opened, reopened, reminded (also the first word after a silence), resolved, and escalated where its
data has `"severity"` ([from, to]; only ever upwards); joined and left only change what a digest or a page shows.
"""

from django.dispatch import Signal

# kwargs: incident, event.
event_recorded = Signal()

# kwargs: now (datetime). The auditor asks each layer above it what is wrong there: receivers return a list of words.
audit_asked = Signal()
