"""An admin's pages: each step of a round's setup, watching, closing."""

import pytest
from django.urls import reverse

from labeling.models import Packet, Role, Round, RoundTransition
from labeling.rounds import close_round
from tests.factories import (
    act,
    client_of,
    make_item,
    make_pair,
    make_rater,
    make_round,
    make_rubric,
    make_user,
    opened_round,
    showings_of,
    tables,
    vote,
)

pytestmark = [pytest.mark.django_db, pytest.mark.usefixtures("private_files")]


@pytest.fixture
def admin():
    return client_of(make_user(Role.ADMIN, username="demo_admin"))


def body(response):
    assert response.status_code == 200
    return response.content.decode()


def get(client, name, *args, **query):
    return body(client.get(reverse(name, args=args), query))


def said(response):
    """The messages on the page that a redirect led to."""
    return [str(message) for message in response.context["messages"]]


def round_fields(**more):
    return {
        "name": "Spring round",
        "slug": "spring",
        "rubric": make_rubric().pk,
        "gold_tier": "simulation",
        "raters_per_pair": 3,
        "repeat_share": "0",
        "seed": 5,
        **more,
    }


# --- a round, step by step ------------------------------------------------------------------------


def test_from_nothing_to_an_open_round(admin):
    pairs = [make_pair() for _ in range(3)]
    raters = [make_rater() for _ in range(3)]
    response = admin.post(reverse("round_new"), round_fields())
    round_ = Round.objects.get()
    assert (round_.state, round_.seed, round_.gold_tier) == ("draft", 5, "simulation")
    assert response.headers["Location"] == reverse("round_pairs", args=[round_.pk])
    response = admin.post(response.headers["Location"], {"act": "add_all"}, follow=True)
    assert said(response) == ["3 pairs added."]
    response = admin.post(
        reverse("round_raters", args=[round_.pk]), {"raters": [rater.pk for rater in raters]}
    )
    preview = response.headers["Location"]
    assert preview == reverse("round_preview", args=[round_.pk])
    assert "What opening will build" in body(admin.get(preview))
    assert not Packet.objects.exists()
    response = admin.post(preview, follow=True)
    assert said(response) == ["The round is open; its raters see their packets now."]
    assert response.redirect_chain == [(reverse("round", args=[round_.pk]), 302)]
    assert Packet.objects.filter(round=round_).count() == 3
    actor = RoundTransition.objects.get().actor
    assert actor.startswith("account ")
    assert "demo_admin" not in actor
    assert {showing.pair for showing in showings_of(Packet.objects.earliest("pk"))} == set(pairs)


@pytest.mark.parametrize(
    ("change", "field", "words"),
    [
        ({"raters_per_pair": 2}, "raters_per_pair", "Gold needs at least 3 votes a pair"),
        ({"repeat_share": "0.6"}, "repeat_share", "0.5"),
        ({"repeat_share": "-0.1"}, "repeat_share", "0"),
        ({"gold_tier": "outcome"}, "gold_tier", "valid choice"),
        ({"gold_tier": ""}, "gold_tier", "required"),
        ({"slug": "two words"}, "slug", "slug"),
        ({"slug": "taken"}, "slug", "already exists"),
        ({"name": ""}, "name", "required"),
        ({"rubric": ""}, "rubric", "required"),
        ({"seed": str(2**63)}, "seed", "9223372036854775807"),
        ({"deadline": "soon"}, "deadline", "valid date"),
    ],
)
def test_a_round_that_cannot_be_is_refused_at_its_field(admin, change, field, words):
    make_round(slug="taken")
    response = admin.post(reverse("round_new"), round_fields(**change))
    assert list(response.context["form"].errors) == [field]
    assert words in " ".join(response.context["form"].errors[field])
    assert Round.objects.count() == 1


def test_without_a_rubric_the_page_says_how_to_store_one(admin):
    assert "import_rubric" in get(admin, "round_new")


def test_settings_are_changed_while_the_round_is_a_draft(admin):
    round_ = make_round()
    address = reverse("round_settings", args=[round_.pk])
    assert said(admin.post(address, round_fields(repeat_share="0.1"), follow=True)) == ["Saved."]
    round_.refresh_from_db()
    assert (round_.name, str(round_.repeat_share)) == ("Spring round", "0.100")


