"""Writing: what is written reads back the same, and the same data gives the same bytes."""

import io
import tracemalloc
from pathlib import Path

import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq
import pytest
from hypothesis import given
from hypothesis import strategies as st

from labeling.tables import (
    BENCH_GOLD,
    JUDGMENTS,
    LABEL_AGGREGATES,
    PREDS,
    TABLES,
    Frame,
    read_table,
    write_table,
)
from labeling.tables.numbers import column_text, number_text

any_text = st.text(st.characters(exclude_categories=["Cs"], exclude_characters="\0"), max_size=8)
spicy_text = st.text("\"',;\r\n=-+@\t ax", max_size=6)
some_text = any_text | spicy_text
share = st.none() | st.floats(0, 1)


@st.composite
def judgment_rows(draw):
    keys = draw(st.lists(st.tuples(some_text, some_text), unique=True, max_size=6))
    return [
        {
            "rater_id": f"r{rater}",
            "pair_id": f"p{pair}",
            "preferred_id": draw(some_text),
            "response_ms": draw(st.none() | st.integers(0, 10**15 - 1)),
            "confidence": draw(share),
            "note": draw(some_text),
        }
        for rater, pair in keys
    ]


def written(table, rows, format="csv", **options) -> bytes:
    file = io.BytesIO()
    write_table(file, table, rows, format, **options)
    return file.getvalue()


def cells(frame: Frame) -> dict[str, list[str]]:
    return {name: frame.text(name) for name in frame.columns}


@given(judgment_rows(), st.sampled_from(["csv", "parquet"]))
def test_what_is_written_reads_back_the_same(rows, format):
    frame = read_table(written(JUDGMENTS, rows, format), JUDGMENTS)
    assert frame.columns == JUDGMENTS.names
    assert frame.text("rater_id") == [row["rater_id"] for row in rows]
    assert frame.text("note") == [row["note"] for row in rows]
    assert frame.text("preferred_id") == [row["preferred_id"] for row in rows]
    counts = ["" if row["response_ms"] is None else str(row["response_ms"]) for row in rows]
    assert frame.text("response_ms") == counts
    for cell, row in zip(frame.text("confidence"), rows, strict=True):
        assert (float(cell) if cell else None) == row["confidence"]


@given(judgment_rows(), st.sampled_from(["csv", "parquet"]))
def test_a_frame_is_written_back_to_the_same_bytes(rows, format):
    raw = written(JUDGMENTS, rows, format)
    assert written(JUDGMENTS, read_table(raw, JUDGMENTS), format) == raw


@given(judgment_rows())
def test_both_formats_hold_the_same_cells(rows):
    csv, parquet = (read_table(written(JUDGMENTS, rows, kind), JUDGMENTS) for kind in ("csv", "parquet"))
    assert cells(csv) == cells(parquet)


def test_csv_by_hand():
    rows = [
        {"pair_id": "007", "pred_preferred_id": 'say "hi"', "confidence": 0.1},
        {"confidence": None, "pred_preferred_id": "a,b", "pair_id": " p "},
        {"pair_id": "x\ny", "pred_preferred_id": None, "confidence": 1.0},
        {"pair_id": "x\ry", "pred_preferred_id": "é", "confidence": "0.50"},
    ]
    assert written(PREDS, rows).decode() == (
        'pair_id,pred_preferred_id,confidence\n007,"say ""hi""",0.1\n p ,"a,b",\n"x\ny",,1\n"x\ry",é,0.50\n'
    )


def test_empty_cell_alone_on_its_line_is_quoted():
    raw = written(PREDS, [{"pair_id": ""}, {"pair_id": "p"}], columns=["pair_id"])
    assert raw == b'pair_id\n""\np\n'


def test_column_order_is_the_contracts_whatever_the_rows_say():
    row = {"confidence": 0.5, "pred_preferred_id": "a", "pair_id": "p"}
    expected = b"pair_id,pred_preferred_id,confidence\np,a,0.5\n"
    assert written(PREDS, [row]) == expected
    assert written(PREDS, [row], columns=["confidence", "pair_id", "pred_preferred_id"]) == expected
    assert (
        written(PREDS, [row], columns=["pred_preferred_id", "pair_id"]) == b"pair_id,pred_preferred_id\np,a\n"
    )


def test_booleans_are_written_in_lower_case():
    row = dict.fromkeys(BENCH_GOLD.names, "x") | {"agreement": 2 / 3, "n_raters": 3, "exclude_primary": True}
    assert written(BENCH_GOLD, [row]).decode().splitlines()[1] == "x,x,0.6666666666666666,3,x,x,x,true"


@pytest.mark.parametrize("format", ["csv", "parquet"])
def test_rows_whole_columns_and_frames_give_the_same_bytes(format):
    n = 40_000  # more than two batches of rows
    ids = [f"p{i:05d}" for i in range(n)]
    confidence = np.linspace(0, 1, n)
    rows = [
        {"pair_id": i, "pred_preferred_id": "=a", "confidence": c}
        for i, c in zip(ids, confidence.tolist(), strict=True)
    ]
    from_rows = written(PREDS, iter(rows), format)
    whole = {"pair_id": ids, "pred_preferred_id": pa.array(["=a"] * n), "confidence": confidence}
    assert written(PREDS, whole, format) == from_rows
    frame = read_table(from_rows, PREDS)
    assert written(PREDS, frame, format) == from_rows
    assert np.array_equal(frame.numbers("confidence"), confidence)


