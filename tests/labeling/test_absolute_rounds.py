"""Absolute rounds: one item a showing, every item to k raters, scores and nothing that looks like a vote."""

from collections import Counter
from decimal import Decimal

import pytest
from django.urls import reverse

from labeling.design import preview_design
from labeling.models import Item, JudgmentEvent, Packet, Role, Round, RoundItem, Showing
from labeling.packets import open_round, plan_round
from labeling.rounds import RoundNotReady, add_items, close_round, problems_before_opening
from tests.factories import (
    act,
    client_of,
    make_item,
    make_pair,
    make_rater,
    make_round,
    make_user,
    showings_of,
)

pytestmark = pytest.mark.django_db


def absolute_round(n_items=4, raters=1, **more):
    """A draft that asks about `n_items` new items."""
    round_ = make_round([], raters, task="absolute", **more)
    add_items(round_, [make_item().pk for _ in range(n_items)])
    return round_


def opened(*args, **more):
    round_ = absolute_round(*args, **more)
    open_round(round_, actor="test")
    round_.refresh_from_db()
    return round_


@pytest.fixture
def admin():
    return client_of(make_user(Role.ADMIN))


# --- packets --------------------------------------------------------------------------------------


def test_every_item_goes_to_k_raters_and_loads_differ_by_one():
    round_ = opened(10, 4, raters_per_pair=3)  # 30 showings for 4 raters: 7, 7, 8, 8
    packets = [showings_of(packet) for packet in round_.packets.all()]
    assert sorted(map(len, packets)) == [7, 7, 8, 8]
    assert set(Counter(s.left_item_id for packet in packets for s in packet).values()) == {3}
    for packet in packets:
        assert len({showing.left_item_id for showing in packet}) == len(packet)
        assert [showing.position for showing in packet] == list(range(1, len(packet) + 1))


def test_a_showing_has_one_item_and_neither_pair_nor_right_item():
    for showing in Showing.objects.filter(packet__round=opened(3)):
        assert (showing.pair_id, showing.right_item_id) == (None, None)


def test_repeats_are_of_the_same_item_and_twenty_showings_later():
    [packet] = Packet.objects.filter(round=opened(30, 1, repeat_share="0.2"))  # 0.2 × 30 = 6
    repeats = [showing for showing in showings_of(packet) if showing.repeat_of_id]
    assert len(repeats) == 6
    for showing in repeats:
        assert showing.left_item_id == showing.repeat_of.left_item_id
        assert showing.position - showing.repeat_of.position >= 20


def test_the_same_seed_gives_the_same_plan_and_another_another():
    round_ = absolute_round(12, 2)
    assert plan_round(round_).packets == plan_round(round_).packets
    before = plan_round(round_).packets
    round_.seed = 2
    assert plan_round(round_).packets != before


# --- what stands in the way -----------------------------------------------------------------------


def test_what_is_missed_is_said_of_items():
    assert problems_before_opening(absolute_round(0)) == [
        "There are no items; add some from the imported tables."
    ]
    round_ = absolute_round(1)
    RoundItem.objects.create(round=round_, item=make_item(rendition=False))
    RoundItem.objects.create(round=round_, item=make_item(domain="tech"))
    assert problems_before_opening(round_) == [
        "The rubric rubric_v1 has no cues for: tech. Choose one that has, or drop these rows.",
        "1 item has no content that can be shown; import its file or drop it.",
    ]


def test_a_draft_is_not_closed_to_import_scores():
    with pytest.raises(RoundNotReady, match="open the round instead"):
        close_round(absolute_round(2), actor="test")


def test_items_that_cannot_be_shown_are_passed_over():
    round_ = absolute_round(1)
    assert add_items(round_, [make_item(rendition=False).pk, make_item().pk, 10**12]) == 1


# --- setup ----------------------------------------------------------------------------------------


def test_from_nothing_to_an_open_round_of_items(admin):
    for domain in ("visual", "visual", "book"):
        make_item(domain=domain)
    make_item(rendition=False)
    raters = [make_rater() for _ in range(3)]
    rubric = make_round([], 0).rubric
    fields = {
        "name": "Scores",
        "slug": "scores",
        "rubric": rubric.pk,
        "task": "absolute",
        "gold_tier": "simulation",
        "raters_per_pair": 3,
        "repeat_share": "0",
        "seed": 5,
    }
    response = admin.post(reverse("round_new"), fields)
    round_ = Round.objects.get(slug="scores")
    items_page = reverse("round_items", args=[round_.pk])
    assert response.headers["Location"] == items_page
    assert len(admin.get(items_page).context["page_obj"]) == 3  # not the one without content
    admin.post(f"{items_page}?domain=visual", {"act": "add_all"})
    assert round_.round_items.count() == 2
    kept, dropped = Item.objects.filter(rounds=round_).order_by("item_id")
    admin.post(items_page, {"act": "remove", "item": [dropped.pk]})
    assert list(round_.items.all()) == [kept]
    steps = admin.get(items_page).context["steps"]
    assert [str(step["label"]) for step in steps] == [
        "Rubric and rules",
        "Items",
        "Raters",
        "Design and opening",
    ]
    admin.post(reverse("round_raters", args=[round_.pk]), {"raters": [rater.pk for rater in raters]})
    page = admin.get(reverse("round_preview", args=[round_.pk])).content.decode()
    assert "item_a on the left" not in page
    admin.post(reverse("round_preview", args=[round_.pk]))
    assert Showing.objects.filter(packet__round=round_, left_item=kept).count() == 3
    assert admin.get(reverse("round", args=[round_.pk])).status_code == 200


