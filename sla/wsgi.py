"""The WSGI application that the web server loads."""

import os

from django.core.wsgi import get_wsgi_application

from sla.memory import keep_freed_memory

os.environ.setdefault("DJANGO_SETTINGS_MODULE", "sla.settings")
keep_freed_memory()
django_application = get_wsgi_application()

from sla.telemetry.frames_first import frames_first  # noqa: E402  Django must be set up before its parts are imported

application = frames_first(django_application)
