"""Rubrics from files: the same text is known again, another text needs another id."""

import copy
from typing import Any

import pytest
from django.db.models import ProtectedError

from labeling.models import Rubric
from labeling.rubrics import RubricRefused, load_rubric, rubric_json
from tests.factories import make_round, make_rubric, opened_round

pytestmark = pytest.mark.django_db

FULL = {
    "rubric_id": "rubric_v1",
    "title": "Craft",
    "question": "Which is better crafted?",
    "pairwise": "Choose the one you would sign.",
    "non_criteria": ["virality"],
    "anchors": [{"from": 0.85, "to": 1.0, "label": "exemplary"}],
    "condition_rule": "Judge for the condition.",
    "guidelines": "Look at both.",
    "domains": {
        "visual": {"cues": ["composition", "hierarchy"], "default_brief": "A poster."},
        "book": {"cues": [], "default_brief": ""},
    },
}
SHORT = {
    "rubric_id": "rubric_v1",
    "title": "Craft",
    "question": "Which?",
    "domains": {"visual": {"cues": ["composition"]}},
}


def test_a_rubric_is_stored_as_its_file_holds_it():
    assert rubric_json(load_rubric(FULL)) == FULL


@pytest.mark.parametrize("data", [FULL, SHORT], ids=["full", "short"])
def test_the_same_text_again_is_the_stored_rubric(data):
    first = load_rubric(data)
    assert load_rubric(copy.deepcopy(data)) == first
    assert Rubric.objects.count() == 1
    assert load_rubric(rubric_json(first)) == first  # also as a release carries it


def changed(path, value):
    data = copy.deepcopy(FULL)
    place: Any = data
    for step in path[:-1]:
        place = place[step]
    if value is None:
        del place[path[-1]]
    else:
        place[path[-1]] = value
    return data


@pytest.mark.parametrize(
    ("path", "value"),
    [
        (["question"], "Which is better known?"),
        (["guidelines"], None),
        (["non_criteria"], ["virality", "followers"]),
        (["anchors"], []),
        (["domains", "visual", "cues"], ["hierarchy", "composition"]),
        (["domains", "visual", "default_brief"], None),
        (["domains", "tech"], {"cues": ["clarity"]}),
        (["domains", "book"], None),
    ],
)
def test_another_text_under_the_same_id_is_refused_and_changes_nothing(path, value):
    load_rubric(FULL)
    with pytest.raises(RubricRefused, match=r"rubric_v1 is stored with another text.* next version's id"):
        load_rubric(changed(path, value))
    assert rubric_json(Rubric.objects.get()) == FULL


def test_the_next_version_stands_beside_the_first():
    load_rubric(FULL)
    load_rubric(changed(["rubric_id"], "rubric_v2") | {"question": "Which is finer?"})
    assert sorted(Rubric.objects.values_list("rubric_id", flat=True)) == ["rubric_v1", "rubric_v2"]


@pytest.mark.parametrize(
    ("data", "words"),
    [
        ([], "one JSON object"),
        ("text", "one JSON object"),
        ({}, "lacks rubric_id, title, question, domains"),
        (changed(["question"], ""), "lacks question"),
        (changed(["domains"], {}), "lacks domains"),
        (changed(["domains"], ["visual"]), "“domains” maps each domain"),
        (changed(["domains", "visual"], {"default_brief": "x"}), "“domains” maps each domain"),
        (changed(["domains", "visual", "cues"], "composition"), "“domains” maps each domain"),
        (changed(["anchors"], [{"range": "0-1"}]), "“anchors” is a list of bands"),
        (FULL | {"notes": "x"}, "unknown parts: notes"),
    ],
)
def test_what_is_no_rubric_is_refused_with_what_it_lacks(data, words):
    with pytest.raises(RubricRefused, match=words):
        load_rubric(data)
    assert not Rubric.objects.exists()


def test_a_rubric_is_frozen_from_the_first_round_that_opens():
    rubric = make_rubric()
    assert not rubric.is_frozen()
    make_round(rubric=rubric)
    assert not rubric.is_frozen()
    opened_round(rubric=rubric)
    assert rubric.is_frozen()


def test_a_rubric_that_a_round_uses_cannot_be_deleted():
    rubric = make_round().rubric
    with pytest.raises(ProtectedError):
        rubric.delete()
