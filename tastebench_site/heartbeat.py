"""The progress of a claimed job, written to its row by a thread of its own.

The thread has its own database connection, so a row shows progress and stays alive while a step computes
or holds a transaction open. Every write is bound to the claim (worker name): once another worker has taken
the job over, the first one learns it at its next step and stops.
"""

import logging
import threading
from types import TracebackType
from typing import Self

from django.conf import settings
from django.db import DatabaseError, connection
from django.utils import timezone

from labeling.models import Job, JobState

logger = logging.getLogger(__name__)
_STEP_LENGTH = 200


class JobLost(Exception):
    """The job's heartbeat went stale and another worker has taken the job over; stop working on it."""


class JobProgress:
    """A `labeling.progress.Progress` for `job` as claimed. Use as a context manager: the thread lives inside.

    Writes at each change of step and every JOB_HEARTBEAT_SECONDS, however often `advance` is called.
    """

    def __init__(self, job: Job) -> None:
        self._job_id = job.pk
        self._worker = job.worker
        self._step = ""
        self._total = 0
        self._done = 0
        self._lost = False
        self._ended = False
        self._wake = threading.Event()
        self._thread = threading.Thread(target=self._beat, name=f"heartbeat of job {job.pk}", daemon=True)

    def __enter__(self) -> Self:
        self._thread.start()
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self._ended = True
        self._wake.set()
        self._thread.join()

    def step(self, name: str, total: int = 0) -> None:
        """Begin a step. Raises JobLost."""
        self._refuse_if_lost()
        self._step, self._total, self._done = name[:_STEP_LENGTH], total, 0
        self._wake.set()

    def advance(self, n: int = 1) -> None:
        """Count on within the step. Raises JobLost."""
        self._refuse_if_lost()
        self._done += n

    def _refuse_if_lost(self) -> None:
        if self._lost:
            raise JobLost(f"Job {self._job_id} is being worked on by another worker.")

    def _beat(self) -> None:
        try:
            while True:
                # Read before writing: the last beat stores how far the job came.
                last = self._ended
                self._write()
                if last or self._lost:
                    return
                self._wake.wait(settings.JOB_HEARTBEAT_SECONDS)
                self._wake.clear()
        finally:
            connection.close()

    def _write(self) -> None:
        try:
            written = Job.objects.filter(pk=self._job_id, worker=self._worker, state=JobState.RUNNING).update(
                heartbeat_at=timezone.now(), step=self._step, done=self._done, total=self._total
            )
        except DatabaseError:
            # A busy or restarting database costs one beat, not the job.
            logger.warning("job %s: a heartbeat was not stored", self._job_id, exc_info=True)
            connection.close()
            return
        self._lost = written == 0
