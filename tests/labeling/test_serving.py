"""What a rater is given next, how far they are, and what they see of their own answers."""

import pytest

from labeling.models import ItemRendition, JudgmentEvent, Packet, Showing
from labeling.packet_state import answers_of, next_showing, packet_cards, progress_of
from labeling.rounds import close_round
from labeling.serving import rendition_of, showing_json, showing_of, undo_json
from tests.factories import (
    act,
    client_of,
    make_item,
    make_pair,
    make_rater,
    make_rubric,
    opened_packet,
    opened_round,
    showings_of,
    vote,
    webp,
)

pytestmark = pytest.mark.django_db

SHOWING_KEYS = {
    "token",
    "position",
    "question",
    "cues",
    "brief",
    "condition",
    "non_criteria",
    "anchors",
    "left",
    "right",
    "current",
    "returned",
    "task",
    "asks_confidence",
}


def upcoming(packet):
    """The showing that a packet goes on with, for tests in which there is one."""
    return next_showing(packet)


def walk(packet, choose):
    """Answer what comes next by `choose(showing)` until nothing does; the positions in the order shown."""
    order = []
    while (showing := upcoming(packet)) is not None:
        order.append(showing.position)
        choose(showing)
        assert len(order) < 100
    return order


# --- what comes next ----------------------------------------------------------------------------


def test_one_pair_one_rater_is_answered_once_and_finished():
    packet = opened_packet(pairs=1)
    assert walk(packet, vote) == [1]
    assert JudgmentEvent.objects.count() == 1


def test_each_pair_comes_once_in_the_order_of_the_packet():
    packet = opened_packet(pairs=4)
    assert walk(packet, vote) == [1, 2, 3, 4]


def test_skipped_pairs_return_once_after_all_others_in_their_order():
    packet = opened_packet(pairs=4)

    def choose(showing):
        first_time = not showing.events.exists()
        act(showing, "skip") if showing.position in {1, 3} and first_time else vote(showing)

    assert walk(packet, choose) == [1, 2, 3, 4, 1, 3]
    assert progress_of(packet).label == "4 of 4"


def test_cannot_judge_ends_a_skipped_pair():
    packet = opened_packet(pairs=1)
    seen = []

    def choose(showing):
        seen.append(showing_json(showing)["returned"])
        act(showing, "abstain" if seen[-1] else "skip")

    assert walk(packet, choose) == [1, 1]
    assert seen == [False, True]


def test_an_undone_answer_is_open_again_before_all_later_ones():
    packet = opened_packet(pairs=3)
    first = upcoming(packet)
    vote(first)
    vote(upcoming(packet))
    act(first, "undo")
    assert walk(packet, vote) == [1, 3]


def test_nobody_sees_a_pair_twice_but_for_its_mirrored_repeat():
    packet = opened_packet(pairs=24, repeat_share="0.25")
    seen: dict[int, list[int]] = {}

    def choose(showing):
        seen.setdefault(showing.pair_id, []).append(showing.left_item_id)
        vote(showing)

    walk(packet, choose)
    twice = [left for left in seen.values() if len(left) == 2]
    assert len(seen) == 24
    assert len(twice) == 6  # a quarter of 24
    assert all(len(left) <= 2 for left in seen.values())
    assert all(left[0] != left[1] for left in twice)


# --- how far ------------------------------------------------------------------------------------


def test_only_a_choice_or_cannot_judge_counts_as_done():
    packet = opened_packet(pairs=4)
    one, two, three, _four = showings_of(packet)
    vote(one)
    act(two, "skip")
    vote(three)
    act(three, "undo")
    assert progress_of(packet).as_json() == {"done": 1, "total": 4, "label": "1 of 4"}
    act(two, "abstain")
    assert progress_of(packet).done == 2
    vote(one, "right")  # a change is no further answer
    assert progress_of(packet).done == 2


def test_the_card_says_the_same_number_and_stops_offering_when_all_is_done():
    packet = opened_packet(pairs=2)
    vote(upcoming(packet))
    [card] = packet_cards(Packet.objects.all())
    assert (card.progress, card.state, card.can_rate) == (progress_of(packet), "open", True)
    vote(upcoming(packet))
    [card] = packet_cards(Packet.objects.all())
    assert (card.progress.label, card.can_rate) == ("2 of 2", False)


def test_open_packets_stand_before_closed_ones():
    rater = make_rater()
    rounds = [opened_round(1, [rater], slug=f"round-{number}") for number in range(3)]
    close_round(rounds[2], actor="test")
    cards = packet_cards(Packet.objects.of(rater.user))
    assert [(card.round_name, card.state) for card in cards] == [
        ("Round 1", "open"),
        ("Round 0", "open"),
        ("Round 2", "closed"),
    ]


def test_all_open_packets_and_the_ten_latest_closed_ones_have_cards():
    rater = make_rater()
    pairs = [make_pair()]
    opened = [opened_round(pairs, [rater], slug=f"round-{number:02}") for number in range(24)]
    for round_ in opened[:12]:
        close_round(round_, actor="test")
    cards = packet_cards(Packet.objects.of(rater.user))
    assert [card.round_name for card in cards] == [
        *(f"Round {number}" for number in range(23, 11, -1)),
        *(f"Round {number:02}" for number in range(11, 1, -1)),
    ]
    page = client_of(rater).get("/").content.decode()
    assert "2 older packets are closed and not listed." in page


