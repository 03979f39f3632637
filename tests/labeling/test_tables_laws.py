"""Laws that hold for any file: both ways of reading see the same cells, and damage never passes unseen."""

import csv
import io

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from labeling.tables import PREDS, TableErrors, read_cells, read_table
from labeling.tables.encoding import Text
from labeling.tables.errors import ErrorLog
from labeling.tables.explain import Cells, Scanner
from labeling.tables.fast import read_body, read_head

DAMAGE = [b"", b'"', b",", b"\n", b"\n\n", b"\r", b"\r\n", b"\n\r\n", b"\0", b"\xff", b"\xc3", b"x"]
SPICY = [
    '"',
    ",",
    "\n",
    "\r\n",
    "\r",
    "'",
    ";",
    "\t",
    " ",
    "\ufeff",
    "é",
    "e\u0301",
    "\u2028",
    "\x85",
    "🙂",
    "0",
    "x",
]
cell_texts = st.one_of(
    st.lists(st.sampled_from(SPICY), max_size=5).map("".join),
    st.text(st.characters(exclude_categories=["Cs"], exclude_characters="\0"), max_size=8),
)


@st.composite
def tables(draw, min_columns=2):
    n_columns = draw(st.integers(min_columns, 4))
    header = [f"c{index}" for index in range(n_columns)]
    rows = draw(st.lists(st.lists(cell_texts, min_size=n_columns, max_size=n_columns), max_size=6))
    return header, rows


@st.composite
def files(draw, min_columns=2):
    """Cells, and one of the many valid ways to write them down."""
    header, rows = draw(tables(min_columns))
    parts = []
    for row in [header, *rows]:
        cells = []
        for cell in row:
            must = any(char in cell for char in '",\n\r') or (cell == "" and len(row) == 1)
            quoted = must or draw(st.booleans())
            cells.append('"' + cell.replace('"', '""') + '"' if quoted else cell)
        parts.append(",".join(cells) + draw(st.sampled_from(["\n", "\r\n"])))
    text = "".join(parts)
    ending = draw(st.sampled_from(["as is", "no line end", "blank line", "blank CRLF line"]))
    if ending == "no line end":
        text = text.removesuffix("\n").removesuffix("\r")
    elif ending != "as is":
        text += "\n" if ending == "blank line" else "\r\n"
    return header, rows, text


def fast_cells(data: bytes) -> Cells | None:
    """What the fast path reads, in the scanner's shape; None when it leaves the file to the scanner."""
    text = Text(data)
    head = read_head(text)
    body = read_body(text, head, list(range(len(head.names)))) if head else None
    if head is None or body is None:
        return None
    columns = [body.columns[index].to_pylist() for index in range(len(head.names))]
    lines = body.lines if body.lines is not None else head.line + np.arange(body.n_rows)
    return Cells(head.names, [list(row) for row in zip(*columns, strict=True)], lines.tolist())


def scanned_cells(data: bytes) -> Cells | None:
    """What the exact scanner reads; None when it finds a fault."""
    log = ErrorLog()
    cells = Scanner(Text(data), "file", log).scan()
    return None if log.total else cells


@given(files(min_columns=1))
def test_every_valid_file_reads_as_the_cells_it_was_made_from(made):
    header, rows, text = made
    for raw in (text.encode(), b"\xef\xbb\xbf" + text.encode(), text.encode("utf-16")):
        cells = read_cells(raw)
        assert (cells.header, cells.rows) == (header, rows)


@given(files())
def test_fast_path_and_scanner_read_the_same_cells_from_the_same_lines(made):
    _, _, text = made
    fast = fast_cells(text.encode())
    if fast is not None:
        assert fast == scanned_cells(text.encode())


@given(files())
def test_fast_path_leaves_to_the_scanner_only_what_arrow_would_misread(made):
    _, _, text = made
    lone_return = "\r" in text.replace("\r\n", "")
    first_cell_has_mark = text.split("\n", 1)[-1].startswith("\ufeff")
    assert (fast_cells(text.encode()) is None) == (lone_return or first_cell_has_mark)


@given(files(), st.data())
def test_damaged_file_is_refused_or_read_as_another_parser_reads_it(made, data):
    raw = bytearray(made[2].encode())
    for _ in range(data.draw(st.integers(1, 3))):
        at = data.draw(st.integers(0, len(raw)))
        piece = data.draw(st.sampled_from(DAMAGE))
        raw[at : at + data.draw(st.integers(0, 2))] = piece
    damaged = bytes(raw)
    fast, scanned = fast_cells(damaged), scanned_cells(damaged)
    if fast is not None:
        assert fast == scanned
    if scanned is not None:
        other = list(csv.reader(io.StringIO(damaged.decode(), newline=""), strict=True))
        # The csv module reports the accepted blank line at the end as a row without cells.
        assert [scanned.header, *scanned.rows] == (other[:-1] if other[-1] == [] else other)


def outcome(raw: bytes) -> Cells | TableErrors:
    try:
        return read_cells(raw)
    except TableErrors as error:
        return error


@given(st.binary(max_size=60))
def test_any_bytes_give_cells_or_table_errors(raw):
    result = outcome(raw)
    if isinstance(result, TableErrors):
        assert result.total >= len(result.errors) >= 1
        assert str(result).encode()
    else:
        assert all(len(row) == len(result.header) for row in result.rows)


@given(files(), st.integers(0, 200))
def test_utf16_cut_anywhere_is_refused_or_keeps_whole_characters(made, cut):
    raw = made[2].encode("utf-16")[: 2 + cut]
    result = outcome(raw)
    if isinstance(result, Cells):
        whole = read_cells(raw.decode("utf-16").encode())
        assert result == whole


@pytest.mark.parametrize("n_rows", [0, 1, 199, 200, 201, 1000])
def test_all_errors_are_counted_and_the_first_200_kept(n_rows):
    raw = b"pair_id,pred_preferred_id,confidence\n" + b"".join(b"p%d,a,2\n" % row for row in range(n_rows))
    if not n_rows:
        assert len(read_table(raw, PREDS)) == 0
        return
    with pytest.raises(TableErrors) as caught:
        read_table(raw, PREDS)
    assert caught.value.total == n_rows
    assert [error.line for error in caught.value.errors] == list(range(2, 2 + min(n_rows, 200)))
