"""A release's files in private storage: putting them there, and taking a whole folder out again."""

import shutil
from collections.abc import Iterable
from pathlib import Path

from django.core.files.base import File
from django.core.files.storage import default_storage
from django.utils.translation import gettext as _

from gold.models import Release, ReleaseFile
from gold.release_manifest import FileFacts, sha256_of
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
        stored = _stored(f"releases/{release.number}/{facts.path}", folder / facts.path, facts)
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


def _stored(name: str, source: Path, facts: FileFacts) -> str:
    """Put one file into storage. What lies there already and is the same stays untouched: it may be published
    by another worker that took this job over."""
    if default_storage.exists(name):
        with default_storage.open(name) as file:
            if sha256_of(file) == (facts.sha256, facts.n_bytes):
                return name
        default_storage.delete(name)
    with source.open("rb") as opened:
        return default_storage.save(name, File(opened))


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
            if sha256_of(file)[0] != row.sha256:
                raise StoredFileChanged(
                    _("%s in storage is not the published file; restore it from a backup.") % row.path
                )
    return len(rows)
