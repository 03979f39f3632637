"""Unpacking an uploaded zip: no path out of the folder, no links, bounded in count and size."""

import re
import stat
import zipfile
import zlib
from collections import Counter
from pathlib import Path, PurePosixPath
from typing import IO

from django.utils.translation import gettext as _

MAX_FILES = 20_000
MAX_BYTES = 4_000_000_000
MAX_RATIO = 200
# Others take memory as the file pleases, and nothing on a desktop writes them.
_METHODS = {zipfile.ZIP_STORED, zipfile.ZIP_DEFLATED}
_DRIVE = re.compile(r"[A-Za-z]:")


class ArchiveRefused(Exception):
    """The zip cannot be unpacked safely; the message says why."""


def unpack(archive: IO[bytes], folder: Path) -> Path:
    """Unpack into the empty `folder` and return the folder that holds the tables.

    A zip of one top folder is entered. Raises ArchiveRefused before anything is written outside, and as soon
    as more comes out than the zip declared.
    """
    try:
        with zipfile.ZipFile(archive) as opened:
            members = [member for member in opened.infolist() if not _is_clutter(member.filename)]
            _check(members)
            for member in members:
                _extract(opened, member, folder)
    # ValueError: places before the file's beginning, and names that are no UTF-8.
    except (zipfile.BadZipFile, zlib.error, EOFError, NotImplementedError, RuntimeError, ValueError) as fault:
        raise ArchiveRefused(_("This is no zip that can be read: %s.") % fault) from fault
    return _folder_of_tables(folder)


def _is_clutter(name: str) -> bool:
    """What programs add to zips on their own: files of desktop systems, the folder itself."""
    return (
        name == "./" or name.startswith("__MACOSX/") or PurePosixPath(name).name in {".DS_Store", "Thumbs.db"}
    )


def _check(members: list[zipfile.ZipInfo]) -> None:
    if len(members) > MAX_FILES:
        raise ArchiveRefused(
            _("The zip holds %(n)d files; at most %(max)d.") % {"n": len(members), "max": MAX_FILES}
        )
    if sum(member.file_size for member in members) > MAX_BYTES:
        raise ArchiveRefused(_("Unpacked, the zip would be larger than %d bytes.") % MAX_BYTES)
    name, times = Counter(member.filename for member in members).most_common(1)[0] if members else ("", 0)
    if times > 1:
        raise ArchiveRefused(_("The zip holds %s twice; keep one of them.") % name[:100])
    for member in members:
        path = PurePosixPath(member.filename)
        if (
            not path.parts
            or path.is_absolute()
            or ".." in path.parts
            or "\\" in member.filename
            or _DRIVE.match(member.filename)
        ):
            raise ArchiveRefused(
                _("The zip holds a path that leaves its folder: %s.") % member.filename[:100]
            )
        if stat.S_ISLNK(member.external_attr >> 16):
            raise ArchiveRefused(
                _("The zip holds a link: %s. Put the file itself in.") % member.filename[:100]
            )
        if member.compress_type not in _METHODS:
            raise ArchiveRefused(
                _("%s is compressed by a method other than deflate; zip the folder in the usual way.")
                % member.filename[:100]
            )
        if member.file_size > 1_000_000 and member.file_size > MAX_RATIO * max(member.compress_size, 1):
            raise ArchiveRefused(
                _("%s unpacks to far more than its size; it is refused.") % member.filename[:100]
            )


def _extract(opened: zipfile.ZipFile, member: zipfile.ZipInfo, folder: Path) -> None:
    target = folder / member.filename
    try:
        if member.is_dir():
            target.mkdir(parents=True, exist_ok=True)
            return
        target.parent.mkdir(parents=True, exist_ok=True)
        sink = target.open("wb")
    except OSError as fault:
        raise ArchiveRefused(
            _("%(name)s cannot be a file here (%(why)s); give it another name.")
            % {"name": member.filename[:100], "why": fault.strerror}
        ) from fault
    left = member.file_size
    with sink, opened.open(member) as source:
        while chunk := source.read(1_000_000):
            left -= len(chunk)
            if left < 0:
                raise ArchiveRefused(_("%s unpacks to more than the zip declares.") % member.filename[:100])
            sink.write(chunk)


def _folder_of_tables(folder: Path) -> Path:
    entries = list(folder.iterdir())
    return entries[0] if len(entries) == 1 and entries[0].is_dir() else folder
