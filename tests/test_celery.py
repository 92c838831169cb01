"""What does a worker set before it begins?"""

import pytest
from celery.signals import worker_init

import sla.celery


def test_a_worker_keeps_freed_memory_for_its_next_batch(monkeypatch: pytest.MonkeyPatch) -> None:
    kept = []
    monkeypatch.setattr(sla.celery, "keep_freed_memory", lambda: kept.append(True))
    told = [found() for _, found in worker_init.receivers]  # Django's own receiver would want a real worker
    told[told.index(sla.celery.keep_memory)](sender=None)
    assert kept == [True]
