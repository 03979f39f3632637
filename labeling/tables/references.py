"""Checks across tables: ids that must exist, choices that must be one of the pair's items, pairs that
repeat."""

from typing import Any, NamedTuple

import numpy as np
import numpy.typing as npt
import pyarrow as pa
import pyarrow.compute as pc

from labeling.tables.errors import SHOWN, ErrorLog, show
from labeling.tables.frame import Frame
from labeling.tables.lookalikes import lookalikes

STRANGERS = 20
"""From so many rows on, a table none of whose ids is known is told to be another one's in one line."""

Rows = npt.NDArray[np.int64]

ITEM_A, ITEM_B, ABSTAINED, NEITHER = 0, 1, -1, -2


class Resolved(NamedTuple):
    """Where each row points: ``pair`` is the row in the pairs table, ``choice`` 0 for item_a, 1 for item_b,
    -1 for an empty cell (None when no column of choices was asked for)."""

    pair: Rows
    choice: npt.NDArray[np.int8] | None


def rows_of(frame: Frame, column: str, target: Frame, target_column: str) -> Rows:
    """For each cell of ``frame`` the row of ``target`` that holds the same id (int64, -1 where none does)."""
    cells, ids = frame.column(column), target.column(target_column)
    if len(cells) == len(ids) and pc.all(pc.equal(cells, ids)).as_py():
        return np.arange(len(ids), dtype=np.int64)
    codes, values = frame.encoded(column)
    place = pc.fill_null(pc.index_in(values, value_set=ids.combine_chunks()), -1)
    places = np.asarray(place.to_numpy(zero_copy_only=False), np.int64)
    return places[codes] if len(values) else np.zeros(0, np.int64)


def choices_of(frame: Frame, column: str, pairs: Frame, pair: Rows) -> npt.NDArray[np.int8]:
    """Each cell of ``column`` as ITEM_A, ITEM_B, ABSTAINED (empty) or NEITHER, given the row of its pair.

    Rows whose pair is unknown (-1) are NEITHER unless empty.
    """
    result = np.full(len(frame), NEITHER, np.int8)
    cells = frame.column(column)
    if len(pairs):
        safe = pa.array(np.maximum(pair, 0))
        for code, side in ((ITEM_B, "item_b"), (ITEM_A, "item_a")):
            same = _mask(pc.equal(cells, pairs.column(side).take(safe)))
            result[same & (pair >= 0)] = code
    result[_mask(pc.equal(cells, ""))] = ABSTAINED
    return result


def check_pair_ids(
    frame: Frame, pairs: Frame, column: str = "pair_id", choice: str | None = None
) -> Resolved:
    """Resolve a table's pair ids, and with ``choice`` the items chosen.

    Raises TableErrors for pair ids that ``pairs`` does not have and for choices that are neither item of
    their pair. Predictions are checked without ``choice``: an item not of the pair counts as wrong there.
    """
    log = ErrorLog()
    pair = _resolve(frame, column, pairs, "pair_id", log)
    chosen = None
    if choice is not None:
        chosen = choices_of(frame, choice, pairs, pair)
        _note_foreign_choices(
            frame, choice, pairs, pair, np.flatnonzero((chosen == NEITHER) & (pair >= 0)), log
        )
    log.raise_if_any()
    return Resolved(pair, chosen)


def check_bench(items: Frame | None, pairs: Frame) -> None:
    """Check a benchmark's pairs, against its items when there are any.

    Raises TableErrors for an item paired with itself, a pair that repeats (same two items in either order,
    same conditions), an unknown item, and a pair whose domain is not that of its items.
    """
    log = ErrorLog()
    for row in _first(_mask(pc.equal(pairs.column("item_a"), pairs.column("item_b"))), log):
        what = f"item {show(_cell(pairs, 'item_a', row))} is paired with itself"
        log.add(pairs.error(row, "item_b", what, "Name two different items"))
    _check_repeated_pairs(pairs, log)
    if items is not None:
        for side in ("item_a", "item_b"):
            _check_domains(pairs, side, items, _resolve(pairs, side, items, "item_id", log), log)
    log.raise_if_any()


def check_weak(weak: Frame, pairs: Frame) -> None:
    """Check weak labels. Raises TableErrors for unknown pairs, items not of the pair, and rows for alignment
    whose pair is not in the train split."""
    log = ErrorLog()
    pair = _resolve(weak, "pair_id", pairs, "pair_id", log)
    chosen = choices_of(weak, "weak_preferred_id", pairs, pair)
    foreign = np.flatnonzero((chosen == NEITHER) & (pair >= 0))
    _note_foreign_choices(weak, "weak_preferred_id", pairs, pair, foreign, log)
    aligned = _mask(pc.equal(weak.column("use_as"), "alignment_only")) & (pair >= 0)
    in_train = _mask(pc.equal(pairs.column("split"), "train"))
    aligned[aligned] = ~in_train[pair[aligned]]
    for row in _first(aligned, log):
        split = _cell(pairs, "split", int(pair[row]))
        what = (
            f"pair {show(_cell(weak, 'pair_id', row))} is in split {split}, and alignment_only is for train"
        )
        log.add(weak.error(row, "use_as", what, "Write analysis_only, or remove the row"))
    log.raise_if_any()


