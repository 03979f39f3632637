"""A folder with `bench_items` and `bench_pairs`, read and checked against itself and the database."""

from collections import Counter
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import pyarrow as pa
from django.db.models import QuerySet
from django.utils.translation import gettext as _

from labeling.chunks import chunks
from labeling.importing.lengths import check_lengths, fields_of
from labeling.models import DataOrigin, Item, License, Pair
from labeling.tables import BENCH_ITEMS, BENCH_PAIRS, Frame, Table, TableErrors, read_table
from labeling.tables.errors import ErrorLog
from labeling.tables.payload import PayloadError, parse_payload, resolve_inside
from labeling.tables.references import check_bench

ITEM_COLUMNS = ("domain", "uri_or_payload_ref", "era_tag", "circle_tags", "license", "data_origin")
PAIR_COLUMNS = tuple(name for name in BENCH_PAIRS.names if name != "pair_id")
LOOKUP = 500
"""Ids that one query asks for."""


class FolderIncomplete(Exception):
    """The folder does not hold the tables an import needs; the message says what to add."""


@dataclass(frozen=True)
class Folder:
    """Checked tables of one folder. `new_items` and `new_pairs` index rows that the database lacks."""

    path: Path
    items: Frame | None
    pairs: Frame | None
    new_items: list[int]
    new_pairs: list[int]
    warnings: tuple[str, ...] = field(default=())

    def summary(self) -> dict[str, Any]:
        """Figures for the preview: strict JSON."""
        return {
            "n_items": len(self.items or ()),
            "n_pairs": len(self.pairs or ()),
            "new_items": len(self.new_items),
            "new_pairs": len(self.new_pairs),
            "domains": _counts(self.pairs if self.pairs is not None else self.items, "domain"),
            "splits": _counts(self.pairs, "split"),
            "difficulties": _counts(self.pairs, "difficulty"),
            "licenses": _counts(self.items, "license"),
            "data_origins": _counts(self.items if self.items is not None else self.pairs, "data_origin"),
            "warnings": list(self.warnings),
        }


def read_folder(path: Path) -> Folder:
    """Read and check a folder. Raises TableErrors with every fault of the tables, or FolderIncomplete."""
    log = ErrorLog()
    items, pairs = (_read(path, table, log) for table in (BENCH_ITEMS, BENCH_PAIRS))
    log.raise_if_any()
    if items is None and pairs is None:
        raise FolderIncomplete(
            _("The folder holds no bench_items.csv and no bench_pairs.csv (or .parquet); add one of them.")
        )
    if pairs is not None:
        try:
            check_bench(_known_items(items, pairs), pairs)
        except TableErrors as refused:
            _note(refused, log)
    for frame, model in ((items, Item), (pairs, Pair)):
        if frame is not None:
            check_lengths(frame, fields_of(model), log)
    new_items = _new_items(items, log)
    _check_files(path, items, new_items, log)
    new_pairs = _new_pairs(pairs, log)
    log.raise_if_any()
    warnings = tuple(warning for frame in (items, pairs) if frame is not None for warning in frame.warnings)
    return Folder(path, items, pairs, new_items, new_pairs, warnings)


def _check_files(path: Path, items: Frame | None, new_items: list[int], log: ErrorLog) -> None:
    """Every file that a new item names is there; what is in it is seen when it is prepared."""
    if items is None:
        return
    references = items.text("uri_or_payload_ref")
    for row in new_items:
        try:
            if parse_payload(references[row]).kind == "file":
                resolve_inside(path, references[row])
        except PayloadError as refusal:
            log.add(items.error(row, "uri_or_payload_ref", refusal.what, refusal.cure))


def _note(refused: TableErrors, log: ErrorLog) -> None:
    """Put the errors of refused tables beside those of other checks, to be told all at once."""
    for error in refused.errors:
        log.add(error)
    log.count(refused.total - len(refused.errors))


def _read(path: Path, table: Table, log: ErrorLog) -> Frame | None:
    found = [name for ending in ("csv", "parquet") if (path / (name := f"{table.name}.{ending}")).is_file()]
    if len(found) > 1:
        raise FolderIncomplete(
            _("The folder holds both %(csv)s and %(parquet)s; keep one.")
            % {"csv": found[0], "parquet": found[1]}
        )
    if not found:
        return None
    vocabulary = {
        "license": list(License.objects.values_list("spdx", flat=True)),
        "data_origin": list(DataOrigin.objects.values_list("code", flat=True)),
    }
    try:
        return read_table(path / found[0], table, name=found[0], vocabulary=vocabulary)
    except TableErrors as refused:
        _note(refused, log)
        return None


