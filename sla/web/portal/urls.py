"""Pages: a customer's own view of what was promised and what was given."""

from django.urls import URLPattern, URLResolver, path

from sla.web.portal import customer_page, home

urlpatterns: list[URLPattern | URLResolver] = [
    path("home", home.home, name="home"),
    path("customers/<int:customer_id>/", customer_page.customer_page, name="customer"),
]
