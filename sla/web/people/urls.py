"""Pages: logging in, one's own account, people, invitations, tokens, customers, the audit trail."""

from django.urls import URLPattern, URLResolver, include, path

from sla.web.people import (
    account_page,
    audit_page,
    customers_page,
    invitation_page,
    keys_page,
    mail_page,
    members_page,
    noc_page,
    tokens_page,
)

urlpatterns: list[URLPattern | URLResolver] = [
    path("", include("sla.web.people.login_urls")),
    path("account", account_page.account, name="account"),
    path("account/mail", mail_page.mail_address, name="mail_address"),
    path("account/mail/<str:link>", mail_page.mail_address_verified, name="mail_address_verified"),
    path("account/sessions/end", account_page.end_session, name="end_session"),
    path("account/tokens", tokens_page.tokens, name="tokens"),
    path("account/tokens/<int:token_id>/revoke", tokens_page.revoke_token, name="revoke_token"),
    path("invitations/<str:secret>", invitation_page.invitation, name="invitation"),
    path("customers", customers_page.customers, name="customers"),
    path("customers/<int:customer_id>/settings", customers_page.customer_settings, name="customer_settings"),
    path("customers/<int:customer_id>/people", members_page.members, name="members"),
    path("customers/<int:customer_id>/people/invite", members_page.invite_member, name="invite_member"),
    path("customers/<int:customer_id>/people/<int:membership_id>", members_page.change_member, name="change_member"),
    path(
        "customers/<int:customer_id>/invitations/<int:invitation_id>/withdraw",
        members_page.withdraw,
        name="withdraw_invitation",
    ),
    path("people", noc_page.noc_people, name="noc_people"),
    path("people/invite", noc_page.invite_to_noc, name="invite_to_noc"),
    path("people/<int:person_id>", noc_page.change_noc_person, name="change_noc_person"),
    path("people/invitations/<int:invitation_id>/withdraw", noc_page.withdraw_from_noc, name="withdraw_from_noc"),
    path("agents/keys", keys_page.keys, name="keys"),
    path("agents/keys/<int:key_id>/revoke", keys_page.revoke, name="revoke_key"),
    path("audit", audit_page.audit, name="audit"),
    path("audit.csv", audit_page.audit_csv, name="audit_csv"),
]
