"""Real pages in the system's Chromium: a server, a fleet that was really scored, and people who are logged in."""

import os
import shutil
from collections.abc import Callable, Iterable, Iterator
from typing import Any

import pytest
from django.conf import settings as django_settings
from django.contrib.auth import BACKEND_SESSION_KEY, HASH_SESSION_KEY, SESSION_KEY
from django.contrib.sessions.backends.db import SessionStore
from django.contrib.staticfiles.handlers import StaticFilesHandler
from django.test import testcases

from sla.accounts.models import Membership, User
from sla.fleet.models import Disk
from tests.web import browser, fleet

os.environ.setdefault("DJANGO_ALLOW_ASYNC_UNSAFE", "1")  # Playwright's loop runs in the thread that asks the database


@pytest.fixture(autouse=True)
def files_as_they_lie(settings: Any) -> None:
    """Static files from their folders, under their own names: nobody has to collect them before a test."""
    settings.STORAGES = {
        **settings.STORAGES,
        "staticfiles": {"BACKEND": "django.contrib.staticfiles.storage.StaticFilesStorage"},
    }


@pytest.fixture(scope="session", autouse=True)
def live_files() -> Iterator[None]:
    """The live server too finds them in their folders. It looks for the application's plain name, and ours is a
    configuration of it; without this it would serve whatever was last collected."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(testcases, "_StaticFilesHandler", StaticFilesHandler)
        yield


@pytest.fixture
def seeded(people: Any, settings: Any) -> dict[str, Disk]:
    """The fleet of `fleet.py`, an hour of it."""
    disks = fleet.build(60)
    Membership.objects.get_or_create(user=people.a, customer=people.customer_a)
    return disks


@pytest.fixture(scope="session")
def chromium() -> Iterator[Any]:
    """One browser for the session."""
    path = os.environ.get("CHROMIUM") or shutil.which("chromium") or shutil.which("google-chrome")
    if path is None:
        pytest.skip("no Chromium on this machine: apt-get install chromium")
    sync_api = pytest.importorskip("playwright.sync_api", reason="playwright is not installed")
    with sync_api.sync_playwright() as playwright:
        running = playwright.chromium.launch(executable_path=path, args=browser.ARGUMENTS)
        yield running
        running.close()


@pytest.fixture
def open_page(chromium: Any, live_server: Any) -> Iterator[Callable[..., browser.Page]]:
    """open_page(user, "/path", theme="dark", width=360) -> the page, loaded; what it complained of is kept."""
    contexts = []

    def opened(
        user: User | None, path: str, theme: str = "light", width: int = 1440, height: int = 900
    ) -> browser.Page:
        context = chromium.new_context(viewport={"width": width, "height": height}, color_scheme=theme)
        contexts.append(context)
        if user is not None:
            context.add_cookies([{"name": "sessionid", "value": session_of(user), "url": live_server.url}])
        return browser.Page(context, live_server.url, path)

    yield opened
    for context in contexts:
        context.close()


@pytest.fixture
def faults_of(open_page: Callable[..., browser.Page]) -> Callable[..., dict[str, list[str]]]:
    """faults_of([(user, "/path"), …]) -> what is to say against these pages, by path; nothing of those in order.
    What else is given goes to `Page.faults`.

    Each person has one tab, which goes from page to page as people do: what is static is fetched once.
    """
    tabs: dict[User | None, browser.Page] = {}

    def look(asked: Iterable[tuple[User | None, str]], **how: Any) -> dict[str, list[str]]:
        found = {}
        for user, path in asked:
            if user in tabs:
                tabs[user].go_on(path)
            else:
                tabs[user] = open_page(user, path)
            if faults := tabs[user].faults(**how):
                found[f"{user or 'nobody'} {path}"] = faults
        return found

    return look


def session_of(user: User) -> str:
    """The key of a session in which this person is logged in."""
    session = SessionStore()
    session[SESSION_KEY] = str(user.pk)
    session[BACKEND_SESSION_KEY] = django_settings.AUTHENTICATION_BACKENDS[0]
    session[HASH_SESSION_KEY] = user.get_session_auth_hash()
    session.save()
    return str(session.session_key)
