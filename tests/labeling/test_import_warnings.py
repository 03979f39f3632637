"""What the preview of an import warns of. Nothing of it refuses the import."""

import io

import pytest
from django.core.management import call_command
from PIL import Image

from labeling.import_warnings import warnings_of
from labeling.importing.folder import read_folder
from labeling.models import Item
from tests.shared_data import DATA, needs_data

pytestmark = [pytest.mark.django_db, pytest.mark.usefixtures("private_files")]

N = 20


def folder(path, sides):
    """A folder of N pairs; `sides(i)` gives (reference of item_a, reference of item_b)."""
    items = ["item_id,domain,uri_or_payload_ref,license,data_origin"]
    pairs = ["pair_id,domain,item_a,item_b,difficulty,split,data_origin"]
    for i in range(N):
        for letter, reference in zip("xy", sides(i), strict=True):
            items.append(f"q{i}{letter},visual,{reference},CC-BY-4.0,simulation")
        pairs.append(f"p{i},visual,q{i}x,q{i}y,easy,test,simulation")
    (path / "bench_items.csv").write_text("\n".join(items) + "\n")
    (path / "bench_pairs.csv").write_text("\n".join(pairs) + "\n")
    return path


def told(path):
    return warnings_of(read_folder(path))


def plain(i):
    """Two texts; the longer one is item_a in every second pair. The ids end alike."""
    texts = (f"text:A long line number {i}.", f"text:Line {i}.")
    return texts if i % 2 else texts[::-1]


@pytest.fixture
def mixed_ids(tmp_path):
    """Ids q0x, q0y … have the words q and x, or q and y: x is always item_a, so exchange every second."""

    def write(sides):
        path = folder(tmp_path, sides)
        rows = (path / "bench_pairs.csv").read_text().splitlines()
        for i in range(0, N, 2):
            rows[i + 1] = f"p{i},visual,q{i}y,q{i}x,easy,test,simulation"
        (path / "bench_pairs.csv").write_text("\n".join(rows) + "\n")
        return path

    return write


def test_alike_columns_without_telling_words_give_no_warning(mixed_ids):
    assert told(mixed_ids(lambda i: (f"text:Line {i:02}.", f"text:Word {i:02}."))) == ()


def test_words_of_content_are_told_with_their_number_and_some_items(mixed_ids):
    path = mixed_ids(lambda i: (f"text:As an AI I like {i:02}.", f"text:I do really like {i:02}."))
    [warning] = told(path)
    assert warning.startswith("The words “as an ai” stand in the content of 20 items (q0x, q1x, q2x, …)")


def test_generator_tags_and_alternative_texts_are_told(mixed_ids, tmp_path):
    (tmp_path / "made.html").write_text('<meta content="X" name="generator"><p>One.</p>')
    (tmp_path / "seen.html").write_text('<p>One <img src="data:," alt="a lamp"></p>')
    (tmp_path / "bare.html").write_text('<p>One <img src="data:," alt=""></p>')
    files = {0: ("made.html", "bare.html"), 1: ("seen.html", "bare.html")}
    warnings = told(mixed_ids(lambda i: files.get(i, (f"text:Line {i:02}.", f"text:Word {i:02}."))))
    assert warnings == (
        "A generator tag, which raters do not see, stands in the file of 1 item (q0x).",
        "Alternative texts of pictures, which raters do not see, stand in the file of 1 item (q1x).",
    )


def test_longer_texts_in_one_column_are_told(tmp_path):
    warnings = told(folder(tmp_path, lambda i: (f"text:A long line number {i}.", f"text:Line {i}.")))
    [length] = [warning for warning in warnings if "longer text" in warning]
    # 20 of 20: Wilson's low end is 20 / (20 + 3.8415) = 0.839
    assert length.startswith("item_a has the longer text in 20 of the 20 pairs where the two differ (100 %")
    assert "interval 84–100 %" in length


def test_formats_sizes_and_extensions_of_pictures_are_told(tmp_path):
    Image.new("RGB", (40, 30)).save(tmp_path / "one.png")
    Image.new("RGB", (30, 30)).save(tmp_path / "two.jpg")
    warnings = " ".join(told(folder(tmp_path, lambda _: ("one.png", "two.jpg"))))
    for words in (
        "item_a has the wider picture",
        "item_a has the format PNG",
        "item_b has the format JPEG",
        "item_a has the file extension “.png”",
        "item_b has the word “two”",
    ):
        assert words in warnings
    assert "higher picture" not in warnings


def test_mixed_lengths_are_not_told(tmp_path):
    assert not [warning for warning in told(folder(tmp_path, plain)) if "longer" in warning]


def test_a_file_that_is_no_picture_stops_nothing(tmp_path):
    (tmp_path / "broken.png").write_bytes(b"no picture")
    warnings = told(folder(tmp_path, lambda i: ("broken.png", f"text:Line {i}.")))
    assert not [warning for warning in warnings if "broken.png" in warning]


def test_a_deployment_can_bring_its_own_list(mixed_ids, tmp_path, settings):
    words = tmp_path / "words.txt"
    words.write_text("line 03\n")
    settings.SOURCE_WORDS_FILE = str(words)
    [warning] = told(mixed_ids(lambda i: (f"text:Line {i:02}.", f"text:Word {i:02}.")))
    assert warning == "The words “line 03” stand in the content of 1 item (q3x)."


def test_the_command_prints_warnings_and_imports_all_the_same(mixed_ids):
    path = mixed_ids(lambda i: (f"text:As an AI I like {i:02}.", f"text:I do really like {i:02}."))
    said = io.StringIO()
    call_command("import_tables", str(path), stderr=said)
    assert "“as an ai”" in said.getvalue()
    assert Item.objects.count() == 2 * N


@needs_data
def test_names_of_the_lamp_data_carry_the_kind_of_author():
    warnings = told(DATA / "lamp")
    for word in ("ai", "human"):
        assert any(
            warning.startswith(f"The word “{word}” stands in the id or file name") for warning in warnings
        )
        assert any(f"has the word “{word}” in its id or file name" in warning for warning in warnings)
