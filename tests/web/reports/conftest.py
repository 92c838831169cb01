"""The month of `tests/reports`, stated."""

from tests.reports.conftest import month, statement, version

__all__ = ["month", "statement", "version"]
