"""CSV files that would lose or change something: refused with file, line, column and cure."""

import pytest

from labeling.tables import (
    BENCH_PAIRS,
    BENCH_WEAK,
    JUDGMENTS,
    PREDS,
    CellError,
    TableErrors,
    read_cells,
    read_table,
)

HEADER = b"pair_id,pred_preferred_id,confidence\n"


def refused(raw: bytes, table=PREDS) -> list[CellError]:
    with pytest.raises(TableErrors) as caught:
        read_table(raw, table, name="f.csv")
    assert caught.value.total == len(caught.value.errors)
    return caught.value.errors


def only(raw: bytes, table=PREDS) -> str:
    (error,) = refused(raw, table)
    return str(error)


NO_COLUMNS = "The first line must name the columns."
ONE_BLANK = "Delete it; only the end of the file may have one."
EVERY_CELL = "Put cells that hold a comma or a line break in quotes, and give each row every cell."
COMMAS = "Save the file with commas between columns."
LINE_ENDS = "Save the file with line ends LF or CRLF"
QUOTE_CELL = "Begin the cell with its quote, or put the whole cell in quotes and double each quote inside."
UTF_8 = "Save the file as “CSV UTF-8” and send it again."
PREDICTED = "2: pred_preferred_id:"
LONE_RETURN = "a carriage return without a line feed stands outside quotes."


@pytest.mark.parametrize(
    ("raw", "message"),
    [
        (b"", f"1: the file is empty. {NO_COLUMNS}"),
        (b"\xef\xbb\xbf", f"1: the file is empty. {NO_COLUMNS}"),
        (b"\n" + HEADER, f"1: the first line is blank. {NO_COLUMNS}"),
        (HEADER + b"p,a,1\n\nq,a,1\n", f"3: a blank line. {ONE_BLANK}"),
        (HEADER + b"p,a,1\r\n\r\nq,a,1\r\n", f"3: a blank line. {ONE_BLANK}"),
        (HEADER + b"p,a,1\n\n\n", f"3: a blank line. {ONE_BLANK}"),
        (HEADER + b"\n\n", f"2: a blank line. {ONE_BLANK}"),
        (HEADER + b"p,a\n", f"2: the row has 2 cells, the header 3. {EVERY_CELL}"),
        (HEADER + b"p,a,1,2\n", f"2: the row has 4 cells, the header 3. {EVERY_CELL}"),
        (HEADER + b" \n", f"2: the row has 1 cell, the header 3. {EVERY_CELL}"),
        (HEADER.replace(b",", b";") + b"p;a;1\n", f"1: the columns are separated by semicolons. {COMMAS}"),
        (HEADER.replace(b",", b"\t"), f"1: the columns are separated by tabs. {COMMAS}"),
        (
            b"sep=,\n" + HEADER,
            "1: the first line is Excel's separator hint “sep=,”."
            " Delete it, and save the file with commas between columns.",
        ),
        (
            HEADER.replace(b"\n", b"\r") + b"p,a,1\r",
            f"1: the lines end in carriage returns alone (classic Mac). {LINE_ENDS}.",
        ),
        (
            HEADER + b"p,a\rq,1\n",
            f"{PREDICTED} {LONE_RETURN} {LINE_ENDS}, or put the cell in quotes.",
        ),
        (HEADER + b'p, "a",1\n', f'{PREDICTED} spaces stand before the quote of “ "a"”. {QUOTE_CELL}'),
        (
            HEADER + b'p,"a"b,1\n',
            f"{PREDICTED} text follows the closing quote: “b”."
            " Double each quote inside the cell, and end the cell at its closing quote.",
        ),
        (
            HEADER + b'p,"a,1\nr,b,1\n',
            f'{PREDICTED} the quote opened here is never closed: “"a,1\\nr,b,1\\n”.'
            " Close it, and double each quote inside the cell.",
        ),
        (
            HEADER + b"p,a\0b,1\n",
            f"{PREDICTED} a NUL character at byte 40 of the file. Remove it; no text holds one.",
        ),
        (b"\xff\xfe\0\0p\0\0\0", f"1: the file starts with the mark of UTF-32. {UTF_8}"),
        (
            HEADER.decode().encode("utf-16-le"),
            f"1: the file looks like UTF-16 without its byte order mark (every other byte is 0). {UTF_8}",
        ),
    ],
)
def test_message(raw, message):
    assert only(raw) == f"f.csv:{message}"


