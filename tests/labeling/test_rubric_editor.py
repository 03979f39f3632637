"""The rubric editor: rows without JavaScript, frozen rubrics, versions, files."""

import json

import pytest
from django.core.files.uploadedfile import SimpleUploadedFile
from django.urls import reverse

from labeling.models import Role, Rubric
from labeling.round_forms import RoundForm
from labeling.rubrics import (
    RubricFrozen,
    RubricRefused,
    change_rubric,
    create_rubric,
    load_rubric,
    make_next_version,
    next_version_id,
    rubric_json,
)
from tests.factories import client_of, make_pair, make_round, make_rubric, make_user, opened_round

pytestmark = pytest.mark.django_db

TEXT = {
    "rubric_id": "house_v1",
    "title": "House rules",
    "question": "Which is finer?",
    "pairwise": "Choose one.",
    "non_criteria": ["fame", "price"],
    "anchors": [{"from": 0.0, "to": 0.3, "label": "fails"}, {"from": 0.85, "to": 1.0, "label": "shines"}],
    "condition_rule": "Judge for it.",
    "guidelines": "Look twice.",
    "domains": {
        "visual": {"cues": ["form", "colour"], "default_brief": "A poster."},
        "book": {"cues": ["voice"], "default_brief": ""},
    },
}


@pytest.fixture
def admin():
    return client_of(make_user(Role.ADMIN))


def fields(rows=(("visual", "form\ncolour", "A poster."), ("book", "voice", "")), **more):
    """What the page sends: the texts of TEXT and rows of domains; `more` replaces and adds."""
    sent = {
        "rubric_id": "house_v1",
        "title": "House rules",
        "question": "Which is finer?",
        "pairwise": "Choose one.",
        "non_criteria": "fame\n\n price ",
        "anchors": "0–0.3 fails\n0.85-1: shines",
        "condition_rule": "Judge for it.",
        "guidelines": "Look twice.",
        "domains-TOTAL_FORMS": str(len(rows)),
        "domains-INITIAL_FORMS": "0",
        "act": "save",
    }
    for number, row in enumerate(rows):
        for name, value in zip(("domain", "cues", "default_brief"), row, strict=True):
            sent[f"domains-{number}-{name}"] = value
    return sent | more


def test_a_rubric_is_written_on_the_page(admin):
    response = admin.post(reverse("rubric_new"), fields())
    assert response.headers["Location"] == reverse("rubric", args=["house_v1"])
    assert rubric_json(Rubric.objects.get()) == TEXT


def test_what_the_page_shows_is_what_it_stores_again(admin):
    rubric = load_rubric(TEXT)
    page = admin.get(reverse("rubric_edit", args=["house_v1"]))
    form, domains = page.context["form"], page.context["domains"]
    sent = {field.html_name: field.value() or "" for field in form}
    for row in domains:
        sent |= {field.html_name: row[field.name].value() or "" for field in row.visible_fields()}
    for name in ("non_criteria", "anchors"):
        sent[name] = form.fields[name].prepare_value(sent[name])
    for number, row in enumerate(domains):
        sent[f"domains-{number}-cues"] = row.fields["cues"].prepare_value(row["cues"].value() or "")
        del sent[f"domains-{number}-DELETE"]
    sent |= {"domains-TOTAL_FORMS": len(domains.forms), "domains-INITIAL_FORMS": 2, "act": "save"}
    assert admin.post(reverse("rubric_edit", args=["house_v1"]), sent).status_code == 302
    assert rubric_json(Rubric.objects.get(pk=rubric.pk)) == TEXT


def test_rows_are_added_and_removed_without_storing_anything(admin):
    rows = (("visual", "form", ""), ("book", "voice", ""))
    response = admin.post(
        reverse("rubric_new"), fields(rows, act="rows", question="", **{"domains-0-DELETE": "on"})
    )
    assert not Rubric.objects.exists()
    domains = response.context["domains"]
    assert [row["domain"].value() or "" for row in domains] == ["book", "", ""]
    assert "form-errors" not in response.content.decode()
    assert not response.context["form"].errors
    assert response.context["form"]["title"].value() == "House rules"


