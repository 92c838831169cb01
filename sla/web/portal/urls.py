"""Pages: a customer's own view of what was promised and what was given."""

from django.urls import URLPattern, URLResolver, path

from sla.web.portal import alerts_page, customer_page, home

urlpatterns: list[URLPattern | URLResolver] = [
    path("home", home.home, name="home"),
    path("customers/<int:customer_id>/", customer_page.customer_page, name="customer"),
    path(
        "customers/<int:customer_id>/people/<int:membership_id>/alerts",
        alerts_page.choose_alerts,
        name="choose_alerts",
    ),
]
