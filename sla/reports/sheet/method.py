"""By which rules? The method in a few sentences that a customer's lawyer can read."""

from typing import Any

from django.utils.translation import gettext


def method(document: dict[str, Any]) -> list[str]:
    """One paragraph each."""
    return [
        gettext(
            "Counted are completed reads and writes at the block layer of the operating system. The "
            "kernel gives sums, not single "
            "latencies; from fine samples follows how many requests were slow at least and at most. "
            "The range is proof: no "
            "order of events could have made it otherwise. The estimate lies inside it."
        ),
        gettext(
            "A request is covered by the promise if an ideal disk of the contract would not have kept "
            "it waiting behind the "
            "customer’s own. What lies beyond is shown and held against nobody. Time in which the disk "
            "delivered less than "
            "the contract while work waited is lost time, a breach of its own."
        ),
        gettext(
            "Met is proved when even the most slow requests fit the objective; breached is proved when "
            "even the fewest do not, or lost time "
            "exceeds it. Otherwise the estimate decides and the word is “likely”. Credits are due on "
            "the proved end, highest tier only."
        ),
        gettext(
            "Agreed maintenance takes time out, it is not counted as good; unobserved time is neither "
            "good nor bad and lowers coverage. "
            "Evidence A: exact histograms; B: samples finer than a second; C: whole seconds or "
            "coarser. All arithmetic is in "
            "integers; what is displayed is cut, never rounded up. Method: %(method)s."
        )
        % {"method": document["method"]},
    ]
