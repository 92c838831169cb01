"""Pages: incidents, silences and how mail is wanted."""

from django.urls import URLPattern, URLResolver

urlpatterns: list[URLPattern | URLResolver] = []
