"""Judgments collected elsewhere: into a closed round, whole or not at all, once."""

from datetime import UTC, datetime
from decimal import Decimal

import pytest

from labeling.importing.judgments import import_judgments
from labeling.models import JudgmentEvent, Rater, Round
from labeling.rounds import WrongState, close_round
from labeling.tables import JUDGMENTS, TableErrors, read_table
from tests.factories import (
    act,
    make_item,
    make_pair,
    make_rater,
    make_round,
    opened_packet,
    showings_of,
    silent,
    vote,
)

pytestmark = pytest.mark.django_db

HEADER = "rater_id,pair_id,preferred_id,judged_at,response_ms,shown_left,confidence,note"


@pytest.fixture
def closed_round():
    """A closed round of p1 (a1, b1) and p2 (a2, b2), without packets."""
    pairs = [make_pair(f"p{n}", items=(make_item(f"a{n}"), make_item(f"b{n}"))) for n in (1, 2)]
    round_ = make_round(pairs, [], slug="elsewhere")
    close_round(round_, actor="test")
    return Round.objects.get(pk=round_.pk)


def judgments(*rows, header=HEADER):
    return read_table("\n".join([header, *rows, ""]).encode(), JUDGMENTS, name="judgments.csv")


def bring_in(round_, *rows, **more):
    done = import_judgments(round_, judgments(*rows, **more), progress=silent())
    return done.stored, done.known


def refused(round_, *rows):
    before = list(JudgmentEvent.objects.values_list("pk")), list(Rater.objects.values_list("pk"))
    with pytest.raises(TableErrors) as told:
        bring_in(round_, *rows)
    assert before == (list(JudgmentEvent.objects.values_list("pk")), list(Rater.objects.values_list("pk")))
    return [str(error) for error in told.value.errors]


def test_every_cell_of_a_row_is_stored(closed_round):
    row = "human_expert_01,p1,a1,2026-03-01T12:00:00Z,2500,b1,0.25,'=1+1"
    assert bring_in(closed_round, row) == (1, 0)
    event = JudgmentEvent.objects.get()
    assert (event.kind, event.channel, event.round) == ("import", "import", closed_round)
    assert event.pair is not None
    assert (event.rater.pseudonym, event.pair.pair_id) == ("human_expert_01", "p1")
    assert (event.preferred, event.shown_left) == (event.pair.item_a, event.pair.item_b)
    assert event.judged_at == datetime(2026, 3, 1, 12, tzinfo=UTC)
    assert (event.response_ms, event.confidence) == (2500, Decimal("0.250"))
    assert event.note == "=1+1"  # the spreadsheet's quote is dropped by the reader
    assert event.showing is None


def test_only_the_needed_columns_are_enough_and_empty_means_abstained(closed_round):
    header = "rater_id,pair_id,preferred_id"
    assert bring_in(closed_round, "r1,p1,a1", "r1,p2,", header=header) == (2, 0)
    chosen = JudgmentEvent.objects.order_by("pair__pair_id").values_list("preferred__item_id", flat=True)
    assert list(chosen) == ["a1", None]


@pytest.mark.parametrize("state", ["draft", "open", "promoted"])
def test_judgments_go_into_a_closed_round_only(state):
    round_ = make_round([make_pair("p1")])
    Round.objects.update(state=state)
    with pytest.raises(WrongState, match="Judgments are imported into a closed round"):
        bring_in(round_, "r1,p1,,,,,,")
    assert not JudgmentEvent.objects.exists()


def test_the_same_file_again_stores_nothing(closed_round):
    rows = ["r1,p1,a1,,,,,", "r2,p1,b1,,,,,", "r1,p2,,,,,,"]
    assert bring_in(closed_round, *rows) == (3, 0)
    assert bring_in(closed_round, *rows) == (0, 3)
    assert bring_in(closed_round, *rows, "r2,p2,a2,,,,,") == (1, 3)
    assert JudgmentEvent.objects.count() == 4


def test_a_row_that_contradicts_a_stored_one_refuses_the_whole_file(closed_round):
    bring_in(closed_round, "r1,p1,a1,,,,,")
    assert refused(closed_round, "r1,p2,a2,,,,,", "r1,p1,b1,,,,,") == [
        "judgments.csv:3: preferred_id: r1 answered p1 otherwise before. "
        "Answers are never edited; leave the row out."
    ]


def test_faults_are_told_all_at_once_with_line_and_cure(closed_round):
    assert refused(closed_round, "r1,p9,a1,,,,,", "r1,p1,a2,,,,,", "r1,p2,a2,,,b1,,") == [
        "judgments.csv:2: pair_id: p9 is no pair of this round. Add it to a round, or leave the row out.",
        "judgments.csv:3: preferred_id: a2 is not an item of p1. Its items are a1, b1.",
        "judgments.csv:4: shown_left: b1 is not an item of p2. Its items are a2, b2.",
    ]


