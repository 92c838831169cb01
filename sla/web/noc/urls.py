"""Pages: the SLA matrix, the wall board, jobs."""

from django.urls import URLPattern, URLResolver

urlpatterns: list[URLPattern | URLResolver] = []
