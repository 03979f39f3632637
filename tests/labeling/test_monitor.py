"""What an admin sees of a round while it collects: how far each rater is, never which item wins."""

import pytest

from labeling.models import Packet, Round
from labeling.monitor import RaterRow, missing_answers, rows_of
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
    assert (first.left, first.chosen) == (2, 3)
    assert first.median_seconds == 5.5  # of 2 s and 9 s
    assert first.last_seen is not None
    assert second == RaterRow("human_expert_02", 0, 5, 0, 0, 0, None, None)


def test_done_is_the_number_that_the_rater_sees(round_):
    for row in rows_of(round_):
        progress = progress_of(Packet.objects.get(rater__pseudonym=row.pseudonym))
        assert (row.done, row.total) == (progress.done, progress.total)


def test_what_is_missing_is_what_no_rater_has_settled(round_):
    assert missing_answers(round_) == 7  # two of five, and five of five
    assert missing_answers(round_) == sum(row.total - row.done for row in rows_of(round_))


def test_cannot_judge_is_done_but_no_choice(round_):
    showing = showings_of(Packet.objects.get(rater__pseudonym="human_expert_01"))[3]
    act(showing, "abstain")
    [row, _] = rows_of(round_)
    assert (row.done, row.skipped, row.chosen) == (4, 0, 3)


def test_an_undone_answer_is_taken_off(round_):
    showing = showings_of(Packet.objects.get(rater__pseudonym="human_expert_01"))[1]
    act(showing, "undo")
    [row, _] = rows_of(round_)
    assert (row.done, row.left, row.chosen, row.median_seconds) == (2, 1, 2, 2.0)


def test_a_share_has_its_interval_and_no_choice_a_dash(round_):
    first, second = rows_of(round_)
    # Wilson, 2 of 3, z = 1.96: centre (2/3 + z²/6) / (1 + z²/3) = 0.5731, half-width 0.3654.
    assert first.left_percent == "67% (21%–94%)"
    assert second.left_percent == "—"


def test_other_rounds_are_left_out(round_):
    other = opened_round(2, [Packet.objects.filter(rater__pseudonym="human_expert_01").get().rater])
    assert [row.done for row in rows_of(other)] == [0]


def test_a_closed_round_keeps_its_figures(round_):
    before = rows_of(round_)
    close_round(round_, actor="test")
    assert rows_of(Round.objects.get(pk=round_.pk)) == before


def test_a_round_without_packets_has_no_rows():
    assert rows_of(make_round()) == []
