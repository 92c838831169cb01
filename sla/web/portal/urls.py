"""Pages: what a customer sees: disks in contract words, statements, verification."""

from django.urls import URLPattern, URLResolver

urlpatterns: list[URLPattern | URLResolver] = []