def test_the_steps_can_be_left_and_returned_to(admin):
    round_ = make_round()
    for name in ("round_settings", "round_pairs", "round_practice", "round_raters", "round_preview"):
        steps = admin.get(reverse(name, args=[round_.pk])).context["steps"]
        assert [step["url"] for step in steps if step["current"]] == [reverse(name, args=[round_.pk])]
        assert [step["done"] for step in steps] == [True, True, False, True, False]


@pytest.mark.parametrize("name", ["round_settings", "round_pairs", "round_raters", "round_preview"])
def test_a_round_that_has_opened_leads_to_its_page_and_changes_no_more(admin, name):
    round_ = opened_round(2, 1)
    for response in (
        admin.get(reverse(name, args=[round_.pk])),
        admin.post(reverse(name, args=[round_.pk]), round_fields() | {"act": "remove_all", "raters": []}),
    ):
        assert response.headers["Location"] == reverse("round", args=[round_.pk])
    before = (round_.name, 2, 1, 1)
    round_.refresh_from_db()
    assert before == (round_.name, round_.pairs.count(), round_.raters.count(), round_.packets.count())


def test_a_draft_leads_to_its_next_step(admin):
    with_raters, without = make_round(1, 1), make_round(1, 0)
    for round_, step in ((with_raters, "round_preview"), (without, "round_pairs")):
        response = admin.get(reverse("round", args=[round_.pk]))
        assert response.headers["Location"] == reverse(step, args=[round_.pk])


# --- pairs ---------------------------------------------------------------------------------------


@pytest.fixture
def choice(admin):
    """A draft without pairs, and four pairs to choose from."""
    other = tables("other tables")
    pairs = {
        "poster_1": make_pair("poster_1"),
        "poster_2": make_pair("poster_2", split="dev"),
        "page_1": make_pair("page_1", domain="book"),
        "page_2": make_pair("page_2", domain="book", table_import=other),
    }
    return make_round(0, 1), pairs


def shown(admin, round_, **query):
    response = admin.get(reverse("round_pairs", args=[round_.pk]), query)
    return [pair.pair_id for pair in response.context["page_obj"]]


def test_pairs_are_filtered(admin, choice):
    round_, pairs = choice
    assert shown(admin, round_) == ["page_1", "page_2", "poster_1", "poster_2"]
    assert shown(admin, round_, q="_1") == ["page_1", "poster_1"]
    assert shown(admin, round_, domain="book") == ["page_1", "page_2"]
    assert shown(admin, round_, split="dev") == ["poster_2"]
    assert shown(admin, round_, tables=pairs["page_2"].table_import.pk) == ["page_2"]
    assert shown(admin, round_, domain="book", split="dev") == []


def test_pairs_of_an_import_under_way_are_not_offered(admin, choice):
    round_, _ = choice
    make_pair("poster_3", table_import=tables("under way", state="staging"))
    assert shown(admin, round_) == ["page_1", "page_2", "poster_1", "poster_2"]


def test_ticked_pairs_are_added_and_removed(admin, choice):
    round_, pairs = choice
    address = reverse("round_pairs", args=[round_.pk])
    ticked = [pairs["page_1"].pk, pairs["poster_2"].pk]
    assert said(admin.post(address, {"act": "add", "pair": ticked}, follow=True)) == ["2 pairs added."]
    assert shown(admin, round_, where="in") == ["page_1", "poster_2"]
    assert shown(admin, round_, where="out") == ["page_2", "poster_1"]
    response = admin.post(address, {"act": "remove", "pair": ticked[:1]}, follow=True)
    assert said(response) == ["1 pair removed."]
    assert shown(admin, round_, where="in") == ["poster_2"]


def test_all_that_the_filter_shows_is_added_and_removed(admin, choice):
    round_, _ = choice
    address = reverse("round_pairs", args=[round_.pk])
    response = admin.post(f"{address}?domain=book", {"act": "add_all"})
    assert response.headers["Location"] == f"{address}?domain=book"
    assert shown(admin, round_, where="in") == ["page_1", "page_2"]
    admin.post(address, {"act": "add_all"})
    admin.post(f"{address}?q=_1", {"act": "remove_all"})
    assert shown(admin, round_, where="in") == ["page_2", "poster_2"]


