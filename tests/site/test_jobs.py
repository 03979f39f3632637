import logging
import threading
from concurrent.futures import ThreadPoolExecutor
from datetime import timedelta
from types import SimpleNamespace

import pytest
from celery import current_app
from django.conf import settings as django_settings
from django.contrib.sessions.models import Session
from django.db import OperationalError, connection
from django.utils import timezone
from django.utils.module_loading import import_string
from kombu.exceptions import OperationalError as BrokerAway

from labeling.models import Job, JobState
from tastebench_site import jobs
from tastebench_site import sweeper as sweeper_module
from tastebench_site.celery import app
from tastebench_site.heartbeat import JobLost, JobProgress
from tastebench_site.sweeper import Sweeper
from tests.polling import eventually
from tests.site import job_samples

LONG_AGO = timedelta(days=1)


def claimed(job: Job) -> Job:
    mine = jobs.claim(job.pk)
    assert mine is not None
    return mine


@pytest.fixture
def refused_is_expected(settings):
    settings.JOB_EXPECTED_ERRORS = ["tests.site.job_samples.Refused"]


def test_a_job_stores_its_result(db, finish_jobs):
    Job.objects.create(kind="test_count", params={"n": 3})
    (job,) = finish_jobs()
    assert job.state == JobState.SUCCEEDED
    assert job.result == {"counted": 3}
    assert job.attempts == 1
    assert job.error == ""
    assert job.finished_at >= job.started_at


def test_an_expected_error_tells_the_person_its_own_words(db, finish_jobs, refused_is_expected):
    Job.objects.create(kind="test_refuse")
    (job,) = finish_jobs()
    assert job.state == JobState.FAILED
    assert job.error == "votes.csv:3: pair_id: unknown pair p9. Import its pair first."


def test_an_unexpected_error_tells_a_reference_and_keeps_the_trace_in_the_log(db, finish_jobs, caplog):
    Job.objects.create(kind="test_break")
    with caplog.at_level(logging.ERROR):
        (job,) = finish_jobs()
    assert job.state == JobState.FAILED
    assert "hunter2" not in job.error
    reference = job.error.split("reference ")[1][:8]
    (record,) = caplog.records
    assert reference in record.getMessage()
    assert "hunter2" in str(record.exc_info[1])


def test_a_result_that_strict_json_cannot_hold_fails_the_job(db, finish_jobs, monkeypatch):
    monkeypatch.setattr(job_samples, "count", lambda *_: {"ece": float("nan")})
    Job.objects.create(kind="test_count")
    (job,) = finish_jobs()
    assert job.state == JobState.FAILED
    assert job.result == {}


def test_a_job_of_an_unknown_kind_fails(db, finish_jobs):
    Job.objects.create(kind="no_such_kind")
    (job,) = finish_jobs()
    assert job.state == JobState.FAILED


@pytest.mark.parametrize("state", [JobState.SUCCEEDED, JobState.FAILED])
def test_a_finished_job_is_not_claimed(db, state):
    job = Job.objects.create(kind="test_count", state=state, heartbeat_at=timezone.now() - LONG_AGO)
    assert jobs.claim(job.pk) is None


def test_a_job_whose_worker_lives_is_not_claimed(db):
    job = Job.objects.create(kind="test_count")
    assert jobs.claim(job.pk) is not None
    assert jobs.claim(job.pk) is None


def test_a_job_whose_worker_fell_silent_is_claimed_and_its_late_outcome_dropped(db):
    waiting = Job.objects.create(kind="test_count")
    first = claimed(waiting)
    Job.objects.update(heartbeat_at=timezone.now() - LONG_AGO)
    second = claimed(waiting)
    assert second.attempts == 2
    jobs.finish(first, {"state": JobState.FAILED, "error": "late"})
    jobs.finish(second, {"state": JobState.SUCCEEDED})
    waiting.refresh_from_db()
    assert (waiting.state, waiting.error) == (JobState.SUCCEEDED, "")


def test_a_job_that_kills_its_workers_is_given_up_with_a_sentence(db):
    job = Job.objects.create(kind="test_count", params={"n": 1})
    for _ in range(jobs.MAX_ATTEMPTS):
        assert jobs.claim(job.pk) is not None
        Job.objects.update(heartbeat_at=timezone.now() - LONG_AGO)
    jobs.work_on_job(job.pk)
    job.refresh_from_db()
    assert job.state == JobState.FAILED
    assert job.error.startswith("The worker stopped 5 times")


def test_many_workers_that_claim_at_once_get_one_job_once(transactional_db):
    job = Job.objects.create(kind="test_count")
    together = threading.Barrier(8)

    def claim(_: int) -> bool:
        together.wait()
        try:
            return jobs.claim(job.pk) is not None
        finally:
            connection.close()

    with ThreadPoolExecutor(8) as workers:
        claimed = list(workers.map(claim, range(8)))
    assert sum(claimed) == 1


def test_two_workers_that_take_over_at_once_get_one_job_once(transactional_db):
    job = Job.objects.create(
        kind="test_count", state=JobState.RUNNING, attempts=1, heartbeat_at=timezone.now() - LONG_AGO
    )
    together = threading.Barrier(2)

    def claim(_: int) -> bool:
        together.wait()
        try:
            return jobs.claim(job.pk) is not None
        finally:
            connection.close()

    with ThreadPoolExecutor(2) as workers:
        assert sum(workers.map(claim, range(2))) == 1


