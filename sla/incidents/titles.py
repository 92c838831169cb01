"""What is an incident called for a customer, of whose disks alone it speaks? In the reader's language."""

from django.utils.translation import gettext, gettext_lazy, ngettext_lazy

from sla.domain.incidents.words import Kind

OF_ONE = {
    Kind.ACUTE: gettext_lazy("%(disk)s is slow"),
    Kind.BURN: gettext_lazy("%(disk)s burns its budget too fast"),
    Kind.STALL: gettext_lazy("%(disk)s stalled"),
    Kind.UNDER_DELIVERY: gettext_lazy("%(disk)s delivers less than its contract"),
    Kind.CONTENTION: gettext_lazy("%(disk)s suffers from contention"),
    Kind.BACKEND: gettext_lazy("%(disk)s suffers from its storage backend"),
    Kind.PERIOD: gettext_lazy("%(disk)s cannot meet its contract this month"),
}
OF_MANY = {
    Kind.ACUTE: ngettext_lazy("%(count)s disk of yours is slow", "%(count)s disks of yours are slow", "count"),
    Kind.BURN: ngettext_lazy(
        "%(count)s disk of yours burns its budget too fast",
        "%(count)s disks of yours burn their budgets too fast",
        "count",
    ),
    Kind.STALL: ngettext_lazy("%(count)s disk of yours stalled", "%(count)s disks of yours stalled", "count"),
    Kind.UNDER_DELIVERY: ngettext_lazy(
        "%(count)s disk of yours delivers less than its contract",
        "%(count)s disks of yours deliver less than their contracts",
        "count",
    ),
    Kind.CONTENTION: ngettext_lazy(
        "%(count)s disk of yours suffers from contention", "%(count)s disks of yours suffer from contention", "count"
    ),
    Kind.BACKEND: ngettext_lazy(
        "%(count)s disk of yours suffers from its storage backend",
        "%(count)s disks of yours suffer from their storage backend",
        "count",
    ),
    Kind.PERIOD: ngettext_lazy(
        "%(count)s disk of yours cannot meet its contract this month",
        "%(count)s disks of yours cannot meet their contracts this month",
        "count",
    ),
}


def customers_title(kind: Kind, disks: int, first: str, machine: str) -> str:
    """`disks`: how many of theirs; `first`: the name of one of them, on `machine`."""
    if kind is Kind.SILENT:
        return gettext("the agent of %(machine)s is silent") % {"machine": machine}
    if disks == 1:
        return str(OF_ONE[kind]) % {"disk": first}
    return str(OF_MANY[kind] % {"count": disks})
