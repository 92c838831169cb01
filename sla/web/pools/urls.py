"""Pages: pools, contention windows."""

from django.urls import URLPattern, URLResolver, path

from sla.web.pools import pool_page, pools_page, windows_page

urlpatterns: list[URLPattern | URLResolver] = [
    path("pools", pools_page.pools, name="pools"),
    path("pools/<int:pool_id>", pool_page.pool_page, name="pool"),
    path("pools/<int:pool_id>/data", pool_page.pool_data, name="pool_data"),
    path("windows", windows_page.windows, name="windows"),
    path("windows/<int:window_id>", windows_page.window, name="window"),
]