def test_each_task_leads_to_its_own_step(admin):
    items, pairs = absolute_round(1), make_round(1, 1)
    for round_, wrong, right in (
        (items, "round_pairs", "round_items"),
        (pairs, "round_items", "round_pairs"),
    ):
        response = admin.get(reverse(wrong, args=[round_.pk]))
        assert response.headers["Location"] == reverse(right, args=[round_.pk])


@pytest.mark.parametrize("change", [{"task": "absolute"}, {"task": "absolute", "asks_confidence": "on"}])
def test_the_task_is_not_changed_while_rows_of_the_other_are_chosen(admin, change):
    round_ = make_round(1, 1)
    fields = {
        "name": round_.name,
        "slug": round_.slug,
        "rubric": round_.rubric_id,
        "gold_tier": "simulation",
        "raters_per_pair": 3,
        "repeat_share": "0",
        "seed": 1,
    }
    response = admin.post(reverse("round_settings", args=[round_.pk]), fields | change)
    assert "Remove what the round asks about" in str(response.context["form"].errors["task"])
    round_.refresh_from_db()
    assert round_.task == "pairwise"


# --- answers and gold -----------------------------------------------------------------------------


def scored(*scores):
    """A closed round of as many items, scored by its one rater in order of the packet."""
    round_ = opened(len(scores), 1)
    for showing, score in zip(showings_of(round_.packets.get()), scores, strict=True):
        act(showing, score=Decimal(score))
    close_round(round_, actor="test")
    round_.refresh_from_db()
    return round_


def test_my_answers_show_the_score():
    round_ = scored("0.8", "0.35")
    packet = round_.packets.get()
    page = client_of(packet.rater).get(reverse("answers", args=[packet.pk])).content.decode()
    assert "0.80" in page
    assert "0.35" in page
    assert JudgmentEvent.objects.filter(item__isnull=False, pair__isnull=True).count() == 2


def test_the_report_counts_scores_and_makes_no_label_of_them(admin):
    page = admin.get(reverse("round_report", args=[scored("0.8", "0.35", "0").pk])).content.decode()
    assert "3 scores were given" in page
    assert "cannot be promoted" in page


def test_promotion_refuses_scores_with_a_sentence(admin):
    round_ = scored("0.8")
    response = admin.get(reverse("promote", args=[round_.pk]))
    assert response.status_code == 200
    assert response.context["preview"].problems
    assert not response.context["can_promote"]


# --- time and cost --------------------------------------------------------------------------------


def test_hours_and_cost_of_k_rest_on_the_planning_figures():
    # 40 items, 5 raters, 45 s an answer, 60 an hour; a tenth is repeated in packets of 20 and more.
    # k = 3: 120 answers, 24 a rater, round(2.4) = 2 repeats each: 130 × 45 s = 1.625 h = 97.50
    # k = 5: 200 answers, 40 a rater, 4 repeats each: 220 × 45 s = 2.75 h = 165
    round_ = absolute_round(
        40, 5, raters_per_pair=3, repeat_share=Decimal("0.1"), seconds_a_pair=45, cost_per_hour=Decimal(60)
    )
    prices = preview_design(round_).prices
    assert [(p.k, p.asked, p.votes, p.repeats) for p in prices] == [(3, True, 120, 10), (5, False, 200, 20)]
    assert [(p.hours, p.cost) for p in prices] == [(1.625, Decimal("97.5")), (2.75, Decimal(165))]


def test_without_an_hourly_cost_there_is_no_cost_and_repeats_agree_with_the_plan():
    round_ = make_round(31, 4, raters_per_pair=3, repeat_share=Decimal("0.2"))
    design = preview_design(round_)
    [price] = design.prices  # 5 and 7 raters there are not
    assert price.cost is None
    assert (price.votes, price.repeats) == (design.votes, design.repeats) == (93, 20)  # 23 or 24 each: 5


def test_k_that_a_family_forbids_has_no_price():
    family = [make_pair(pair_group_id="family") for _ in range(2)]
    assert [price.k for price in preview_design(make_round(family, 7, raters_per_pair=3)).prices] == [3]
