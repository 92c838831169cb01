"""Pages: the SLA matrix, the wall board, jobs."""

from django.urls import URLPattern, URLResolver, path

from sla.web.noc import matrix_page, wall_page

urlpatterns: list[URLPattern | URLResolver] = [
    path("matrix", matrix_page.matrix_page, name="matrix"),
    path("wall", wall_page.wall_page, name="wall"),
]
