"""CSV files that are odd but say clearly what they mean: read without losing a byte."""

import io

import pytest

from labeling.tables import BENCH_GOLD, BENCH_ITEMS, JUDGMENTS, PREDS, read_cells, read_table

HEADER = "pair_id,pred_preferred_id\n"
IDS = [
    *(
        "007",
        "1e5",
        "NA",
        "None",
        "null",
        "nan",
        "True",
        "inf",
        "-0.0x",
        "12345678901234567890",
        "N/A",
        "1,000",
    ),
    *(
        " leading",
        "trailing ",
        "\xa0no-break\xa0",
        "caf\u00e9",
        "cafe\u0301",
        "日本",
        "\u200b",
        "0",
        "#REF!",
        "a;b",
    ),
    *("two\nlines", "two\r\nlines", "a\rb", 'say "hi"', "\x85", "\u2028", "it's", "\x1a"),
]


def preds(ids: list[str]) -> bytes:
    rows = ['"{}",x\n'.format(cell.replace('"', '""')) for cell in ids]
    return (HEADER + "".join(rows)).encode()


@pytest.mark.parametrize("cell", IDS)
def test_id_survives_byte_for_byte(cell):
    frame = read_table(preds([cell]), PREDS)
    assert frame.text("pair_id") == [cell]


def test_ids_that_differ_in_any_byte_are_different():
    assert read_table(preds(IDS), PREDS).text("pair_id") == IDS
    assert len(set(IDS)) == len(IDS)


@pytest.mark.parametrize(
    "raw",
    [
        b"pair_id,pred_preferred_id\np,a\n",
        b"pair_id,pred_preferred_id\np,a",
        b"pair_id,pred_preferred_id\r\np,a\r\n",
        b"pair_id,pred_preferred_id\np,a\r\n",
        b"pair_id,pred_preferred_id\np,a\n\n",
        b"pair_id,pred_preferred_id\r\np,a\r\n\r\n",
        b"pair_id,pred_preferred_id\np,a\n\r\n",
        b"\xef\xbb\xbfpair_id,pred_preferred_id\np,a\n",
        b'"pair_id","pred_preferred_id"\n"p","a"\n',
        HEADER.encode("utf-16-le").join([b"\xff\xfe", "p,a\n".encode("utf-16-le")]),
        HEADER.encode("utf-16-be").join([b"\xfe\xff", "p,a\n".encode("utf-16-be")]),
    ],
    ids=[
        "LF",
        "no end",
        "CRLF",
        "mixed",
        "blank end",
        "CRLF blank",
        "odd blank",
        "BOM",
        "quoted",
        "UTF-16LE",
        "UTF-16BE",
    ],
)
def test_encodings_and_line_ends_read_alike(raw):
    frame = read_table(raw, PREDS)
    assert (frame.text("pair_id"), frame.text("pred_preferred_id")) == (["p"], ["a"])
    assert frame.line(0) == 2


def test_source_may_be_path_bytes_or_open_file(tmp_path):
    path = tmp_path / "my_preds.csv"
    path.write_bytes(b"pair_id,pred_preferred_id\np,a\n")
    file = io.BytesIO(path.read_bytes())
    file.read(5)  # where the file stands does not matter
    frames = [read_table(path, PREDS), read_table(path.read_bytes(), PREDS), read_table(file, PREDS)]
    assert [frame.text("pair_id") for frame in frames] == [["p"]] * 3
    assert [frame.name for frame in frames] == ["my_preds.csv", "preds", "preds"]
    assert read_table(path, PREDS, name="upload.csv").name == "upload.csv"


def test_json_in_a_cell_is_text():
    note = '{"why": "bold, clear", "n": [1, 2]}'
    quoted = note.replace('"', '""')
    frame = read_table(f'rater_id,pair_id,preferred_id,note\nr,p,a,"{quoted}"\n'.encode(), JUDGMENTS)
    assert frame.text("note") == [note]


