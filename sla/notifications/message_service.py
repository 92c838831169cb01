"""How does a notice get into Telegram, Slack, Teams, PagerDuty …? Through Apprise, to services whose host is fixed.

Apprise knows more than a hundred; among them ways to any host and to this machine. Only those are open that lead to
one well-known service, and those that the operator names in APPRISE_SERVICES.
"""

from urllib.parse import parse_qs, urlsplit

from django.conf import settings

from sla.notifications.trouble import NotNow, Refused

# Each leads to hosts of its own service, whatever else stands in the address.
KNOWN = frozenset(
    (
        *("discord", "gchat", "ifttt", "msteams", "opsgenie", "pagerduty", "pagertree", "pbul", "pover", "prowl"),
        *("pushy", "signl4", "slack", "sns", "spike", "splunk", "tgram", "twilio", "victorops", "vonage", "wxteams"),
    )
)
# These name their host, which must be one of Microsoft's.
BY_HOST = dict.fromkeys(("workflow", "workflows"), (".logic.azure.com", ".api.powerplatform.com"))
URL_MAX = 1000
# Switches of Apprise itself that no address needs: how long to wait, whether to check certificates, files to attach.
NOT_HERE = frozenset(("cto", "rto", "verify", "attach", "attach-as", "emojis", "store", "redirect"))


def refused_because(url: str) -> str | None:
    """What is wrong with an address that somebody typed, or None."""
    if len(url) > URL_MAX or not url.isprintable():
        return "it is too long, or has characters that no address has"
    parts = urlsplit(url)
    service = parts.scheme.lower()
    if service not in KNOWN | BY_HOST.keys() | frozenset(settings.APPRISE_SERVICES):
        return f"{service or 'nothing'}:// is not among the services that are open here"
    if service in BY_HOST and not (parts.hostname or "").endswith(BY_HOST[service]):
        return f"{parts.hostname} is no host of that service"
    if odd := sorted(NOT_HERE & {name.lower() for name in parse_qs(parts.query, keep_blank_values=True)}):
        return f"{', '.join(odd)} cannot be set here"
    import apprise  # 40 MB with what it loads: only for who uses it

    if apprise.Apprise.instantiate(url, suppress_exceptions=True) is None:
        return "the service does not know an address of that form"
    return None


def shown(url: str) -> str:
    """Without its secrets: 'tgram://…'."""
    return f"{urlsplit(url).scheme.lower()}://…"


def send(url: str, title: str, body: str, severity: str) -> None:
    """Raises NotNow or Refused. What the service answers is not kept: it may repeat the secret."""
    if why := refused_because(url):
        raise Refused(f"the address cannot be used: {why}")
    import apprise  # as above

    kind = {"page": apprise.NotifyType.FAILURE, "ticket": apprise.NotifyType.WARNING}.get(
        severity, apprise.NotifyType.INFO
    )
    line = apprise.Apprise()
    line.add(url)
    if not line.notify(body=body, title=title, notify_type=kind, body_format=apprise.NotifyFormat.TEXT):
        raise NotNow(f"{shown(url)} did not take it")
