"""The spreadsheet-safe dialect: no cell runs as a formula, and every text comes back as it was."""

import io
import re

import pyarrow as pa
import pytest
from hypothesis import given
from hypothesis import strategies as st

from labeling.tables import JUDGMENTS, PREDS, read_table, write_table
from labeling.tables.dialect import escape, escape_column, unescape, unescape_column
from labeling.tables.writer import Cell

texts = st.one_of(
    st.text("'=+-@\t\r\n＝＋－＠a", max_size=5),
    st.text(st.characters(exclude_categories=["Cs"]), max_size=5),
)


@pytest.mark.parametrize(
    ("cell", "written"),
    [
        ('=HYPERLINK("http://x")', '\'=HYPERLINK("http://x")'),
        ("-5", "'-5"),
        ("+49 30", "'+49 30"),
        ("@x", "'@x"),
        ("\tx", "'\tx"),
        ("\r\nx", "'\r\nx"),
        ("＝1", "'＝1"),
        ("'=1", "''=1"),
        ("''-", "'''-"),
        ("it's", "it's"),
        ("'tis", "'tis"),
        ("''", "''"),
        ("a=1", "a=1"),
        (" =1", " =1"),
        ("", ""),
    ],
)
def test_escape_by_hand(cell, written):
    assert escape(cell) == written
    assert unescape(written) == cell


@given(texts)
def test_unescape_undoes_escape_and_nothing_written_starts_a_formula(cell):
    assert unescape(escape(cell)) == cell
    assert not re.match(r"[=+\-@\t\r\n＝＋－＠]", escape(cell))


@given(st.lists(texts, max_size=6))
def test_columns_are_treated_as_their_cells(cells):
    column = pa.chunked_array([pa.array(cells, pa.string())])
    assert escape_column(column).to_pylist() == [escape(cell) for cell in cells]
    assert unescape_column(column).to_pylist() == [unescape(cell) for cell in cells]


def test_notes_and_ids_are_escaped_in_csv_and_raw_in_parquet():
    row: dict[str, Cell] = {
        "rater_id": "@r",
        "pair_id": "-5",
        "preferred_id": "=1+1",
        "confidence": 0.5,
        "note": "+49",
    }
    csv, parquet = io.BytesIO(), io.BytesIO()
    chosen = ["rater_id", "pair_id", "preferred_id", "confidence", "note"]
    write_table(csv, JUDGMENTS, [row], columns=chosen)
    write_table(parquet, JUDGMENTS, [row], "parquet", columns=chosen)
    assert csv.getvalue() == (b"rater_id,pair_id,preferred_id,confidence,note\n'@r,'-5,'=1+1,0.5,'+49\n")
    for file in (csv, parquet):
        frame = read_table(file, JUDGMENTS)
        assert {name: frame.text(name)[0] for name in chosen} == row | {"confidence": "0.5"}
    quoted: dict[str, Cell] = {
        "rater_id": "'=r",
        "pair_id": "p",
        "preferred_id": "",
        "confidence": None,
        "note": "",
    }
    raw = io.BytesIO()
    write_table(raw, JUDGMENTS, [quoted], "parquet", columns=chosen)
    assert read_table(raw, JUDGMENTS).text("rater_id") == ["'=r"]


def test_apostrophes_in_number_columns_are_never_dropped():
    # A number column is outside the dialect: the apostrophe is a fault there, not an escape.
    frame = read_table(b"pair_id,pred_preferred_id\n'-5,'tis\n", PREDS)
    assert (frame.text("pair_id"), frame.text("pred_preferred_id")) == (["-5"], ["'tis"])
    with pytest.raises(Exception, match="“'-1” is not a number from 0 to 1"):
        read_table(b"pair_id,pred_preferred_id,confidence\np,a,'-1\n", PREDS)
