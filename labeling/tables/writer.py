"""Write a contract table to CSV or Parquet: streamed, in fixed order, the same data giving the same bytes."""

import os
import secrets
from collections.abc import Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from itertools import islice
from pathlib import Path
from typing import Any, BinaryIO, Literal, Protocol, cast

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

from labeling.tables.contract import Column, Table
from labeling.tables.dialect import escape_column
from labeling.tables.frame import Frame
from labeling.tables.numbers import column_text, number_text
from labeling.tables.parquet import ParquetSink

Cell = str | int | float | None
Format = Literal["csv", "parquet"]
_BATCH = 16_384


class _Sink(Protocol):
    def write(self, cells: Sequence[Any]) -> None: ...

    def close(self) -> None: ...


def write_table(
    target: Path | BinaryIO,
    table: Table,
    rows: Iterable[Mapping[str, Cell]] | Mapping[str, Any] | Frame,
    format: Format = "csv",
    columns: Sequence[str] | None = None,
) -> int:
    """Write rows in the order given and return their number; memory stays flat.

    ``rows`` is an iterable of mappings, a Frame, or a mapping from column name to a whole column (pyarrow
    array, numpy array or list; quickest). None is an empty cell. ``columns`` restricts to these of the
    contract's columns; the default is all of them, of a Frame those it has. Order is always the contract's.
    Cells are not checked against the contract; reading them back does that.

    A path is written beside itself first and replaced at the end, so that no reader meets half a table.
    Raises ValueError for a column the contract does not have, a needed one that is missing, NaN,
    and an unknown format.
    """
    if format not in ("csv", "parquet"):
        raise ValueError(f"unknown format {format!r}; use csv or parquet")
    chosen = _chosen(table, rows, columns)
    with _opened(target) as file:
        sink: _Sink = CsvSink(file, chosen) if format == "csv" else ParquetSink(file, chosen)
        n_rows = 0
        for batch in _batches(table, chosen, rows):
            sink.write(batch)
            n_rows += len(batch[0])
        sink.close()
    return n_rows


class CsvSink:
    """Writes batches of text columns as CSV: comma, LF, quotes only where a cell needs them."""

    def __init__(self, target: BinaryIO, columns: Sequence[Column]) -> None:
        self._target = target
        self._columns = columns
        target.write((",".join(column.name for column in columns) + "\n").encode())

    def write(self, cells: Sequence[Any]) -> None:
        """Take a batch: one pyarrow array of strings a column."""
        parts = [
            _quoted(text if column.is_number else escape_column(text), alone=len(cells) == 1)
            for column, text in zip(self._columns, cells, strict=True)
        ]
        ends = pa.repeat("", len(parts[0]))
        rows = pc.binary_join_element_wise(pc.binary_join_element_wise(*parts, ","), ends, "\n")
        _write_values(self._target, rows)

    def close(self) -> None:
        """Nothing is held back."""


def _quoted(cells: Any, *, alone: bool) -> Any:
    """Put quotes round cells that need them; an empty cell needs them where it is alone on its line."""
    needs = pc.match_substring_regex(cells, r'[",\r\n]')
    if alone:
        needs = pc.or_(needs, pc.equal(cells, ""))
    if not pc.any(needs).as_py():
        return cells
    doubled = pc.replace_substring(cells, '"', '""')
    return pc.if_else(needs, pc.binary_join_element_wise('"', doubled, '"', ""), cells)


def _write_values(target: BinaryIO, texts: Any) -> None:
    """Write the bytes of a string array end to end, straight from its buffer."""
    if not len(texts):
        return
    offsets = np.frombuffer(texts.buffers()[1], np.int32)
    first, last = int(offsets[texts.offset]), int(offsets[texts.offset + len(texts)])
    target.write(texts.buffers()[2].slice(first, last - first))


def _chosen(table: Table, rows: object, columns: Sequence[str] | None) -> list[Column]:
    if columns is None:
        columns = rows.columns if isinstance(rows, Frame) else table.names
    unknown = [name for name in columns if name not in table.names]
    if unknown:
        raise ValueError(f"{table.name} has no column {', '.join(unknown)}")
    return [column for column in table.columns if column.name in columns]


def _batches(
    table: Table, columns: Sequence[Column], rows: Iterable[Mapping[str, Cell]] | Mapping[str, Any] | Frame
) -> Iterator[list[Any]]:
    """Columns of strings, batch by batch."""
    if isinstance(rows, Frame):
        rows = {column.name: rows.column(column.name) for column in columns}
    if isinstance(rows, Mapping):
        yield from _slices(table, columns, cast("Mapping[str, Any]", rows))
        return
    waiting = iter(rows)
    while batch := list(islice(waiting, _BATCH)):
        _check_names(table, columns, {name for row in batch for name in row})
        yield [_text_column(column, [row.get(column.name) for row in batch]) for column in columns]


def _slices(table: Table, columns: Sequence[Column], whole: Mapping[str, Any]) -> Iterator[list[Any]]:
    _check_names(table, columns, set(whole))
    lengths = {len(values) for values in whole.values()}
    if len(lengths) > 1:
        raise ValueError(f"columns of different lengths: {', '.join(map(str, sorted(lengths)))}")
    n_rows = max(lengths, default=0)
    for start in range(0, n_rows, _BATCH):
        n = min(_BATCH, n_rows - start)
        yield [
            _text_column(
                column, whole[column.name][start : start + n] if column.name in whole else [None] * n
            )
            for column in columns
        ]


def _check_names(table: Table, columns: Sequence[Column], given: set[str]) -> None:
    unknown = sorted(given - set(table.names))
    if unknown:
        raise ValueError(f"{table.name} has no column {', '.join(unknown)}")
    missing = [column.name for column in columns if not column.optional and column.name not in given]
    if missing:
        raise ValueError(f"{table.name} needs {', '.join(missing)}")


def _text_column(column: Column, values: Any) -> Any:
    """Values of any allowed type as an array of strings."""
    if isinstance(values, list):
        return pa.array([_text(value) for value in values], pa.string())
    cells = values.combine_chunks() if isinstance(values, pa.ChunkedArray) else pa.array(values)
    if pa.types.is_floating(cells.type) or pa.types.is_integer(cells.type):
        if pc.any(pc.invert(pc.is_finite(cells))).as_py():
            raise ValueError(f"{column.name} holds NaN or infinity; leave the cell empty (null)")
        return column_text(cells)
    return pc.fill_null(pc.cast(cells, pa.string()), "")


def _text(value: Cell) -> str:
    if isinstance(value, str):
        return value
    if value is None:
        return ""
    if isinstance(value, bool):
        return "true" if value else "false"
    return number_text(value)


@contextmanager
def _opened(target: Path | BinaryIO) -> Iterator[BinaryIO]:
    if not isinstance(target, Path):
        yield target
        return
    part = target.with_name(f".{target.name}.{secrets.token_hex(4)}.part")
    try:
        with part.open("xb") as file:
            yield file
            file.flush()
            os.fsync(file.fileno())
        part.replace(target)
    finally:
        part.unlink(missing_ok=True)
