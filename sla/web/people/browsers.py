"""Which browser was that? Two words out of a User-Agent header, good enough to recognise one's own."""

# First that occurs wins: Edge and Opera name Chrome too, Chrome names Safari.
BROWSERS = (("Edg/", "Edge"), ("OPR/", "Opera"), ("Firefox/", "Firefox"), ("Chrome/", "Chrome"), ("Safari/", "Safari"))
SYSTEMS = (
    ("Android", "Android"),
    ("iPhone", "iPhone"),
    ("iPad", "iPad"),
    ("Windows", "Windows"),
    ("Mac OS X", "macOS"),
    ("Linux", "Linux"),
)


def browser_of(agent: str) -> str:
    """'Firefox, Linux'; the header's beginning where nothing in it is known."""
    browser = next((name for mark, name in BROWSERS if mark in agent), "")
    system = next((name for mark, name in SYSTEMS if mark in agent), "")
    return ", ".join(word for word in (browser, system) if word) or agent[:40] or "?"