def test_adding_reaches_beyond_the_page_shown(admin):
    for number in range(60):
        make_pair(f"p{number:02}")
    round_ = make_round(0, 1)
    assert len(shown(admin, round_)) == 50
    assert len(shown(admin, round_, page=2)) == 10
    admin.post(reverse("round_pairs", args=[round_.pk]), {"act": "add_all"})
    assert round_.pairs.count() == 60


@pytest.mark.parametrize(
    "sent",
    [
        {"act": "remove"},
        {"act": "remove", "pair": []},
        {"act": "remove", "pair": ["", "x", "-1", "9" * 30]},
        {"act": "drop_all"},
        {},
    ],
)
def test_nothing_ticked_or_asked_removes_nothing(admin, sent):
    round_ = make_round(3, 1)
    assert admin.post(reverse("round_pairs", args=[round_.pk]), sent).status_code == 302
    assert round_.pairs.count() == 3


@pytest.mark.parametrize(
    ("query", "told"),
    [
        ({"tables": "9" * 30}, "not one of the available choices"),
        ({"tables": "x"}, "not one of the available choices"),
        ({"domain": "music"}, "music is not one of the available choices"),
        ({"split": "exam"}, "exam is not one of the available choices"),
        ({"where": "here"}, "here is not one of the available choices"),
        ({"q": "\0"}, "Null characters are not allowed"),
    ],
)
def test_a_malformed_filter_shows_and_adds_nothing_and_says_why(admin, choice, query, told):
    round_, _ = choice
    address = reverse("round_pairs", args=[round_.pk], query=query)
    page = admin.get(address)
    assert page.context["page_obj"].object_list.count() == 0
    [name] = query
    field = page.context["filter"][name]
    assert told in str(field.errors)
    assert f"{field.errors}{field}" in page.content.decode()
    assert said(admin.post(address, {"act": "add_all"}, follow=True)) == ["0 pairs added."]
    assert not round_.pairs.exists()


def test_a_page_that_is_no_number_is_the_first(admin, choice):
    assert len(shown(admin, choice[0], page="x")) == 4


# --- raters and preview --------------------------------------------------------------------------


def test_only_experts_who_can_sign_in_are_offered(admin):
    expert = make_rater("human_expert_01")
    make_rater("human_expert_02", is_active=False)
    make_rater("reviewer_01", role=Role.REVIEWER)
    make_rater("human_expert_03").user.delete()
    round_ = make_round(1, [expert])
    form = admin.get(reverse("round_raters", args=[round_.pk])).context["form"]
    assert list(form.fields["raters"].queryset) == [expert]


def test_raters_are_those_ticked(admin):
    first, second = make_rater(), make_rater()
    round_ = make_round(1, [first])
    admin.post(reverse("round_raters", args=[round_.pk]), {"raters": [second.pk]})
    assert list(round_.raters.all()) == [second]


def test_the_preview_gives_loads_sides_repeats_and_minutes(admin):
    round_ = make_round(24, 2, raters_per_pair=1, repeat_share="0.1")
    design = admin.get(reverse("round_preview", args=[round_.pk])).context["design"]
    assert (design.n, design.votes, design.repeats) == (24, 24, 0)
    packets = [(packet.first_showings, packet.left_percent, packet.minutes) for packet in design.packets]
    assert packets == [(12, "50.0%", 6), (12, "50.0%", 6)]  # 12 × 30 s
    assert len(design.without_repeats) == 2  # twelve showings are too few for a distance of twenty
    page = get(admin, "round_preview", round_.pk)
    assert "Too short for repeats" in page
    assert "human_expert_01, human_expert_02" in page


def test_the_preview_is_what_opening_builds(admin):
    round_ = make_round(30, 3, raters_per_pair=2, repeat_share="0.1")
    design = admin.get(reverse("round_preview", args=[round_.pk])).context["design"]
    admin.post(reverse("round_preview", args=[round_.pk]))
    built = {
        packet.rater.pseudonym: packet.showings.count() for packet in Packet.objects.filter(round=round_)
    }
    assert built == {packet.pseudonym: packet.first_showings + packet.repeats for packet in design.packets}