def _resolve(frame: Frame, column: str, target: Frame, target_column: str, log: ErrorLog) -> Rows:
    """:func:`rows_of`, with a note for each id that is not found."""
    found = rows_of(frame, column, target, target_column)
    missing = found < 0
    if not missing.any():
        return found
    ids = {row: _cell(frame, column, row) for row in np.flatnonzero(missing)[:SHOWN].tolist()}
    hints = lookalikes(ids.values(), target.text(target_column))
    if len(found) >= STRANGERS and missing.all() and not hints:
        what = f"none of the {len(found)} rows has an id of {target.name}"
        log.add(frame.error(0, column, what, "Use the table that belongs to this bench or release"))
        return found
    log.count(int(missing.sum()) - len(ids))
    for row, cell in ids.items():
        what = f"{show(cell)} is not in {target.name}"
        log.add(
            frame.error(row, column, what, hints.get(cell, f"Add it to {target.name}, or correct the id"))
        )
    return found


def _note_foreign_choices(
    frame: Frame, column: str, pairs: Frame, pair: Rows, foreign: Rows, log: ErrorLog
) -> None:
    log.count(max(0, len(foreign) - SHOWN))
    for row in foreign[:SHOWN].tolist():
        items = [_cell(pairs, side, int(pair[row])) for side in ("item_a", "item_b")]
        cell = _cell(frame, column, row)
        name = show(_cell(pairs, "pair_id", int(pair[row])))
        what = f"{show(cell)} is neither item of pair {name} ({show(items[0])}, {show(items[1])})"
        cure = lookalikes([cell], items).get(cell, "Name one of the two, or leave the row out")
        log.add(frame.error(row, column, what, cure))


def _check_repeated_pairs(pairs: Frame, log: ErrorLog) -> None:
    """Note rows with the same two items, in either order, and the same conditions as an earlier row."""
    if len(pairs) < 2:
        return
    n_rows = len(pairs)
    both = pa.chunked_array([*pairs.column("item_a").chunks, *pairs.column("item_b").chunks], pa.string())
    codes = (
        pc.dictionary_encode(both).combine_chunks().indices.to_numpy(zero_copy_only=False).astype(np.int64)
    )
    a, b = codes[:n_rows], codes[n_rows:]
    key = np.minimum(a, b) * (int(codes.max()) + 1) + np.maximum(a, b)
    for name in ("condition_era", "condition_circle"):
        if pairs.has(name):
            more, values = pairs.encoded(name)
            if len(values) > 1:
                key = np.unique(key, return_inverse=True)[1].astype(np.int64) * len(values) + more
    ranked = np.sort(key)
    if not (ranked[1:] == ranked[:-1]).any():
        return
    _, first_of, group = np.unique(key, return_index=True, return_inverse=True)
    first = first_of[group]
    for row in _first(first != np.arange(n_rows), log):
        other = int(first[row])
        where = f"{show(_cell(pairs, 'pair_id', other))} on {pairs.place} {pairs.line(other)}"
        what = f"the same two items under the same conditions as pair {where}"
        log.add(pairs.error(row, "item_a", what, "Keep one of the two, or give them different conditions"))


def _check_domains(pairs: Frame, side: str, items: Frame, item: Rows, log: ErrorLog) -> None:
    if not len(items):
        return
    theirs = items.column("domain").take(pa.array(np.maximum(item, 0)))
    differs = _mask(pc.not_equal(pairs.column("domain"), theirs)) & (item >= 0)
    for row in _first(differs, log):
        own, other = _cell(pairs, "domain", row), _cell(items, "domain", int(item[row]))
        what = (
            f"the pair is in domain {show(own)}, its {side} {show(_cell(pairs, side, row))} in {show(other)}"
        )
        log.add(pairs.error(row, "domain", what, f"Correct the domain here or in {items.name}"))


def _first(mask: npt.NDArray[np.bool_], log: ErrorLog) -> list[int]:
    """The first 200 rows of a mask; the others are counted."""
    rows = np.flatnonzero(mask)
    log.count(max(0, len(rows) - SHOWN))
    first: list[int] = rows[:SHOWN].tolist()
    return first


def _cell(frame: Frame, column: str, row: int) -> str:
    return str(frame.column(column)[row].as_py())


def _mask(mask: Any) -> npt.NDArray[np.bool_]:
    return np.array(mask.to_numpy(), bool)
