"""Is a release's folder what was published? Hash every file, recompute the labels from the events. Pure."""

import json
from collections.abc import Collection, Iterator
from itertools import chain
from pathlib import Path
from typing import Any

import pyarrow.compute as pc

from gold.current import BrokenChain
from gold.labels import derive_labels
from gold.release_manifest import MANIFEST, SUMS, FileFacts, file_facts, read_manifest, sums_text
from gold.release_tables import (
    Terms,
    aggregate_cells,
    as_frame,
    derive_judgments,
    release_report,
)
from gold.release_tables import gold_cells as cells_of_gold
from gold.release_tables import pair_cells as cells_of_pairs
from gold.report import SCHEMA_VERSION
from labeling.tables import (
    BENCH_GOLD,
    BENCH_ITEMS,
    BENCH_PAIRS,
    JUDGMENT_EVENTS,
    JUDGMENTS,
    LABEL_AGGREGATES,
    Frame,
    Table,
    TableErrors,
    read_table,
)
from labeling.tables.contract import EXTENSIBLE
from labeling.tables.references import check_bench

TABLES = (BENCH_ITEMS, BENCH_PAIRS, BENCH_GOLD, LABEL_AGGREGATES, JUDGMENT_EVENTS, JUDGMENTS)
FORMATS = ("csv", "parquet")
BESIDE_EVENTS = {"note"}
"""Columns that `judgment_events` does not hold, so they cannot be recomputed: the hash alone guards them."""


class Contradiction(Exception):
    """The folder's terms cannot be recomputed; the message names the file and the reason."""


def verify_folder(folder: Path, digest: str | None = None) -> list[str]:
    """Every way in which `folder` differs from what its manifest and its events say; empty when none.

    `digest` is the published sha256 of the manifest: without it a folder is only checked against itself.
    Raises NoManifest when there is nothing to check against.
    """
    document, files = read_manifest(folder)
    problems = list(_changed_files(folder, files, digest))
    try:
        problems += _recomputed(folder, document)
    except (Contradiction, TableErrors, BrokenChain) as error:
        problems.append(f"labels cannot be recomputed: {error}")
    except OSError as error:
        name = Path(error.filename or "a file").name
        reason = "is missing" if isinstance(error, FileNotFoundError) else f"cannot be read: {error.strerror}"
        problems.append(f"labels cannot be recomputed: {name} {reason}")
    return problems


def terms_of(document: dict[str, Any]) -> Terms:
    """What a manifest says of all its release's labels. Raises Contradiction."""
    try:
        terms = Terms(
            tier=document["tier"],
            rubric_id=document["rubric_id"],
            min_raters=document["min_raters"],
            rounds=tuple(entry["slug"] for entry in document["rounds"]),
            vocabulary={name: tuple(words) for name, words in document["vocabulary"].items()},
        )
    except (KeyError, TypeError, AttributeError) as error:
        raise Contradiction(f"{MANIFEST} is not as exports write it ({error})") from error
    words = [terms.tier, terms.rubric_id, *terms.rounds, *chain.from_iterable(terms.vocabulary.values())]
    if not all(isinstance(word, str) for word in words) or type(terms.min_raters) is not int:
        raise Contradiction(
            f"{MANIFEST} states a tier, rubric, round, word or minimum of raters that is none"
        )
    if not terms.vocabulary.keys() <= set(EXTENSIBLE):
        raise Contradiction(f"{MANIFEST} extends a list that is closed ({', '.join(terms.vocabulary)})")
    return terms


def _changed_files(folder: Path, files: list[FileFacts], digest: str | None) -> Iterator[str]:
    manifest = file_facts(folder, MANIFEST)
    if digest is not None and manifest.sha256 != digest:
        yield f"{MANIFEST}: changed (sha256 {manifest.sha256}, published {digest})"
    root = folder.resolve()
    for stated in files:
        path = folder / stated.path
        if not path.resolve().is_relative_to(root):
            yield f"{stated.path}: leads out of the folder"
        elif not path.is_file():
            yield f"{stated.path}: missing"
        else:
            found = file_facts(folder, stated.path)
            if found.sha256 != stated.sha256:
                yield f"{stated.path}: changed (sha256 {found.sha256}, manifest {stated.sha256})"
            elif found.n_bytes != stated.n_bytes:
                yield f"{stated.path}: has {found.n_bytes} bytes, the manifest says {stated.n_bytes}"
    sums = folder / SUMS
    if not sums.is_file():
        yield f"{SUMS}: missing"
    elif sums.read_bytes() != sums_text([*files, manifest]).encode():
        yield f"{SUMS}: changed"
    known = {stated.path for stated in files} | {MANIFEST, SUMS}
    for path in sorted(folder.rglob("*")):
        name = path.relative_to(folder).as_posix()
        # A link to a folder is not looked into, so it counts as a file that was added.
        if (path.is_symlink() or not path.is_dir()) and name not in known:
            yield f"{name}: added; it is not in the manifest"


