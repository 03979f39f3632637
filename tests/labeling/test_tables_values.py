"""What each kind of cell admits, and the cure that fits each mistake."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from labeling.tables import (
    BENCH_GOLD,
    BENCH_ITEMS,
    BENCH_PAIRS,
    JUDGMENT_EVENTS,
    JUDGMENTS,
    PREDS,
    SCORES,
    CellError,
    Table,
    TableErrors,
    read_table,
)

EXAMPLE = {
    "share": "0.5",
    "count": "3",
    "boolean": "false",
    "timestamp": "2026-01-31T14:05:00Z",
    "uuid": "6f1c2d3e-0a4b-4c5d-8e6f-7a8b9c0d1e2f",
    "payload": "text:x",
    "text": "x",
}
NO_LICENSE = "It must be an SPDX identifier that allows redistribution; docs/tables.md has the list"
VALID_CHOICES = {
    "difficulty": "easy",
    "split": "test",
    "data_origin": "simulation",
    "license": "MIT",
    "gold_tier": "simulation",
    "kind": "vote",
    "channel": "browser",
    "cue_type": "null",
}


def one_row(table: Table, **cells: str) -> bytes:
    """A file with one valid row, but for the cells given."""
    row = {c.name: VALID_CHOICES[c.name] if c.choices else EXAMPLE[c.kind] for c in table.columns} | cells
    quoted = ('"' + cell.replace('"', '""') + '"' for cell in row.values())
    return f"{','.join(row)}\n{','.join(quoted)}\n".encode()


def accepts(table: Table, column: str, cell: str) -> bool:
    try:
        frame = read_table(one_row(table, **{column: cell}), table)
    except TableErrors:
        return False
    return frame.text(column) == [cell]


def fault(table: Table, column: str, cell: str) -> CellError:
    with pytest.raises(TableErrors) as caught:
        read_table(one_row(table, **{column: cell}), table)
    (error,) = caught.value.errors
    assert (error.line, error.column) == (2, column)
    return error


@pytest.mark.parametrize(
    "cell", ["0", "1", "0.5", "1.0", "1.000", ".5", "0.", "00.25", "0.30000000000000004", ""]
)
def test_share_in_plain_notation_is_accepted(cell):
    assert accepts(PREDS, "confidence", cell)


@pytest.mark.parametrize(
    ("cell", "what", "cure"),
    [
        ("95%", "“95%” is a percentage", "Write 0.95"),
        ("7,5 %", "“7,5 %” is a percentage", "Write 0.075"),
        ("0,95", "“0,95” has a decimal comma", "Write 0.95"),
        ("1.2", "“1.2” is above 1", "Give confidence as a number from 0 to 1: 0.012 for 1.2 %"),
        ("95", "“95” is above 1", "Give confidence as a number from 0 to 1: 0.95 for 95 %"),
        ("1000", "“1000” is above 1", "Give confidence as a number from 0 to 1"),
        ("-0.1", "“-0.1” is below 0", "Give confidence as a number from 0 to 1"),
        ("nan", "“nan” is not a number from 0 to 1", "Leave the cell empty where there is none"),
        ("NaN", "“NaN” is not a number from 0 to 1", "Leave the cell empty where there is none"),
        ("NA", "“NA” is not a number from 0 to 1", "Leave the cell empty where there is none"),
        ("null", "“null” is not a number from 0 to 1", "Leave the cell empty where there is none"),
        ("inf", "“inf” is not a number from 0 to 1", "Leave the cell empty where there is none"),
        ("1e-05", "“1e-05” is in exponent notation", "Write 0.00001"),
        (" 0.5", "“ 0.5” is not in plain notation", "Write 0.5 without sign or spaces"),
        ("+0.5", "“+0.5” is not in plain notation", "Write 0.5 without sign or spaces"),
        ("-0", "“-0” is not in plain notation", "Write 0 without sign or spaces"),
        (
            "high",
            "“high” is not a number from 0 to 1",
            "Give confidence as a number from 0 to 1, in digits with a decimal point",
        ),
        (
            "'0.5",
            "“'0.5” is not a number from 0 to 1",
            "Give confidence as a number from 0 to 1, in digits with a decimal point",
        ),
        (
            "０.５",
            "“０.５” is not a number from 0 to 1",
            "Give confidence as a number from 0 to 1, in digits with a decimal point",
        ),
        (".", "“.” is not a number from 0 to 1", "Leave the cell empty where there is none"),
        (
            "0x1p-1",
            "“0x1p-1” is not a number from 0 to 1",
            "Give confidence as a number from 0 to 1, in digits with a decimal point",
        ),
    ],
)
def test_share_with_its_cure(cell, what, cure):
    error = fault(PREDS, "confidence", cell)
    assert (error.what, error.cure) == (what, cure)


def test_share_that_is_needed_may_not_be_empty():
    assert fault(SCORES, "score", "").what == "score is empty"
    error = fault(BENCH_GOLD, "agreement", "nan")
    assert error.cure == "Give agreement as a number from 0 to 1, in digits with a decimal point"


@pytest.mark.parametrize("cell", ["0", "3", "007", "999999999999999"])
def test_count_is_digits(cell):
    assert accepts(BENCH_GOLD, "n_raters", cell)


@pytest.mark.parametrize(
    ("cell", "cure"),
    [
        ("3.0", "Write 3"),
        ("1,200", "Write 1200"),
        ("1 200", "Write 1200"),
        ("3.5", "Write it in digits, without sign, point or spaces"),
        ("+3", "Write it in digits, without sign, point or spaces"),
        ("-3", "Give n_raters as a whole number from 0"),
        ("1e3", "Write the whole number in digits"),
        ("three", "Give n_raters as a whole number, in digits with a decimal point"),
        ("", "Fill it in; this column is needed on every row"),
    ],
)
def test_count_with_its_cure(cell, cure):
    assert fault(BENCH_GOLD, "n_raters", cell).cure == cure


@pytest.mark.parametrize("cell", ["true", "false"])
def test_boolean(cell):
    assert accepts(BENCH_GOLD, "exclude_primary", cell)


@pytest.mark.parametrize(
    ("cell", "cure"),
    [
        ("TRUE", "Write true"),
        ("False", "Write false"),
        ("1", "Write true"),
        ("no", "Write false"),
        ("WAHR", "Write true or false"),
        ("", "Fill it in; this column is needed on every row"),
    ],
)
def test_boolean_with_its_cure(cell, cure):
    assert fault(BENCH_GOLD, "exclude_primary", cell).cure == cure


@pytest.mark.parametrize(
    "cell",
    [
        "2026-01-31T14:05:00Z",
        "2026-01-31 14:05:00+01:00",
        "2026-01-31T14:05Z",
        "2026-01-31T14:05:00.123456-0530",
        "2024-02-29T00:00:00Z",
        "",
    ],
)
def test_timestamp_in_iso_8601_with_zone(cell):
    assert accepts(JUDGMENTS, "judged_at", cell)


@pytest.mark.parametrize(
    ("cell", "what"),
    [
        ("2026-01-31T14:05:00", "has no time zone"),
        ("2023-02-29T00:00:00Z", "is not a day of the calendar"),
        ("2026-04-31T00:00:00Z", "is not a day of the calendar"),
        ("0000-01-01T00:00:00Z", "is not a day of the calendar"),
        ("2026-13-01T00:00:00Z", "is not a time in ISO 8601"),
        ("2026-01-31T24:05:00Z", "is not a time in ISO 8601"),
        ("31.01.2026 14:05", "is not a time in ISO 8601"),
        ("2026-01-31", "is not a time in ISO 8601"),
        ("1769868300", "is not a time in ISO 8601"),
    ],
)
def test_timestamp_that_could_be_misread(cell, what):
    error = fault(JUDGMENTS, "judged_at", cell)
    assert what in error.what
    assert "2026-01-31T14:05:00Z" in error.cure or error.cure == "Correct the date"


@pytest.mark.parametrize(
    ("table", "column", "cell", "cure"),
    [
        (BENCH_PAIRS, "split", "Test", "Write test"),
        (BENCH_PAIRS, "split", " test", "Write test"),
        (BENCH_PAIRS, "split", "validation", "Use one of: train, dev, test"),
        (BENCH_PAIRS, "difficulty", "meduim", "Did you mean medium?"),
        (BENCH_PAIRS, "cue_type", "none", "Use one of: null, correct, misleading"),
        (BENCH_PAIRS, "split", "", "Fill it in; this column is needed on every row"),
        (BENCH_ITEMS, "license", "mit", "Write MIT"),
        (BENCH_ITEMS, "license", "All rights reserved", NO_LICENSE),
        (BENCH_ITEMS, "license", "CC-BY-ND-4.0", NO_LICENSE),
        (BENCH_GOLD, "gold_tier", "primary-human-expert", "Did you mean primary_human_expert?"),
        (JUDGMENT_EVENTS, "channel", "web", "Use one of: browser, offline_packet, import"),
    ],
)
def test_choice_with_its_cure(table, column, cell, cure):
    error = fault(table, column, cell)
    assert error.cure == cure
    if cell:
        assert error.what == f"“{cell}” is not a known {column}"


def test_placeholder_licence_and_empty_cue_are_known():
    assert accepts(BENCH_ITEMS, "license", "CC-BY-4.0-placeholder")
    assert accepts(BENCH_PAIRS, "cue_type", "")
    assert accepts(BENCH_PAIRS, "cue_type", "null")


def test_uuid_is_in_lower_case_with_hyphens():
    assert accepts(JUDGMENT_EVENTS, "event_id", "6f1c2d3e-0a4b-4c5d-8e6f-7a8b9c0d1e2f")
    assert accepts(JUDGMENT_EVENTS, "replaces", "")
    for cell in ("6F1C2D3E-0A4B-4C5D-8E6F-7A8B9C0D1E2F", "6f1c2d3e0a4b4c5d8e6f7a8b9c0d1e2f", "7"):
        assert "in lower case with hyphens" in fault(JUDGMENT_EVENTS, "event_id", cell).cure


def test_ids_must_not_be_empty_but_answers_may():
    assert fault(PREDS, "pair_id", "").what == "pair_id is empty"
    assert accepts(PREDS, "pred_preferred_id", "")
    assert accepts(JUDGMENTS, "preferred_id", "")
    assert fault(BENCH_GOLD, "preferred_id", "").what == "preferred_id is empty"


def test_payload_faults_reach_the_reader():
    error = fault(BENCH_ITEMS, "uri_or_payload_ref", "../secret.png")
    assert error.what == "“../secret.png”: the path leaves its folder by `..`"


@given(
    st.lists(st.floats(0, 1).map(lambda x: f"{x:.17f}") | st.sampled_from(["0", "1", "", ".5"]), max_size=8)
)
def test_valid_shares_in_a_column_are_all_accepted(cells):
    raw = "pair_id,pred_preferred_id,confidence\n" + "".join(
        f"p{i},a,{cell}\n" for i, cell in enumerate(cells)
    )
    assert read_table(raw.encode(), PREDS).text("confidence") == cells


@given(
    st.lists(st.text("0123456789.eE+-n%, ", max_size=4), min_size=1, max_size=8),
    st.sampled_from([PREDS, SCORES]),
)
def test_a_column_is_judged_as_its_cells_alone(cells, table):
    """The quick proof over a whole column and the rule for a single cell must not differ."""
    column = "confidence" if table is PREDS else "score"
    head = "pair_id,pred_preferred_id,confidence\n" if table is PREDS else "rater_id,item_id,score\n"
    raw = head + "".join(f'p{i},a,"{cell}"\n' for i, cell in enumerate(cells))
    bad = [i for i, cell in enumerate(cells) if not accepts(table, column, cell)]
    try:
        read_table(raw.encode(), table)
        refused: list[int | None] = []
    except TableErrors as error:
        refused = [fault.line for fault in error.errors]
    assert refused == [i + 2 for i in bad]
