"""Makes what a new installation needs to be looked at: a NOC user, a customer, a contract, an API token, a key."""

import json
import os
import secrets
from datetime import timedelta
from pathlib import Path
from typing import Any

from django.conf import settings
from django.core.management.base import BaseCommand, CommandParser
from django.db import transaction

from sla.accounts.models import Customer, User
from sla.accounts.services import issue_api_token, record
from sla.contracts.services import ensure_default_contract
from sla.fleet.services import issue_enrolment_key


class Command(BaseCommand):
    """Run by `make run` each time; does something only where it has not been done."""

    help = __doc__

    def add_arguments(self, parser: CommandParser) -> None:
        parser.add_argument("--file", type=Path, default=Path(settings.BASE_DIR) / "var" / "first-run.json")
        parser.add_argument("--url", default=settings.BASE_URL)

    def handle(self, *args: Any, **options: Any) -> None:
        path: Path = options["file"]
        if path.is_file():
            first = json.loads(path.read_text())
            if User.objects.filter(username=first["user"], is_active=True).exists():
                # The port may be another one today.
                if first["url"] != options["url"]:
                    write_private(path, {**first, "url": options["url"]})
                return
        write_private(path, {"url": options["url"], **make_first()})
        self.stdout.write(f"first run: user and tokens are in {path.name}")


@transaction.atomic
def make_first() -> dict[str, str]:
    """The NOC user with new secrets. An existing user of that name gets a new password: the file was lost."""
    password = secrets.token_urlsafe(15)
    user, _ = User.objects.get_or_create(username="noc")
    user.noc_role, user.is_active = User.NocRole.ADMIN, True
    user.set_password(password)
    user.save()
    customer, _ = Customer.objects.get_or_create(name="This machine")
    ensure_default_contract()
    token = issue_api_token(user=user, name="first run", scopes=["read", "write"])
    key = issue_enrolment_key(customer=customer, name="first run", uses=10_000, lifetime=timedelta(days=365), by=user)
    record(verb="first run", object_label=user.username, actor_label="first_run")
    return {"user": user.username, "password": password, "api_token": token, "enrolment_key": key}


def write_private(path: Path, content: dict[str, str]) -> None:
    """Whole or not at all, and for the owner's eyes only."""
    path.parent.mkdir(parents=True, exist_ok=True)
    draft = path.with_suffix(".new")
    draft.unlink(missing_ok=True)
    with os.fdopen(os.open(draft, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o600), "w") as file:
        json.dump(content, file, indent=1)
    draft.replace(path)
