"""Pages: one's own account, people, invitations, tokens, the audit trail."""

from django.urls import URLPattern, URLResolver

urlpatterns: list[URLPattern | URLResolver] = []
