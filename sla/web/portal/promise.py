"""What was promised for this disk, in words that need no glossary?"""

from django.utils.translation import gettext

from sla.contracts.models import ContractVersion
from sla.contracts.selectors import milliseconds
from sla.figures import decimal, whole
from sla.web.disk_words import plain_percent


def promise(version: ContractVersion | None) -> str:
    """'99 % of your requests answered within 15 ms, up to 1,000 a second'."""
    if version is None:
        return gettext("no contract yet")
    share, most = decimal(plain_percent(version.objective_ppm)), whole(version.iops)
    read, write = (decimal(str(milliseconds(one))) for one in (version.read_threshold_us, version.write_threshold_us))
    if read == write:
        said = gettext("%(share)s %% of your requests answered within %(read)s ms, up to %(most)s a second")
    else:
        said = gettext(
            "%(share)s %% of your reads answered within %(read)s ms and of your writes within %(write)s ms, "
            "up to %(most)s a second"
        )
    return said % {"share": share, "read": read, "write": write, "most": most}
