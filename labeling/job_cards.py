"""How a job looks to the person who waits for it (templates/partials/job.html)."""

from dataclasses import dataclass

from django.urls import reverse
from django.utils import timezone
from django.utils.functional import Promise
from django.utils.translation import gettext_lazy as _

from labeling.models import Job, JobState


@dataclass(frozen=True)
class _Kind:
    """Words for one kind of job; its result's page, which takes the value of `key` in the job's result."""

    title: Promise
    result_label: Promise
    result_page: str
    key: str = ""


_KINDS = {
    "preview_tables": _Kind(_("Checking tables"), _("See what was found"), "table_preview"),
    "import_tables": _Kind(_("Importing tables"), _("See the tables"), "tables"),
    "promote": _Kind(_("Building a release"), _("Open the release"), "release", key="release"),
    "score": _Kind(_("Scoring predictions"), _("See the score"), "submission", key="submission"),
}


@dataclass(frozen=True)
class JobCard:
    id: int
    state: str
    title: str
    step: str
    done: int
    total: int
    elapsed: str
    error: str
    result_url: str
    result_label: str


def card_of(job: Job) -> JobCard:
    kind = _KINDS.get(job.kind)
    succeeded = job.state == JobState.SUCCEEDED
    return JobCard(
        id=job.pk,
        state="done" if succeeded else job.state,
        title=str(kind.title) if kind else job.kind,
        step=job.step if job.state == JobState.RUNNING else str(JobState(job.state).label),
        done=job.done,
        total=job.total,
        elapsed=_elapsed(job),
        error=job.error,
        result_url=_result_url(job, kind) if kind and succeeded else "",
        result_label=str(kind.result_label) if kind else "",
    )


def _result_url(job: Job, kind: _Kind) -> str:
    if kind.result_page == "table_preview":
        return reverse(kind.result_page, args=[job.pk])
    return reverse(kind.result_page, args=[job.result[kind.key]] if kind.key else [])


def _elapsed(job: Job) -> str:
    if job.started_at is None:
        return ""
    seconds = int(((job.finished_at or timezone.now()) - job.started_at).total_seconds())
    return f"{seconds // 60}:{seconds % 60:02d}"