def test_a_row_stays_alive_and_shows_progress_while_a_step_computes(transactional_db, settings, tmp_path):
    settings.JOB_HEARTBEAT_SECONDS = 0.02
    job = Job.objects.create(
        kind="test_hold", params={"journal": str(tmp_path / "journal"), "gate": str(tmp_path / "gate")}
    )

    def work() -> None:
        try:
            jobs.work_on_job(job.pk)
        finally:
            connection.close()

    with ThreadPoolExecutor(1) as worker:
        working = worker.submit(work)
        eventually(lambda: Job.objects.filter(step="holding", done=1, total=2).exists())
        seen = Job.objects.get().heartbeat_at
        eventually(Job.objects.filter(heartbeat_at__gt=seen).exists)
        (tmp_path / "gate").touch()
        working.result()
    job.refresh_from_db()
    assert (job.state, job.done, job.result) == (JobState.SUCCEEDED, 2, {"held": True})


def test_a_worker_that_lost_its_job_stops_at_the_next_step(transactional_db, settings):
    settings.JOB_HEARTBEAT_SECONDS = 0.02
    job = claimed(Job.objects.create(kind="test_count"))

    def stopped() -> bool:
        try:
            progress.advance()
        except JobLost:
            return True
        return False

    with JobProgress(job) as progress:
        progress.step("counting", 2)
        Job.objects.update(worker="another")
        eventually(stopped)
    assert Job.objects.get().worker == "another"


def test_a_failed_heartbeat_costs_one_beat(transactional_db, settings, monkeypatch, caplog):
    settings.JOB_HEARTBEAT_SECONDS = 0.02
    job = claimed(Job.objects.create(kind="test_count"))
    failures = iter([OperationalError("database is locked")])
    real_filter = Job.objects.filter

    def filter_once_broken(*args, **kwargs):
        for failure in failures:
            raise failure
        return real_filter(*args, **kwargs)

    monkeypatch.setattr(Job.objects, "filter", filter_once_broken)
    with JobProgress(job) as progress:
        progress.step("counting", 2)
        eventually(lambda: Job.objects.get().step == "counting")
    assert "a heartbeat was not stored" in caplog.text


@pytest.fixture
def sent(monkeypatch):
    numbers: list[int] = []
    monkeypatch.setattr(Job, "send", lambda job: numbers.append(job.pk))
    return numbers


def test_a_sweep_sends_what_nobody_works_on(db, sent):
    now = timezone.now()
    lost = Job.objects.create(kind="test_count")
    silent = Job.objects.create(kind="test_count", state=JobState.RUNNING, heartbeat_at=now - LONG_AGO)
    Job.objects.filter(pk=lost.pk).update(created_at=now - LONG_AGO)
    Job.objects.create(kind="test_count")
    Job.objects.create(kind="test_count", state=JobState.RUNNING, heartbeat_at=now)
    Job.objects.create(kind="test_count", state=JobState.FAILED, heartbeat_at=now - LONG_AGO)
    assert Sweeper().sweep() == [lost.pk, silent.pk]
    assert sent == [lost.pk, silent.pk]


def test_a_sweeper_does_not_fill_the_queue_with_one_job(db, sent, settings):
    Job.objects.create(kind="test_count", state=JobState.RUNNING, heartbeat_at=timezone.now() - LONG_AGO)
    sweeper = Sweeper()
    assert len(sweeper.sweep()) == 1
    assert sweeper.sweep() == []
    settings.JOB_STALE_SECONDS = 0
    assert len(sweeper.sweep()) == 1


def test_a_sweeper_clears_ended_sessions_once_a_day(db, monkeypatch):
    def sessions(day):
        """One that ended, one that goes on; then a sweep on that day."""
        for name, ends in (("ended", -LONG_AGO), ("goes on", LONG_AGO)):
            Session.objects.update_or_create(pk=name, defaults={"expire_date": timezone.now() + ends})
        monkeypatch.setattr(sweeper_module, "time", SimpleNamespace(monotonic=lambda: day * 86_400.0))
        sweeper.clear_sessions()
        return sorted(Session.objects.values_list("pk", flat=True))

    sweeper = Sweeper()
    assert sessions(day=0) == ["goes on"]
    assert sessions(day=0.9) == ["ended", "goes on"]
    assert sessions(day=1) == ["goes on"]


def test_who_starts_a_job_is_answered_though_the_broker_is_away(transactional_db, monkeypatch, caplog):
    def send(_: Job) -> None:
        raise BrokerAway("connection refused")

    monkeypatch.setattr(Job, "send", send)
    job = Job.objects.enqueue("test_count", params={"n": 1})
    assert (Job.objects.get(), job.state) == (job, JobState.QUEUED)
    assert "connection refused" in caplog.text


def test_a_sweeper_outlives_a_broker_that_is_away(transactional_db, settings, monkeypatch):
    settings.JOB_STALE_SECONDS = 0.05
    Job.objects.create(kind="test_count", state=JobState.RUNNING, heartbeat_at=timezone.now() - LONG_AGO)
    answers = iter([BrokerAway("connection refused"), BrokerAway("connection refused"), None])
    sent = threading.Event()

    def send(_: Job) -> None:
        if (trouble := next(answers)) is not None:
            raise trouble
        sent.set()

    monkeypatch.setattr(Job, "send", send)
    sweeper = Sweeper()
    sweeper.start()
    assert sent.wait(60)
    sweeper.stop()


def test_every_kind_leads_to_a_function_and_every_expected_error_to_an_exception():
    for path in django_settings.JOB_KINDS.values():
        assert callable(import_string(path))
    for path in django_settings.JOB_EXPECTED_ERRORS:
        error = import_string(path)
        assert issubclass(error, Exception)
        assert path == f"{error.__module__}.{error.__qualname__}", "name it where it is defined"


def test_every_thread_finds_our_celery_app():
    with ThreadPoolExecutor(1) as other:
        assert other.submit(lambda: current_app.main).result() == app.main == "tastebench"