def _recomputed(folder: Path, document: dict[str, Any]) -> list[str]:
    """Differences between stored tables and what the events give, and between a table's two formats."""
    terms = terms_of(document)
    problems: list[str] = []
    stored: dict[str, Frame] = {}
    for table in TABLES:
        csv, parquet = (_read(folder, table, suffix, terms) for suffix in FORMATS)
        problems += _difference(f"{table.name}.csv", csv, parquet, f"{table.name}.parquet")
        stored[table.name] = parquet
    check_bench(stored["bench_items"], stored["bench_pairs"])
    problems += _foreign_rounds(stored["judgment_events"], terms)
    pairs = stored["bench_pairs"]
    judgments = derive_judgments(stored["judgment_events"], terms)
    labels = derive_labels(pairs, judgments, terms.min_raters)
    for table, derived in (
        (JUDGMENTS, judgments),
        (LABEL_AGGREGATES, as_frame(LABEL_AGGREGATES, aggregate_cells(pairs, labels, terms), terms)),
        (BENCH_GOLD, as_frame(BENCH_GOLD, cells_of_gold(pairs, labels, terms), terms)),
        (BENCH_PAIRS, as_frame(BENCH_PAIRS, cells_of_pairs(pairs, labels), terms)),
    ):
        problems += _difference(table.name, stored[table.name], derived, "the events", but=BESIDE_EVENTS)
    problems += _report_difference(folder / "report.json", release_report(pairs, labels, terms))
    return problems


def _report_difference(path: Path, recomputed: dict[str, object]) -> list[str]:
    """Figures are compared, words are not: a later version of this program may say the same in other words,
    and a later schema hold other figures. The hash guards every byte."""
    try:
        stored = json.loads(path.read_bytes())
        if stored["schema_version"] != SCHEMA_VERSION or _figures(stored) == _figures(recomputed):
            return []
    except (ValueError, KeyError, TypeError) as error:
        return [f"{path.name}: cannot be read as a report ({type(error).__name__})"]
    return [f"{path.name}: holds other figures than the events give"]


def _figures(value: Any) -> Any:
    """A document without its texts."""
    if isinstance(value, dict):
        return {key: _figures(inner) for key, inner in value.items() if not isinstance(inner, str)}
    if isinstance(value, list):
        return [_figures(inner) for inner in value if not isinstance(inner, str)]
    return value


def _read(folder: Path, table: Table, suffix: str, terms: Terms) -> Frame:
    return read_table(folder / f"{table.name}.{suffix}", table, vocabulary=terms.vocabulary)


def _foreign_rounds(events: Frame, terms: Terms) -> list[str]:
    codes, slugs = events.encoded("round")
    foreign = sorted(set(slugs.to_pylist()) - set(terms.rounds)) if len(codes) else []
    return [f"judgment_events: holds events of {slug}, which is no round of the release" for slug in foreign]


def _difference(
    name: str, found: Frame, expected: Frame, source: str, but: Collection[str] = ()
) -> list[str]:
    """The first cell in which two frames of one table differ, and how many rows do, in a sentence."""
    if len(found) != len(expected):
        return [f"{name}: has {len(found)} rows; by {source} it has {len(expected)}"]
    key = found.table.key[-1]
    for column in (column for column in found.table.names if column not in but):
        differs = pc.not_equal(found.column(column), expected.column(column))
        n = pc.sum(differs).as_py() or 0
        if n:
            row = pc.index(differs, True).as_py()
            identifier, there, here = (
                frame.column(cells)[row].as_py()
                for frame, cells in ((found, key), (found, column), (expected, column))
            )
            return [
                f"{name}: {column} of {key} {identifier!r} is {there!r}; by {source} it is {here!r} "
                f"({n} rows differ)"
            ]
    return []
