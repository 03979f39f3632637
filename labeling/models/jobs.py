"""Long work as a row: state, step, progress, heartbeat. Celery only carries "work on job n"."""

from datetime import timedelta
from typing import Any, ClassVar, Self

from celery import current_app
from django.conf import settings
from django.db import models, transaction
from django.urls import reverse
from django.utils import timezone
from django.utils.translation import gettext_lazy as _

from labeling.models.accounts import User


class JobState(models.TextChoices):
    QUEUED = "queued", _("waiting")
    RUNNING = "running", _("running")
    SUCCEEDED = "succeeded", _("done")
    FAILED = "failed", _("failed")


class JobQuerySet(models.QuerySet["Job"]):
    def enqueue(self, kind: str, *, params: dict[str, Any], created_by: User | None = None) -> "Job":
        """Store a job and tell a worker after commit.

        When the message is lost, or the broker is away (which is logged), the sweeper finds the row.
        """
        job = self.create(kind=kind, params=params, created_by=created_by)
        transaction.on_commit(job.send, robust=True)
        return job

    def unattended(self) -> Self:
        """Jobs that nobody works on: queued, or running with a stale heartbeat."""
        stale = timezone.now() - timedelta(seconds=settings.JOB_STALE_SECONDS)
        return self.filter(
            models.Q(state=JobState.QUEUED, created_at__lt=stale)
            | models.Q(state=JobState.RUNNING, heartbeat_at__lt=stale)
        )

    def visible_to(self, user: User) -> Self:
        """An admin sees every job, everybody else their own."""
        return self if user.has_role("admin") else self.filter(created_by=user)


class Job(models.Model):
    kind = models.CharField(max_length=50)
    params = models.JSONField(default=dict)
    state = models.CharField(max_length=20, choices=JobState.choices, default=JobState.QUEUED)
    step = models.CharField(max_length=200, blank=True)
    done = models.PositiveIntegerField(default=0)
    total = models.PositiveIntegerField(default=0)
    attempts = models.PositiveIntegerField(default=0)
    worker = models.CharField(max_length=100, blank=True)
    heartbeat_at = models.DateTimeField(null=True, blank=True)
    error = models.TextField(blank=True)
    result = models.JSONField(default=dict)
    created_by = models.ForeignKey(
        User, on_delete=models.SET_NULL, null=True, blank=True, related_name="jobs"
    )
    created_at = models.DateTimeField(auto_now_add=True)
    started_at = models.DateTimeField(null=True, blank=True)
    finished_at = models.DateTimeField(null=True, blank=True)

    objects: ClassVar[JobQuerySet] = JobQuerySet.as_manager()  # type: ignore[assignment]

    class Meta:
        ordering = ["-created_at", "-pk"]
        indexes = [models.Index(fields=["state", "heartbeat_at"], name="job_unattended")]
        constraints = [
            models.CheckConstraint(condition=models.Q(state__in=JobState.values), name="job_state_known")
        ]

    def __str__(self) -> str:
        return f"{self.kind} {self.pk}"

    def get_absolute_url(self) -> str:
        return reverse("job", args=[self.pk])

    def send(self) -> None:
        """Hand the job's number to a worker."""
        current_app.send_task("tastebench.work_on_job", args=[self.pk])

    @property
    def is_finished(self) -> bool:
        return self.state in {JobState.SUCCEEDED, JobState.FAILED}
