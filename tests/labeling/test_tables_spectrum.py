"""Real and published CSV cases: csv-spectrum with its expected results, and real rows in odd encodings."""

import csv
import io
import json

import pytest

from labeling.tables import BENCH_ITEMS, BENCH_PAIRS, JUDGMENTS, PREDS, TableErrors, read_cells, read_table
from labeling.tables.references import check_bench, check_pair_ids
from tests.shared_data import DATA, needs_data

pytestmark = needs_data
SPECTRUM = DATA / "csv" / "csv-spectrum"
MADE = DATA / "csv" / "made"
CASES = sorted(path.stem for path in (SPECTRUM / "csvs").glob("*.csv"))
# The telephone number of this file and of its published result differ; everything else must be equal.
OTHER_PHONE = "location_coordinates"


@pytest.mark.parametrize("case", [case for case in CASES if case != OTHER_PHONE])
def test_spectrum_case_reads_as_published(case):
    cells = read_cells(SPECTRUM / "csvs" / f"{case}.csv")
    expected = json.loads((SPECTRUM / "json" / f"{case}.json").read_text(encoding="utf-8"))
    assert [dict(zip(cells.header, row, strict=True)) for row in cells.rows] == expected


def test_all_twelve_spectrum_cases_are_here():
    assert len(CASES) == 12
    assert OTHER_PHONE in CASES


def test_spectrum_case_with_quotes_in_an_unquoted_cell_keeps_them_as_text():
    cells = read_cells(SPECTRUM / "csvs" / f"{OTHER_PHONE}.csv")
    expected = json.loads((SPECTRUM / "json" / f"{OTHER_PHONE}.json").read_text(encoding="utf-8"))
    (row,) = cells.rows
    assert row[0] == "2095257564"
    assert dict(zip(cells.header[1:], row[1:], strict=True)) == {
        name: text for name, text in expected.items() if name != "Contact Phone Number"
    }


def test_field_of_632_kb_is_read_whole():
    cells = read_cells(MADE / "huge_field_632KB.csv")
    assert cells.header == ["attempt", "outcome", "trajectory_json"]
    (row,) = cells.rows
    assert len(row[2]) > 600_000
    assert json.loads(row[2])["trajectory_format"] == "mini-swe-agent-1.1"


@pytest.mark.parametrize("name", ["pandalm200_utf8_bom_crlf_embedded_newlines", "pandalm200_mixed_eol"])
def test_mark_line_ends_and_quoted_line_breaks_are_read_as_they_are(name):
    raw = (MADE / f"{name}.csv").read_bytes()
    rows = list(csv.reader(io.StringIO(raw.decode("utf-8-sig"), newline=""), strict=True))
    cells = read_cells(raw)
    assert [cells.header, *cells.rows] == [row for row in rows if row]
    assert len(cells.rows) == 200


def test_ragged_file_names_each_of_its_six_rows():
    with pytest.raises(TableErrors) as caught:
        read_cells(MADE / "pandalm200_ragged.csv")
    assert caught.value.total == 6
    # Each reported line starts a row that the csv module, too, finds to have nine cells.
    raw = (MADE / "pandalm200_ragged.csv").read_bytes().decode()
    reader = csv.reader(io.StringIO(raw, newline=""))
    starts = []
    before = 0
    for row in reader:
        if len(row) == 9:
            starts.append(before + 1)
        before = reader.line_num
    assert [error.line for error in caught.value.errors] == starts
    assert all("9 cells, the header 8" in error.what for error in caught.value.errors)


def test_excel_separator_hint_is_refused_with_its_cure():
    with pytest.raises(TableErrors, match=r"sep_hint_excel.csv:1: .*separator hint “sep=;”.*Delete it"):
        read_cells(MADE / "pandalm200_sep_hint_excel.csv")


def test_utf16_with_semicolons_is_refused_for_its_semicolons_only():
    with pytest.raises(TableErrors) as caught:
        read_cells(MADE / "pandalm200_utf16le_bom_semicolon.csv")
    assert [error.what for error in caught.value.errors] == ["the columns are separated by semicolons"]


@pytest.mark.parametrize(
    ("name", "n_items", "n_pairs", "n_judgments"),
    [("lamp", 600, 600, 1800), ("pandalm", 1998, 999, 2997), ("calista", 44, 122, 419)],
)
def test_real_benches_read_whole_and_their_references_hold(name, n_items, n_pairs, n_judgments):
    items = read_table(DATA / name / "bench_items.csv", BENCH_ITEMS)
    pairs = read_table(DATA / name / "bench_pairs.csv", BENCH_PAIRS)
    judgments = read_table(DATA / name / "judgments.csv", JUDGMENTS)
    assert (len(items), len(pairs), len(judgments)) == (n_items, n_pairs, n_judgments)
    check_bench(items, pairs)
    resolved = check_pair_ids(judgments, pairs, choice="preferred_id")
    assert resolved.choice is not None
    for row in (0, n_judgments // 2, n_judgments - 1):
        pair = int(resolved.pair[row])
        assert pairs.text("pair_id")[pair] == judgments.text("pair_id")[row]
        side = {0: "item_a", 1: "item_b", -1: ""}[int(resolved.choice[row])]
        assert judgments.text("preferred_id")[row] == (pairs.text(side)[pair] if side else "")


@pytest.mark.parametrize("name", ["preds_gpt-3.5-turbo.csv", "preds_pandalm-7b.csv"])
def test_real_predictions_read_whole(name):
    assert len(read_table(DATA / "pandalm" / name, PREDS)) == 999
