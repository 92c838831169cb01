"""How do notices get out by other ways than mail? Side by side: one receiver that hangs holds up no other."""

from collections.abc import Iterator, Sequence
from concurrent.futures import ThreadPoolExecutor

from sla.notifications import message_service, webhook
from sla.notifications.models import Channel, Notice
from sla.notifications.sealed import CannotOpen, unseal
from sla.notifications.trouble import NotNow, Refused, Trouble

SIDE_BY_SIDE = 8


def send_all(batch: Sequence[Notice]) -> Iterator[tuple[Notice, Trouble | None]]:
    """Each with None where it was taken over, else what was wrong. The threads touch no database."""
    with ThreadPoolExecutor(SIDE_BY_SIDE) as pool:
        yield from zip(batch, pool.map(_send, batch), strict=True)


def _send(notice: Notice) -> Trouble | None:
    channel = notice.channel
    try:
        address = unseal(channel.address)
        if channel.kind == Channel.Kind.WEBHOOK:
            target = webhook.Target(address, unseal(channel.secret))
            webhook.post(target, notice.plain.encode(), notice.message_id.strip("<>"))
        else:
            over = notice.topic in (Notice.Topic.RESOLVED, Notice.Topic.TEST)
            message_service.send(address, notice.subject, notice.plain, "info" if over else notice.severity)
    except CannotOpen as error:
        return Refused(str(error))
    except Trouble as trouble:
        return trouble
    except Exception as error:
        return NotNow(f"{type(error).__name__}: {error}")
    return None
