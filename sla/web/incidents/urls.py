"""Pages: incidents and silences."""

from django.urls import path

from sla.web.incidents import incident_page, list_page, silence_page

urlpatterns = [
    path("incidents", list_page.incidents, name="incidents"),
    path("incidents/<int:incident_id>", incident_page.incident, name="incident"),
    path("incidents/<int:incident_id>/acknowledge", incident_page.acknowledge, name="incident_acknowledge"),
    path("incidents/<int:incident_id>/note", incident_page.note, name="incident_note"),
    path("silences", silence_page.silences, name="silences"),
    path("silences/new", silence_page.new, name="silence_new"),
    path("silences/<int:silence_id>/end", silence_page.end, name="silence_end"),
]