def test_a_pair_of_another_round_is_not_of_this_one(closed_round):
    make_round([make_pair("p3")], 1, slug="other")
    [told] = refused(closed_round, "r1,p3,,,,,,")
    assert "p3 is no pair of this round" in told


def test_a_rater_who_answers_a_pair_twice_in_the_file_is_refused():
    with pytest.raises(TableErrors, match=r"judgments\.csv:3"):
        judgments("r1,p1,a1,,,,,", "r1,p1,b1,,,,,")


def test_new_pseudonyms_become_raters_without_an_account(closed_round):
    bring_in(closed_round, "human_expert_01,p1,a1,,,,,", "human_expert_02,p1,a1,,,,,")
    raters = Rater.objects.filter(user__isnull=True).order_by("pseudonym")
    assert [rater.pseudonym for rater in raters] == ["human_expert_01", "human_expert_02"]


def test_nobody_is_given_votes_under_the_pseudonym_of_an_account(closed_round):
    make_rater("human_expert_01")
    assert refused(closed_round, "human_expert_02,p1,a1,,,,,", "human_expert_01,p1,a1,,,,,") == [
        "judgments.csv:3: rater_id: human_expert_01 is the pseudonym of an account that is not in this "
        "round. Rename the rater in the file, or add the account to the round."
    ]


def test_an_account_of_the_round_may_be_given_what_it_judged_elsewhere():
    packet = opened_packet(pairs=[make_pair("p1", items=(make_item("a1"), make_item("b1")))])
    close_round(packet.round, actor="test")
    pseudonym = packet.rater.pseudonym
    assert bring_in(Round.objects.get(), f"{pseudonym},p1,a1,,,,,") == (1, 0)


def test_an_answer_given_in_the_browser_is_known_or_contradicted_like_any_other():
    packet = opened_packet(pairs=[make_pair("p1", items=(make_item("a1"), make_item("b1")))])
    [showing] = showings_of(packet)
    vote(showing, "left")
    close_round(packet.round, actor="test")
    chosen, other = showing.left_item.item_id, showing.right_item.item_id
    pseudonym = packet.rater.pseudonym
    assert bring_in(Round.objects.get(), f"{pseudonym},p1,{chosen},,,,,") == (0, 1)
    [told] = refused(Round.objects.get(), f"{pseudonym},p1,{other},,,,,")
    assert "answered p1 otherwise before" in told


def test_a_pair_left_open_in_the_browser_may_be_answered_by_the_file():
    packet = opened_packet(pairs=[make_pair("p1", items=(make_item("a1"), make_item("b1")))])
    [showing] = showings_of(packet)
    vote(showing, "left")
    act(showing, "undo")
    close_round(packet.round, actor="test")
    assert bring_in(Round.objects.get(), f"{packet.rater.pseudonym},p1,a1,,,,,") == (1, 0)


@pytest.mark.parametrize("cell", ["2147483648", "99999999999999999999"])
def test_a_time_that_cannot_be_stored_is_refused(closed_round, cell):
    [told] = refused(closed_round, f"r1,p1,a1,,{cell},,,")
    assert told.startswith("judgments.csv:2: response_ms:")


def test_a_confidence_is_stored_with_all_its_decimals_or_refused(closed_round):
    [told] = refused(closed_round, "r1,p1,a1,,,,0.12345,")
    assert told.startswith("judgments.csv:2: confidence:")


def test_a_repeat_is_no_answer_that_a_file_could_contradict():
    pairs = [make_pair(f"p{n}", items=(make_item(f"a{n}"), make_item(f"b{n}"))) for n in range(20)]
    packet = opened_packet(pairs=pairs, repeat_share="0.05")
    repeat = next(showing for showing in showings_of(packet) if showing.repeat_of)
    vote(repeat.repeat_of, "left")
    vote(repeat, "left")  # the sides are exchanged: the other item
    close_round(packet.round, actor="test")
    chosen = repeat.repeat_of.left_item.item_id
    row = f"{packet.rater.pseudonym},{repeat.pair.pair_id},{chosen},,,,,"
    assert bring_in(Round.objects.get(), row) == (0, 1)


def test_thousands_of_rows_are_stored_in_batches(closed_round):
    assert bring_in(closed_round, *[f"r{number},p1,a1,,,,," for number in range(2500)]) == (2500, 0)
    assert JudgmentEvent.objects.count() == Rater.objects.count() == 2500
