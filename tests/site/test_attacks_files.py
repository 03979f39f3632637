"""Files made to break the reader: refused in a sentence, at little cost."""

import io
import random
import zipfile

import pyarrow as pa
import pyarrow.parquet as pq
import pytest

from labeling.importing.archive import ArchiveRefused, unpack
from labeling.importing.folder import read_folder
from labeling.importing.judgments import import_judgments
from labeling.importing.staging import import_folder
from labeling.models import Pair, Rater
from labeling.rounds import close_round
from labeling.tables import JUDGMENTS, PREDS, TableErrors, read_table
from labeling.tables.payload import PayloadError, resolve_inside
from tests.factories import make_pair, make_round, silent


def parquet(**columns):
    target = io.BytesIO()
    pq.write_table(pa.table(columns), target, compression="zstd")
    return target.getvalue()


def refused(raw):
    with pytest.raises(TableErrors) as told:
        read_table(raw, PREDS, name="preds.parquet")
    return str(told.value)


def test_a_small_parquet_file_that_repeats_a_long_cell_is_refused_before_it_is_written_out():
    """300,000 times 10,000 characters are 3 GB, from a file of a few kilobytes."""
    cells = pa.DictionaryArray.from_arrays(pa.array([0] * 300_000, pa.int32()), ["x" * 10_000])
    raw = parquet(pair_id=cells, pred_preferred_id=["a"] * 300_000)
    assert len(raw) < 100_000
    before = pa.total_allocated_bytes()
    assert "take more than 2,000,000,000 bytes" in refused(raw)
    assert pa.total_allocated_bytes() - before < 100_000_000