def test_problems_are_told_in_words_and_nothing_opens(admin):
    bare = make_pair(items=(make_item(), make_item(rendition=False)))
    round_ = make_round([bare, make_pair(domain="tech")], 1, raters_per_pair=3)
    address = reverse("round_preview", args=[round_.pk])
    for page in (body(admin.get(address)), body(admin.post(address))):
        assert "Not ready to open" in page
        assert "has no cues for: tech" in page
        assert "1 pair has an item without content that can be shown" in page
        assert "3 raters are asked for each and 1 chosen" in page
        assert "Open the round" not in page
    assert not Packet.objects.exists()


def test_a_family_too_large_for_the_raters_is_told(admin):
    round_ = make_round([make_pair(pair_group_id="family") for _ in range(2)], 3, raters_per_pair=2)
    page = get(admin, "round_preview", round_.pk)
    assert "Not ready to open" in page
    assert "family" in page


def test_opening_twice_builds_one_set_of_packets(admin):
    round_ = make_round(2, 1)
    for _ in range(2):
        response = admin.post(reverse("round_preview", args=[round_.pk]))
        assert response.headers["Location"] == reverse("round", args=[round_.pk])
    assert Packet.objects.count() == 1


def test_a_domain_may_have_any_name(admin):
    """Template variables look a key up before a method."""
    rubric = make_rubric("rubric_items", domains=("items",))
    round_ = make_round([make_pair(domain="items")], 1, rubric=rubric)
    assert "items 1" in get(admin, "round_preview", round_.pk)
    assert get(admin, "rubric", "rubric_items")


# --- watching and closing ------------------------------------------------------------------------


def test_the_rounds_page_shows_how_far_each_rater_is_and_no_item(admin):
    round_ = opened_round(3, 2)
    packet = Packet.objects.filter(round=round_).earliest("pk")
    showing = showings_of(packet)[0]
    vote(showing, "left")
    act(showings_of(packet)[1], "skip")
    page = get(admin, "round", round_.pk)
    assert "1 of 3" in page
    assert "0 of 3" in page
    for item in (showing.left_item, showing.right_item):
        assert item.item_id not in page


def test_closing_says_how_many_answers_are_missing(admin):
    round_ = opened_round(3, 2)
    address = reverse("round_close", args=[round_.pk])
    assert "6 answers are still missing." in body(admin.get(address))
    for packet in Packet.objects.filter(round=round_):
        for showing in showings_of(packet)[:2]:
            vote(showing)
    assert "2 answers are still missing." in body(admin.get(address))
    for packet in Packet.objects.filter(round=round_):
        vote(showings_of(packet)[2])
    assert "Every answer is in." in body(admin.get(address))


def test_closing_is_confirmed_and_logged_with_its_reason(admin):
    round_ = opened_round(1, 1)
    response = admin.post(reverse("round_close", args=[round_.pk]), {"reason": "Enough."}, follow=True)
    assert said(response) == ["The round is closed."]
    round_.refresh_from_db()
    assert round_.state == "closed"
    assert RoundTransition.objects.latest("pk").reason == "Enough."
    assert "Enough." in response.content.decode()
    response = admin.post(reverse("round_close", args=[round_.pk]), {"reason": "again"}, follow=True)
    assert "it cannot become" in said(response)[0]


def test_a_draft_is_closed_for_judgments_from_elsewhere(admin):
    round_ = make_round(1, 0)
    assert reverse("round_close", args=[round_.pk]) in get(admin, "round_preview", round_.pk)
    response = admin.post(reverse("round_close", args=[round_.pk]), {"reason": "x"}, follow=True)
    assert f"import_judgments {round_.slug} FILE" in response.content.decode()


def test_reopening_needs_a_reason(admin):
    round_ = opened_round(1, 1)
    close_round(round_, actor="test")
    address = reverse("round_reopen", args=[round_.pk])
    assert "reason" in admin.post(address, {"reason": " "}).context["form"].errors
    assert said(admin.post(address, {"reason": "A top-up."}, follow=True)) == ["The round is open again."]
    assert RoundTransition.objects.latest("pk").reason == "A top-up."


def test_the_list_of_rounds_is_filtered_by_state(admin):
    draft, open_ = make_round(1, 1), opened_round(1, 1)
    for state, expected in (
        ("", {draft, open_}),
        ("open", {open_}),
        ("draft", {draft}),
        ("x", {draft, open_}),
    ):
        page = admin.get(reverse("rounds"), {"state": state}).context["page_obj"]
        assert set(page) == expected
    assert {(found.n_pairs, found.n_raters) for found in page} == {(1, 1)}
