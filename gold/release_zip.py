"""All files of a release as one zip, written while it is sent: memory stays flat whatever the size."""

from collections.abc import Iterator
from zipfile import ZIP_DEFLATED, ZipFile, ZipInfo

from gold.models import Release

_CHUNK = 1 << 18


class _Pipe:
    """A file that only remembers what was written since it was last emptied."""

    def __init__(self) -> None:
        self._pieces: list[bytes] = []

    def write(self, piece: bytes) -> int:
        self._pieces.append(bytes(piece))
        return len(piece)

    def flush(self) -> None:
        """Nothing waits elsewhere."""

    def take(self) -> bytes:
        taken = b"".join(self._pieces)
        self._pieces.clear()
        return taken


def folder_name(release: Release) -> str:
    """The folder inside the zip, and the zip's own name without its ending."""
    return f"tastebench-release-{release.number}"


def zip_pieces(release: Release) -> Iterator[bytes]:
    """The zip in pieces. Dates inside are the release's own, so the same release gives the same bytes."""
    pipe = _Pipe()
    date = release.promoted_at.timetuple()[:6]
    with ZipFile(pipe, "w", ZIP_DEFLATED) as archive:  # type: ignore[call-overload]
        for row in release.files.all():
            entry = ZipInfo(f"{folder_name(release)}/{row.path}", date_time=date)
            entry.compress_type = ZIP_DEFLATED
            with row.file.open("rb") as source, archive.open(entry, "w", force_zip64=True) as target:
                while piece := source.read(_CHUNK):
                    target.write(piece)
                    yield pipe.take()
    yield pipe.take()
