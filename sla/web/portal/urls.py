"""Pages: a customer's own view of what was promised and what was given."""

from django.urls import URLPattern, URLResolver, path

from sla.web.portal import home

urlpatterns: list[URLPattern | URLResolver] = [
    path("home", home.home, name="home"),
]
