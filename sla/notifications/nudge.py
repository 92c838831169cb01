"""Who wakes the delivery? Whoever has written a notice, once it is committed. The beat looks all the same: a nudge that
is lost costs two seconds."""

import logging

from celery import current_app
from django.db import connection, transaction
from kombu.exceptions import OperationalError

TASK = "sla.notifications.deliver"
# Later than this the beat has long looked.
EXPIRES_S = 5
logger = logging.getLogger(__name__)


def nudge_after_commit() -> None:
    """Once a transaction: an evaluation that opens two hundred incidents says one word."""
    if not any(waiting is nudge for _, waiting, *_ in connection.run_on_commit):
        transaction.on_commit(nudge, robust=True)


def nudge() -> None:
    """Without a broker nothing happens: what is due stands in the database."""
    try:
        current_app.send_task(TASK, expires=EXPIRES_S, retry=False, ignore_result=True)
    except OperationalError as error:
        logger.warning("delivery is not nudged, the beat will see to it: %s", error)
