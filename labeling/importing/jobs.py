"""The two jobs behind the import page: look at an uploaded zip, then store it."""

from typing import Any

from django.utils.translation import gettext as _

from labeling.import_warnings import warnings_of
from labeling.importing import uploads
from labeling.importing.folder import read_folder
from labeling.importing.staging import import_folder, withdraw_abandoned
from labeling.models import Job, TableImport
from labeling.progress import Progress
from labeling.tables import TableErrors


def preview_tables(job: Job, progress: Progress) -> dict[str, Any]:
    """Read and check the zip `params["upload"]`: figures, or every fault of its tables."""
    uploads.remove_old()
    progress.step(_("Reading the tables"), 1)
    with uploads.unpacked(job.params["upload"]) as folder:
        try:
            tables = read_folder(folder)
            summary = tables.summary()
            summary["warnings"] += warnings_of(tables)
            return {"summary": summary, "errors": [], "n_errors": 0}
        except TableErrors as refused:
            return {
                "summary": None,
                "errors": [str(error) for error in refused.errors],
                "n_errors": refused.total,
            }


def import_tables(job: Job, progress: Progress) -> dict[str, Any]:
    """Store the zip `params["upload"]` whole or not at all; running it again finds what was stored."""
    imported = TableImport.objects.filter(job=job, state=TableImport.State.PUBLISHED).first()
    if imported is None:
        imported = _import(job, progress)
    return {"table_import": imported.pk, "n_items": imported.n_items, "n_pairs": imported.n_pairs}


def _import(job: Job, progress: Progress) -> TableImport:
    withdraw_abandoned(job=job)
    progress.step(_("Reading the tables"), 1)
    with uploads.unpacked(job.params["upload"]) as path:
        return import_folder(
            read_folder(path), name=job.params["name"], progress=progress, created_by=job.created_by, job=job
        )
