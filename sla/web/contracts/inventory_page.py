"""Which disk lies in which pool? A CSV file is read, what it would change is shown, and only then it is done."""

import hashlib
from datetime import UTC, datetime
from typing import Any

from django.contrib import messages
from django.contrib.auth.decorators import login_required
from django.http import HttpRequest, HttpResponse
from django.shortcuts import redirect, render
from django.utils.translation import gettext
from django.views.decorators.http import require_http_methods

from sla.accounts.permissions import Verb, require
from sla.fleet.inventory_csv import MOST_BYTES, read_inventory
from sla.fleet.inventory_plan import plan
from sla.fleet.placement import carry_out

SHOWN = 200


@login_required
@require_http_methods(["GET", "HEAD", "POST"])
def inventory(request: HttpRequest) -> HttpResponse:
    """`/inventory`: a POST without `agreed` is a dry run; `agreed` is the digest of what was shown."""
    require(request.user, Verb.KEEP_INVENTORY)
    if request.method != "POST":
        return render(request, "inventory/inventory.html", {})
    text, refused = _text(request)
    if refused:
        return render(request, "inventory/inventory.html", {"refused": refused}, status=400)
    rows, wrong = read_inventory(text)
    found = plan(rows, wrong, request.user, datetime.now(UTC))
    digest = _digest(found)
    if found.changes and request.POST.get("agreed") == digest:
        done = carry_out(found, actor=request.user)
        messages.success(request, gettext("%d places changed.") % done)
        return redirect("inventory")
    context: dict[str, Any] = {
        "text": text,
        "plan": found,
        "digest": digest,
        "moves": found.moves[:SHOWN],
        "housings": found.housings[:SHOWN],
        "wrong": found.wrong[:SHOWN],
        "more": max(0, found.changes - len(found.moves[:SHOWN]) - len(found.housings[:SHOWN])),
        "changed_meanwhile": "agreed" in request.POST,
    }
    return render(request, "inventory/inventory.html", context, status=400 if found.wrong and not rows else 200)


def _text(request: HttpRequest) -> tuple[str, str]:
    """The file's text, or the pasted one; and why it was refused."""
    given = request.FILES.get("file")
    if given is None:
        return request.POST.get("text", ""), ""
    if given.size is None or given.size > MOST_BYTES:
        return "", gettext("The file has %d bytes, at most %d.") % (given.size or 0, MOST_BYTES)
    try:
        return given.read().decode("utf-8-sig"), ""
    except UnicodeDecodeError as error:
        return "", gettext("The file is not UTF-8: byte %d is odd.") % error.start


def _digest(found: Any) -> str:
    """What was agreed to: the changes, without the moment that 'now' is."""
    lines = [f"{m.disk.pk} {m.before} {m.pool}" for m in found.moves]
    lines += [f"{h.machine.pk} {h.before} {h.host}" for h in found.housings]
    return hashlib.sha256("\n".join(lines).encode()).hexdigest()
