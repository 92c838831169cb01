"""A page in Chromium as a test looks at it: what it complained of, how wide it is, what axe says."""

from pathlib import Path
from typing import Any

from django.conf import settings

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
AXE = Path(settings.BASE_DIR) / "node_modules" / "axe-core" / "axe.min.js"
RULES = ["wcag2a", "wcag2aa", "wcag21a", "wcag21aa", "wcag22aa", "best-practice"]


class Page:
    """A loaded page. `complaints`: errors on the console, refused resources, uncaught exceptions."""

    def __init__(self, context: Any, base: str, path: str) -> None:
        self.base = base
        self.complaints: list[str] = []
        self.page = context.new_page()
        self.page.on("console", lambda said: self._note(said) if said.type in ("error", "warning") else None)
        self.page.on("pageerror", lambda error: self.complaints.append(f"exception: {error}"))
        self.page.on("requestfailed", self._failed)
        self.go(path)

    def _note(self, said: Any) -> None:
        self.complaints.append(f"{said.type}: {said.text} ({said.location.get('url', '')})")

    def _failed(self, failed: Any) -> None:
        if failed.failure != "net::ERR_ABORTED":  # what a page was still asking for when it was left
            self.complaints.append(f"failed: {failed.url} {failed.failure}")

    def go(self, path: str) -> Any:
        """Load a path of the server and wait until it has settled."""
        self.response = self.page.goto(self.base + path, wait_until="load")
        self.page.wait_for_load_state("networkidle")
        return self.response

    def overflow(self, width: int) -> int:
        """By how many pixels the page is wider than a screen of this width."""
        self.page.set_viewport_size({"width": width, "height": 900})
        self.page.evaluate("() => new Promise(done => requestAnimationFrame(() => requestAnimationFrame(done)))")
        return int(self.page.evaluate("document.documentElement.scrollWidth - document.documentElement.clientWidth"))

    def accessibility(self) -> list[str]:
        """What axe finds, one line each."""
        # By the debugging protocol: the page's own policy rightly refuses a script that is not its own.
        self.page.evaluate(AXE.read_text())
        found = self.page.evaluate("rules => axe.run(document, {runOnly: rules})", RULES)
        return [
            f"{violation['id']}: {node['html'][:160]} — {node['failureSummary'][:200]}"
            for violation in found["violations"]
            for node in violation["nodes"]
        ]
