"""What an admin sees of a round while it collects: how far each rater is, never which item wins."""

from dataclasses import replace
from datetime import date
from typing import Any

import pytest
from django.db import connection
from django.test.utils import CaptureQueriesContext

from labeling.models import JudgmentEvent, Packet, Round, User
from labeling.monitor import RaterRow, ShareOf, missing_by_rater, rows_of
from labeling.packet_state import progress_of
from labeling.rounds import close_round
from tests.factories import act, make_rater, make_round, opened_round, showings_of, vote

pytestmark = pytest.mark.django_db


@pytest.fixture
def round_():
    """Five pairs, two raters: the first has answered most of them."""
    round_ = opened_round(5, [make_rater("human_expert_02"), make_rater("human_expert_01")])
    packet = Packet.objects.get(rater__pseudonym="human_expert_01")
    one, two, three, four, _five = showings_of(packet)
    vote(one, "right", response_ms=1000)
    vote(one, "left", response_ms=2000)  # changed: the later one counts
    vote(two, "left", response_ms=9000)
    vote(three, "right")  # without a time
    act(four, "skip")
    return round_


def test_a_row_a_rater_by_pseudonym(round_):
    first, second = rows_of(round_)
    assert (first.pseudonym, first.done, first.total, first.skipped) == ("human_expert_01", 3, 5, 1)
    assert first.left == ShareOf(2, 3)
    assert first.median_seconds == 5.5  # of 2 s and 9 s
    assert first.last_seen is not None
    nothing = ShareOf(0, 0)
    assert second == RaterRow(
        second.rater_pk, "human_expert_02", 0, 5, 0, nothing, None, nothing, None, None, []
    )


def test_done_is_the_number_that_the_rater_sees(round_):
    for row in rows_of(round_):
        progress = progress_of(Packet.objects.get(rater__pseudonym=row.pseudonym))
        assert (row.done, row.total) == (progress.done, progress.total)


def test_what_is_missing_is_what_no_rater_has_settled(round_):
    assert missing_by_rater(round_) == [("human_expert_01", 2), ("human_expert_02", 5)]
    assert missing_by_rater(round_) == [(row.pseudonym, row.open) for row in rows_of(round_)]


def test_cannot_judge_is_done_but_no_choice(round_):
    showing = showings_of(Packet.objects.get(rater__pseudonym="human_expert_01"))[3]
    act(showing, "abstain")
    [row, _] = rows_of(round_)
    assert (row.done, row.skipped, row.left.n) == (4, 0, 3)


def test_an_undone_answer_is_taken_off(round_):
    showing = showings_of(Packet.objects.get(rater__pseudonym="human_expert_01"))[1]
    act(showing, "undo")
    [row, _] = rows_of(round_)
    assert (row.done, row.left, row.median_seconds) == (2, ShareOf(1, 2), 2.0)


def test_a_share_has_its_interval_and_no_choice_a_dash(round_):
    first, second = rows_of(round_)
    # Wilson, 2 of 3, z = 1.96: centre (2/3 + z²/6) / (1 + z²/3) = 0.5731, half-width 0.3654.
    assert first.left.words == "67% (21%–94%)"
    assert second.left.words == second.left.percent == "—"


def test_other_rounds_are_left_out(round_):
    other = opened_round(2, [Packet.objects.filter(rater__pseudonym="human_expert_01").get().rater])
    assert [row.done for row in rows_of(other)] == [0]


def test_a_closed_round_keeps_its_figures(round_):
    before = rows_of(round_)
    close_round(round_, actor="test")
    after = rows_of(Round.objects.get(pk=round_.pk))
    assert [replace(row, agreement=None) for row in after] == before


def test_a_round_without_packets_has_no_rows():
    assert rows_of(make_round()) == []


def row(**figures):
    """A row of somebody who has answered nothing, but for `figures`."""
    nothing: dict[str, Any] = {"done": 0, "total": 5, "skipped": 0, "left": ShareOf(), "median_seconds": None}
    nothing |= {"consistency": ShareOf(), "agreement": None, "last_seen": None}
    return RaterRow(1, "human_expert_01", **nothing | figures)


