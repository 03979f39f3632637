"""A folder of tables, checked against itself and what was imported before."""

import pytest
from django.db import connection
from django.test.utils import CaptureQueriesContext

from labeling.importing.folder import FolderIncomplete, read_folder
from labeling.importing.staging import import_folder
from labeling.models import DataOrigin, Item, License, Pair
from labeling.tables import BENCH_PAIRS, TableErrors, read_table, write_table
from tests.factories import make_item, silent, tables
from tests.labeling.folders import ITEMS, PAIRS, many, write_folder

pytestmark = [pytest.mark.django_db, pytest.mark.usefixtures("private_files")]


def faults(folder):
    with pytest.raises(TableErrors) as refused:
        read_folder(folder)
    return [str(error) for error in refused.value.errors]


def store(folder, name="first"):
    return import_folder(read_folder(folder), name=name, progress=silent())


def test_a_sound_folder_is_summed_up(tmp_path):
    summary = read_folder(write_folder(tmp_path)).summary()
    assert summary == {
        "n_items": 4,
        "n_pairs": 2,
        "new_items": 4,
        "new_pairs": 2,
        "domains": {"book": 1, "visual": 1},
        "splits": {"dev": 1, "test": 1},
        "difficulties": {"easy": 1, "hard": 1},
        "licenses": {"CC-BY-4.0": 4},
        "data_origins": {"simulation": 4},
        "warnings": [],
    }
    assert not Item.objects.exists()


def test_unknown_columns_are_named_and_not_stored(tmp_path):
    items = [f"{line},{'extra' if number == 0 else 'x'}" for number, line in enumerate(ITEMS)]
    [warning] = read_folder(write_folder(tmp_path, items=items)).summary()["warnings"]
    assert "extra" in warning


def test_parquet_is_read_like_csv(tmp_path):
    folder = write_folder(tmp_path)
    frame = read_table(folder / "bench_pairs.csv", BENCH_PAIRS)
    write_table(folder / "bench_pairs.parquet", BENCH_PAIRS, frame, format="parquet")
    with pytest.raises(FolderIncomplete, match=r"both bench_pairs.csv and bench_pairs.parquet; keep one"):
        read_folder(folder)
    (folder / "bench_pairs.csv").unlink()
    assert read_folder(folder).summary()["n_pairs"] == 2


def test_an_empty_folder_says_what_to_add(tmp_path):
    with pytest.raises(FolderIncomplete, match=r"no bench_items.csv and no bench_pairs.csv .* add one"):
        read_folder(tmp_path)


def test_the_faults_of_both_tables_are_told_at_once(tmp_path):
    items = [ITEMS[0], "v1,visual,text:one,,,GPL-0.0,simulation", *ITEMS[2:]]
    pairs = [PAIRS[0], "p1,visual,v1,v2,,,,,extreme,test,simulation,", *PAIRS[2:]]
    told = faults(write_folder(tmp_path, items=items, pairs=pairs))
    assert len(told) == 2
    assert any(line.startswith("bench_items.csv:2: license:") and "GPL-0.0" in line for line in told)
    assert any(line.startswith("bench_pairs.csv:2: difficulty:") and "extreme" in line for line in told)


@pytest.mark.parametrize(
    ("row", "place", "words"),
    [
        ("p1,visual,v1,v1,,,,,easy,test,simulation,", "bench_pairs.csv:2: item_b:", "paired with itself"),
        ("p1,visual,v1,v9,,,,,easy,test,simulation,", "bench_pairs.csv:2: item_b:", "v9”"),
        ("p1,book,v1,v2,,,,,easy,test,simulation,", "bench_pairs.csv:2: domain:", "in domain “book”"),
        ("p2,visual,v1,v2,,,,,easy,test,simulation,", "bench_pairs.csv:3: pair_id:", "p2"),
        ("p1,book,b2,b1,,,,,easy,test,simulation,", "bench_pairs.csv:3: item_a:", "same two items"),
        ("p1,visual,v1,v2,,,,,easy,exam,simulation,", "bench_pairs.csv:2: split:", "exam"),
        ("p1,visual,v1,v2,,,,wrong,easy,test,simulation,", "bench_pairs.csv:2: cue_type:", "wrong"),
        ("p1,visual,v1,v2,,,,,easy,test,from_the_moon,", "bench_pairs.csv:2: data_origin:", "from_the_moon"),
        ("p1,visual,v1,v2,,,,,easy,test,simulation", "bench_pairs.csv:2:", "11"),
    ],
)
@pytest.mark.parametrize("with_items", [True, False], ids=["with items", "pairs alone"])
def test_a_fault_is_named_with_file_line_and_cure(tmp_path, with_items, row, place, words):
    """Also where the items were imported before, and the folder holds pairs alone."""
    pairs = [PAIRS[0], row, *PAIRS[2:]]
    if not with_items:
        before = tmp_path / "before"
        store(write_folder(before, pairs=None))
    folder = write_folder(tmp_path / "now", items=ITEMS if with_items else None, pairs=pairs)
    told = faults(folder)
    assert any(line.startswith(place) and words in line for line in told), told


def test_pairs_may_name_items_of_an_earlier_import(tmp_path):
    store(write_folder(tmp_path / "one", pairs=None))
    done = store(write_folder(tmp_path / "two", items=None))
    assert (done.n_items, done.n_pairs) == (0, 2)
    assert Pair.objects.get(pair_id="p1").item_a.item_id == "v1"


