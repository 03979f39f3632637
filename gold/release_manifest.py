"""RELEASE_MANIFEST.json and SHA256SUMS: what a release's folder holds, with digests that prove it. Pure."""

import hashlib
import json
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Protocol

from labeling import strict_json

MANIFEST = "RELEASE_MANIFEST.json"
SUMS = "SHA256SUMS"
SCHEMA_VERSION = 1
_CHUNK = 1 << 20


class NoManifest(Exception):
    """A folder that is no release: the manifest is missing or cannot be read. The message says which."""


class Readable(Protocol):
    """Whatever can be read in pieces: an open file, here or in storage."""

    def read(self, size: int, /) -> bytes: ...


@dataclass(frozen=True, slots=True)
class FileFacts:
    """One file of a folder. `rows` is None for what is no table; `holds_gold`: it tells preferred items."""

    path: str
    sha256: str
    n_bytes: int
    rows: int | None = None
    holds_gold: bool = False

    def as_json(self) -> dict[str, object]:
        """Its entry in the manifest."""
        return {
            "path": self.path,
            "sha256": self.sha256,
            "bytes": self.n_bytes,
            "rows": self.rows,
            "holds_gold": self.holds_gold,
        }


def sha256_of(file: Readable) -> tuple[str, int]:
    """Digest and length of what is left to read of `file`, read in pieces."""
    digest, n_bytes = hashlib.sha256(), 0
    while piece := file.read(_CHUNK):
        digest.update(piece)
        n_bytes += len(piece)
    return digest.hexdigest(), n_bytes


def file_facts(folder: Path, path: str, rows: int | None = None, holds_gold: bool = False) -> FileFacts:
    """Measure one file of `folder`."""
    with (folder / path).open("rb") as file:
        sha256, n_bytes = sha256_of(file)
    return FileFacts(path, sha256, n_bytes, rows, holds_gold)


def write_manifest(folder: Path, head: Mapping[str, object], files: Iterable[FileFacts]) -> list[FileFacts]:
    """Write manifest and sums for `files`, which lie in `folder`. Returns the facts of all files, by path."""
    listed = sorted(files, key=lambda facts: facts.path)
    document = {"manifest": "tastebench_release", "schema_version": SCHEMA_VERSION, **head}
    document["files"] = [facts.as_json() for facts in listed]
    strict_json.write(folder / MANIFEST, document)
    listed.append(file_facts(folder, MANIFEST))
    (folder / SUMS).write_bytes(sums_text(listed).encode())
    listed.append(file_facts(folder, SUMS))
    return sorted(listed, key=lambda facts: facts.path)


def sums_text(files: Iterable[FileFacts]) -> str:
    """SHA256SUMS as `sha256sum --check` reads it, by path."""
    return "".join(f"{facts.sha256}  {facts.path}\n" for facts in sorted(files, key=lambda facts: facts.path))


def read_manifest(folder: Path) -> tuple[dict[str, Any], list[FileFacts]]:
    """The manifest's document and the facts it states of each file. Raises NoManifest."""
    path = folder / MANIFEST
    if not path.is_file():
        raise NoManifest(f"{MANIFEST} is not in the folder; name the folder that an export wrote.")
    try:
        document = json.loads(path.read_bytes())
        if document["schema_version"] != SCHEMA_VERSION:
            raise NoManifest(
                f"{MANIFEST} has schema version {document['schema_version']}; "
                f"this program reads {SCHEMA_VERSION}."
            )
        files = [_facts_of(entry) for entry in document["files"]]
    except (ValueError, KeyError, TypeError, RecursionError) as error:
        raise NoManifest(f"{MANIFEST} cannot be read ({type(error).__name__}: {error}).") from error
    return document, files


def _facts_of(entry: dict[str, Any]) -> FileFacts:
    """One entry of the manifest. A folder may come from anywhere, so its parts are checked."""
    path, sha256, n_bytes, rows = entry["path"], entry["sha256"], entry["bytes"], entry["rows"]
    if not (isinstance(path, str) and path.isprintable() and isinstance(sha256, str)):
        raise TypeError(f"{path!r} with sha256 {sha256!r} names no file")
    if not (isinstance(n_bytes, int) and (rows is None or isinstance(rows, int))):
        raise TypeError(f"the size of {path} is no number")
    return FileFacts(path, sha256, n_bytes, rows, bool(entry["holds_gold"]))