def test_no_rows_still_make_a_table():
    for kind in ("csv", "parquet"):
        frame = read_table(written(PREDS, [], kind), PREDS)
        assert len(frame) == 0
        assert frame.columns == PREDS.names
    assert (
        written(PREDS, {"pair_id": [], "pred_preferred_id": []}) == b"pair_id,pred_preferred_id,confidence\n"
    )


@pytest.mark.parametrize("format", ["csv", "parquet"])
def test_what_cannot_be_written_is_an_error(format):
    with pytest.raises(ValueError, match="preds has no column mood"):
        written(PREDS, [{"pair_id": "p", "pred_preferred_id": "a", "mood": "x"}], format)
    with pytest.raises(ValueError, match="preds has no column mood"):
        written(PREDS, [], format, columns=["mood"])
    with pytest.raises(ValueError, match="preds needs pred_preferred_id"):
        written(PREDS, [{"pair_id": "p"}], format)
    with pytest.raises(ValueError, match="nan cannot be written"):
        written(PREDS, [{"pair_id": "p", "pred_preferred_id": "a", "confidence": float("nan")}], format)
    with pytest.raises(ValueError, match="confidence holds NaN"):
        written(
            PREDS, {"pair_id": ["p"], "pred_preferred_id": ["a"], "confidence": np.array([np.inf])}, format
        )


def test_unknown_format_is_an_error_and_writes_nothing(tmp_path: Path):
    with pytest.raises(ValueError, match="unknown format 'xlsx'"):
        write_table(tmp_path / "preds.xlsx", PREDS, [], format="xlsx")  # type: ignore[arg-type]
    assert list(tmp_path.iterdir()) == []


def test_whole_columns_must_be_of_one_length():
    with pytest.raises(ValueError, match="columns of different lengths"):
        written(PREDS, {"pair_id": ["p", "q"], "pred_preferred_id": ["a"]})


def test_a_path_is_replaced_whole_or_left_as_it_was(tmp_path: Path):
    path = tmp_path / "preds.csv"
    assert write_table(path, PREDS, [{"pair_id": "p", "pred_preferred_id": "a"}]) == 1
    before = path.read_bytes()

    def broken():
        yield {"pair_id": "q", "pred_preferred_id": "a"}
        raise RuntimeError("the source failed")

    with pytest.raises(RuntimeError, match="the source failed"):
        write_table(path, PREDS, broken())
    assert path.read_bytes() == before
    assert [entry.name for entry in tmp_path.iterdir()] == ["preds.csv"]


def test_rows_are_streamed(tmp_path: Path):
    """Four times the rows take no more memory: a batch or two are held, never all."""

    def peak(n: int) -> int:
        rows = ({"pair_id": f"p{i}", "pred_preferred_id": "a"} for i in range(n))
        tracemalloc.start()
        write_table(tmp_path / "preds.csv", PREDS, rows)
        _, highest = tracemalloc.get_traced_memory()
        tracemalloc.stop()
        return highest

    peak(50_000)  # what is made once (caches, imports) is made here
    assert peak(200_000) < 1.2 * peak(50_000)


def test_parquet_is_typed_and_holds_no_time_of_writing():
    row = dict.fromkeys(LABEL_AGGREGATES.names, "x") | {
        "n_raters": 2,
        "agreement": 0.5,
        "mean_score": None,
        "exclude_primary": False,
    }
    raw = written(LABEL_AGGREGATES, [row], "parquet")
    table = pq.read_table(pa.BufferReader(raw))
    assert table.to_pylist() == [row]
    assert set(table.schema.metadata or {}) <= {b"ARROW:schema"}
    assert written(LABEL_AGGREGATES, [row], "parquet") == raw


def test_parquet_row_groups_have_one_size_however_rows_arrive():
    n = 140_000
    whole = {"pair_id": [str(i) for i in range(n)], "pred_preferred_id": ["a"] * n}
    file = pq.ParquetFile(pa.BufferReader(written(PREDS, whole, "parquet")))
    sizes = [file.metadata.row_group(i).num_rows for i in range(file.num_row_groups)]
    assert sizes == [65_536, 65_536, 140_000 - 2 * 65_536]


@given(
    st.floats(0, 1)
    | st.floats(allow_nan=False, allow_infinity=False)
    | st.sampled_from([1e-7, 0.1 + 0.2, -0.0])
)
def test_number_text_is_plain_and_reads_back_the_same(number):
    text = number_text(number)
    assert float(text) == number
    assert "e" not in text.lower()
    assert column_text(pa.array([number, None])).to_pylist() == [text, ""]


@pytest.mark.parametrize(
    ("number", "text"),
    [(1.0, "1"), (0.0, "0"), (-0.0, "0"), (1e-7, "0.0000001"), (2 / 3, "0.6666666666666666"), (12, "12")],
)
def test_number_text_by_hand(number, text):
    assert number_text(number) == text


@pytest.mark.parametrize("table", TABLES.values(), ids=lambda table: table.name)
def test_every_table_can_be_written_and_its_header_is_the_contracts(table):
    assert written(table, []).decode() == ",".join(table.names) + "\n"
