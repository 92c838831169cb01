"""What mails say, to whom, and how they are put together."""

import re
from datetime import timedelta
from email.message import EmailMessage
from html.parser import HTMLParser
from io import BytesIO
from zoneinfo import ZoneInfo

import pytest
from PIL import Image

from sla.fleet.models import Disk, Machine
from sla.neighbours.models import NeighbourWindow, WindowDisk
from sla.notifications.chart import Point, draw, nice_top
from sla.notifications.deliver import deliver
from sla.notifications.models import Preference
from tests.conftest import People
from tests.notifications.conftest import NOW, Clock, MakeDisks, notices, opened, resolved
from tests.notifications.sink import Sink

pytestmark = pytest.mark.django_db


def mail_to(sink: Sink, name: str, number: int = -1) -> EmailMessage:
    return [mail.message for mail in sink.mails if mail.to == f"{name}@example.com"][number]


def plain(message: EmailMessage) -> str:
    return message.get_body(("plain",)).get_content()


def html(message: EmailMessage) -> str:
    return message.get_body(("html",)).get_content()


def test_a_customer_reads_of_their_own_disks_and_no_name_of_anybody_else(
    readers: People, make_disks: MakeDisks, clock: Clock, sink: Sink
) -> None:
    mine = make_disks(1, pool="ssd-3")
    theirs = make_disks(2, pool="ssd-3", customer=readers.customer_b)
    incident = opened(mine + theirs, clock.now, title="3 disks of pool ssd-3 are slow")
    window = NeighbourWindow.objects.create(
        pool=mine[0].pool, start=clock.now, severity=2.3, cause="neighbour", confidence=0.9,
        detected_at=clock.now, updated_at=clock.now,
    )  # fmt: skip
    WindowDisk.objects.create(window=window, disk=mine[0], role="victim")
    WindowDisk.objects.create(window=window, disk=theirs[0], role="suspect", score=0.94)
    deliver()
    resolved(incident, clock.on(minutes=9))
    deliver()
    for number in (0, 1):
        message = mail_to(sink, "a", number)
        whole = f"{message['Subject']} {plain(message)} {html(message)}"
        assert str(mine[0]) in whole
        for name in ("Birch", "ssd-3", *(str(disk) for disk in theirs), *(disk.machine.hostname for disk in theirs)):
            assert name not in whole
        assert "shared with others" in whole
    whole = plain(mail_to(sink, "noc", 0))
    assert "A neighbour in pool ssd-3" in whole
    assert f"{theirs[0]}, Birch (0.94)" in whole


def test_trouble_above_several_pools_is_said_so_to_both_sides(
    readers: People, make_disks: MakeDisks, clock: Clock, sink: Sink
) -> None:
    mine = make_disks(1, pool="ssd-3")
    opened(mine, clock.now, title="a disk is slow")
    window = NeighbourWindow.objects.create(
        pool=mine[0].pool, start=clock.now, severity=2.3, cause="wider", confidence=0.99,
        detected_at=clock.now, updated_at=clock.now,
    )  # fmt: skip
    WindowDisk.objects.create(window=window, disk=mine[0], role="victim")
    deliver()
    for reader in ("a", "noc"):
        assert "Several storage pools slowed down at the same moment; not caused by one pool" in plain(
            mail_to(sink, reader, 0)
        )


def test_both_forms_say_the_same_and_there_is_one_way_in(
    readers: People, make_disks: MakeDisks, clock: Clock, sink: Sink
) -> None:
    incident = opened(make_disks(5, pool="ssd-3"), clock.now)
    deliver()
    message = mail_to(sink, "noc")
    text = re.sub(r"\s+", " ", words_of(html(message)))
    for line in ("Since", "21 Nov 12:00 UTC", "5 disks", "and 2 more", "What to do"):
        assert line in text
        assert line in plain(message)
    links = set(re.findall(r'href="([^"]+)"', html(message)))
    address = f"http://127.0.0.1:8000/incidents/{incident.pk}"
    assert [link for link in links if "/notifications" not in link] == [address]
    assert address in plain(message)


def words_of(page: str) -> str:
    """What a reader sees of it."""

    class Words(HTMLParser):
        def __init__(self) -> None:
            super().__init__()
            self.found: list[str] = []
            self.hidden = False

        def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
            self.hidden = tag in ("style", "title")

        def handle_data(self, data: str) -> None:
            if not self.hidden:
                self.found.append(data)

    parser = Words()
    parser.feed(page)
    return " ".join(parser.found)


def test_moments_are_in_the_readers_zone_and_say_so(
    readers: People, make_disks: MakeDisks, clock: Clock, sink: Sink
) -> None:
    readers.noc.zone = "Asia/Kolkata"
    readers.noc.save()
    opened(make_disks(1), clock.now)
    deliver()
    assert "21 Nov 17:30 IST" in plain(mail_to(sink, "noc"))


def test_a_disk_with_line_breaks_and_tags_in_its_name_becomes_no_header_and_no_element(
    readers: People, make_disks: MakeDisks, clock: Clock, sink: Sink
) -> None:
    disk = make_disks(1)[0]
    Machine.objects.filter(pk=disk.machine_id).update(
        hostname="x\r\nBcc: all@example.com\r\n\r\n<script>alert(1)</script>"
    )
    disk = Disk.objects.select_related("machine").get(pk=disk.pk)
    opened([disk], clock.now, title=f"{disk} is slow")
    deliver()
    for message in (mail_to(sink, "noc"), mail_to(sink, "a")):
        assert message["Bcc"] is None
        assert "Bcc: all@example.com" in message["Subject"]
        assert "<script" not in html(message)
    assert len(sink.mails) == 2


