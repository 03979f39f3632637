"""A release's files in private storage: putting them there, and taking a whole folder out again."""

import hashlib
import shutil
from collections.abc import Iterable
from pathlib import Path

from django.core.files.base import File
from django.core.files.storage import default_storage
from django.utils.translation import gettext as _

from gold.models import Release, ReleaseFile
from gold.release_manifest import FileFacts
from labeling.progress import Progress

_CHUNK = 1 << 20


class NotEmpty(Exception):
    """The folder to export into holds something already; nothing was written."""


class StoredFileChanged(Exception):
    """What lies in storage is not what was published; the message names the file."""


def store(
    release: Release, folder: Path, files: Iterable[FileFacts], progress: Progress
) -> list[ReleaseFile]:
    """Copy the files of `folder` into storage, over what an earlier try left. Returns their rows, unsaved."""
    listed = list(files)
    progress.step(_("Storing files"), len(listed))
    rows = []
    for facts in listed:
        name = f"releases/{release.number}/{facts.path}"
        default_storage.delete(name)
        with (folder / facts.path).open("rb") as file:
            stored = default_storage.save(name, File(file))
        rows.append(
            ReleaseFile(
                release=release,
                path=facts.path,
                file=stored,
                sha256=facts.sha256,
                n_bytes=facts.n_bytes,
                n_rows=facts.rows,
                holds_gold=facts.holds_gold,
            )
        )
        progress.advance()
    return rows


def copy_out(release: Release, folder: Path) -> list[ReleaseFile]:
    """Copy every stored file of `release` into `folder` as it is. Returns those missing in storage."""
    missing = []
    for row in release.files.all():
        target = folder / row.path
        target.parent.mkdir(parents=True, exist_ok=True)
        try:
            with row.file.open("rb") as source, target.open("xb") as file:
                shutil.copyfileobj(source, file, _CHUNK)
        except FileNotFoundError:
            missing.append(row)
    return missing


def export(release: Release, folder: Path) -> int:
    """Write the release into `folder`, which must be empty or not there yet. Returns the number of files.

    Raises NotEmpty, and StoredFileChanged rather than hand out a file that is not the published one.
    """
    if folder.exists() and (not folder.is_dir() or any(folder.iterdir())):
        raise NotEmpty(_("%s is not empty; name a new folder.") % folder)
    folder.mkdir(parents=True, exist_ok=True)
    try:
        return _checked_copy(release, folder)
    except StoredFileChanged:
        shutil.rmtree(folder)
        raise


def _checked_copy(release: Release, folder: Path) -> int:
    missing = copy_out(release, folder)
    if missing:
        raise StoredFileChanged(_("%s is missing in storage; restore it from a backup.") % missing[0])
    rows = list(release.files.all())
    for row in rows:
        with (folder / row.path).open("rb") as file:
            if hashlib.file_digest(file, "sha256").hexdigest() != row.sha256:
                raise StoredFileChanged(
                    _("%s in storage is not the published file; restore it from a backup.") % row.path
                )
    return len(rows)
