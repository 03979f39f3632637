"""Answers as a chain of events: idempotent by id, ordered by `replaces`, never lost, never doubled."""

import uuid
from concurrent.futures import ThreadPoolExecutor
from threading import Barrier

import pytest
from django.db import connection, transaction

from labeling.models import EventKind, JudgmentEvent, Round, User
from labeling.recording import (
    Answer,
    NotAllowed,
    OutOfOrder,
    RoundNotOpen,
    current_event,
    record,
    was_skipped,
)
from labeling.rounds import close_round, reopen_round
from tests.factories import act, opened_packet, showings_of, vote
from tests.polling import eventually

pytestmark = pytest.mark.django_db


@pytest.fixture
def showing():
    return showings_of(opened_packet(pairs=3))[0]


def current(showing):
    """The showing's current event, for tests in which there is one."""
    return current_event(showing)


def kinds(showing):
    """The showing's chain from its beginning, following `replaces`."""
    chain, event = [], showing.events.filter(replaces__isnull=True).first()
    while event is not None:
        chain.append(event.kind)
        event = JudgmentEvent.objects.filter(replaces=event).first()
    return chain


def test_a_vote_stores_the_item_behind_the_side_and_what_was_shown_left(showing):
    event = vote(showing, "right", response_ms=2500, layout="stacked", note="a note")
    event.refresh_from_db()
    assert event.preferred_id == showing.right_item_id
    assert event.shown_left_id == showing.left_item_id
    assert (event.round_id, event.rater_id) == (showing.packet.round_id, showing.packet.rater_id)
    assert (event.pair_id, event.channel) == (showing.pair_id, "browser")
    assert (event.response_ms, event.layout, event.note) == (2500, "stacked", "a note")


def test_the_same_id_again_is_one_event(showing):
    answer = Answer(uuid.uuid4(), "vote", None, "left")
    first, created = record(showing, answer)
    again, created_again = record(showing, answer)
    assert (created, created_again) == (True, False)
    assert first == again
    assert JudgmentEvent.objects.count() == 1


def test_the_same_id_with_another_choice_stays_as_it_was_stored(showing):
    sent = uuid.uuid4()
    vote(showing, "left", event_id=sent, replaces=None)
    event, created = record(showing, Answer(sent, "vote", None, "right"))
    assert not created
    assert event.preferred_id == showing.left_item_id


def test_an_id_of_another_showing_is_refused(showing):
    used = vote(showing, "left").event_id
    other = showings_of(showing.packet)[1]
    with pytest.raises(NotAllowed, match="belongs to another pair"):
        vote(other, "left", event_id=used)
    assert not other.events.exists()


def test_a_choice_changed_to_and_fro_is_a_history_of_five(showing):
    for choice in ("left", "right", "left", "right", "left"):
        vote(showing, choice)
    assert kinds(showing) == ["vote"] * 5
    assert current(showing).preferred_id == showing.left_item_id
    assert JudgmentEvent.objects.answers().filter(showing=showing).count() == 1


def test_a_superseded_page_learns_what_is_current(showing):
    first = vote(showing, "left")
    second = vote(showing, "right")
    for stale in (None, first.event_id, uuid.uuid4()):
        with pytest.raises(OutOfOrder) as conflict:
            vote(showing, "left", replaces=stale)
        assert conflict.value.current == second
    assert showing.events.count() == 2


def test_replacing_something_where_nothing_is_answered_is_out_of_order(showing):
    with pytest.raises(OutOfOrder) as conflict:
        vote(showing, "left", replaces=uuid.uuid4())
    assert conflict.value.current is None


def test_undo_leaves_the_showing_open_and_can_be_followed_by_a_vote(showing):
    vote(showing, "left")
    act(showing, "undo")
    assert current(showing).kind == EventKind.UNDO
    assert not JudgmentEvent.objects.answers().filter(showing=showing).exists()
    vote(showing, "right")
    assert kinds(showing) == ["vote", "undo", "vote"]


@pytest.mark.parametrize("before", [[], [("vote", "left"), ("undo", "")]])
def test_nothing_cannot_be_undone(showing, before):
    for kind, choice in before:
        act(showing, kind, choice)
    with pytest.raises(NotAllowed, match="nothing to undo"):
        act(showing, "undo")
    assert showing.events.count() == len(before)


def test_cannot_judge_is_taken_only_after_a_skip(showing):
    with pytest.raises(NotAllowed, match="when a skipped pair comes back"):
        act(showing, "abstain")
    act(showing, "skip")
    assert was_skipped(showing)
    act(showing, "abstain")
    assert kinds(showing) == ["skip", "abstain"]


def test_a_pair_is_skipped_once(showing):
    act(showing, "skip")
    with pytest.raises(NotAllowed, match="skipped before"):
        act(showing, "skip")
    vote(showing, "left")
    act(showing, "undo")
    with pytest.raises(NotAllowed, match="skipped before"):
        act(showing, "skip")


def test_an_undone_skip_never_was(showing):
    act(showing, "skip")
    act(showing, "undo")
    assert not was_skipped(showing)
    with pytest.raises(NotAllowed, match="when a skipped pair comes back"):
        act(showing, "abstain")
    act(showing, "skip")
    assert was_skipped(showing)


