"""Working on jobs. The row is the truth; a message only says that job n waits.

A message may come twice, late or never: claiming is one atomic UPDATE, so a job has one worker at a time,
and the sweeper (tastebench_site/sweeper.py) sends again what nobody works on. The functions in
settings.JOB_KINDS must therefore be idempotent step by step.
"""

import logging
import os
import secrets
import socket
from collections.abc import Callable
from datetime import timedelta
from typing import Any

from celery import shared_task
from django.conf import settings
from django.db.models import F, Q, QuerySet
from django.db.models.functions import Coalesce
from django.utils import timezone
from django.utils.module_loading import import_string
from django.utils.translation import gettext as _

from labeling import strict_json
from labeling.models import Job, JobState
from labeling.progress import Progress
from tastebench_site.heartbeat import JobLost, JobProgress

logger = logging.getLogger(__name__)
Run = Callable[[Job, Progress], dict[str, Any]]

MAX_ATTEMPTS = 5


@shared_task(name="tastebench.work_on_job")
def work_on_job(job_id: int) -> None:
    """Work on the job if nobody does. Its outcome stands in its row, never in the task."""
    job = claim(job_id)
    if job is None:
        give_up(job_id)
        return
    try:
        with JobProgress(job) as progress:
            outcome = attempt(job, progress)
    except JobLost:
        logger.warning("job %s was taken over by another worker", job_id)
        return
    finish(job, outcome)


def claim(job_id: int) -> Job | None:
    """Make this process the job's only worker, or return None when it is finished or being worked on."""
    worker = f"{socket.gethostname()[:60]}:{os.getpid()}:{secrets.token_hex(8)}"
    now = timezone.now()
    claimed = (
        _takeable(job_id)
        .filter(attempts__lt=MAX_ATTEMPTS)
        .update(
            state=JobState.RUNNING,
            worker=worker,
            attempts=F("attempts") + 1,
            heartbeat_at=now,
            started_at=Coalesce("started_at", now),
        )
    )
    return Job.objects.get(pk=job_id, worker=worker) if claimed else None


def give_up(job_id: int) -> None:
    """Fail a job whose worker died too often; something in the job itself is killing them."""
    given_up = (
        _takeable(job_id)
        .filter(attempts__gte=MAX_ATTEMPTS)
        .update(
            state=JobState.FAILED,
            finished_at=timezone.now(),
            error=_(
                "The worker stopped %d times while working on this. "
                "It may need more memory than the machine has; see the worker's log, then start it again."
            )
            % MAX_ATTEMPTS,
        )
    )
    if given_up:
        logger.error("job %s: given up after %s attempts", job_id, MAX_ATTEMPTS)


def attempt(job: Job, progress: Progress) -> dict[str, Any]:
    """Run a claimed job; return the columns that its outcome sets. Raises JobLost only."""
    try:
        run: Run = import_string(settings.JOB_KINDS[job.kind])
        result = run(job, progress)
        strict_json.dumps(result)
    except JobLost:
        raise
    except Exception as error:  # noqa: BLE001  whatever went wrong must reach the person who waits
        return {"state": JobState.FAILED, "error": _sentence(job, error)}
    return {"state": JobState.SUCCEEDED, "error": "", "result": result}


def finish(job: Job, outcome: dict[str, Any]) -> None:
    """Store how the job ended, unless another worker has taken it over meanwhile."""
    stored = Job.objects.filter(pk=job.pk, worker=job.worker, state=JobState.RUNNING).update(
        finished_at=timezone.now(), **outcome
    )
    if not stored:
        logger.warning("job %s: the outcome came after another worker took over", job.pk)


def _takeable(job_id: int) -> QuerySet[Job]:
    """The job, if it waits or its worker has fallen silent.

    Conditions stand on the row itself, not in a subquery: PostgreSQL checks them again on the row's newest
    version when two workers update at once, a subquery it would answer from the older snapshot.
    """
    stale = timezone.now() - timedelta(seconds=settings.JOB_STALE_SECONDS)
    return Job.objects.filter(
        Q(state=JobState.QUEUED) | Q(state=JobState.RUNNING, heartbeat_at__lt=stale), pk=job_id
    )


def _sentence(job: Job, error: Exception) -> str:
    """What the person who waits is told: an expected error's own words, else where to find the rest."""
    # Compared by name: telling what went wrong must not import anything that could go wrong too.
    names = {f"{kind.__module__}.{kind.__qualname__}" for kind in type(error).__mro__}
    if not names.isdisjoint(settings.JOB_EXPECTED_ERRORS):
        logger.info("job %s (%s) refused: %s", job.pk, job.kind, error)
        return str(error)
    reference = secrets.token_hex(4)
    logger.error("job %s (%s) failed, reference %s", job.pk, job.kind, reference, exc_info=error)
    return _("Something went wrong (reference %s). The worker's log has the details under it.") % reference
