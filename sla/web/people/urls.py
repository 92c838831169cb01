"""Pages: logging in, one's own account, people, invitations, tokens, the audit trail."""

from django.urls import URLPattern, URLResolver, include, path

from sla.web.people import account_page

urlpatterns: list[URLPattern | URLResolver] = [
    path("", include("sla.web.people.login_urls")),
    path("account", account_page.account, name="account"),
    path("account/mail", account_page.mail_address, name="mail_address"),
    path("account/sessions/end", account_page.end_session, name="end_session"),
]
