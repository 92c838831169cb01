"""`python -m scripts.screenshots URL`: pictures of the pages of a running server, for docs/screenshots.

It logs in as the user of var/first-run.json (or --user and --password-file), opens the fleet and its worst disk, light
and dark, in the system's Chromium, and keeps each picture below 300 KB.
"""

import argparse
import json
import sys
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


def log_in(page: Any, base: str, user: str, password: str) -> None:
    page.goto(base + "/login")
    page.fill("input[name=login]", user)
    page.fill("input[name=password]", password)
    page.click("button[type=submit]")
    page.wait_for_load_state("networkidle")
    if "/login" in page.url:
        raise Problem(f"{base} does not let {user} in")


def take(base: str, user: str, password: str, folder: Path, width: int, disk: str, full: bool) -> list[Path]:
    """The pictures' paths."""
    found = chromium.find()
    if found is None:
        raise Problem("no Chromium: apt-get install chromium")
    folder.mkdir(parents=True, exist_ok=True)
    made = []
    with sync_playwright() as playwright:
        browser = playwright.chromium.launch(executable_path=found, args=ARGUMENTS)
        for theme in ("light", "dark"):
            size = {"width": width, "height": 980 if width > 800 else 900}
            page = browser.new_context(viewport=size, color_scheme=theme, reduced_motion="reduce").new_page()
            log_in(page, base, user, password)
            for name, path in (("fleet", "/"), ("disk", disk), ("agents", "/agents")):
                page.goto(base + path)
                page.wait_for_load_state("networkidle")
                page.wait_for_timeout(600)
                file = folder / f"{name}-{theme}{'' if width == 1440 else f'-{width}'}.png"
                page.screenshot(path=file, full_page=full)
                made.append(file)
        browser.close()
    return made


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("url", nargs="?", help="the server; that of var/first-run.json if left out")
    parser.add_argument("--user")
    parser.add_argument("--password-file", type=Path)
    parser.add_argument("--folder", type=Path, default=FOLDER)
    parser.add_argument("--width", type=int, default=1440)
    parser.add_argument("--disk", default="/disks/1/?range=3h", help="path of the disk page to show")
    parser.add_argument("--full", action="store_true", help="the whole page, not only the first screen")
    asked = parser.parse_args()
    first = json.loads(paths.FIRST_RUN.read_text()) if paths.FIRST_RUN.is_file() else {}
    user = asked.user or first.get("user", "")
    password = asked.password_file.read_text().strip() if asked.password_file else first.get("password", "")
    base = (asked.url or first.get("url", "")).rstrip("/")
    try:
        if not (base and user and password):
            raise Problem("which server? give URL, --user and --password-file, or run `make run` first")
        for file in take(base, user, password, asked.folder, asked.width, asked.disk, asked.full):
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