def test_cell_of_three_megabytes_is_read_whole():
    note = "line of text,\n" * 220_000
    frame = read_table(f'rater_id,pair_id,preferred_id,note\nr,p,a,"{note}"\nr,q,b,\n'.encode(), JUDGMENTS)
    assert frame.text("note") == [note, ""]
    assert frame.line(1) == 220_003


def test_rows_know_the_line_they_start_on():
    raw = b'rater_id,pair_id,"preferred_id",note\nr,p,a,"one\ntwo\r\nthree"\nr,q,a,\nr,"s\n",a,x\nr,t,a,x\n'
    frame = read_table(raw, JUDGMENTS)
    # Row 0 spans lines 2 to 4, row 1 is line 5, row 2 spans 6 and 7, row 3 is line 8.
    assert [frame.line(row) for row in range(4)] == [2, 5, 6, 8]
    assert frame.error(2, "note", "what", "cure").line == 6


def test_lines_count_breaks_in_columns_that_are_not_stored():
    frame = read_table(b'mine,pair_id,pred_preferred_id\n"a\nb",p,a\nc,q,a\n', PREDS)
    assert [frame.line(0), frame.line(1)] == [2, 4]


def test_header_over_two_lines_moves_the_rows_down():
    cells = read_cells(b'a,"b\nc"\n1,2\n')
    assert (cells.header, cells.rows, cells.lines) == (["a", "b\nc"], [["1", "2"]], [3])


def test_unknown_columns_are_named_once_and_not_stored():
    frame = read_table(b"mood,pair_id,pred_preferred_id,x\nsunny,p,a,1\n", PREDS, name="p.csv")
    assert frame.columns == ("pair_id", "pred_preferred_id")
    assert frame.warnings == ("p.csv: not part of preds, so not stored: “mood”, “x”.",)


def test_columns_may_come_in_any_order_and_optional_ones_may_be_absent():
    frame = read_table(b"preferred_id,pair_id,rater_id\na,p,r\n", JUDGMENTS)
    assert frame.columns == ("rater_id", "pair_id", "preferred_id")
    assert not frame.has("note")
    assert frame.text("note") == [""]
    assert frame.column("note").to_pylist() == [""]


def test_table_without_rows_is_a_table():
    for raw in (
        b"pair_id,pred_preferred_id",
        b"pair_id,pred_preferred_id\n",
        b"pair_id,pred_preferred_id\n\n",
    ):
        frame = read_table(raw, PREDS)
        assert len(frame) == 0
        assert frame.text("pair_id") == []
        assert frame.encoded("pair_id")[0].tolist() == []


def test_encoded_gives_codes_in_order_of_first_appearance():
    frame = read_table(b"rater_id,pair_id,preferred_id\nr2,p,a\nr1,p,a\nr2,q,a\n", JUDGMENTS)
    codes, values = frame.encoded("rater_id")
    assert codes.tolist() == [0, 1, 0]
    assert values.to_pylist() == ["r2", "r1"]


def test_numbers_are_floats_and_empty_is_nan():
    frame = read_table(b"pair_id,pred_preferred_id,confidence\np,a,0.25\nq,a,\ns,a,1\n", PREDS)
    numbers = frame.numbers("confidence")
    assert numbers[0] == 0.25
    assert str(numbers[1]) == "nan"
    assert numbers[2] == 1
    assert frame.text("confidence") == ["0.25", "", "1"]
    with pytest.raises(TypeError, match=r"preds\.pair_id holds no numbers"):
        frame.numbers("pair_id")
    with pytest.raises(KeyError, match="no column"):
        frame.has("mood")


def test_lists_can_be_extended_but_only_those_meant_to_be():
    raw = (
        b"item_id,domain,uri_or_payload_ref,license,data_origin\ni,music,text:x,LicenseRef-ours,field_study\n"
    )
    frame = read_table(
        raw, BENCH_ITEMS, vocabulary={"license": ["LicenseRef-ours"], "data_origin": ["field_study"]}
    )
    assert frame.text("domain") == ["music"]
    with pytest.raises(ValueError, match="'gold_tier' is closed"):
        read_table(b"", BENCH_GOLD, vocabulary={"gold_tier": ["mine"]})
