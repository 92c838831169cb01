"""Pages: contracts, assignments, maintenance, inventory."""

from django.urls import URLPattern, URLResolver, path

from sla.web.contracts import assign_page, contract_page, contracts_page, inventory_page

urlpatterns: list[URLPattern | URLResolver] = [
    path("contracts", contracts_page.contracts, name="contracts"),
    path("contracts/check", contract_page.check, name="contract_check"),
    path("contracts/assign", assign_page.assign_page, name="assign"),
    path("contracts/<int:contract_id>", contract_page.contract_page, name="contract"),
    path("contracts/<int:contract_id>/preview", contract_page.preview, name="contract_preview"),
    path("inventory", inventory_page.inventory, name="inventory"),
]