def test_an_answered_pair_is_not_skipped(showing):
    vote(showing, "left")
    with pytest.raises(NotAllowed, match="undo the answer before"):
        act(showing, "skip")


@pytest.mark.parametrize(("kind", "choice"), [("vote", ""), ("skip", "left"), ("abstain", "right")])
def test_a_vote_names_a_side_and_nothing_else_does(showing, kind, choice):
    with pytest.raises(NotAllowed, match="A vote names a side"):
        act(showing, kind, choice)
    assert not showing.events.exists()


def test_a_closed_round_takes_nothing_but_knows_what_it_stored(showing):
    stored = vote(showing, "left")
    close_round(showing.packet.round, actor="test")
    with pytest.raises(RoundNotOpen, match="the answer was not stored"):
        vote(showing, "right")
    with pytest.raises(RoundNotOpen):
        vote(showings_of(showing.packet)[1], "right")
    again, created = record(showing, Answer(stored.event_id, "vote", None, "left"))
    assert (again, created) == (stored, False)
    assert JudgmentEvent.objects.count() == 1


def test_a_reopened_round_takes_answers_again(showing):
    round_ = showing.packet.round
    vote(showing, "left")
    close_round(round_, actor="test")
    reopen_round(round_, actor="test", reason="a top-up")
    vote(showing, "right")
    assert kinds(showing) == ["vote", "vote"]


@pytest.mark.parametrize(
    "note", ["  two spaces \n\ttab\r\nend ", "=HYPERLINK(1)", "e\u0301 é \u2028 🖼", "x" * 4000]
)
def test_a_note_is_kept_byte_for_byte(showing, note):
    event = vote(showing, "left", note=note)
    event.refresh_from_db()
    assert event.note.encode() == note.encode()


def test_deactivating_a_rater_changes_no_event(showing):
    vote(showing, "left")
    before = list(JudgmentEvent.objects.values())
    user = showing.packet.rater.user
    User.objects.filter(pk=user.pk).update(is_active=False)
    assert list(JudgmentEvent.objects.values()) == before


def test_erasing_a_person_keeps_the_votes_under_the_pseudonym(showing):
    vote(showing, "left")
    before = list(JudgmentEvent.objects.values())
    rater = showing.packet.rater
    rater.user.delete()
    rater.refresh_from_db()
    assert rater.user is None
    assert list(JudgmentEvent.objects.values()) == before


# --- at the same time ---------------------------------------------------------------------------


def at_once(*acts):
    """Run `acts` in threads of their own, begun together; what each returned or raised."""
    together = Barrier(len(acts))

    def run(act_):
        together.wait()
        try:
            return act_()
        except Exception as refusal:  # noqa: BLE001
            return refusal
        finally:
            connection.close()

    with ThreadPoolExecutor(len(acts)) as pool:
        return list(pool.map(run, acts))


@pytest.mark.django_db(transaction=True)
def test_two_identical_answers_at_once_are_one_event():
    for showing in showings_of(opened_packet(pairs=5)):
        answer = Answer(uuid.uuid4(), "vote", None, "left")
        results = at_once(*[lambda s=showing, a=answer: record(s, a)] * 2)
        assert sorted(created for _, created in results) == [False, True]
        assert showing.events.count() == 1


@pytest.mark.django_db(transaction=True)
def test_of_two_different_answers_at_once_one_is_out_of_order():
    for showing in showings_of(opened_packet(pairs=5)):
        answers = [Answer(uuid.uuid4(), "vote", None, choice) for choice in ("left", "right")]
        results = at_once(*[lambda s=showing, a=answer: record(s, a) for answer in answers])
        [refused] = [result for result in results if isinstance(result, OutOfOrder)]
        [stored] = showing.events.all()
        assert refused.current == stored


@pytest.mark.django_db(transaction=True)
def test_answers_against_the_closing_of_the_round_are_stored_or_refused():
    packet = opened_packet(pairs=6)
    showings = showings_of(packet)

    def close():
        close_round(Round.objects.get(pk=packet.round_id), actor="test")

    results = at_once(close, *[lambda s=showing: vote(s, "left") for showing in showings])
    assert results[0] is None
    for showing, result in zip(showings, results[1:], strict=True):
        assert isinstance(result, JudgmentEvent | RoundNotOpen)
        assert showing.events.count() == isinstance(result, JudgmentEvent)


@pytest.mark.django_db(transaction=True)
def test_an_answer_that_waited_for_the_closing_sees_the_round_closed():
    """On PostgreSQL a state joined to the lock would be the one from before the wait."""
    showing = showings_of(opened_packet(pairs=1))[0]
    with ThreadPoolExecutor(1) as pool:
        with transaction.atomic():
            close_round(showing.packet.round, actor="test")
            answered = pool.submit(at_once, lambda: vote(showing, "left", replaces=None))
            if connection.vendor == "postgresql":
                eventually(somebody_waits_for_us)
        [result] = answered.result()
    assert isinstance(result, RoundNotOpen)
    assert not showing.events.exists()


def somebody_waits_for_us():
    with connection.cursor() as cursor:
        cursor.execute(
            "SELECT count(*) FROM pg_locks "
            "WHERE NOT granted AND pg_backend_pid() = ANY (pg_blocking_pids(pid))"
        )
        return cursor.fetchone()[0]
