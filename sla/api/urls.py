"""Where the REST surface and the health checks are mounted."""

from django.urls import path

urlpatterns: list = []
