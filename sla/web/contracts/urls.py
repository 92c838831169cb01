"""Pages: contracts, assignments, maintenance, inventory."""

from django.urls import URLPattern, URLResolver

urlpatterns: list[URLPattern | URLResolver] = []
