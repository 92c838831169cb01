"""Where is this machine's Chromium, or a browser that is one under another name?"""

import shutil

NAMES = ("chromium", "chromium-browser", "google-chrome")


def find() -> str | None:
    return next(filter(None, map(shutil.which, NAMES)), None)
