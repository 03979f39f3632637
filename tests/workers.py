"""A real Celery worker as a process of its own, on the database of the tests."""

import os
import signal
import subprocess

from django.conf import settings
from django.db import connection

from tastebench_site.serve import worker_command


def database_url() -> str:
    """The test database, as another process reaches it."""
    at = connection.settings_dict
    if connection.vendor == "sqlite":
        return f"sqlite:///{at['NAME']}"
    return f"postgres://{at['USER']}:{at['PASSWORD']}@{at['HOST']}:{at['PORT']}/{at['NAME']}"


def start(environment: dict[str, str]) -> "subprocess.Popen[bytes]":
    """A worker with one process for jobs, in a session of its own."""
    return subprocess.Popen(
        worker_command(concurrency=1), env=environment, start_new_session=True, cwd=settings.BASE_DIR
    )


def kill(worker: "subprocess.Popen[bytes]") -> None:
    """`kill -9` for the worker and its pool, as when the machine goes away."""
    if worker.poll() is None:
        os.killpg(worker.pid, signal.SIGKILL)
        worker.wait()
