"""Parquet files made elsewhere: what they say clearly is read, what has lost something is refused."""

import io

import pyarrow as pa
import pyarrow.parquet as pq
import pytest

from labeling.tables import BENCH_GOLD, PREDS, TableErrors, read_table


def parquet(**columns) -> bytes:
    file = io.BytesIO()
    pq.write_table(pa.table(columns), file)
    return file.getvalue()


def faults(raw: bytes, table=PREDS) -> list[str]:
    with pytest.raises(TableErrors) as caught:
        read_table(raw, table, name="f.parquet")
    return [str(error) for error in caught.value.errors]


@pytest.mark.parametrize(
    "ids",
    [
        pa.array(["007", "NA", " x"]),
        pa.array(["007", "NA", " x"], pa.large_string()),
        pa.array(["007", "NA", " x"], pa.string_view()),
        pa.array(["007", "NA", " x"]).dictionary_encode(),
    ],
    ids=["string", "large", "view", "dictionary"],
)
def test_every_kind_of_string_column_is_read_raw(ids):
    frame = read_table(parquet(pair_id=ids, pred_preferred_id=["'=1", "=1", None]), PREDS)
    assert frame.text("pair_id") == ["007", "NA", " x"]
    assert frame.text("pred_preferred_id") == ["'=1", "=1", ""]
    assert [frame.line(row) for row in range(3)] == [1, 2, 3]
    assert frame.place == "row"


@pytest.mark.parametrize(
    ("confidence", "cells"),
    [
        (pa.array([0.1, None, 1.0]), ["0.1", "", "1"]),
        (pa.array([0.1, None, 1.0], pa.float32()), ["0.1", "", "1"]),
        (pa.array([0, None, 1]), ["0", "", "1"]),
        (
            pa.array([1e-7, 0.30000000000000004, 5e-324]),
            ["0.0000001", "0.30000000000000004", f"0.{'0' * 323}5"],
        ),
        (pa.array(["0.10", None, ".5"]), ["0.10", "", ".5"]),
        (pa.nulls(3), ["", "", ""]),
    ],
)
def test_numbers_may_be_numbers_or_strings(confidence, cells):
    frame = read_table(
        parquet(pair_id=["p", "q", "r"], pred_preferred_id=["a"] * 3, confidence=confidence), PREDS
    )
    assert frame.text("confidence") == cells


def test_nan_is_refused_as_in_csv():
    raw = parquet(pair_id=["p", "q"], pred_preferred_id=["a", "b"], confidence=[0.5, float("nan")])
    assert faults(raw) == [
        "f.parquet:2: confidence: “nan” is not a number from 0 to 1."
        " Leave the cell empty where there is none."
    ]


def test_booleans_may_be_booleans():
    row = {name: ["x"] for name in BENCH_GOLD.names} | {
        "agreement": [1.0],
        "n_raters": [3],
        "exclude_primary": [True],
    }
    row |= {"data_origin": ["simulation"], "gold_tier": ["simulation"]}
    assert read_table(parquet(**row), BENCH_GOLD).text("exclude_primary") == ["true"]


def test_ids_stored_as_numbers_have_lost_their_form():
    assert faults(parquet(pair_id=[7, 8], pred_preferred_id=["a", "b"])) == [
        "f.parquet: pair_id: the column is stored as int64. Store it as strings, as the ids were written."
    ]


def test_nested_and_binary_columns_are_refused():
    raw = parquet(pair_id=[["p"]], pred_preferred_id=[b"a"], confidence=[[0.5]])
    assert [message.split(": ")[1] for message in faults(raw)] == [
        "pair_id",
        "pred_preferred_id",
        "confidence",
    ]


def test_missing_and_unknown_columns_are_treated_as_in_csv():
    assert faults(parquet(pair_id=["p"], mood=[1])) == [
        "f.parquet:1: pred_preferred_id: the column is missing."
        " Add it; preds needs pair_id, pred_preferred_id."
    ]
    frame = read_table(parquet(pair_id=["p"], pred_preferred_id=["a"], mood=[[1]]), PREDS, name="f.parquet")
    assert frame.warnings == ("f.parquet: not part of preds, so not stored: “mood”.",)


def test_cells_are_checked_as_in_csv():
    raw = parquet(pair_id=["p", "p", None, "s\0"], pred_preferred_id=["a", "a", "a", "a"])
    assert faults(raw) == [
        "f.parquet:2: pair_id: pair_id “p”: row 1 has the same. Keep one of the two.",
        "f.parquet:3: pair_id: pair_id is empty. Fill it in; this column is needed on every row.",
        "f.parquet:4: pair_id: a NUL character. Remove it; no text holds one.",
    ]


@pytest.mark.parametrize(
    "damage",
    [
        lambda raw: raw[:40],
        lambda raw: raw[:-4],
        lambda _: b"PAR1",
        lambda raw: raw[:4] + b"\xff" * 60 + raw[64:],
    ],
)
def test_damaged_file_is_refused(damage):
    raw = parquet(pair_id=["p", "q"], pred_preferred_id=["a", "b"])
    (message,) = faults(damage(raw))
    assert message.startswith("f.parquet: not readable as Parquet (")
    assert message.endswith("Write the file again, or send the table as CSV.")


def test_text_that_is_not_utf8_is_refused():
    ends = pa.array([0, 1], pa.int32()).buffers()[1]
    bad = pa.Array.from_buffers(pa.string(), 1, [None, ends, pa.py_buffer(b"\xff")])
    (message,) = faults(parquet(pair_id=bad, pred_preferred_id=["a"]))
    assert "not readable as Parquet" in message