def test_ticked_and_empty_rows_are_not_stored(admin):
    rows = (("visual", "form\ncolour", "A poster."), ("tech", "x", ""), ("book", "voice", ""), ("", "", ""))
    admin.post(reverse("rubric_new"), fields(rows, **{"domains-1-DELETE": "on"}))
    assert rubric_json(Rubric.objects.get()) == TEXT


@pytest.mark.parametrize(
    ("change", "words"),
    [
        ({"question": ""}, "required"),
        ({"rubric_id": "two words"}, "Use letters"),
        ({"rubric_id": "new"}, "is no id"),
        ({"anchors": "strong"}, "“strong” is no band"),
        ({"anchors": "0.8–0.7 strong"}, "bands run upwards"),
        ({"anchors": "0.8–1.7 strong"}, "bands run upwards"),
        ({"domains-1-domain": "visual"}, "Named twice: visual"),
        ({"domains-0-domain": "", "domains-0-cues": "form"}, "required"),
        ({"domains-0-DELETE": "on", "domains-1-DELETE": "on"}, "at least one domain"),
    ],
)
def test_what_is_no_rubric_is_said_beside_its_field(admin, change, words):
    response = admin.post(reverse("rubric_new"), fields() | change)
    assert response.status_code == 200
    assert words in response.content.decode()
    assert not Rubric.objects.exists()


def test_a_taken_id_is_refused(admin):
    load_rubric(TEXT)
    response = admin.post(reverse("rubric_new"), fields(question="Another?"))
    assert "house_v1 is taken" in response.content.decode()
    with pytest.raises(RubricRefused, match="taken"):
        create_rubric(TEXT)  # also with the same text


def test_a_posted_page_without_its_rows_is_shown_again(admin):
    response = admin.post(reverse("rubric_new"), {"sent": "something"})
    assert response.headers["Location"] == reverse("rubric_new")


def test_an_unused_rubric_is_changed_in_place_and_keeps_its_id(admin):
    rubric = load_rubric(TEXT)
    make_round([make_pair()], 1, rubric=rubric)  # a draft freezes nothing
    sent = fields((("visual", "form", ""),), rubric_id="other", question="Which is best?")
    admin.post(reverse("rubric_edit", args=["house_v1"]), sent)
    changed = rubric_json(Rubric.objects.get())
    assert (changed["rubric_id"], changed["question"]) == ("house_v1", "Which is best?")
    assert changed["domains"] == {"visual": {"cues": ["form"], "default_brief": ""}}


def test_a_frozen_rubric_is_changed_neither_on_the_page_nor_beside_it(admin):
    rubric = opened_round([make_pair()], 1, rubric=load_rubric(TEXT)).rubric
    for response in (
        admin.get(reverse("rubric_edit", args=["house_v1"])),
        admin.post(reverse("rubric_edit", args=["house_v1"]), fields(question="Which is best?")),
    ):
        assert response.headers["Location"] == reverse("rubric", args=["house_v1"])
    with pytest.raises(RubricFrozen, match="next version"):
        change_rubric(rubric, TEXT | {"question": "Which is best?"})
    assert rubric_json(Rubric.objects.get()) == TEXT
    page = admin.get(reverse("rubric", args=["house_v1"])).content.decode()
    assert "Make the next version, house_v2" in page
    assert reverse("rubric_edit", args=["house_v1"]) not in page


def test_the_next_version_is_a_copy_that_can_be_changed(admin):
    opened_round([make_pair()], 1, rubric=load_rubric(TEXT))
    response = admin.post(reverse("rubric_next", args=["house_v1"]))
    assert response.headers["Location"] == reverse("rubric_edit", args=["house_v2"])
    assert rubric_json(Rubric.objects.get(rubric_id="house_v2")) == TEXT | {"rubric_id": "house_v2"}
    assert admin.get(response.headers["Location"]).status_code == 200


@pytest.mark.parametrize(
    ("rubric_id", "taken", "expected"),
    [
        ("rubric_v1", [], "rubric_v2"),
        ("rubric_v1", ["rubric_v2", "rubric_v3"], "rubric_v4"),
        ("rubric_v9", [], "rubric_v10"),
        ("craft", [], "craft_v2"),
        ("craft_v", [], "craft_v_v2"),
    ],
)
def test_the_next_id_counts_up_past_those_taken(rubric_id, taken, expected):
    for other in taken:
        make_rubric(other)
    assert next_version_id(rubric_id) == expected