def test_many_packets_are_read_in_as_few_queries_as_one(django_assert_max_num_queries):
    rater = make_rater()
    for number in range(4):
        opened_round(2, [rater], slug=f"round-{number}")
    with django_assert_max_num_queries(2):  # the packets with their progress, the times of their answers
        assert len(packet_cards(Packet.objects.of(rater.user))) == 4


def test_the_time_left_is_the_raters_own_median_and_no_guess():
    packet = opened_packet(pairs=9)
    for showing, seconds in zip(showings_of(packet), [10, 60, 60, 60], strict=False):
        vote(showing, response_ms=seconds * 1000)
    assert packet_cards(Packet.objects.all())[0].time_left == ""  # four answers are too few
    vote(upcoming(packet), response_ms=600_000)
    # Median of 10, 60, 60, 60, 600 s is 60 s; four pairs are left.
    assert packet_cards(Packet.objects.all())[0].time_left == "about 4 minutes left"


# --- what is sent -------------------------------------------------------------------------------


def test_a_showing_is_sent_as_the_whitelist_and_nothing_else():
    packet = opened_packet(pairs=[make_pair(items=(make_item(text="one"), make_item(image=webp())))])
    sent = showing_json(upcoming(packet))
    assert set(sent) == SHOWING_KEYS
    for side in ("left", "right"):
        assert set(sent[side]) == {"kind", "src", "text", "width", "height"}
    assert {sent["left"]["kind"], sent["right"]["kind"]} == {"text", "image"}


def test_the_brief_of_the_pair_goes_before_the_domains_own():
    own, general = make_pair(brief="A poster for a fair."), make_pair()
    sent = {s.pair_id: showing_json(s) for s in showings_of(opened_packet(pairs=[own, general]))}
    assert sent[own.pk]["brief"] == "A poster for a fair."
    assert sent[general.pk]["brief"] == "Some visual work."


@pytest.mark.parametrize(
    ("era", "circle", "shown"),
    [("", "", ""), ("1970s", "", "1970s"), ("", "club", "club"), ("1970s", "club", "1970s, club")],
)
def test_the_condition_is_shown_as_it_stands_in_the_pair(era, circle, shown):
    packet = opened_packet(pairs=[make_pair(condition_era=era, condition_circle=circle)])
    assert showing_json(upcoming(packet))["condition"] == shown


def test_the_cues_are_those_of_the_pairs_domain():
    rubric = make_rubric(domains=("visual", "book"))
    rubric.domains.filter(domain="book").update(cues=["voice"])
    packet = opened_packet(pairs=[make_pair(domain="book")], rubric=rubric)
    assert showing_json(upcoming(packet))["cues"] == ["voice"]


@pytest.mark.parametrize("text", ["1", "", "<b>bold</b> & {{ x }}", "  indented"])
def test_item_text_is_sent_as_it_is(text):
    packet = opened_packet(pairs=[make_pair(items=(make_item(text=text), make_item(text="other")))])
    sent = showing_json(upcoming(packet))
    assert {sent["left"]["text"], sent["right"]["text"]} == {text, "other"}


def test_a_showing_is_the_same_however_often_it_is_asked_for():
    showing = upcoming(opened_packet(pairs=5))
    assert showing_json(showing) == showing_json(Showing.objects.get(pk=showing.pk))


def test_what_undo_would_take_back_is_the_latest_answer_that_stands():
    packet = opened_packet(pairs=3)
    one, two, _ = showings_of(packet)
    assert undo_json(packet) is None
    vote(one)
    skipped = act(two, "skip", note="too dark")
    assert undo_json(packet) == {
        "token": two.token,
        "event_id": str(skipped.event_id),
        "label": "pair 2, skip",
        "note": "too dark",
    }
    act(two, "undo")
    last = undo_json(packet)
    assert last is not None
    assert last["label"] == "pair 1, left"


def test_my_answers_are_the_current_ones_by_position():
    packet = opened_packet(pairs=4)
    one, two, three, four = showings_of(packet)
    vote(three, "right", note="a note")
    vote(one, "left")
    vote(one, "right")
    act(two, "skip")
    vote(four)
    act(four, "undo")
    assert [(answer.position, answer.what, answer.note) for answer in answers_of(packet)] == [
        (1, "right", ""),
        (2, "skip", ""),
        (3, "right", "a note"),
    ]


# --- to whom ------------------------------------------------------------------------------------


def test_a_showing_is_found_by_its_rater_only():
    packet = opened_packet()
    showing = upcoming(packet)
    assert showing_of(packet.rater.user, showing.token) == showing
    with pytest.raises(Showing.DoesNotExist):
        showing_of(make_rater().user, showing.token)


def test_a_closed_round_shows_nothing_but_recognises_its_showings():
    packet = opened_packet(pairs=[make_pair(items=(make_item(image=webp()), make_item(image=webp())))])
    showing = upcoming(packet)
    user = packet.rater.user
    assert rendition_of(user, showing.left_token).item_id == showing.left_item_id
    close_round(packet.round, actor="test")
    with pytest.raises(Showing.DoesNotExist):
        showing_of(user, showing.token)
    with pytest.raises(ItemRendition.DoesNotExist):
        rendition_of(user, showing.left_token)
    assert showing_of(user, showing.token, closed_too=True) == showing