def test_quote_that_swallows_lines_is_reported_where_it_was_opened():
    # The quote opened on line 3 was never closed; the next quote, on line 5, seems to close it.
    raw = HEADER + b'p,a,1\nq,"a,1\nr,b,1\ns,"c",1\nt,d,1\n'
    error = refused(raw)[0]
    assert (error.line, error.column) == (3, "pred_preferred_id")
    assert 'closes on line 5, where text follows the closing quote: “c"”; reading stops here' in error.what


def test_one_bad_byte_of_windows_1252_on_row_900_is_named():
    rows = [b"p%d,caf\xc3\xa9,0.5\n" % row for row in range(1, 1001)]
    rows[899] = b"p900,caf\xe9,0.5\n"
    raw = HEADER + b"".join(rows)
    (error,) = refused(raw)
    assert (error.line, error.column) == (901, "pred_preferred_id")
    position = raw.index(b"\xe9,")
    assert error.what == f"byte 0xE9 (“é” in Windows-1252) at byte {position} of the file is not UTF-8"


def test_byte_position_counts_the_mark_and_is_right_after_wide_characters():
    raw = b"\xef\xbb\xbf" + HEADER + "日本,é,0.5\n".encode() + b"x\xff,\x81,0.1\n"
    first, second = refused(raw)
    assert f"0xFF (“ÿ” in Windows-1252) at byte {raw.index(0xFF, 3)} of the file" in first.what
    assert second.what == "byte 0x81 is not UTF-8"


def test_bad_byte_inside_a_quoted_cell_is_on_its_own_line():
    (error,) = refused(HEADER + b'p,"one\ntwo\nthr\xe9e",1\n')
    assert error.line == 4


def test_broken_utf16_names_byte_and_line():
    raw = (
        b"\xff\xfe"
        + "pair_id,pred_preferred_id\np,".encode("utf-16-le")
        + b"\x00\xd8"
        + ",\n".encode("utf-16-le")
    )
    (error,) = refused(raw)
    assert error.line == 2
    assert f"at position {raw.index(bytes([0, 0xD8, 0x2C]))} is not valid UTF-16" in error.what
    assert refused(raw[:-1])


def test_comma_at_the_end_of_every_row_does_not_shift_the_columns():
    errors = refused(HEADER + b"p,a,0.5,\nq,b,0.6,\n")
    assert [error.line for error in errors] == [2, 3]
    assert {error.cure for error in errors} == {"Remove the comma at the end of the row"}
    (error,) = refused(b"pair_id,pred_preferred_id,\np,a,\n")
    assert error.what == "column 3 has no name"


def test_duplicate_header_names_both_places():
    (error,) = refused(b"pair_id,pred_preferred_id,pair_id\np,a,q\n")
    assert str(error) == (
        "f.csv:1: pair_id: the header names “pair_id” 2 times (columns 1 and 3)."
        " Keep one, and rename or remove the others."
    )
    (error,) = refused(b"pair_id,pred_preferred_id,x,x\np,a,1,1\n")
    assert error.column == "x"


def test_line_break_in_a_column_name():
    errors = refused(b'pair_id,"pred_\npreferred_id"\np,a\n')
    assert [error.what for error in errors] == [
        "the column name “pred_\\npreferred_id” holds a line break",
        "the column is missing",
    ]


@pytest.mark.parametrize("header", ["Pair_ID", " pair_id", "pair id", "pair-id", "pairid", "\ufeffpair_id"])
def test_missing_column_with_a_near_name(header):
    (error,) = refused(f"x,{header},pred_preferred_id\n1,p,a\n".encode())
    assert (error.line, error.column, error.what) == (1, "pair_id", "the column is missing")
    assert error.cure.startswith("Rename the column ")
    assert error.cure.endswith(" to pair_id")


def test_missing_columns_are_each_named():
    errors = refused(b"pair_id,domain\np,visual\n", BENCH_PAIRS)
    assert [error.column for error in errors] == ["item_a", "item_b", "difficulty", "split", "data_origin"]
    assert (
        "bench_pairs needs pair_id, domain, item_a, item_b, difficulty, split, data_origin" in errors[0].cure
    )


def test_duplicate_ids_name_both_lines():
    errors = refused(HEADER + b"p,a,1\nq,a,1\np,b,0\np,b,0\n")
    assert [str(error) for error in errors] == [
        "f.csv:4: pair_id: pair_id “p”: line 2 has the same. Keep one of the two.",
        "f.csv:5: pair_id: pair_id “p”: line 2 has the same. Keep one of the two.",
    ]


