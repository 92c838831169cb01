"""Every file that pages, style sheets and modules name is there, its name has its hash, and nothing else may run."""

import re
from pathlib import Path
from typing import Any

import pytest
from django.conf import settings
from django.contrib.staticfiles import finders
from django.core.management import call_command
from django.test import Client

from sla.fleet.models import Disk
from tests.conftest import People

OWN = Path(settings.BASE_DIR) / "static"
IMPORT = re.compile(r"""(?:from|import)\s*\(?["']([^"']+)["']""")


def test_style_sheets_name_only_files_that_are_there() -> None:
    missing = []
    for sheet in sorted(OWN.rglob("*.css")):
        for address in re.findall(r"url\(\"?([^\")]+)\"?\)", sheet.read_text()):
            path = (sheet.parent / address).resolve()
            name = address.removeprefix("../") if not path.is_file() else str(path.relative_to(OWN))
            if finders.find(name) is None:
                missing.append((sheet.name, address))
    assert not missing


def test_modules_import_only_what_the_import_map_or_the_folder_has() -> None:
    from sla.web.import_map import import_map  # reads settings

    known = set(import_map()["imports"])
    missing = [
        (str(module.relative_to(OWN)), name)
        for module in sorted(OWN.rglob("*.js"))
        for name in IMPORT.findall(module.read_text())
        if not (
            name in known or name.startswith("node:") or (name.startswith(".") and (module.parent / name).is_file())
        )
    ]
    assert not missing


@pytest.mark.django_db
def test_collected_files_have_hashed_names_and_pages_use_them(
    tmp_path: Path, settings: Any, people: People, client: Client
) -> None:
    settings.STATIC_ROOT = tmp_path
    settings.STORAGES = {**settings.STORAGES, "staticfiles": {"BACKEND": "sla.web.static.HashedFiles"}}
    call_command("collectstatic", interactive=False, verbosity=0)
    client.force_login(people.noc)
    page = client.get("/").content.decode()
    named = set(re.findall(r"/static/([^\"'\s#?]+)", page))
    assert named
    plain = [name for name in named if not re.search(r"\.[0-9a-f]{12}\.", name)]
    # The import map's keys are the plain addresses that modules name each other by.
    assert [name for name in plain if not name.endswith(".js")] == []
    assert [name for name in named if not (tmp_path / name).is_file()] == []
    fonts = [name for sheet in tmp_path.rglob("*.css") for name in re.findall(r"url\(\"?([^\")]+)", sheet.read_text())]
    assert fonts


@pytest.mark.django_db
def test_every_page_forbids_what_is_not_its_own(seeded: dict[str, Disk], people: People, client: Client) -> None:
    client.force_login(people.noc)
    for path in ("/", "/agents", f"/disks/{seeded['web-12/vda'].pk}/", "/no-such-page"):
        answer = client.get(path)
        policy = answer["Content-Security-Policy"]
        assert "unsafe" not in policy
        assert "default-src 'none'" in policy
        page = answer.content.decode()
        assert not re.search(r"\son[a-z]+=\"", page), path
        assert not re.search(r"<[^>]+\sstyle=\"", page), path
        nonce = re.search(r"'nonce-([^']+)'", policy)
        assert nonce
        inline = re.findall(r"<script(?![^>]*\bsrc=)([^>]*)>", page)
        assert [tag for tag in inline if nonce[1] not in tag and "application/json" not in tag] == [], path
