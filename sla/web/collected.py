"""Which files of installed applications are not collected? Those that no page of ours loads."""

from django.contrib.staticfiles.apps import StaticFilesConfig


class StaticFiles(StaticFilesConfig):
    """Source maps and the API browser that is not used are 18 of 20 MB, copied and hashed at each set-up."""

    ignore_patterns = [*StaticFilesConfig.ignore_patterns, "*.map", "redoc*"]
