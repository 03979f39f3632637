"""A prediction file, stored and scored as a job by the same function as `tb score`."""

import hashlib
from typing import Any

from django.core.files.uploadedfile import UploadedFile
from django.db import transaction
from django.utils.translation import gettext as _

from evaluation.models import Submission
from evaluation.scoring import score_files
from gold.access_log import log_access
from gold.models import Release
from labeling.models import DataOrigin, Job, License, User
from labeling.progress import Progress

TABLES = {"pairs": "bench_pairs.csv", "gold": "bench_gold.csv", "items": "bench_items.csv"}


def submit(
    *, release: Release, owner: User, model_label: str, split: str, upload: "UploadedFile[Any]"
) -> Submission:
    """Keep the file as sent and queue its scoring: the row, the job and the file, or none of them."""
    digest = hashlib.sha256()
    for chunk in upload.chunks():
        digest.update(chunk)
    upload.seek(0)
    submission = Submission(
        release=release,
        owner=owner,
        model_label=model_label,
        split=split,
        file_name=(upload.name or "predictions.csv")[:255],
        sha256=digest.hexdigest(),
    )
    submission.file.save(digest.hexdigest(), upload, save=False)
    try:
        _queue(submission)
    except Exception:
        submission.file.delete(save=False)
        raise
    return submission


@transaction.atomic
def _queue(submission: Submission) -> None:
    submission.save()
    submission.job = Job.objects.enqueue(
        "score", params={"submission": submission.pk}, created_by=submission.owner
    )
    submission.save(update_fields=["job"])


def run_job(job: Job, progress: Progress) -> dict[str, Any]:
    """Score the submission `params["submission"]`. Raises TableErrors with every fault of the file."""
    submission = Submission.objects.select_related("release", "owner").get(pk=job.params["submission"])
    release = submission.release
    progress.step(_("Reading the release"), len(TABLES))
    stored = {file.path: file for file in release.files.filter(path__in=TABLES.values())}
    tables = {}
    for name, path in TABLES.items():
        with stored[path].file.open("rb") as opened:
            tables[name] = opened.read()
        progress.advance()
    with submission.file.open("rb") as opened:
        predictions = opened.read()
    progress.step(_("Scoring"), 1)
    metrics = score_files(
        predictions,
        tables["pairs"],
        tables["gold"],
        tables["items"],
        split=submission.split,
        declared={"model": submission.model_label},
        release=str(release.number),
        names={"preds": submission.file_name, **TABLES},
        vocabulary={
            "license": list(License.objects.values_list("spdx", flat=True)),
            "data_origin": list(DataOrigin.objects.values_list("code", flat=True)),
        },
    )
    log_access(submission.owner, f"scored submission {submission.pk}", release=release)
    submission.metrics = metrics
    submission.save(update_fields=["metrics"])
    return {"submission": submission.pk}