def test_long_columns_whose_cells_fit_are_read_as_ever():
    """Rows times bytes of the group exceed the bound here, what the cells say does not."""
    n = 100_000
    ids = [f"pair_{row:06d}" for row in range(n)]
    raw = parquet(pair_id=ids, pred_preferred_id=["a", "b"] * (n // 2), confidence=[0.5, None] * (n // 2))
    frame = read_table(raw, PREDS, name="preds.parquet")
    assert frame.text("pair_id") == ids
    assert frame.text("pred_preferred_id")[:3] == ["a", "b", "a"]
    assert frame.text("confidence")[:3] == ["0.5", "", "0.5"]


def test_a_column_that_the_contract_does_not_know_is_not_read():
    cells = pa.DictionaryArray.from_arrays(pa.array([0] * 300_000, pa.int32()), ["x" * 10_000])
    raw = parquet(
        pair_id=[f"p{row}" for row in range(300_000)], pred_preferred_id=["a"] * 300_000, more=cells
    )
    frame = read_table(raw, PREDS, name="preds.parquet")
    assert len(frame) == 300_000
    assert "more" in frame.warnings[0]


def test_a_parquet_column_whose_name_is_no_text_is_refused():
    raw = parquet(pair_id=["p"], pred_preferred_id=["a"], zzzz=["1"]).replace(b"zzzz", b"\xff\xfe\xff\xfe")
    assert "not readable as Parquet" in refused(raw)


def test_damaged_parquet_is_read_or_refused_and_nothing_else():
    raw = parquet(pair_id=[f"p{row}" for row in range(50)], pred_preferred_id=["a"] * 50)
    chance = random.Random(1)
    for _ in range(300):
        damaged = bytearray(raw)
        for _ in range(3):
            damaged[chance.randrange(4, len(raw))] = chance.randrange(256)
        assert outcome(bytes(damaged))


def outcome(raw):
    """What was refused, or "read"."""
    try:
        read_table(raw, PREDS, name="preds.parquet")
    except TableErrors as told:
        return str(told)
    return "read"


@pytest.mark.parametrize("method", [zipfile.ZIP_LZMA, zipfile.ZIP_BZIP2])
def test_zips_of_other_methods_than_deflate_are_refused(tmp_path, method):
    assert "method other than deflate" in unpacked(tmp_path, zipped(method))


def test_damaged_zips_are_unpacked_or_refused_and_nothing_else(tmp_path):
    raw = zipped()
    chance = random.Random(1)
    for turn in range(300):
        damaged = bytearray(raw)
        for _ in range(3):
            damaged[chance.randrange(len(raw))] = chance.randrange(256)
        folder = tmp_path / str(turn)
        folder.mkdir()
        assert unpacked(folder, bytes(damaged))


def test_a_name_that_is_no_utf_8_is_refused(tmp_path):
    raw = zipped(name="é.csv").replace("é".encode(), b"\xff\xfe")
    assert "no zip that can be read" in unpacked(tmp_path, raw)


def zipped(method=zipfile.ZIP_DEFLATED, name="bench_items.csv"):
    target = io.BytesIO()
    with zipfile.ZipFile(target, "w", method) as made:
        made.writestr(name, "item_id,domain\n" * 50)
        made.writestr("items/a.txt", "text")
    return target.getvalue()


def unpacked(folder, raw):
    """What was refused, or "unpacked"."""
    try:
        unpack(io.BytesIO(raw), folder)
    except ArchiveRefused as told:
        return str(told)
    return "unpacked"


@pytest.mark.parametrize("name", ["x" * 300, "x/" * 3000 + "x"])
def test_a_file_name_longer_than_names_can_be_is_refused(tmp_path, name):
    with pytest.raises(PayloadError, match="no file can have this name"):
        resolve_inside(tmp_path, f"{name}.png")


ITEM = {
    "item_id": "one",
    "domain": "book",
    "uri_or_payload_ref": "text:words",
    "era_tag": "",
    "license": "CC0-1.0",
    "data_origin": "simulation",
}
PAIR = {
    "pair_id": "p",
    "domain": "book",
    "item_a": "one",
    "item_b": "two",
    "pair_group_id": "",
    "difficulty": "easy",
    "split": "test",
    "data_origin": "simulation",
}


def folder_of(path, *, item=(), pair=()):
    """A folder of two items and their pair, with some cells replaced."""
    items = [ITEM | dict(item), ITEM | dict(item) | {"item_id": "two"}]
    for name, rows in (("bench_items", items), ("bench_pairs", [PAIR | dict(pair)])):
        lines = [",".join(row.values()) for row in rows]
        path.joinpath(f"{name}.csv").write_text("\n".join([",".join(rows[0]), *lines, ""]))
    return path


@pytest.mark.django_db
@pytest.mark.parametrize(
    ("longer", "line", "sentence"),
    [
        ({"pair": {"pair_id": "p" * 501}}, "bench_pairs.csv:2: pair_id", "501 characters; at most 500"),
        ({"pair": {"pair_group_id": "é" * 501}}, "bench_pairs.csv:2: pair_group_id", "501 characters"),
        ({"item": {"era_tag": "e" * 201}}, "bench_items.csv:3: era_tag", "201 characters; at most 200"),
    ],
)
def test_a_cell_longer_than_the_database_holds_is_refused_in_the_preview(tmp_path, longer, line, sentence):
    """SQLite would store it, PostgreSQL would break off with an unknown fault."""
    with pytest.raises(TableErrors) as told:
        read_folder(folder_of(tmp_path, **longer))
    assert any(str(error).startswith(line) and sentence in str(error) for error in told.value.errors)


@pytest.mark.django_db
def test_cells_as_long_as_the_database_holds_are_stored(tmp_path):
    # Outside the Basic Multilingual Plane: four bytes a character, the most an index has to hold.
    path = folder_of(tmp_path, pair={"pair_id": "\U0001f600" * 500, "pair_group_id": "\U0001f600" * 500})
    import_folder(read_folder(path), name="long", progress=silent())
    assert Pair.objects.get().pair_id == "\U0001f600" * 500


@pytest.mark.django_db
def test_a_rater_s_name_longer_than_the_database_holds_is_refused():
    round_ = make_round([make_pair("p1")], [])
    close_round(round_, actor="test")
    judgments = read_table(f"rater_id,pair_id,preferred_id\n{'r' * 151},p1,\n".encode(), JUDGMENTS)
    with pytest.raises(TableErrors, match="rater_id: it has 151 characters; at most 150"):
        import_judgments(round_, judgments, progress=silent())
    assert not Rater.objects.exists()
