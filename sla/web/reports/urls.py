"""Pages: statements, their making, their check."""

from django.urls import URLPattern, URLResolver, path

from sla.web.reports import make_page, report_page, reports_page, verify_page

urlpatterns: list[URLPattern | URLResolver] = [
    path("reports", reports_page.reports, name="reports"),
    path("reports/make", make_page.make, name="reports_make"),
    path("reports/<int:report>", report_page.report, name="report"),
    path("verify", verify_page.verify, name="verify"),
    path("verify/plimsoll-verify.py", verify_page.program, name="verifier"),
]
