"""Where the pages of one disk are mounted: below `disks/`."""

from django.urls import path

from sla.web import disk_page, disk_period, disk_probes

urlpatterns = [
    path("<int:disk_id>/", disk_page.disk_page, name="disk"),
    path("<int:disk_id>/data", disk_page.disk_data, name="disk_data"),
    path("<int:disk_id>/days", disk_page.disk_days, name="disk_days"),
    path("<int:disk_id>/flushes", disk_page.disk_flushes, name="disk_flushes"),
    path("<int:disk_id>/minute", disk_page.disk_minute, name="disk_minute"),
    path("<int:disk_id>/probes", disk_probes.disk_probes, name="disk_probes"),
    path("<int:disk_id>/month", disk_page.disk_month, name="disk_month"),
    path("<int:disk_id>/<slug:period>", disk_period.disk_period, name="disk_period"),
    path("<int:disk_id>/<slug:chart>.csv", disk_page.disk_csv, name="disk_csv"),
]
