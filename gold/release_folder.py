"""Writing a release's folder: the contract tables, the rubric, the report, the manifest.

Everything in it follows from the rounds' rows and from the release's own row, so writing it again gives the
same bytes. Original files and renditions of items are not part of it: `bench_items` holds references.
"""

import tomllib
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from importlib.metadata import PackageNotFoundError, version
from pathlib import Path
from typing import Any

import pyarrow.compute as pc
import pyarrow.parquet as pq
from django.utils.translation import gettext as _

from gold import judgments, release_tables
from gold.labels import Labels, derive_labels
from gold.models import Release
from gold.provenance import ARCHIVAL_TIER
from gold.release_manifest import FileFacts, file_facts, write_manifest
from gold.release_tables import Cells, Terms
from labeling import strict_json
from labeling.models import Round
from labeling.progress import Progress
from labeling.rubrics import rubric_json
from labeling.tables import (
    BENCH_GOLD,
    BENCH_ITEMS,
    BENCH_PAIRS,
    JUDGMENT_EVENTS,
    JUDGMENTS,
    LABEL_AGGREGATES,
    Frame,
    Table,
    read_table,
    write_table,
)

HOLDS_GOLD = {table.name for table in (BENCH_GOLD, LABEL_AGGREGATES, JUDGMENT_EVENTS, JUDGMENTS)}
"""Tables that tell which item was preferred; the others can be given to whoever predicts."""


@dataclass(frozen=True, slots=True)
class Folder:
    """What was written: the facts of every file, and the figures that the release's row shows."""

    files: list[FileFacts]
    n_pairs: int
    n_gold: int
    n_events: int


def build_folder(release: Release, folder: Path, progress: Progress) -> Folder:
    """Write the whole folder of `release` into the empty `folder`.

    Events are read from the database once, so every table rests on the same moment; all else is derived from
    the events table as written. Raises TableErrors, BrokenChain.
    """
    rounds = list(release.rounds.select_related("rubric").order_by("created_at", "pk"))
    terms = terms_of(rounds)
    progress.step(_("Reading pairs and items"), 2)
    items = _write(folder, BENCH_ITEMS, judgments.item_rows(rounds), terms)
    progress.advance()
    declared = release_tables.as_frame(BENCH_PAIRS, judgments.pair_rows(rounds), terms)
    progress.advance()
    progress.step(_("Reading judgments"), judgments.events_of(rounds).count())
    events = _write(folder, JUDGMENT_EVENTS, _counted(judgments.event_rows(rounds), progress), terms)
    progress.step(_("Aggregating"), 2)
    holding = release_tables.derive_judgments(events, terms, judgments.released_notes(rounds))
    progress.advance()
    labels = derive_labels(declared, holding, terms.min_raters)
    progress.advance()
    progress.step(_("Writing tables"), 4)
    for table, cells in _derived(declared, holding, labels, terms):
        _write(folder, table, cells, terms)
        progress.advance()
    strict_json.write(folder / "rubric.json", rubric_json(rounds[0].rubric))
    strict_json.write(folder / "report.json", release_tables.release_report(declared, labels, terms))
    progress.step(_("Hashing files"))
    states = release_tables.state_counts(labels)
    head = _head(release, rounds, terms) | {
        "vocabulary": _present(items, declared),
        "n_pairs": len(declared),
        "n_gold": states["gold"],
        "states": states,
    }
    return Folder(
        files=write_manifest(folder, head, _facts(folder)),
        n_pairs=len(declared),
        n_gold=states["gold"],
        n_events=len(events),
    )


def terms_of(rounds: list[Round]) -> Terms:
    """What the rounds of a release have in common; that they do is checked before promotion."""
    return Terms(
        tier=judgments.one_tier(rounds),
        rubric_id=rounds[0].rubric.rubric_id,
        min_raters=rounds[0].min_raters,
        rounds=tuple(judgments.round_order(rounds)),
        vocabulary=judgments.vocabulary(),
    )


def package_version() -> str:
    """Version of this software, as installed or, when run from a checkout, as its pyproject.toml states."""
    try:
        return version("tastebench")
    except PackageNotFoundError:
        project = tomllib.loads((Path(__file__).parents[1] / "pyproject.toml").read_text("utf-8"))
        return str(project["project"]["version"])


def _derived(
    declared: Frame, holding: Frame, labels: Labels, terms: Terms
) -> Iterator[tuple[Table, Frame | Cells]]:
    yield JUDGMENTS, holding
    yield BENCH_PAIRS, release_tables.pair_cells(declared, labels)
    yield LABEL_AGGREGATES, release_tables.aggregate_cells(declared, labels, terms)
    yield BENCH_GOLD, release_tables.gold_cells(declared, labels, terms)


def _write(folder: Path, table: Table, rows: Any, terms: Terms) -> Frame:
    """Write a table in both formats, with all of the contract's columns; the CSV from the Parquet file."""
    parquet = folder / f"{table.name}.parquet"
    write_table(parquet, table, rows, "parquet", columns=table.names)
    frame = read_table(parquet, table, vocabulary=terms.vocabulary)
    write_table(folder / f"{table.name}.csv", table, frame, "csv", columns=table.names)
    return frame


def _counted(rows: Iterable[judgments.Row], progress: Progress) -> Iterator[judgments.Row]:
    number = 0
    for number, row in enumerate(rows, start=1):
        yield row
        if number % 1000 == 0:
            progress.advance(1000)
    progress.advance(number % 1000)


def _facts(folder: Path) -> Iterator[FileFacts]:
    for path in sorted(folder.iterdir()):
        table = path.stem if path.suffix in {".csv", ".parquet"} else ""
        rows = pq.ParquetFile(path.with_suffix(".parquet")).metadata.num_rows if table else None
        yield file_facts(folder, path.name, rows, path.name == "report.json" or table in HOLDS_GOLD)


def _present(items: Frame, pairs: Frame) -> dict[str, list[str]]:
    """Licences and origins that occur: a reader elsewhere does not know what an admin added here."""
    origins = {*_values(items, "data_origin"), *_values(pairs, "data_origin")}
    return {"license": _values(items, "license"), "data_origin": sorted(origins)}


def _values(frame: Frame, column: str) -> list[str]:
    return sorted(pc.unique(frame.column(column)).to_pylist())


def _head(release: Release, rounds: list[Round], terms: Terms) -> dict[str, object]:
    return {
        "number": release.number,
        "title": release.title,
        "tier": terms.tier,
        "simulation": release.is_simulation,
        "archival": terms.tier == ARCHIVAL_TIER,
        "promoted_at": release.promoted_at.isoformat().replace("+00:00", "Z"),
        "canary": release.canary,
        "supersedes": release.supersedes.number if release.supersedes else None,
        "rubric_id": terms.rubric_id,
        "min_raters": terms.min_raters,
        "rounds": [
            {
                "slug": round_.slug,
                "name": round_.name,
                "seed": round_.seed,
                "raters_per_pair": round_.raters_per_pair,
                "repeat_share": float(round_.repeat_share),
            }
            for round_ in rounds
        ],
        "software": {"name": "tastebench", "version": package_version()},
    }
