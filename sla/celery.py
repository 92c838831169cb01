"""Celery says when work is looked for; what is due stands in the database."""

import os

from celery import Celery

os.environ.setdefault("DJANGO_SETTINGS_MODULE", "sla.settings")
app = Celery("sla")
app.config_from_object("django.conf:settings", namespace="CELERY")
app.autodiscover_tasks()
