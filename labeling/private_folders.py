"""Folders of private storage, on disk and in a bucket alike."""

from django.core.files.storage import default_storage


def files_of(folder: str) -> list[str]:
    """Paths of the files right in `folder`; none when there is no such folder."""
    try:
        names = default_storage.listdir(folder)[1]
    except FileNotFoundError:
        return []
    return [f"{folder}/{name}" for name in names]


def clear(folder: str) -> None:
    """Delete the files right in `folder`."""
    for path in files_of(folder):
        default_storage.delete(path)
