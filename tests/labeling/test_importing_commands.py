"""manage.py import_tables, import_rubric, create_round, import_judgments: from files to a closed round."""

import io
import json

import pytest
from django.core.management import CommandError, call_command

from labeling.models import Item, JudgmentEvent, Pair, Round, Rubric, TableImport
from tests.labeling.folders import ITEMS, PAIRS, many, write_folder

pytestmark = [pytest.mark.django_db, pytest.mark.usefixtures("private_files")]

RUBRIC = {
    "rubric_id": "rubric_v1",
    "title": "Craft",
    "question": "Which is better crafted?",
    "domains": {"visual": {"cues": ["composition"]}, "book": {"cues": ["voice"], "default_brief": "A page."}},
}


def run(*arguments, **options):
    out, err = io.StringIO(), io.StringIO()
    call_command(*map(str, arguments), stdout=out, stderr=err, **options)
    return out.getvalue() + err.getvalue()


def refused(*arguments):
    with pytest.raises(CommandError) as told:
        run(*arguments)
    return str(told.value)


@pytest.fixture
def rubric_file(tmp_path):
    path = tmp_path / "rubric.json"
    path.write_text(json.dumps(RUBRIC))
    return path


def test_from_an_empty_database_to_judgments_in_a_closed_round(tmp_path, rubric_file):
    assert "rubric_v1 is stored" in run("import_rubric", rubric_file)
    assert "Stored 4 items and 2 pairs." in run("import_tables", write_folder(tmp_path / "bench"))
    arguments = ["--rubric", "rubric_v1", "--tier", "simulation", "--tables", "bench", "--closed"]
    assert "Round elsewhere holds 2 pairs." in run("create_round", "elsewhere", *arguments)
    judgments = tmp_path / "judgments.csv"
    judgments.write_text("rater_id,pair_id,preferred_id\nr1,p1,v1\nr2,p1,v2\nr1,p2,\n")
    assert "Stored 3 judgments; 0 were known." in run("import_judgments", "elsewhere", judgments)
    assert "Stored 0 judgments; 3 were known." in run("import_judgments", "elsewhere", judgments)
    round_ = Round.objects.get()
    assert (round_.state, round_.name, round_.pairs.count()) == ("closed", "elsewhere", 2)
    assert JudgmentEvent.objects.filter(round=round_).count() == 3


def test_check_stores_nothing(tmp_path):
    said = run("import_tables", write_folder(tmp_path), "--check")
    assert "4 new items, 2 new pairs. Nothing stored." in said
    assert not TableImport.objects.exists()


def test_the_import_is_listed_under_the_folders_name_or_the_one_given(tmp_path):
    run("import_tables", write_folder(tmp_path / "bench"))
    run("import_tables", tmp_path / "bench", "--name", "again")
    assert list(TableImport.objects.values_list("name", "n_items").order_by("pk")) == [
        ("bench", 4),
        ("again", 0),
    ]


def test_refused_tables_are_told_with_their_number(tmp_path):
    items, pairs = many(300)
    said = refused(
        "import_tables",
        write_folder(
            tmp_path, items=items, pairs=[PAIRS[0], *(line.replace("easy", "extreme") for line in pairs[1:])]
        ),
    )
    assert said.startswith("Nothing was stored: 300 errors.\nbench_pairs.csv:2: difficulty:")
    assert said.endswith("... and 100 more.")
    assert not Item.objects.exists()


def test_warnings_are_shown(tmp_path):
    items = [f"{line},{'colour' if line == ITEMS[0] else 'x'}" for line in ITEMS]
    assert "colour" in run("import_tables", write_folder(tmp_path, items=items))


@pytest.mark.parametrize("command", ["import_tables", "import_rubric"])
def test_what_is_not_there_is_told(tmp_path, command):
    assert str(tmp_path / "missing") in refused(command, tmp_path / "missing")


def test_a_folder_without_tables_is_told(tmp_path):
    assert "add one of them" in refused("import_tables", tmp_path)


@pytest.mark.parametrize("text", ["{", "[]", '{"rubric_id": "x"}', "\ufffe"])
def test_a_file_that_is_no_rubric_is_refused(tmp_path, text):
    path = tmp_path / "rubric.json"
    path.write_text(text)
    refused("import_rubric", path)
    assert not Rubric.objects.exists()


def test_a_round_needs_a_rubric_and_an_import(tmp_path, rubric_file):
    arguments = ["create_round", "r", "--rubric", "rubric_v1", "--tier", "simulation", "--tables", "bench"]
    assert "There is no rubric rubric_v1; store it with import_rubric" in refused(*arguments)
    run("import_rubric", rubric_file)
    assert "There is no import named bench; make it with import_tables" in refused(*arguments)
    run("import_tables", write_folder(tmp_path / "bench"))
    run(*arguments)
    assert Round.objects.get().state == "draft"
    assert refused(*arguments)  # the slug is taken
    assert Round.objects.count() == 1


def test_a_closed_round_of_the_wrong_tier_is_not_made(tmp_path, rubric_file):
    run("import_rubric", rubric_file)
    run("import_tables", write_folder(tmp_path / "bench"))
    said = refused(
        *("create_round", "r", "--rubric", "rubric_v1", "--tier", "public_reference"),
        *("--tables", "bench", "--closed"),
    )
    assert "the tier must be “simulation”" in said
    assert not Round.objects.exists()


def test_judgments_that_cannot_be_taken_are_told(tmp_path, rubric_file):
    run("import_rubric", rubric_file)
    run("import_tables", write_folder(tmp_path / "bench"))
    arguments = ["--rubric", "rubric_v1", "--tier", "simulation", "--tables", "bench"]
    run("create_round", "draft", *arguments)
    judgments = tmp_path / "judgments.csv"
    assert refused("import_judgments", "nowhere", judgments) == "There is no round nowhere."
    assert "judgments.csv" in refused("import_judgments", "draft", judgments)
    judgments.write_text("rater_id,pair_id,preferred_id\nr1,p9,v1\n")
    assert "imported into a closed round" in refused("import_judgments", "draft", judgments)
    run("create_round", "closed", *arguments, "--closed")
    said = refused("import_judgments", "closed", judgments)
    assert said.startswith("Nothing was stored: 1 errors.\njudgments.csv:2: pair_id: p9 is no pair")
    assert not JudgmentEvent.objects.exists()
    assert Pair.objects.count() == 2
