"""Real Celery workers as processes of their own: on the filesystem, and on Redis when there is one."""

import os
import secrets
import signal
import subprocess
import sys
from collections.abc import Callable, Iterator
from datetime import timedelta
from pathlib import Path

import pytest
import redis
from django.conf import settings
from django.utils import timezone

from labeling.models import Job, JobState
from tests import workers
from tests.polling import eventually

pytestmark = pytest.mark.jobs
REDIS_URL = os.environ.get("TB_TEST_REDIS_URL", "")
TRANSPORTS = ["filesystem", "redis"] if REDIS_URL else ["filesystem"]
NEVER = "3600"


@pytest.fixture(params=TRANSPORTS)
def environment(request, transactional_db, tmp_path) -> Iterator[dict[str, str]]:
    """What web servers and workers of one deployment share."""
    queue = f"tastebench-test-{secrets.token_hex(6)}"
    shared = os.environ | {
        "DJANGO_SETTINGS_MODULE": "tests.settings",
        "TB_TEST_VAR_DIR": str(tmp_path),
        "TB_TEST_DATABASE_URL": workers.database_url(),
        "TB_TEST_BROKER_URL": REDIS_URL if request.param == "redis" else "",
        "TB_TEST_QUEUE": queue,
    }
    yield shared
    if request.param == "redis":
        server = redis.Redis.from_url(REDIS_URL)
        for key in server.scan_iter(f"{queue}:*"):
            server.delete(key)
        server.close()


@pytest.fixture
def start_worker(environment) -> Iterator[Callable[..., subprocess.Popen[bytes]]]:
    started: list[subprocess.Popen[bytes]] = []

    def start(stale: str = "3", heartbeat: str = "0.5") -> subprocess.Popen[bytes]:
        times = {"TB_TEST_JOB_STALE_SECONDS": stale, "TB_TEST_JOB_HEARTBEAT_SECONDS": heartbeat}
        worker = workers.start(environment | times)
        started.append(worker)
        return worker

    yield start
    for worker in started:
        workers.kill(worker)


def send(job: Job, environment: dict[str, str]) -> None:
    """Send the job's number from another process, as a web server does."""
    code = f"import django; django.setup(); from labeling.models import Job; Job(pk={job.pk}).send()"
    subprocess.run([sys.executable, "-c", code], env=environment, check=True, cwd=settings.BASE_DIR)


def ended(job: Job) -> bool:
    job.refresh_from_db()
    return job.is_finished


def holding_job(folder: Path) -> Job:
    return Job.objects.create(
        kind="test_hold", params={"journal": str(folder / "journal"), "gate": str(folder / "gate")}
    )


def test_a_sent_job_is_done_without_the_sweepers_help(environment, start_worker):
    job = Job.objects.create(kind="test_count", params={"n": 2})
    send(job, environment)
    start_worker(stale=NEVER)
    eventually(lambda: ended(job))
    assert (job.state, job.result, job.attempts) == (JobState.SUCCEEDED, {"counted": 2}, 1)


def test_a_job_whose_message_was_lost_is_done(start_worker):
    job = Job.objects.create(kind="test_count", params={"n": 2})
    Job.objects.update(created_at=timezone.now() - timedelta(minutes=1))
    start_worker()
    eventually(lambda: ended(job))
    assert (job.state, job.attempts) == (JobState.SUCCEEDED, 1)


def test_a_job_whose_worker_is_killed_is_finished_by_the_next_one(environment, start_worker, tmp_path):
    job = holding_job(tmp_path)
    send(job, environment)
    first = start_worker()
    eventually(lambda: Job.objects.filter(step="holding", done=1).exists())
    workers.kill(first)
    job.refresh_from_db()
    assert (job.state, job.attempts) == (JobState.RUNNING, 1)
    (tmp_path / "gate").touch()
    start_worker()
    eventually(lambda: ended(job))
    assert (job.state, job.attempts, job.result) == (JobState.SUCCEEDED, 2, {"held": True})
    assert (tmp_path / "journal").read_text().splitlines() == ["begun", "begun"]


def test_a_second_worker_leaves_a_running_job_alone_and_does_the_next(environment, start_worker, tmp_path):
    held, quick = holding_job(tmp_path), Job.objects.create(kind="test_count", params={"n": 1})
    send(held, environment)
    start_worker(stale=NEVER)
    eventually((tmp_path / "journal").exists)
    send(held, environment)
    send(quick, environment)
    start_worker(stale=NEVER)
    eventually(lambda: ended(quick))
    (tmp_path / "gate").touch()
    eventually(lambda: ended(held))
    assert (held.attempts, quick.attempts) == (1, 1)
    assert (tmp_path / "journal").read_text().splitlines() == ["begun"]


def test_a_worker_asked_to_stop_finishes_what_it_is_working_on(environment, start_worker, tmp_path):
    job = holding_job(tmp_path)
    send(job, environment)
    worker = start_worker(stale=NEVER)
    eventually((tmp_path / "journal").exists)
    worker.send_signal(signal.SIGTERM)
    (tmp_path / "gate").touch()
    assert worker.wait(timeout=60) == 0
    assert ended(job)
    assert job.state == JobState.SUCCEEDED
