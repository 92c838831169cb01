"""Pages: contracts, assignments, maintenance, inventory."""

from django.urls import URLPattern, URLResolver, path

from sla.web.contracts import (
    assign_page,
    contract_page,
    contracts_page,
    inventory_page,
    maintenance_new,
    maintenance_page,
)

urlpatterns: list[URLPattern | URLResolver] = [
    path("contracts", contracts_page.contracts, name="contracts"),
    path("contracts/check", contract_page.check, name="contract_check"),
    path("contracts/assign", assign_page.assign_page, name="assign"),
    path("contracts/<int:contract_id>", contract_page.contract_page, name="contract"),
    path("contracts/<int:contract_id>/preview", contract_page.preview, name="contract_preview"),
    path("maintenance", maintenance_page.maintenance, name="maintenance"),
    path("maintenance/new", maintenance_new.new, name="maintenance_new"),
    path("maintenance/touches", maintenance_new.touches, name="maintenance_touches"),
    path("maintenance/<int:window_id>/agree", maintenance_page.agree, name="maintenance_agree"),
    path("maintenance/<int:window_id>/cancel", maintenance_page.cancel, name="maintenance_cancel"),
    path("maintenance/series/<int:series_id>/end", maintenance_page.end_series, name="maintenance_series_end"),
    path("inventory", inventory_page.inventory, name="inventory"),
]
