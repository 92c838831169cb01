"""How much CPU have a process and its children, or the database, used?"""

import time

import psutil
from django.db import connection

ALL_THREADS = 2  # clock_getcpuclockid(3): the scheduler's own count, in ns where /proc has hundredths of a second


def clock_s(pid: int) -> float:
    """User + system of one process. ProcessLookupError or OSError where it is gone."""
    return time.clock_gettime(~pid << 3 | ALL_THREADS)


def cpu_s(process: psutil.Process) -> float:
    """User + system of a process and all its children, ended ones included."""
    total = 0.0
    for one in [process, *process.children(recursive=True)]:
        try:
            total += clock_s(one.pid)
        except OSError:
            continue  # it has just ended: its parent's own figures have it
    ended = process.cpu_times()
    total += ended.children_user + ended.children_system
    return total


def database_cpu_s() -> float:
    """User + system of our database's backends and of the processes that serve all databases; the database must be on
    this machine. Other databases' backends are others' work."""
    with connection.cursor() as cursor:
        cursor.execute("SELECT pid FROM pg_stat_activity WHERE datname IS NULL OR datname = current_database()")
        pids = [pid for (pid,) in cursor.fetchall()]
    total, counted = 0.0, 0
    for pid in pids:
        try:
            total += clock_s(pid)
            counted += 1
        except OSError:
            continue  # it has just ended, or none of them is here
    if not counted:
        raise SystemExit("the database must be on this machine, to count its CPU")
    return total


def postmaster() -> psutil.Process:
    """The parent of the process behind our connection; the database must be on this machine."""
    with connection.cursor() as cursor:
        cursor.execute("SELECT pg_backend_pid()")
        parent = psutil.Process(cursor.fetchone()[0]).parent()
    if parent is None:
        raise SystemExit("the database must be on this machine, to count its CPU")
    return parent
