"""The finish page: a rater's own figures in words, and why one is undefined."""

from decimal import Decimal

import pytest
from django.urls import reverse

from labeling.models import Packet
from labeling.own_figures import own_figures
from labeling.packets import open_round
from labeling.rounds import add_items, close_round
from tests.factories import act, client_of, make_item, make_round, opened_packet, showings_of, vote

pytestmark = pytest.mark.django_db

SHARE = Decimal("0.1")  # of 20 pairs: two are shown again


def answered(packet, *, same, spent=None):
    """Choose the smaller item everywhere, but at the repeats only the first `same` times."""
    for showing in showings_of(packet):
        left_is_smaller = showing.left_item_id < showing.right_item_id
        if showing.repeat_of_id is not None:
            same -= 1
            left_is_smaller = left_is_smaller is (same >= 0)
        vote(showing, "left" if left_is_smaller else "right", response_ms=spent)


@pytest.mark.parametrize(
    ("same", "words"),
    [(2, "in 2 of them (100%)"), (1, "in 1 of them (50%)"), (0, "in 0 of them (0%)")],
)
def test_self_consistency_counts_the_same_item_not_the_same_side(same, words):
    packet = opened_packet(20, repeat_share=SHARE)
    answered(packet, same=same)
    assert own_figures(packet).consistency.startswith("2 pairs came twice")
    assert words in own_figures(packet).consistency


def test_a_changed_answer_counts_as_it_stands_now():
    packet = opened_packet(20, repeat_share=SHARE)
    answered(packet, same=2)
    again = next(showing for showing in showings_of(packet) if showing.repeat_of_id)
    chosen = again.events.get().preferred_id
    vote(again, "right" if chosen == again.left_item_id else "left")
    assert "in 1 of them" in own_figures(packet).consistency


def test_one_repeat_reads_as_one():
    packet = opened_packet(20, repeat_share=Decimal("0.05"))
    answered(packet, same=1)
    assert own_figures(packet).consistency.startswith("One pair came twice")


@pytest.mark.parametrize(
    ("n_pairs", "share", "words"),
    [
        (2, 0, "nothing in this round came twice"),
        (2, SHARE, "too short to show anything twice"),
        (20, SHARE, "nothing that came twice has two answers"),
    ],
)
def test_undefined_says_why(n_pairs, share, words):
    packet = opened_packet(n_pairs, repeat_share=share)
    assert words in own_figures(packet).consistency


def test_what_could_not_be_judged_is_no_choice():
    packet = opened_packet(20, repeat_share=Decimal("0.05"))
    answered(packet, same=1)
    again = next(showing for showing in showings_of(packet) if showing.repeat_of_id)
    act(again, "undo")
    act(again, "skip", reason="too_close")
    act(again, "abstain", reason="too_close")
    assert "undefined" in own_figures(packet).consistency
    assert own_figures(packet).n_answers == 21


def test_scores_that_came_twice_are_compared_by_their_distance():
    round_ = make_round([], 1, task="absolute", repeat_share=SHARE)
    add_items(round_, [make_item().pk for _ in range(20)])
    open_round(round_, actor="test")
    packet = Packet.objects.get(round=round_)
    distance = iter(("0.1", "0.3"))
    for showing in showings_of(packet):
        act(showing, score=Decimal("0.5") + (Decimal(next(distance)) if showing.repeat_of_id else 0))
    # (0.1 + 0.3) / 2
    assert own_figures(packet).consistency == "2 items came twice; your two scores lie 0.20 apart on average."


def test_time_is_the_sum_over_answers_and_not_guessed():
    packet = opened_packet(3)
    assert own_figures(packet).time == ""
    answered(packet, same=0, spent=50_000)  # 150 s
    assert own_figures(packet).time == "You spent about 2 minutes looking and choosing."


def test_the_finish_page_says_it_once_all_is_answered():
    packet = opened_packet(3)
    browser = client_of(packet.rater)
    address = reverse("finish", args=[packet.pk])
    assert "self-consistency" not in browser.get(address).content.decode()
    answered(packet, same=0)
    page = browser.get(address).content.decode()
    assert "Your self-consistency is undefined: nothing in this round came twice." in page
    assert "What happens next" in page
    close_round(packet.round, actor="test")
    assert "The votes of all raters become labels now" in browser.get(address).content.decode()