def test_agreement_with_the_rest_is_told_only_once_the_round_is_closed():
    raters = [make_rater(f"human_expert_0{n}") for n in (1, 2, 3)]
    round_ = opened_round(1, raters)
    for rater, item in zip(raters, "aab", strict=True):
        [showing] = showings_of(Packet.objects.get(round=round_, rater=rater))
        is_left = showing.left_item_id == getattr(showing.pair, f"item_{item}_id")
        vote(showing, "left" if is_left else "right")
    assert [row.agreement for row in rows_of(round_)] == [None, None, None]
    close_round(round_, actor="test")
    round_.refresh_from_db()
    # The first agrees with one of two others, so does the second; the third with none of two.
    assert [row.agreement for row in rows_of(round_)] == [ShareOf(1, 2), ShareOf(1, 2), ShareOf(0, 2)]


def test_self_consistency_compares_items_not_sides():
    round_ = opened_round(40, 1, repeat_share="0.1")  # four repeats, sides exchanged
    packet = Packet.objects.get(round=round_)
    repeats = list(packet.showings.filter(repeat_of__isnull=False).select_related("repeat_of"))
    for repeat in repeats[:3]:
        vote(repeat.repeat_of, "left")
    vote(repeats[0], "right")  # the same item
    vote(repeats[1], "left")  # the same side, so the other item
    act(repeats[2], "skip")
    vote(repeats[3], "left")  # the first showing is open
    [mine] = rows_of(round_)
    assert mine.consistency == ShareOf(1, 2)


def test_a_median_of_an_odd_number_is_the_middle_one():
    round_ = opened_round(3, 1)
    for showing, spent in zip(showings_of(Packet.objects.get(round=round_)), (9000, 1000, 4000), strict=True):
        vote(showing, response_ms=spent)
    assert rows_of(round_)[0].median_seconds == 4.0


def test_flags_say_why():
    # Wilson of 20 of 20 is 84 % to 100 %; of 6 of 10 it is 31 % to 83 %.
    assert row(left=ShareOf(20, 20)).flags == ["left share: the interval excludes 50 %"]
    assert row(left=ShareOf(6, 10)).flags == []
    assert row(median_seconds=1.9).flags == ["median time under 2 s"]
    assert row(consistency=ShareOf(3, 5)).flags == ["self-consistency under 70% (3 of 5)"]
    assert row(consistency=ShareOf(1, 4)).flags == []  # too few to say
    assert row(can_sign_in=False).flags == ["cannot sign in any more; pass on what is open"]
    assert row(can_sign_in=False, done=5).flags == []


def test_a_rater_who_was_deactivated_is_flagged(round_):
    rater = Packet.objects.get(rater__pseudonym="human_expert_02").rater
    User.objects.filter(rater=rater).update(is_active=False)
    assert [row.can_sign_in for row in rows_of(round_)] == [True, False]


def test_rows_are_sorted_by_any_figure(round_):
    names = ["human_expert_01", "human_expert_02"]
    assert [row.pseudonym for row in rows_of(round_, "-rater")] == names[::-1]
    assert [row.pseudonym for row in rows_of(round_, "done")] == names[::-1]
    assert [row.pseudonym for row in rows_of(round_, "-done")] == names
    for key in ("left", "time", "consistency", "agreement", "seen", "flags", "no such figure"):
        assert {row.pseudonym for row in rows_of(round_, key)} == set(names)


def test_answers_a_day_are_drawn_from_the_first_day_to_the_last():
    # Days 1, 2 and 5 with 2, 4 and 1 answers: heights 18 · n / 4 under 20, and zero on days 3 and 4.
    days = [(date(2024, 5, 1), 2), (date(2024, 5, 2), 4), (date(2024, 5, 5), 1)]
    assert row(days=days).sparkline == "0.0,11.0 25.0,2.0 50.0,20.0 75.0,20.0 100.0,15.5"
    assert row().sparkline == ""


def test_answers_a_day_are_counted(round_):
    [(_day, n)] = rows_of(round_)[0].days
    assert n == 4  # the changed answer was an answer too


def test_queries_do_not_grow_with_raters_or_answers():
    def queries(round_):
        with CaptureQueriesContext(connection) as captured:
            rows_of(round_)
        return len(captured)

    small = opened_round(2, 1)
    large = opened_round(12, 4)
    for packet in Packet.objects.filter(round=large):
        for showing in showings_of(packet):
            vote(showing)
    assert JudgmentEvent.objects.count() == 48
    assert queries(large) == queries(small)
