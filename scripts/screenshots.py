"""`python -m scripts.screenshots URL`: pictures of the pages of a running server, for docs/screenshots.

It logs in as the user of var/first-run.json (or --user and --password-file) and, where `make demo` made one, as its
customer's user; opens the pages of PAGES, light and dark, in the system's Chromium; a picture stays below 300 KB.
"""

import argparse
import json
import re
import sys
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from playwright.sync_api import sync_playwright

from scripts import chromium, paths
from scripts.problem import Problem
from scripts.progress import say

FOLDER = paths.ROOT / "docs" / "screenshots"
LARGEST = 300_000
ARGUMENTS = [
    "--headless",
    "--no-sandbox",
    "--disable-gpu",
    "--disable-quic",
    "--no-first-run",
    "--disable-background-networking",
    "--disable-component-update",
    "--disable-sync",
]


@dataclass(frozen=True, slots=True)
class Picture:
    """A page by its path. `first`: a link on that page to follow, by the beginning of its address, worst first."""

    name: str
    path: str
    first: str = ""
    query: str = ""


PAGES = (
    Picture("fleet", "/"),
    Picture("disk", "/", "/disks/", "?range=24h"),
    Picture("pool", "/windows", "/pools/"),  # where the newest window is
    Picture("incidents", "/incidents"),
    Picture("agents", "/agents"),
)
CUSTOMERS_PAGES = (Picture("customer", "/home"),)


def log_in(page: Any, base: str, user: str, password: str) -> None:
    page.goto(base + "/login")
    page.fill("input[name=login]", user)
    page.fill("input[name=password]", password)
    page.press("input[name=password]", "Enter")
    page.wait_for_load_state("networkidle")
    if "/login" in page.url:
        raise Problem(f"{base} does not let {user} in")


def opened(page: Any, base: str, picture: Picture) -> bool:
    """Go there. False where there is nothing to show: no such page, or nothing on it to follow."""
    answer = page.goto(base + picture.path)
    if picture.first and answer and answer.ok:
        found = page.eval_on_selector_all("a[href]", "links => links.map(link => link.getAttribute('href'))")
        deeper = [one for one in found if re.fullmatch(re.escape(picture.first) + r"\d+/?", one.partition("?")[0])]
        answer = page.goto(base + deeper[0].partition("?")[0] + picture.query) if deeper else None
    if not answer or not answer.ok:
        return False
    page.wait_for_load_state("networkidle")
    page.wait_for_timeout(600)
    return True


def take(base: str, people: list[tuple[str, str, Sequence[Picture]]], asked: argparse.Namespace) -> list[Path]:
    """The pictures' paths. `people`: user, password, and what is pictured as them."""
    found = chromium.find()
    if found is None:
        raise Problem("no Chromium: apt-get install chromium")
    asked.folder.mkdir(parents=True, exist_ok=True)
    made = []
    with sync_playwright() as playwright:
        browser = playwright.chromium.launch(executable_path=found, args=ARGUMENTS)
        for theme in ("light", "dark"):
            size = {"width": asked.width, "height": 980 if asked.width > 800 else 900}
            for user, password, pictures in people:
                context = browser.new_context(viewport=size, color_scheme=theme, reduced_motion="reduce")
                page = context.new_page()
                log_in(page, base, user, password)
                for picture in pictures:
                    if asked.only and picture.name not in asked.only:
                        continue
                    if not opened(page, base, picture):
                        say(f"  {picture.name}: nothing to show")
                        continue
                    file = (
                        asked.folder / f"{picture.name}-{theme}{'' if asked.width == 1440 else f'-{asked.width}'}.png"
                    )
                    page.screenshot(path=file, full_page=asked.full)
                    made.append(file)
                context.close()
        browser.close()
    return made


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("url", nargs="?", help="the server; that of var/first-run.json if left out")
    parser.add_argument("--user")
    parser.add_argument("--password-file", type=Path)
    parser.add_argument("--folder", type=Path, default=FOLDER)
    parser.add_argument("--width", type=int, default=1440)
    parser.add_argument("--only", nargs="*", help="names of pages; all of them if left out")
    parser.add_argument("--full", action="store_true", help="the whole page, not only the first screen")
    asked = parser.parse_args()
    first = json.loads(paths.FIRST_RUN.read_text()) if paths.FIRST_RUN.is_file() else {}
    user = asked.user or first.get("user", "")
    password = asked.password_file.read_text().strip() if asked.password_file else first.get("password", "")
    base = (asked.url or first.get("url", "")).rstrip("/")
    try:
        if not (base and user and password):
            raise Problem("which server? give URL, --user and --password-file, or run `make run` first")
        people: list[tuple[str, str, Sequence[Picture]]] = [(user, password, PAGES)]
        if not asked.user and first.get("customer_user"):
            people.append((first["customer_user"], first["customer_password"], CUSTOMERS_PAGES))
        for file in take(base, people, asked):
            size = file.stat().st_size
            say(f"  {file.name}: {size // 1000} KB")
            if size > LARGEST and asked.folder == FOLDER:
                raise Problem(f"{file.name} has {size} bytes, more than {LARGEST}: show less of it")
    except Problem as problem:
        say(f"  ✗ {problem}")
        return 1
    return 0


if __name__ == "__main__":
    sys.exit(main())
