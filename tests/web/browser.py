"""A page in Chromium as a test looks at it: what it complained of, how wide it is, what axe says."""

from collections.abc import Sequence
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
OF_COLOUR = ["color-contrast", "link-in-text-block"]  # all that another theme can change: it has the same elements
WIDTHS = (1440, 768, 360)


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

    def go_on(self, path: str) -> None:
        """The next page in the same tab, as on a wide screen; what the last one complained of is forgotten."""
        self.page.set_viewport_size({"width": WIDTHS[0], "height": 900})
        self.complaints.clear()
        self.go(path)

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

    def accessibility(self, rules: list[str] = RULES) -> list[str]:
        """What axe finds, one line each. `rules`: their names, or tags of them."""
        # By the debugging protocol: the page's own policy rightly refuses a script that is not its own.
        if not self.page.evaluate("'axe' in window"):
            self.page.evaluate(AXE.read_text())
        found = self.page.evaluate("rules => axe.run(document, {runOnly: rules})", rules)
        return [
            f"{violation['id']}: {node['html'][:160]} — {node['failureSummary'][:200]}"
            for violation in found["violations"]
            for node in violation["nodes"]
        ]

    def faults(self, *, axe_at: Sequence[int] = (WIDTHS[0], WIDTHS[-1])) -> list[str]:
        """All there is to say against it as it stands: what it complained of, how much too wide it is on any screen,
        what axe finds on screens of these widths, in both themes."""
        missing = self.response.status == 404  # which Chromium says on the console
        lines = [line for line in self.complaints if not (missing and "404" in line)]
        for width in WIDTHS:
            if (over := self.overflow(width)) > 0:
                lines.append(f"{over} px too wide at {width}")
            if width in axe_at:
                lines += [f"{line} (at {width})" for line in self.accessibility()]
                lines += [f"{line} (at {width}, other theme)" for line in self._in_the_other_theme()]
        return lines

    def _in_the_other_theme(self) -> list[str]:
        now = self.page.evaluate("document.documentElement.dataset.theme")
        other = "light" if now == "dark" else "dark"
        self._turn(other)
        found = self.accessibility(OF_COLOUR)
        self._turn(now)
        return found

    def _turn(self, theme: str) -> None:
        """As when the system turns dark in the evening."""
        self.page.emulate_media(color_scheme=theme)
        if self.page.query_selector("script[type=module]") is None:
            self.page.reload()  # a page without modules takes its theme when it is loaded
        self.page.wait_for_function("theme => document.documentElement.dataset.theme === theme", arg=theme)
