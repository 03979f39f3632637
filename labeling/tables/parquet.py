"""Parquet files of the contract tables: text raw, numbers and booleans typed, no time stamps."""

from collections.abc import Sequence
from typing import Any, BinaryIO

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc
import pyarrow.parquet as pq

from labeling.tables.contract import Column, Kind, Table
from labeling.tables.errors import SHOWN, CellError, ErrorLog, TableErrors
from labeling.tables.frame import Frame
from labeling.tables.header import check_header, unknown_columns
from labeling.tables.numbers import column_text

PARQUET_MAGIC = b"PAR1"
ROW_GROUP = 65_536
MAX_BYTES = 2_000_000_000
"""What the cells of one file may take in memory: a small file can name one long cell a billion times."""

_TYPES: dict[Kind, Any] = {"share": pa.float64(), "count": pa.int64(), "boolean": pa.bool_()}
_STORED: dict[Kind, str] = {
    "share": "numbers or strings",
    "count": "whole numbers or strings",
    "boolean": "booleans or strings",
    "text": "strings, as the ids were written",
    "choice": "strings",
    "timestamp": "strings in ISO 8601",
    "uuid": "strings",
    "payload": "strings",
}


def read_parquet(raw: bytes, table: Table, name: str, log: ErrorLog) -> Frame:
    """Read the contract's columns of a Parquet file; faults of header and types go to ``log``.

    Nulls are empty cells. Text must be stored as strings: a number in an id column has already lost what the
    id looked like. Raises TableErrors for a file that is no Parquet.
    """
    try:
        file = pq.ParquetFile(pa.BufferReader(raw))
        names = list(file.schema_arrow.names)
        whole = _read_known(raw, file.metadata, [known for known in table.names if known in names], name)
        whole.validate(full=True)
    # UnicodeDecodeError: a column's name that is no UTF-8.
    except (pa.ArrowException, OSError, UnicodeDecodeError) as error:
        reason = str(error).splitlines()[0]
        cure = "Write the file again, or send the table as CSV"
        raise TableErrors(
            [CellError(name, None, None, f"not readable as Parquet ({reason})", cure)]
        ) from error
    check_header(names, table, name, log)
    columns = {}
    for index, known in enumerate(whole.column_names):
        if known in columns:
            continue
        cells = _as_text(table[known], whole.column(index))
        if cells is None:
            what = f"the column is stored as {whole.column(index).type}"
            log.add(CellError(name, None, known, what, f"Store it as {_STORED[table[known].kind]}"))
        else:
            columns[known] = cells
    frame = Frame(
        table,
        name,
        columns,
        len(whole),
        first_line=1,
        place="row",
        warnings=unknown_columns(names, table, name),
    )
    _refuse_nul(frame, log)
    return frame


def _read_known(raw: bytes, metadata: Any, known: list[str], name: str) -> Any:
    """The columns `known` as a pyarrow.Table. Raises TableErrors when their cells would exceed MAX_BYTES."""
    # By row group only: pyarrow ends the process over what some damaged files say of a single column.
    groups = [metadata.row_group(index) for index in range(metadata.num_row_groups)]
    _refuse_large(8 * metadata.num_rows * len(known) + sum(group.total_byte_size for group in groups), name)
    # Cells that may be repeated are read as the file holds them, each once, to see how long they are in all.
    repeating = known if sum(group.num_rows * group.total_byte_size for group in groups) > MAX_BYTES else []
    file = pq.ParquetFile(pa.BufferReader(raw), read_dictionary=repeating)
    whole = file.read(columns=known)
    _refuse_large(sum(_written_out(chunk) for column in whole.columns for chunk in column.chunks), name)
    return whole


def _written_out(cells: Any) -> int:
    """Bytes of text that a dictionary of cells stands for; 0 for an array that is written out already."""
    kind = cells.type
    if not pa.types.is_dictionary(kind):
        return 0
    if not (pa.types.is_string(kind.value_type) or pa.types.is_large_string(kind.value_type)):
        return 0
    return int(pc.sum(pc.take(pc.binary_length(cells.dictionary), cells.indices)).as_py() or 0)


def _refuse_large(n_bytes: int, name: str) -> None:
    if n_bytes > MAX_BYTES:
        what = f"read, its cells take more than {MAX_BYTES:,} bytes"
        raise TableErrors([CellError(name, None, None, what, "Split the table, or shorten its cells")])


def _as_text(column: Column, cells: Any) -> Any:
    """The cells as strings, or None when their type does not fit the column."""
    kind = cells.type.value_type if pa.types.is_dictionary(cells.type) else cells.type
    if pa.types.is_string(kind) or pa.types.is_large_string(kind) or pa.types.is_string_view(kind):
        return pc.fill_null(pc.cast(cells, pa.string()), "")
    if pa.types.is_null(kind):
        return pa.chunked_array([pa.repeat("", len(cells))])
    if column.kind == "boolean" and pa.types.is_boolean(kind):
        return pc.fill_null(pc.cast(cells, pa.string()), "")
    if column.is_number and (pa.types.is_integer(kind) or pa.types.is_floating(kind)):
        return pa.chunked_array([column_text(chunk) for chunk in cells.chunks], pa.string())
    return None


def _refuse_nul(frame: Frame, log: ErrorLog) -> None:
    """NUL is refused in Parquet as in CSV: databases store no text that holds one."""
    for name in frame.columns:
        mask = pc.match_substring(frame.column(name), "\0")
        for row in np.flatnonzero(mask.to_numpy())[:SHOWN].tolist():
            log.add(frame.error(row, name, "a NUL character", "Remove it; no text holds one"))


class ParquetSink:
    """Writes batches of text as row groups of one size, so that batches leave no trace in the bytes."""

    def __init__(self, target: BinaryIO, columns: Sequence[Column]) -> None:
        self._columns = columns
        self._schema = pa.schema([(column.name, _TYPES.get(column.kind, pa.string())) for column in columns])
        self._writer = pq.ParquetWriter(target, self._schema, compression="zstd")
        self._waiting: list[Any] = []
        self._n_waiting = 0

    def write(self, cells: Sequence[Any]) -> None:
        """Take a batch: one pyarrow array of strings a column."""
        typed = [_typed(column, text) for column, text in zip(self._columns, cells, strict=True)]
        self._waiting.append(pa.table(typed, schema=self._schema))
        self._n_waiting += len(self._waiting[-1])
        while self._n_waiting >= ROW_GROUP:
            self._flush(ROW_GROUP)

    def close(self) -> None:
        """Write what is left, and the footer."""
        if self._n_waiting:
            self._flush(self._n_waiting)
        self._writer.close()

    def _flush(self, n_rows: int) -> None:
        whole = pa.concat_tables(self._waiting).combine_chunks()
        self._writer.write_table(whole.slice(0, n_rows), row_group_size=ROW_GROUP)
        rest = whole.slice(n_rows)
        self._waiting = [rest]
        self._n_waiting = len(rest)


def _typed(column: Column, text: Any) -> Any:
    if column.kind not in _TYPES:
        return text
    return pc.cast(pc.if_else(pc.equal(text, ""), None, text), _TYPES[column.kind])
