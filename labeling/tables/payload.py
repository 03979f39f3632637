"""What ``uri_or_payload_ref`` may say: a file of the imported folder, the text itself, or a link.

A link is kept as provenance and never fetched.
"""

import re
import unicodedata
from dataclasses import dataclass
from pathlib import Path, PurePosixPath
from typing import Literal

_SCHEME = re.compile(r"[A-Za-z][A-Za-z0-9+.\-]*:")
_DRIVE = re.compile(r"[A-Za-z]:")
_CONTROL = re.compile(r"[\x00-\x1f\x7f]")


class PayloadError(ValueError):
    """A reference that cannot be used. ``what`` is wrong; ``cure`` mends it."""

    def __init__(self, what: str, cure: str) -> None:
        self.what = what
        self.cure = cure
        super().__init__(f"{what}. {cure}.")


@dataclass(frozen=True)
class Payload:
    """``kind`` file: ``value`` is a path relative to the folder, with ``/``; text: the text; link: the
    URL."""

    kind: Literal["file", "text", "link"]
    value: str


def parse_payload(ref: str) -> Payload:
    """Tell what a reference means. Raises PayloadError for one that may leave its folder or means nothing."""
    if ref.startswith("text:"):
        return Payload("text", ref.removeprefix("text:"))
    if not ref:
        raise PayloadError("the reference is empty", "Give a path, or `text:` followed by the text")
    if _CONTROL.search(ref):
        raise PayloadError(
            "the reference holds a control character", "Rename the file, and write its new name here"
        )
    scheme = _SCHEME.match(ref)
    if scheme and ref.startswith("//", scheme.end()):
        return Payload("link", ref)
    if "\\" in ref:
        raise PayloadError("the path holds a backslash", "Separate folders with `/`")
    if ref.startswith("/") or _DRIVE.match(ref):
        raise PayloadError("the path is absolute", "Write it relative to the folder of the tables")
    if scheme:
        cure = "A link starts with a scheme and `//`; a file name with a colon needs `./` in front"
        raise PayloadError(f"it is not clear what `{scheme.group()}` means here", cure)
    if ".." in ref.split("/"):
        raise PayloadError(
            "the path leaves its folder by `..`", "Move the file inside, and write its path there"
        )
    path = PurePosixPath(ref)
    if ref.endswith("/") or not path.name:
        raise PayloadError("the path names a folder", "Name the item's file in it")
    return Payload("file", str(path))


def payload_fault(ref: str) -> tuple[str, str] | None:
    """What is wrong with a reference and the cure, or None."""
    try:
        parse_payload(ref)
    except PayloadError as error:
        return error.what, error.cure
    return None


def resolve_inside(folder: Path, ref: str) -> Path:
    """The regular file that a ``file`` reference names, links followed.

    Some systems write the accents of file names apart from their letters, others do not: where no file has
    the very name, the one file whose name is the same text is meant.

    Raises PayloadError when the reference is no file reference, the file is missing, or a link leads out of
    the folder.
    """
    payload = parse_payload(ref)
    if payload.kind != "file":
        raise PayloadError(f"the reference is a {payload.kind}, not a file", "Give a path inside the folder")
    root = folder.resolve()
    try:
        found = _same_text(root, payload.value).resolve()
        is_file = found.is_file()
    except OSError as error:  # longer than the file system takes names
        what = f"no file can have this name ({error.strerror})"
        raise PayloadError(what, "Shorten the file's name, and write its new name here") from error
    if not found.is_relative_to(root):
        raise PayloadError("the path is a link that leads out of the folder", "Put the file itself there")
    if not is_file:
        raise PayloadError(
            f"there is no file {payload.value}", "Add it, or correct the path (capitals matter)"
        )
    return found


def _same_text(root: Path, path: str) -> Path:
    """The path below ``root`` as its folders and files spell it; as given where no or several names fit."""
    if (root / path).exists():
        return root / path
    found = root
    for part in PurePosixPath(path).parts:
        wanted = unicodedata.normalize("NFC", part)
        alike = [name for name in _names_in(found) if unicodedata.normalize("NFC", name) == wanted]
        found = found / (alike[0] if len(alike) == 1 else part)
    return found


def _names_in(folder: Path) -> list[str]:
    return [entry.name for entry in folder.iterdir()] if folder.is_dir() else []
