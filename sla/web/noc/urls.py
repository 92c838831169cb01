"""Pages: the SLA matrix, the wall board, jobs."""

from django.urls import URLPattern, URLResolver, path

from sla.web.noc import beside, jobs_page, machine_page, matrix_page, wall_page

urlpatterns: list[URLPattern | URLResolver] = [
    path("matrix", matrix_page.matrix_page, name="matrix"),
    path("beside", beside.beside, name="beside"),
    path("jobs", jobs_page.jobs_page, name="jobs"),
    path("machines/<int:machine_id>", machine_page.machine_page, name="machine"),
    path("machines/<int:machine_id>/revoke", machine_page.revoke, name="machine_revoke"),
    path("wall", wall_page.wall_page, name="wall"),
]
