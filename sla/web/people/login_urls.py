"""Where does one log in? allauth's views that we use, under our addresses; those of signing up are not there."""

from allauth.account import views as account
from allauth.mfa.base import views as factor
from allauth.mfa.recovery_codes import views as codes
from allauth.mfa.totp import views as totp
from allauth.mfa.webauthn import views as passkey
from django.urls import path, re_path
from django.views.generic import RedirectView

to_account = RedirectView.as_view(pattern_name="account")

urlpatterns = [
    path("login", account.login, name="login"),
    path("login", account.login, name="account_login"),
    path("logout", account.logout, name="logout"),
    path("logout", account.logout, name="account_logout"),
    path("login/closed", account.account_inactive, name="account_inactive"),
    path("login/second", factor.authenticate, name="mfa_authenticate"),
    path("login/passkey", passkey.login_webauthn, name="mfa_login_webauthn"),
    path("password/forgotten", account.password_reset, name="account_reset_password"),
    path("password/sent", account.password_reset_done, name="account_reset_password_done"),
    path("password/new/done", account.password_reset_from_key_done, name="account_reset_password_from_key_done"),
    re_path(
        r"^password/new/(?P<uidb36>[0-9A-Za-z]+)-(?P<key>.+)$",
        account.password_reset_from_key,
        name="account_reset_password_from_key",
    ),
    path("account/password", account.password_change, name="account_change_password"),
    path("account/password/set", account.password_set, name="account_set_password"),
    path("account/confirm", account.reauthenticate, name="account_reauthenticate"),
    path("account/confirm/code", factor.reauthenticate, name="mfa_reauthenticate"),
    path("account/confirm/passkey", passkey.reauthenticate_webauthn, name="mfa_reauthenticate_webauthn"),
    path("account/second-factor", to_account, name="mfa_index"),
    path("account/app/add", totp.activate_totp, name="mfa_activate_totp"),
    path("account/app/remove", totp.deactivate_totp, name="mfa_deactivate_totp"),
    path("account/recovery-codes", codes.view_recovery_codes, name="mfa_view_recovery_codes"),
    path("account/recovery-codes/new", codes.generate_recovery_codes, name="mfa_generate_recovery_codes"),
    path("account/recovery-codes/file", codes.download_recovery_codes, name="mfa_download_recovery_codes"),
    path("account/passkeys", to_account, name="mfa_list_webauthn"),
    path("account/passkeys/add", passkey.add_webauthn, name="mfa_add_webauthn"),
    path("account/passkeys/<int:pk>/remove", passkey.remove_webauthn, name="mfa_remove_webauthn"),
    path("account/passkeys/<int:pk>/rename", passkey.edit_webauthn, name="mfa_edit_webauthn"),
]