def test_pairs_may_name_earlier_items_beside_new_ones(tmp_path):
    store(write_folder(tmp_path / "one", pairs=None))
    new = [ITEMS[0], "v3,visual,text:three,,,CC-BY-4.0,simulation"]
    pairs = [PAIRS[0], "p3,visual,v1,v3,,,,,easy,test,simulation,"]
    done = store(write_folder(tmp_path / "two", items=new, pairs=pairs))
    assert (done.n_items, done.n_pairs) == (1, 1)
    assert Pair.objects.get(pair_id="p3").item_a.table_import.name == "first"


def test_items_of_an_import_that_is_not_complete_are_not_there(tmp_path):
    for item_id in ("v1", "v2", "b1", "b2"):
        make_item(item_id, table_import=tables("under way", state="staging"))
    told = faults(write_folder(tmp_path / "two", items=None))
    assert len(told) == 4  # two items of two pairs
    assert all("is not in bench_items.csv" in line for line in told)


def test_the_same_folder_again_is_nothing_new(tmp_path):
    folder = write_folder(tmp_path)
    store(folder)
    summary = read_folder(folder).summary()
    assert (summary["n_items"], summary["new_items"], summary["new_pairs"]) == (4, 0, 0)


@pytest.mark.parametrize(
    ("items", "pairs", "told"),
    [
        (
            [ITEMS[0], "v1,visual,text:another,,,CC-BY-4.0,simulation", *ITEMS[2:]],
            PAIRS,
            "bench_items.csv:2: uri_or_payload_ref: v1 was imported before with “text:one” here. "
            "Give the changed row a new id; imported rows never change.",
        ),
        (
            ITEMS,
            [PAIRS[0], "p1,visual,v2,v1,,,,,easy,test,simulation,", *PAIRS[2:]],
            "bench_pairs.csv:2: item_a: p1 was imported before with “v1” here. "
            "Give the changed row a new id; imported rows never change.",
        ),
        (
            ITEMS,
            [*PAIRS[:2], PAIRS[2].replace("hard", "easy")],
            "bench_pairs.csv:3: difficulty: p2 was imported before with “hard” here. "
            "Give the changed row a new id; imported rows never change.",
        ),
    ],
)
def test_a_changed_row_is_an_error_that_names_what_stood_there(tmp_path, items, pairs, told):
    store(write_folder(tmp_path / "one"))
    assert told in faults(write_folder(tmp_path / "two", items=items, pairs=pairs))


def test_the_same_items_are_not_paired_again_under_another_id(tmp_path):
    store(write_folder(tmp_path / "one"))
    pairs = [PAIRS[0], "p9,visual,v2,v1,,,,,easy,test,simulation,"]
    assert faults(write_folder(tmp_path / "two", pairs=pairs)) == [
        "bench_pairs.csv:2: item_a: these items are paired before, as p1. Leave the row out."
    ]
    conditioned = [PAIRS[0], "p9,visual,v2,v1,1970s,,,,easy,test,simulation,"]
    assert read_folder(write_folder(tmp_path / "three", pairs=conditioned)).new_pairs == [0]


def test_an_admins_additions_to_the_lists_are_taken(tmp_path):
    License.objects.create(spdx="LicenseRef-ours")
    DataOrigin.objects.create(code="our_panel")
    items = [
        ITEMS[0],
        *(line.replace("CC-BY-4.0,simulation", "LicenseRef-ours,our_panel") for line in ITEMS[1:]),
    ]
    assert read_folder(write_folder(tmp_path, items=items)).summary()["licenses"] == {"LicenseRef-ours": 4}


def test_ids_are_compared_byte_for_byte(tmp_path):
    odd = ["007", "7", "1e5", "NA", " x", "x", "e\u0301", "\u00e9"]
    items = [
        ITEMS[0],
        *(f"{item},visual,text:{number},,,CC-BY-4.0,simulation" for number, item in enumerate(odd)),
    ]
    store(write_folder(tmp_path, items=items, pairs=None))
    assert sorted(Item.objects.values_list("item_id", flat=True)) == sorted(odd)


def test_of_three_thousand_faults_two_hundred_are_shown_and_all_counted(tmp_path):
    rows = [f"p{number},visual,v1,v9,,,,,extreme,test,simulation," for number in range(3000)]
    with pytest.raises(TableErrors) as refused:
        read_folder(write_folder(tmp_path, pairs=[PAIRS[0], *rows]))
    assert len(refused.value.errors) == 200
    assert refused.value.total == 3000


def test_what_was_imported_before_is_found_beyond_one_query(tmp_path):
    """503 pairs of 1,006 items: more than one question to the database may name."""
    items, pairs = many(503)
    store(write_folder(tmp_path / "one", items=items, pairs=pairs))
    summary = read_folder(write_folder(tmp_path / "two", items=items, pairs=pairs)).summary()
    assert (summary["new_items"], summary["new_pairs"]) == (0, 0)
    exchanged = [
        pairs[0],
        *(f"q{number},visual,i{number}b,i{number}a,,,,,easy,test,simulation," for number in range(503)),
    ]
    told = faults(write_folder(tmp_path / "three", items=None, pairs=exchanged))
    assert len(told) == 200
    assert told[0].endswith("these items are paired before, as p0. Leave the row out.")


def test_reading_asks_for_what_the_folder_names_alone(tmp_path):
    items, pairs = many(50)
    store(write_folder(tmp_path / "one", items=items, pairs=pairs))
    folder = write_folder(tmp_path / "two", pairs=[PAIRS[0], *(f"new_{line}" for line in PAIRS[1:])])
    with CaptureQueriesContext(connection) as asked:
        assert read_folder(folder).new_pairs == [0, 1]
    of_rows = [query["sql"] for query in asked if "labeling_item" in query["sql"]]
    assert of_rows
    assert all(" IN (" in sql for sql in of_rows)