def _known_items(items: Frame | None, pairs: Frame) -> Frame:
    """Ids and domains of the folder's items and of those imported before that its pairs name."""
    known = dict(zip(items.text("item_id"), items.text("domain"), strict=True)) if items is not None else {}
    named = {*pairs.text("item_a"), *pairs.text("item_b")} - known.keys()
    if named:
        known |= dict(_stored(Item.objects.published(), "item_id", named, ("item_id", "domain")))
    columns = {
        "item_id": pa.chunked_array([list(known.keys())], pa.string()),
        "domain": pa.chunked_array([list(known.values())], pa.string()),
    }
    return Frame(BENCH_ITEMS, "bench_items.csv" if items is None else items.name, columns, len(known))


def _new_items(items: Frame | None, log: ErrorLog) -> list[int]:
    if items is None:
        return []
    columns = ("item_id", "domain", "payload_ref", "era_tag", "circle_tags", "license_id", "data_origin_id")
    stored = {
        item_id: rest
        for item_id, *rest in _stored(Item.objects.published(), "item_id", items.text("item_id"), columns)
    }
    return _unknown_rows(items, "item_id", ITEM_COLUMNS, stored, log)


def _new_pairs(pairs: Frame | None, log: ErrorLog) -> list[int]:
    if pairs is None:
        return []
    columns = (
        "pair_id",
        "domain",
        "item_a__item_id",
        "item_b__item_id",
        "condition_era",
        "condition_circle",
        "pair_group_id",
        "cue_type",
        "difficulty",
        "split",
        "agreement",
        "n_raters",
        "data_origin_id",
        "brief",
    )
    stored = {
        pair_id: rest
        for pair_id, *rest in _stored(Pair.objects.published(), "pair_id", pairs.text("pair_id"), columns)
    }
    new = _unknown_rows(pairs, "pair_id", PAIR_COLUMNS, stored, log)
    _check_not_paired_before(pairs, new, log)
    return new


def _stored(rows: QuerySet[Any], key: str, ids: Iterable[str], columns: tuple[str, ...]) -> Iterator[Any]:
    """`columns` of those of `rows` whose `key` is among `ids`: what is asked for, not the whole table."""
    for some in chunks(list(ids), LOOKUP):
        yield from rows.filter(**{f"{key}__in": some}).values_list(*columns)


def _unknown_rows(
    frame: Frame, key: str, columns: tuple[str, ...], stored: dict[str, list[str]], log: ErrorLog
) -> list[int]:
    """Rows whose key is not stored. A stored key with other cells is an error: rows never change."""
    texts = [frame.text(column) for column in columns]
    new = []
    for row, identity in enumerate(frame.text(key)):
        known = stored.get(identity)
        if known is None:
            new.append(row)
            continue
        for column, cells, before in zip(columns, texts, known, strict=True):
            if cells[row] != before:
                log.add(
                    frame.error(
                        row,
                        column,
                        _("%(id)s was imported before with “%(before)s” here")
                        % {"id": identity, "before": before[:80]},
                        _("Give the changed row a new id; imported rows never change"),
                    )
                )
    return new


def _check_not_paired_before(pairs: Frame, new: list[int], log: ErrorLog) -> None:
    """The same two items under the same conditions make one pair, over all imports."""
    columns = [pairs.text(name) for name in ("item_a", "item_b", "condition_era", "condition_circle")]
    # A stored pair of the same two items begins with one of them.
    named = {column[row] for column in columns[:2] for row in new}
    wanted = ("pair_id", "item_a__item_id", "item_b__item_id", "condition_era", "condition_circle")
    stored = {
        (frozenset((item_a, item_b)), era, circle): pair_id
        for pair_id, item_a, item_b, era, circle in _stored(
            Pair.objects.published(), "item_a__item_id", named, wanted
        )
    }
    for row in new:
        item_a, item_b, era, circle = (column[row] for column in columns)
        before = stored.get((frozenset((item_a, item_b)), era, circle))
        if before is not None:
            log.add(
                pairs.error(
                    row, "item_a", _("these items are paired before, as %s") % before, _("Leave the row out")
                )
            )


def _counts(frame: Frame | None, column: str) -> dict[str, int]:
    return dict(sorted(Counter(frame.text(column)).items())) if frame is not None else {}
