"""The two jobs behind the import page: look at an uploaded zip, then store it."""

import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

from django.core.files.storage import default_storage
from django.utils.translation import gettext as _

from labeling.importing.archive import unpack
from labeling.importing.folder import read_folder
from labeling.importing.staging import import_folder, withdraw_abandoned
from labeling.models import Job
from labeling.progress import Progress
from labeling.tables import TableErrors


@contextmanager
def _unpacked(upload: str) -> Iterator[Path]:
    with tempfile.TemporaryDirectory() as folder, default_storage.open(upload) as archive:
        yield unpack(archive, Path(folder))


def preview_tables(job: Job, progress: Progress) -> dict[str, Any]:
    """Read and check the zip `params["upload"]`: figures, or every fault of its tables."""
    progress.step(_("Reading the tables"), 1)
    with _unpacked(job.params["upload"]) as folder:
        try:
            return {"summary": read_folder(folder).summary(), "errors": [], "n_errors": 0}
        except TableErrors as refused:
            return {
                "summary": None,
                "errors": [str(error) for error in refused.errors],
                "n_errors": refused.total,
            }


def import_tables(job: Job, progress: Progress) -> dict[str, Any]:
    """Store the zip `params["upload"]` whole or not at all; running it again stores nothing twice."""
    withdraw_abandoned(job=job)
    progress.step(_("Reading the tables"), 1)
    with _unpacked(job.params["upload"]) as path:
        folder = read_folder(path)
        imported = import_folder(
            folder, name=job.params["name"], progress=progress, created_by=job.created_by, job=job
        )
    return {"table_import": imported.pk, "n_items": imported.n_items, "n_pairs": imported.n_pairs}
