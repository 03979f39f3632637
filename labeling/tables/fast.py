"""The fast path: Arrow's CSV parser, on files that are proven clean beforehand.

Arrow is lenient (a lone carriage return ends a row, a quote inside a cell is text, text after a closing
quote is glued on). So the bytes are checked first; whatever is not provably plain RFC 4180 is left to the
exact scanner.
"""

import codecs
from dataclasses import dataclass

import numpy as np
import numpy.typing as npt
import pyarrow as pa
import pyarrow.compute as pc
import pyarrow.csv

from labeling.tables.encoding import Text
from labeling.tables.errors import ErrorLog
from labeling.tables.explain import Scanner

_QUOTE, _COMMA, _LF, _CR = b'",\n\r'
_CHUNK = 1 << 24
_BLOCK = 1 << 22


@dataclass(frozen=True)
class Head:
    """The header's names, and where the rows start: byte offset and 1-based line."""

    names: list[str]
    offset: int
    line: int


@dataclass(frozen=True)
class Body:
    """Columns of strings by their index in the header, and where the rows start.

    ``lines`` is None where every row takes one line, else the 1-based line on which each row starts.
    """

    columns: dict[int, pa.ChunkedArray]
    n_rows: int
    lines: npt.NDArray[np.int64] | None


def read_head(text: Text) -> Head | None:
    """Read the header row; None when it is not plainly valid."""
    data = text.data
    end = data.find(b"\n")
    quotes = data.count(b'"', 0, max(end, 0))
    while end >= 0 and quotes % 2:
        start, end = end, data.find(b"\n", end + 1)
        quotes += data.count(b'"', start, max(end, start))
    end = len(data) if end < 0 else end + 1
    log = ErrorLog()
    cells = Scanner(Text(data[:end]), "", log).scan()
    if log.total or cells.rows:
        return None
    return Head(cells.header, end, data.count(b"\n", 0, end) + 1)


def read_body(text: Text, head: Head, wanted: list[int]) -> Body | None:
    """Read the wanted columns of the rows below ``head``, or None when the scanner must look at them."""
    data = text.data
    quotes = b'"' in data
    if len(head.names) < 2 or b"\0" in data:
        return None
    if data.startswith(codecs.BOM_UTF8, head.offset):  # Arrow would drop these bytes of the first cell
        return None
    if b"\r" in data and data.count(b"\r") != data.count(b"\r\n"):
        return None
    if quotes and not _quotes_are_plain(data):
        return None
    end = _end_of_rows(data, head.offset)
    if end <= head.offset:
        return Body({index: pa.chunked_array([], pa.string()) for index in wanted}, 0, None)
    # Columns that nobody wants are still converted where bytes that are not UTF-8, or line breaks, may hide
    # in them.
    needed = wanted if data.isascii() and not quotes else list(range(len(head.names)))
    table = _parse(data, head, end, quotes, needed)
    return None if table is None else _with_lines(table, data, head, end, needed, wanted)


def _end_of_rows(data: bytes, start: int) -> int:
    """Where the rows end: before one blank last line, if there is one."""
    for blank in (b"\r\n", b"\n"):
        cut = len(data) - len(blank)
        if cut >= start and data.endswith(blank) and (cut == start or data.endswith(b"\n", 0, cut)):
            return cut
    return len(data)


def _quotes_are_plain(data: bytes) -> bool:
    """Whether every quote is where RFC 4180 wants it.

    Count quotes from 0. In a plain file even ones open a cell (or are the second of a doubled quote, right
    behind an odd one) and odd ones close it (or are the first of a doubled one). So an even one must follow
    a comma, a line feed, the start or a quote; an odd one must precede a comma, a line end, the end or a
    quote; and their number is even. By induction over the quotes, files that pass are exactly the plain ones.
    """
    array = np.frombuffer(data, np.uint8)
    before_opening = np.isin(np.arange(256), (_COMMA, _LF, _QUOTE))
    after_closing = np.isin(np.arange(256), (_COMMA, _LF, _CR, _QUOTE))
    seen = 0
    for start in range(0, len(array), _CHUNK):
        places = np.flatnonzero(array[start : start + _CHUNK] == _QUOTE) + start
        opening, closing = places[seen % 2 :: 2], places[1 - seen % 2 :: 2]
        seen += len(places)
        if not before_opening[array[opening[opening > 0] - 1]].all():
            return False
        if not after_closing[array[closing[closing < len(array) - 1] + 1]].all():
            return False
    return seen % 2 == 0


def _parse(data: bytes, head: Head, end: int, quotes: bool, needed: list[int]) -> pa.Table | None:
    """Let Arrow split the rows; None when it will not (ragged rows, bad UTF-8, a giant cell)."""
    names = [str(index) for index in range(len(head.names))]
    rows = pa.py_buffer(data).slice(head.offset, end - head.offset)
    try:
        return pyarrow.csv.read_csv(
            pa.BufferReader(rows),
            read_options=pyarrow.csv.ReadOptions(column_names=names, block_size=_BLOCK),
            parse_options=pyarrow.csv.ParseOptions(
                quote_char='"' if quotes else False,
                double_quote=quotes,
                escape_char=False,
                newlines_in_values=quotes,
                # Skipped blank lines show in the count of lines below; kept, they would read as empty rows.
                ignore_empty_lines=True,
            ),
            convert_options=pyarrow.csv.ConvertOptions(
                check_utf8=True,
                column_types=dict.fromkeys(names, pa.string()),
                strings_can_be_null=False,
                include_columns=[str(index) for index in needed],
            ),
        )
    except pa.ArrowInvalid:
        return None


def _with_lines(
    table: pa.Table, data: bytes, head: Head, end: int, needed: list[int], wanted: list[int]
) -> Body | None:
    """Count line feeds inside cells, to know the line of each row; None when the count does not come out."""
    in_file = data.count(b"\n", head.offset, end) + (not data.endswith(b"\n", head.offset, end))
    columns = {index: table.column(str(index)) for index in wanted}
    if in_file == table.num_rows:
        return Body(columns, table.num_rows, None)
    inside = np.zeros(table.num_rows, np.int64)
    for index in needed:
        inside += pc.count_substring(table.column(str(index)), "\n").to_numpy()
    if in_file != table.num_rows + int(inside.sum()):
        return None
    lines = head.line + np.arange(table.num_rows) + np.concatenate(([0], np.cumsum(inside[:-1])))
    return Body(columns, table.num_rows, lines)