def test_a_version_made_from_an_older_one_takes_the_next_free_id():
    first = load_rubric(TEXT)
    assert make_next_version(first).rubric_id == "house_v2"
    assert make_next_version(first).rubric_id == "house_v3"


def test_the_preview_is_the_head_of_the_rating_screen_by_domain(admin):
    load_rubric(TEXT)
    address = reverse("rubric_preview", args=["house_v1"])
    page = admin.get(address, {"domain": "visual"}).content.decode()
    for words in ("Which is finer?", "A poster.", "colour", "fame", "shines"):
        assert words in page
    page = admin.get(address, {"domain": "nowhere"}).content.decode()  # the first by name: book
    assert "voice" in page
    assert "A poster." not in page


def test_saving_can_lead_to_the_preview(admin):
    response = admin.post(reverse("rubric_new"), fields(act="preview"))
    assert response.headers["Location"] == reverse("rubric_preview", args=["house_v1"])


def test_an_exported_rubric_comes_back_the_same(admin):
    load_rubric(TEXT)
    response = admin.get(reverse("rubric_export", args=["house_v1"]))
    assert json.loads(response.content) == TEXT
    assert 'filename="house_v1.json"' in response.headers["Content-Disposition"]
    Rubric.objects.all().delete()
    sent = SimpleUploadedFile("house_v1.json", response.content)
    answer = admin.post(reverse("rubric_import"), {"file": sent})
    assert answer.headers["Location"] == reverse("rubric", args=["house_v1"])
    assert rubric_json(Rubric.objects.get()) == TEXT


@pytest.mark.parametrize(
    ("content", "words"),
    [
        (b"no json", "JSON"),
        (b"[]", "JSON"),
        (b"{}", "lacks rubric_id"),
        (json.dumps(TEXT | {"title": ["x"]}).encode(), "These parts are texts: title"),
        (json.dumps(TEXT | {"title": "x" * 201}).encode(), "longer than 200"),
        (json.dumps(TEXT | {"rubric_id": "a/b"}).encode(), "is no id"),
        (json.dumps(TEXT | {"non_criteria": "fame"}).encode(), "list of texts"),
        (json.dumps(TEXT | {"domains": {"visual": {"cues": [1]}}}).encode(), "maps each domain"),
        (json.dumps(TEXT | {"anchors": [{"from": "0", "to": 1, "label": "x"}]}).encode(), "list of bands"),
        (b" " * 1_000_001, "larger than a megabyte"),
    ],
)
def test_a_file_that_is_no_rubric_is_refused_with_a_sentence(admin, content, words):
    response = admin.post(reverse("rubric_import"), {"file": SimpleUploadedFile("rubric.json", content)})
    assert words in " ".join(response.context["form"].errors["file"])
    assert not Rubric.objects.exists()


def test_the_list_says_which_may_be_changed(admin):
    assert "No rubric yet" in admin.get(reverse("rubrics")).content.decode()
    opened_round([make_pair()], 1, rubric=load_rubric(TEXT))
    assert "no: a round uses it" in admin.get(reverse("rubrics")).content.decode()


# --- briefs ---------------------------------------------------------------------------------------


def test_the_pairs_step_says_who_gets_which_default_brief(admin):
    pairs = [make_pair(brief="Its own."), make_pair(), make_pair(domain="book", brief="Its own.")]
    round_ = make_round(pairs, 1, rubric=load_rubric(TEXT))
    briefs = admin.get(reverse("round_pairs", args=[round_.pk])).context["briefs"]
    assert [(row["domain"], row["n"], row["without"], row["default"]) for row in briefs] == [
        ("book", 1, 0, ""),
        ("visual", 2, 1, "A poster."),
    ]


def test_the_rules_of_a_round_hold_confidence_and_planning_figures():
    form = RoundForm()
    assert {"task", "asks_confidence", "seconds_a_pair", "cost_per_hour"} <= set(form.fields)
