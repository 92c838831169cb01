"""In which language does somebody read? Their own choice first; else pages as browsers ask, mail in the customer's."""

from django.conf import settings

from sla.accounts.models import Customer, User


def known(language: str) -> str:
    """The language itself; the house's own where it is none of ours."""
    return language if language in dict(settings.LANGUAGES) else settings.LANGUAGE_CODE


def language_of_customer(customer: Customer | None) -> str:
    """Of its statements, and of what is sent to it."""
    return known(customer.language if customer else "")


def language_of(person: User | None) -> str:
    """Of mail to a person; who belongs to several customers reads in the language of the first."""
    if person is None or person.language:
        return known(person.language if person else "")
    return language_of_customer(Customer.objects.filter(memberships__user=person).order_by("memberships__pk").first())
