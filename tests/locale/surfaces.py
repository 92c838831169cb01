"""Which sources speak to nobody but the provider's own people? All others must be said in every language."""

NOC_ONLY = (
    "templates/noc/",
    "templates/pools/card.html",
    "templates/pools/list.html",
    "templates/pools/pool.html",
    "templates/pools/rows.html",
    "templates/inventory/",
    "templates/reports/batch.html",
    "templates/people/audit.html",
    "templates/people/customer_fields.html",
    "templates/people/customer_settings.html",
    "templates/people/customers.html",
    "templates/people/keys.html",
    "templates/people/noc.html",
    "templates/notifications/notice.html",
    "templates/notifications/outbox",
    "templates/incidents/jobs.html",
    "templates/incidents/silence",
    "templates/contracts/assign.html",
    "templates/maintenance/new.html",
    "templates/maintenance/touches.html",
    "templates/agents.html",
    "templates/agent_key.html",
    "sla/web/noc/",
    "sla/web/contracts/assign_page.py",
    "sla/web/contracts/inventory_page.py",
    "sla/web/contracts/maintenance_new.py",
    "sla/web/incidents/silence_page.py",
    "sla/web/notifications/outbox_page.py",
    "sla/web/people/customers_page.py",
    "sla/web/people/keys_page.py",
    "sla/web/reports/make_page.py",
)


def customer_reads(place: str) -> bool:
    """Is the source one that a customer's people, or anybody without an account, may see the words of?"""
    return not place.startswith(NOC_ONLY)
