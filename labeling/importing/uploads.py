"""Zips of tables that an admin handed in: kept in private storage for a day, imported or not."""

import secrets
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from datetime import timedelta
from pathlib import Path
from typing import Any

from django.core.files.storage import default_storage
from django.core.files.uploadedfile import UploadedFile
from django.utils import timezone
from django.utils.translation import gettext as _

from labeling import private_folders
from labeling.importing.archive import unpack
from labeling.models import Job, JobState

FOLDER = "uploads"
KEPT = timedelta(days=1)


class UploadGone(Exception):
    """The zip was removed, a day after it came."""


def keep(upload: "UploadedFile[Any]") -> str:
    """Store the zip under a random name. Returns its path in storage."""
    return default_storage.save(f"{FOLDER}/{secrets.token_hex(16)}.zip", upload)


@contextmanager
def unpacked(path: str) -> Iterator[Path]:
    """The folder of tables in the zip at `path`, inside the context. Raises UploadGone, ArchiveRefused."""
    try:
        archive = default_storage.open(path)
    except FileNotFoundError:
        raise UploadGone(
            _("Uploads are kept for a day and this one is gone; upload the zip again.")
        ) from None
    with tempfile.TemporaryDirectory() as folder, archive:
        yield unpack(archive, Path(folder))


def remove_old() -> None:
    """Remove uploads that came more than a day ago, but none that a job is still to read."""
    unfinished = Job.objects.filter(state__in=[JobState.QUEUED, JobState.RUNNING])
    wanted = {params.get("upload") for params in unfinished.values_list("params", flat=True)}
    for path in private_folders.files_of(FOLDER):
        if path not in wanted and default_storage.get_modified_time(path) < timezone.now() - KEPT:
            default_storage.delete(path)