def test_the_headers_are_those_of_an_automatic_mail_with_one_click_off(
    readers: People, make_disks: MakeDisks, clock: Clock, sink: Sink
) -> None:
    opened(make_disks(1), clock.now)
    deliver()
    message = mail_to(sink, "noc")
    (kept,) = notices(readers.noc)
    assert message["Message-ID"] == kept.message_id
    assert message["Auto-Submitted"] == "auto-generated"
    assert message["List-Unsubscribe-Post"] == "List-Unsubscribe=One-Click"
    assert re.fullmatch(r"<http://127\.0\.0\.1:8000/notifications/off/[\w:.-]+>", message["List-Unsubscribe"])
    assert max(map(len, bytes(message).splitlines())) < 998


def test_the_chart_is_a_picture_inside_the_mail(
    readers: People, make_disks: MakeDisks, clock: Clock, sink: Sink, monkeypatch: pytest.MonkeyPatch
) -> None:
    from sla.notifications import letters  # to put minutes under it

    minutes = [
        {"start": int(NOW.timestamp()) - 60 * ago, "await_ms": 3.0 + 40 * (ago < 9), "p99_ms": 9.0} for ago in range(50)
    ]
    monkeypatch.setattr(letters, "slots", lambda *_: minutes)
    opened(make_disks(1), clock.now)
    deliver()
    message = mail_to(sink, "noc")
    (part,) = [part for part in message.walk() if part.get_content_type() == "image/png"]
    assert f'src="cid:{part["Content-ID"].strip("<>")}"' in html(message)
    assert part.get_content_disposition() == "inline"
    assert Image.open(BytesIO(part.get_content())).size == (800, 380)
    assert len(bytes(message)) < 60_000
    assert "3 to 43 ms on average" in html(message)


def test_a_night_and_a_digest_become_one_mail(readers: People, make_disks: MakeDisks, clock: Clock, sink: Sink) -> None:
    Preference.objects.create(user=readers.noc, ticket="digest")
    Preference.objects.create(user=readers.a, ticket="off")
    first = opened(make_disks(1), clock.now, severity="ticket")
    opened(make_disks(1), clock.on(minutes=1), severity="ticket")
    resolved(first, clock.on(minutes=9))
    deliver()
    assert sink.mails == []
    clock.on(hours=20)
    assert deliver().sent == 1
    message = mail_to(sink, "noc")
    assert message["Subject"] == "[Plimsoll] 2 incidents, 1 of them still open"
    assert "over after 10 min" in plain(message)
    assert [notice.state for notice in notices()] == ["folded", "folded", "folded", "sent"]


def test_one_alone_keeps_its_own_mail_and_what_was_silenced_meanwhile_is_not_said(
    readers: People, make_disks: MakeDisks, clock: Clock, sink: Sink
) -> None:
    from sla.incidents.models import Silence  # only here

    Preference.objects.create(user=readers.noc, ticket="digest")
    Preference.objects.create(user=readers.a, ticket="off")
    opened(make_disks(1), clock.now, severity="ticket")
    quiet = make_disks(1)
    opened(quiet, clock.now, severity="ticket")
    Silence.objects.create(
        author_label="noc", reason="known", starts_at=NOW, ends_at=NOW + timedelta(days=3), disk=quiet[0]
    )
    clock.on(hours=21)
    assert deliver().sent == 1
    assert "is slow" in mail_to(sink, "noc")["Subject"]
    assert "silenced by noc: known" in [notice.last_error for notice in notices()]


def test_a_repeat_is_the_same_mail_byte_for_byte(
    readers: People, make_disks: MakeDisks, clock: Clock, sink: Sink
) -> None:
    sink.at_data = lambda message: sink.mails.append(message) or "451 once more"
    opened(make_disks(1), clock.now)
    deliver()
    clock.on(minutes=5)
    deliver()
    sent = [bytes(message) for message in sink.mails if message["To"] == "noc@example.com"]
    assert len(sent) == 2
    assert sent[0] == sent[1]


def test_gaps_stay_gaps_and_nothing_is_drawn_of_nothing() -> None:
    assert draw((), 15.0, 3600, ZoneInfo("UTC")) is None
    assert draw((Point(0, None, None),), 15.0, 3600, ZoneInfo("UTC")) is None
    points = tuple(Point(60 * m, 5.0, None) for m in range(60) if not 20 <= m < 40)
    image = Image.open(BytesIO(draw(points, None, 3600, ZoneInfo("UTC")))).convert("RGBA")  # type: ignore[arg-type]
    blue = [x for x in range(image.width) for y in range(60, 320) if is_blue(image.getpixel((x, y)))]
    left, right = 100 + 688 * 20 / 60, 100 + 688 * 40 / 60
    assert blue
    assert not [x for x in blue if left + 8 < x < right - 8]


def is_blue(pixel: tuple[int, int, int, int]) -> bool:
    red, _, blue, alpha = pixel
    return alpha > 200 and blue > red + 80


@pytest.mark.parametrize(("most", "top"), [(0.3, 0.4), (1, 1), (18.75, 20), (61, 80), (99, 100), (170, 200)])
def test_the_axis_ends_at_a_round_number(most: float, top: float) -> None:
    assert nice_top(most) == pytest.approx(top)
