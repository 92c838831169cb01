"""Pages: what one wants to be told, the outbox, and the link that turns mail off."""

from django.urls import path

from sla.web.notifications import channels_page, outbox_page, preferences_page, unsubscribe_page

urlpatterns = [
    path("notifications", preferences_page.preferences, name="notifications"),
    path("notifications/test", preferences_page.test_mail, name="test_mail"),
    path("notifications/channels", channels_page.add, name="channel_add"),
    path("notifications/channels/<int:channel_id>/test", channels_page.test, name="channel_test"),
    path("notifications/channels/<int:channel_id>/remove", channels_page.remove, name="channel_remove"),
    path("notifications/off/<str:token>", unsubscribe_page.unsubscribe, name="unsubscribe"),
    path("outbox", outbox_page.outbox, name="outbox"),
    path("outbox/<int:notice_id>", outbox_page.notice, name="notice"),
    path("outbox/<int:notice_id>/mail", outbox_page.mail, name="notice_mail"),
    path("outbox/<int:notice_id>/retry", outbox_page.try_again, name="notice_retry"),
]
