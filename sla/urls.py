"""Every URL of the product."""

from django.urls import include, path

urlpatterns = [
    path("", include("sla.api.urls")),
    path("", include("sla.web.urls")),
]

handler429 = "sla.web.people.throttled.too_many"