def test_same_rater_may_not_answer_a_pair_twice_but_each_alone_may_repeat():
    rows = b"r,p,a\nr,q,a\ns,p,a\n"
    assert len(read_table(b"rater_id,pair_id,preferred_id\n" + rows, JUDGMENTS)) == 3
    (error,) = refused(b"rater_id,pair_id,preferred_id\n" + rows + b"s,p,b\n", JUDGMENTS)
    assert error.what == "rater_id and pair_id “s” and “p”: line 4 has the same"
    assert error.line == 5


def test_key_of_three_columns_repeats_only_where_all_three_do():
    header = b"pair_id,weak_preferred_id,weak_source,use_as,data_origin,slice\n"
    rows = [(pair, source, part) for pair in "pq" for source in ("likes", "saves") for part in ("", "new")]
    raw = header + b"".join(f"{p},x,{s},analysis_only,simulation,{t}\n".encode() for p, s, t in rows)
    assert len(read_table(raw, BENCH_WEAK)) == 8
    (error,) = refused(raw + b"q,y,likes,analysis_only,simulation,new\n", BENCH_WEAK)
    # (q, likes, new) is the sixth of the eight rows, so on line 7.
    assert error.what == "pair_id and weak_source and slice “q” and “likes” and “new”: line 7 has the same"
    assert error.line == 10


def test_row_1500_of_2000_is_named():
    rows = [b"p%d,a,0.5\n" % row for row in range(1, 2001)]
    rows[1499] = b"p1500,a,oops\n"
    (error,) = refused(HEADER + b"".join(rows))
    assert (error.line, error.column) == (1501, "confidence")


def test_faults_of_shape_and_of_cells_come_together_in_order_of_line():
    raw = HEADER + b'p,a,2\nq,a\n,a,1\ns, "a",1\nt,a,nan\nt,a,1\n'
    assert [(error.line, error.column) for error in refused(raw)] == [
        (2, "confidence"),
        (3, None),
        (4, "pair_id"),
        (5, "pred_preferred_id"),
        (6, "confidence"),
        (7, "pair_id"),
    ]


def test_file_of_one_column_must_quote_its_empty_cells():
    assert read_cells(b'a\n""\nx\n').rows == [[""], ["x"]]
    with pytest.raises(TableErrors, match="a blank line"):
        read_cells(b"a\n\nx\n")


def test_many_carriage_returns_in_one_line_are_one_fault():
    (error,) = refused(HEADER + b"p,a,1\r" * 5000 + b"\n")
    assert error.line == 2


def test_column_name_with_a_bad_byte_can_be_shown():
    errors = refused(b"pair_id,pred_preferred_id,\xe9,\xe9\np,a,1,1\n")
    assert "byte 0xE9" in errors[0].what
    for error in errors:
        assert f"{error.column} {error}".encode()


def test_header_that_never_ends_is_one_fault():
    (error,) = refused(b'pair_id,"pred_preferred_id\n' + b"p,a\n" * 20_000)
    assert (error.line, error.column) == (1, "column 2")
    assert "never closed" in error.what


@pytest.mark.parametrize(
    ("first_bytes", "kind"),
    [(b"PK\x03\x04", "an Excel workbook or another ZIP archive"), (b"\x89PNG\r\n", "a picture (PNG)")],
)
def test_what_is_no_text_is_named_once(first_bytes, kind):
    assert only(first_bytes + b"\0\xff,\r\n" * 50) == f"f.csv:1: the file is no text; it is {kind}. {UTF_8}"


def test_another_table_is_named_once_whatever_its_cells():
    judgments = (
        b"rater_id,pair_id,preferred_id\nr1,p1,a\nr2,p1,a\n"  # p1 twice would be no bench_pairs either
    )
    assert only(judgments, BENCH_PAIRS) == (
        "f.csv:1: the file holds judgments, not bench_pairs. Give the file of bench_pairs here; "
        "it has pair_id, domain, item_a, item_b, difficulty, split, data_origin."
    )


def test_one_missing_column_is_no_other_table():
    # All that judgments need is there, but most likely pred_preferred_id was misnamed.
    message = only(b"rater_id,pair_id,preferred_id\nr1,p1,a\n")
    assert "pred_preferred_id: the column is missing. Rename the column “preferred_id”" in message
