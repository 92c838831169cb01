"""Celery says when work is looked for; what is due stands in the database."""

import os

from celery import Celery
from celery.signals import worker_init

from sla.memory import keep_freed_memory

os.environ.setdefault("DJANGO_SETTINGS_MODULE", "sla.settings")
app = Celery("sla")
app.config_from_object("django.conf:settings", namespace="CELERY")
app.autodiscover_tasks()


def keep_memory(**_: object) -> None:
    """Before a worker forks: its children have what it set."""
    keep_freed_memory()


worker_init.connect(keep_memory)
