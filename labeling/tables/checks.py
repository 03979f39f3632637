"""Checks of a whole table against its contract, a column at a time."""

from collections.abc import Sequence
from typing import Any

import numpy as np
import numpy.typing as npt
import pyarrow as pa
import pyarrow.compute as pc

from labeling.tables.contract import Column, Vocabulary
from labeling.tables.errors import SHOWN, ErrorLog, show
from labeling.tables.frame import Frame
from labeling.tables.values import SHAPES, explain, is_valid

Rows = npt.NDArray[np.int64]

_SHARE_BYTES = np.isin(np.arange(256), list(b"0123456789."))


def check_cells(frame: Frame, vocabulary: Vocabulary, log: ErrorLog) -> None:
    """Note every cell that its column does not admit."""
    for name in frame.columns:
        column = frame.table[name]
        choices = vocabulary[column.choices] if column.choices else ()
        rows = _invalid_rows(column, frame.column(name), choices)
        log.count(max(0, len(rows) - SHOWN))
        cells = frame.column(name).take(pa.array(rows[:SHOWN])).to_pylist()
        for row, cell in zip(rows[:SHOWN].tolist(), cells, strict=True):
            log.add(frame.error(row, name, *explain(column, cell, choices)))


def check_key(frame: Frame, log: ErrorLog) -> None:
    """Note every row whose key an earlier row has; each error names both lines."""
    absent = [name for name in frame.table.key if not frame.has(name)]
    key = [name for name in frame.table.key if name not in absent]
    if any(not frame.table[name].optional for name in absent) or _is_ascending(frame, key):
        return
    codes = _key_codes(frame, key)
    ranked = np.sort(codes)
    if not (ranked[1:] == ranked[:-1]).any():  # a plain sort is many times quicker than the stable one below
        return
    order = np.argsort(codes, kind="stable")
    again = np.flatnonzero(codes[order][1:] == codes[order][:-1]) + 1
    is_first = np.ones(len(order), bool)
    is_first[again] = False
    first_of = order[np.maximum.accumulate(np.where(is_first, np.arange(len(order)), 0))]
    again = again[np.argsort(order[again])]
    log.count(max(0, len(again) - SHOWN))
    names = " and ".join(key)
    for at in again[:SHOWN].tolist():
        row, first = int(order[at]), int(first_of[at])
        cells = " and ".join(show(frame.column(name)[row].as_py()) for name in key)
        what = f"{names} {cells}: {frame.place} {frame.line(first)} has the same"
        log.add(frame.error(row, key[0], what, "Keep one of the two"))


def _is_ascending(frame: Frame, key: Sequence[str]) -> bool:
    """A single key in strictly rising order cannot repeat; files often have it, and it is quick to see."""
    if len(key) != 1 or len(frame) < 2:
        return len(frame) < 2
    cells = frame.column(key[0])
    return bool(pc.all(pc.less(cells.slice(0, len(frame) - 1), cells.slice(1))).as_py())


def _key_codes(frame: Frame, key: Sequence[str]) -> Rows:
    """One integer a row, equal exactly where all key cells are."""
    codes = np.zeros(len(frame), np.int64)
    for name in key:
        more, values = frame.encoded(name)
        codes = codes * max(1, len(values)) + more
        if name != key[-1] and name != key[0]:
            codes = np.unique(codes, return_inverse=True)[1].astype(np.int64)
    return codes


def _invalid_rows(column: Column, cells: Any, choices: Sequence[str]) -> Rows:
    """0-based rows whose cell the column does not admit, rising."""
    if not len(cells) or (column.kind == "text" and column.may_be_empty):
        return np.zeros(0, np.int64)
    if column.kind == "text":
        return _where(pc.equal(cells, ""))
    if column.kind in ("choice", "boolean"):
        values = pc.unique(cells)
        bad = [value for value in values.to_pylist() if not is_valid(column, value, choices)]
        return _where(pc.is_in(cells, value_set=pa.array(bad, pa.string()))) if bad else np.zeros(0, np.int64)
    if column.kind == "share" and _are_plain_shares(cells, column.may_be_empty):
        return np.zeros(0, np.int64)
    suspect = _suspects(column, cells)
    found = cells.take(pa.array(suspect)).to_pylist()
    bad = [
        row for row, cell in zip(suspect.tolist(), found, strict=True) if not is_valid(column, cell, choices)
    ]
    return np.array(bad, np.int64)


def _suspects(column: Column, cells: Any) -> Rows:
    """Rows to look at one by one: all that are not valid, and few that are."""
    if column.kind == "payload":
        return np.arange(len(cells))
    shaped = pc.match_substring_regex(cells, rf"\A(?:{SHAPES[column.kind]})\z")
    suspect = pc.invert(shaped)
    if column.kind == "timestamp":
        suspect = pc.or_(suspect, pc.match_substring_regex(cells, r"\A(?:0000|.{8}(?:29|3))"))
    if column.kind == "share":
        suspect = pc.or_(suspect, pc.invert(pc.match_substring_regex(cells, r"\A0?\.")))
    if column.may_be_empty:
        suspect = pc.and_(suspect, pc.not_equal(cells, ""))
    return _where(suspect)


def _are_plain_shares(cells: Any, may_be_empty: bool) -> bool:
    """Quick proof that every cell is a share: digits and points only, read by Arrow as at most 1."""
    total = 0
    for chunk in cells.chunks:
        offsets = np.frombuffer(chunk.buffers()[1], np.int32)[chunk.offset : chunk.offset + len(chunk) + 1]
        if len(chunk) and offsets[-1] > offsets[0]:
            used = np.frombuffer(chunk.buffers()[2], np.uint8)[offsets[0] : offsets[-1]]
            if not _SHARE_BYTES[used].all():
                return False
        total += len(chunk)
    empty = pc.equal(cells, "")
    if pc.any(empty).as_py():
        if not may_be_empty:
            return False
        cells = pc.if_else(empty, "0", cells)
    try:
        numbers = pc.cast(cells, pa.float64())
    except pa.ArrowInvalid:
        return False
    return not total or bool(pc.max(numbers).as_py() <= 1)


def _where(mask: Any) -> Rows:
    if isinstance(mask, pa.ChunkedArray):
        mask = mask.combine_chunks()
    return np.flatnonzero(mask.to_numpy(zero_copy_only=False))
