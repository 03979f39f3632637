"""A thread in every worker that sends jobs again when nobody works on them, and clears ended sessions.

Messages get lost when a worker is killed (filesystem transport) or come back only after an hour (Redis);
rows do not.
"""

import logging
import math
import threading
import time

from celery.signals import worker_ready, worker_shutting_down
from django.conf import settings
from django.core.management import call_command
from django.db import connection

from labeling.models import Job

logger = logging.getLogger(__name__)

DAY = 24 * 60 * 60


class Sweeper:
    """Looks every third of JOB_STALE_SECONDS, and sends one job at most once in JOB_STALE_SECONDS.

    A job that waits because all workers are busy would otherwise fill the queue with its number.
    """

    def __init__(self) -> None:
        self._sent_at: dict[int, float] = {}
        self._cleared_at = -math.inf
        self._ended = threading.Event()
        self._thread = threading.Thread(target=self._run, name="job sweeper", daemon=True)

    def start(self) -> None:
        self._thread.start()

    def stop(self) -> None:
        self._ended.set()
        self._thread.join(timeout=5)

    def sweep(self) -> list[int]:
        """Send every unattended job once; return their numbers."""
        now = time.monotonic()
        recent = {
            job_id: sent for job_id, sent in self._sent_at.items() if now - sent < settings.JOB_STALE_SECONDS
        }
        jobs = list(Job.objects.unattended().exclude(pk__in=recent).order_by("pk"))
        for job in jobs:
            job.send()
        self._sent_at = recent | dict.fromkeys((job.pk for job in jobs), now)
        return [job.pk for job in jobs]

    def clear_sessions(self) -> None:
        """Delete the rows of sessions that have ended, once a day."""
        now = time.monotonic()
        if now - self._cleared_at >= DAY:
            call_command("clearsessions")
            self._cleared_at = now

    def _run(self) -> None:
        while not self._ended.is_set():
            try:
                sent = self.sweep()
                if sent:
                    logger.info("sent unattended jobs again: %s", sent)
                self.clear_sessions()
            except Exception as error:  # noqa: BLE001  database or broker away: the next round tries again
                logger.warning("the sweep for unattended jobs failed: %s", error)
            finally:
                connection.close()
            self._ended.wait(settings.JOB_STALE_SECONDS / 3)


_running: list[Sweeper] = []


@worker_ready.connect
def start(**_: object) -> None:
    sweeper = Sweeper()
    _running.append(sweeper)
    sweeper.start()


@worker_shutting_down.connect
def stop(**_: object) -> None:
    while _running:
        _running.pop().stop()
