"""Read a contract table from CSV or Parquet, losing nothing and guessing nothing."""

from collections.abc import Iterable, Mapping
from itertools import islice
from pathlib import Path
from typing import BinaryIO

import numpy as np
import pyarrow as pa

from labeling.tables.checks import check_cells, check_key
from labeling.tables.contract import EXTENSIBLE, VOCABULARY, Table
from labeling.tables.dialect import unescape_column
from labeling.tables.encoding import Text, to_utf8
from labeling.tables.errors import ErrorLog
from labeling.tables.explain import Cells, Scanner
from labeling.tables.fast import Body, read_body, read_head
from labeling.tables.frame import Frame
from labeling.tables.header import check_header, unknown_columns
from labeling.tables.parquet import PARQUET_MAGIC, read_parquet

_BATCH = 65_536

Source = Path | bytes | BinaryIO


def read_table(
    source: Source,
    table: Table,
    name: str | None = None,
    *,
    vocabulary: Mapping[str, Iterable[str]] | None = None,
) -> Frame:
    """Read a whole table, or refuse it with every fault found.

    ``source`` is a path, bytes, or a file open for reading bytes; what starts with ``PAR1`` is read as
    Parquet, all else as CSV. ``name`` stands in messages (by default the path's name). ``vocabulary``
    replaces extensible lists, such as ``{"license": [...]}`` or ``{"data_origin": [...]}``.

    Every cell is kept as the text in the file; only the spreadsheet-safe dialect is undone in CSV text cells.
    Raises TableErrors (first 200 faults, all counted), OSError when the file cannot be read, and ValueError
    for a vocabulary that is closed.
    """
    words = _vocabulary(vocabulary)
    raw = read_bytes(source)
    label = name or source_name(source, table.name)
    log = ErrorLog()
    if raw.startswith(PARQUET_MAGIC):
        frame = read_parquet(raw, table, label, log)
    else:
        frame = _read_csv(to_utf8(raw, label), table, label, log)
    check_cells(frame, words, log)
    check_key(frame, log)
    log.raise_if_any()
    return frame


def read_cells(source: Source, name: str | None = None) -> Cells:
    """Header and rows of any CSV file by the exact scanner, no contract asked.

    Raises TableErrors for whatever RFC 4180 does not admit.
    """
    label = name or source_name(source, "table.csv")
    log = ErrorLog()
    cells = Scanner(to_utf8(read_bytes(source), label), label, log).scan()
    log.raise_if_any()
    return cells


def read_bytes(source: Source) -> bytes:
    """All bytes of a source; a file object is read from its start."""
    if isinstance(source, bytes):
        return source
    if isinstance(source, Path):
        return source.read_bytes()
    source.seek(0)
    return source.read()


def source_name(source: Source, default: str) -> str:
    """A name for messages: the last part of a path, never a folder of the machine."""
    given = source if isinstance(source, Path) else getattr(source, "name", None)
    return Path(given).name if isinstance(given, str | Path) else default


def _vocabulary(given: Mapping[str, Iterable[str]] | None) -> dict[str, tuple[str, ...]]:
    words = dict(VOCABULARY)
    for name, values in (given or {}).items():
        if name not in EXTENSIBLE:
            raise ValueError(f"the list {name!r} is closed; these can be extended: {', '.join(EXTENSIBLE)}")
        words[name] = tuple(values)
    return words


def _read_csv(text: Text, table: Table, name: str, log: ErrorLog) -> Frame:
    head = read_head(text)
    body: Body | None = None
    if head and len(set(head.names)) == len(head.names):
        body = read_body(
            text, head, [index for index, known in enumerate(head.names) if known in table.names]
        )
    if head and body:
        names, first_line = head.names, head.line
    else:
        scanner = Scanner(text, name, log)
        names, first_line = scanner.read_header(), 2
        body = _scanned_body(scanner)
    if names:
        check_header(names, table, name, log)
    columns = {names[index]: column for index, column in body.columns.items() if names[index] in table.names}
    if b"'" in text.data:
        columns = {
            known: column if table[known].is_number else unescape_column(column)
            for known, column in columns.items()
        }
    return Frame(
        table,
        name,
        columns,
        body.n_rows,
        first_line=first_line,
        lines=body.lines,
        warnings=unknown_columns(names, table, name),
    )


def _scanned_body(scanner: Scanner) -> Body:
    """All sound rows of a scanner, moved into Arrow a batch at a time to save room."""
    indices = range(len(scanner.header))
    chunks: list[list[pa.Array]] = [[] for _ in indices]
    lines: list[int] = []
    rows = scanner.rows()
    while batch := list(islice(rows, _BATCH)):
        lines += [line for line, _ in batch]
        for index in indices:
            chunks[index].append(pa.array([row[index] for _, row in batch], pa.string()))
    columns = {index: pa.chunked_array(chunks[index], pa.string()) for index in indices}
    return Body(columns, len(lines), np.array(lines, np.int64))
