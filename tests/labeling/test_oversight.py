"""Passing on, topping up, voiding, notes, reports, reminders: what each changes, and what it leaves."""

import uuid
from collections import Counter
from datetime import timedelta

import pytest
from django.core import mail
from django.db.models import F
from django.utils import timezone

from labeling import practice
from labeling.assignment import AssignmentImpossible
from labeling.models import (
    JudgmentEvent,
    NoteReview,
    Packet,
    Reminder,
    RoundTransition,
    Showing,
    ShowingReport,
    ShowingWithdrawal,
    User,
)
from labeling.notes import confidences_alone, notes_of, review, unread
from labeling.packet_state import next_showing, progress_of
from labeling.packets import open_round
from labeling.passing import pass_on, unanswered
from labeling.recording import NotAllowed
from labeling.reminders import remind, waited_for
from labeling.reports import report, reports_of, resolve
from labeling.rounds import WrongState, close_round
from labeling.topping_up import Split, Votes, contested, top_up, votes_of
from labeling.voiding import void_answer, void_rater
from tests.factories import act, make_pair, make_rater, make_round, opened_round, showings_of, vote

pytestmark = pytest.mark.django_db


def packet_of(round_, rater):
    return Packet.objects.get(round=round_, rater=rater)


def choose(showing, item):
    """Vote for `item`, wherever it stands."""
    return vote(showing, "left" if showing.left_item_id == item.pk else "right")


def balanced(round_):
    """Whether each pair's first showings that are still asked have item_a left in floor or ceil of half."""
    firsts = Showing.objects.asked().filter(packet__round=round_, repeat_of__isnull=True)
    n = Counter(firsts.values_list("pair", flat=True))
    a = Counter(firsts.filter(left_item=F("pair__item_a")).values_list("pair", flat=True))
    return all(a[pair] in {n[pair] // 2, (n[pair] + 1) // 2} for pair in n)


# --- passing on ------------------------------------------------------------------------------------


@pytest.fixture
def left_behind():
    """Thirty pairs, three of five raters each, a tenth repeated; one rater has answered six and leaves."""
    raters = [make_rater() for _ in range(5)]
    round_ = opened_round(30, raters, raters_per_pair=3, repeat_share="0.1", seed=5)
    leaver = raters[0]
    for showing in showings_of(packet_of(round_, leaver))[:6]:
        vote(showing)
    return round_, leaver, raters[1:]


def test_what_a_rater_left_is_asked_of_others_who_have_not_seen_it(left_behind):
    round_, leaver, _others = left_behind
    passed = pass_on(round_, leaver, joining=[], actor="test", reason="has left")
    # 90 first showings over 5 raters are 18 each; no packet is long enough for repeats.
    assert (passed.n_passed, passed.n_dropped) == (12, 0)
    packet = packet_of(round_, leaver)
    assert not unanswered(packet).exists()
    assert (progress_of(packet).done, progress_of(packet).total) == (6, 6)
    assert next_showing(packet) is None
    firsts = Showing.objects.asked().filter(packet__round=round_, repeat_of__isnull=True)
    assert set(Counter(firsts.values_list("pair", flat=True)).values()) == {3}
    assert balanced(round_)
    # 12 more for four raters of 18: three each.
    loads = [progress_of(other).total for other in Packet.objects.filter(round=round_).exclude(rater=leaver)]
    assert loads == [21, 21, 21, 21]


def test_a_withdrawal_names_what_takes_its_place_and_why(left_behind):
    round_, leaver, _others = left_behind
    pass_on(round_, leaver, joining=[], actor="account 1", reason="has left")
    withdrawals = ShowingWithdrawal.objects.select_related("showing", "passed_to")
    assert withdrawals.count() == 12
    for withdrawal in withdrawals:
        assert (withdrawal.reason, withdrawal.actor) == ("has left", "account 1")
        assert withdrawal.passed_to is not None
        assert withdrawal.passed_to.pair_id == withdrawal.showing.pair_id
        assert withdrawal.passed_to.packet.rater_id != leaver.pk
    step = RoundTransition.objects.filter(round=round_).latest("pk")
    assert (step.from_state, step.to_state) == ("open", "open")
    assert step.reason == f"Passed on 12 showings of {leaver.pseudonym}, withdrew 0 repeats. has left"


def test_new_showings_come_after_those_there_were(left_behind):
    round_, leaver, others = left_behind
    before = {other: showings_of(packet_of(round_, other)) for other in others}
    pass_on(round_, leaver, joining=[], actor="test", reason="has left")
    for other, showings in before.items():
        now = showings_of(packet_of(round_, other))
        assert now[: len(showings)] == showings
        assert [showing.position for showing in now] == list(range(1, len(now) + 1))


def test_a_rater_who_joins_gets_a_packet_and_what_makes_loads_even(left_behind):
    round_, leaver, _others = left_behind
    joiner = make_rater()
    pass_on(round_, leaver, joining=[joiner], actor="test", reason="has left")
    assert progress_of(packet_of(round_, joiner)).total == 12  # fewer than anybody else's 18
    assert balanced(round_)


def test_a_rater_who_joins_practises_first_as_the_others_did():
    leaver, joiner = make_rater(), make_rater()
    draft = make_round(2, [leaver])
    added = practice.add(draft, make_pair().pk)
    assert added is not None
    practice.explain(added, better="a", explanation="It is calmer.")
    open_round(draft, actor="test")
    pass_on(draft, leaver, joining=[joiner], actor="test", reason="has left")
    for rater in (leaver, joiner):
        [showing] = packet_of(draft, rater).practice_showings.all()
        assert showing.practice_pair == added


def test_a_skipped_pair_is_passed_on_and_an_abstention_is_not():
    raters = [make_rater(), make_rater(), make_rater()]
    round_ = opened_round(2, raters, raters_per_pair=1)
    packet = max(Packet.objects.filter(round=round_), key=lambda packet: packet.showings.count())
    [showing] = showings_of(packet)
    act(showing, "skip")
    assert list(unanswered(packet)) == [showing]
    act(showing, "abstain")
    assert not unanswered(packet).exists()


def test_open_repeats_are_withdrawn_and_passed_to_nobody():
    raters = [make_rater(), make_rater()]
    round_ = opened_round(42, raters, raters_per_pair=1, repeat_share="0.1")
    packet = packet_of(round_, raters[0])
    for showing in packet.showings.filter(repeat_of__isnull=True):
        vote(showing)  # only the repeats are left: 0.1 × 21, so two
    passed = pass_on(round_, raters[0], joining=[], actor="test", reason="has left")
    assert (passed.n_passed, passed.n_dropped) == (0, 2)
    assert not ShowingWithdrawal.objects.filter(passed_to__isnull=False).exists()
    assert progress_of(packet).done == progress_of(packet).total == 21


def test_where_everybody_has_seen_all_nothing_is_changed_and_the_cure_is_told():
    round_ = opened_round(2, 2)  # both see both
    leaver = Packet.objects.filter(round=round_).earliest("pk").rater
    with pytest.raises(AssignmentImpossible, match="2 of 2 showings find no rater"):
        pass_on(round_, leaver, joining=[], actor="test", reason="has left")
    assert not ShowingWithdrawal.objects.exists()
    assert RoundTransition.objects.filter(round=round_).count() == 1  # that it opened


def test_nobody_gets_a_second_member_of_a_family_and_the_inactive_get_nothing():
    family = [make_pair(pair_group_id="family") for _ in range(2)]
    raters = [make_rater() for _ in range(4)]
    round_ = opened_round(family, raters, raters_per_pair=1)
    holders = [packet for packet in Packet.objects.filter(round=round_) if packet.showings.exists()]
    idle = [packet.rater for packet in Packet.objects.filter(round=round_) if not packet.showings.exists()]
    User.objects.filter(rater=idle[0]).update(is_active=False)
    pass_on(round_, holders[0].rater, joining=[], actor="test", reason="has left")
    assert packet_of(round_, idle[1]).showings.count() == 1
    with pytest.raises(AssignmentImpossible):
        pass_on(round_, holders[1].rater, joining=[], actor="test", reason="has left too")


def test_a_closed_round_passes_nothing_on():
    round_ = opened_round(2, 1)
    close_round(round_, actor="test")
    with pytest.raises(WrongState, match="must be open"):
        pass_on(round_, round_.raters.get(), joining=[], actor="test", reason="x")


def test_an_answer_to_a_withdrawn_showing_is_refused():
    raters = [make_rater(), make_rater()]
    round_ = opened_round(1, raters, raters_per_pair=1)
    packet = Packet.objects.get(round=round_, showings__isnull=False)
    [showing] = showings_of(packet)
    pass_on(round_, packet.rater, joining=[], actor="test", reason="has left")
    with pytest.raises(NotAllowed):
        vote(showing)


# --- topping up ------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("a", "b", "split"),
    [
        (1, 1, Split.TOO_FEW),
        (2, 2, Split.TIE),
        (4, 3, Split.BELOW_GATE),  # 20 < 21
        (3, 2, None),  # 15 = 15: at the gate
        (2, 1, Split.TWO_TO_ONE),
        (3, 0, None),
    ],
)
def test_how_a_pair_is_contested(a, b, split):
    assert Votes(a, b).split(3) is split
    assert Votes(b, a).split(3) is split


@pytest.fixture
def judged():
    """Three pairs, three raters: the first pair is two to one, the others are clear."""
    raters = [make_rater() for _ in range(3)]
    round_ = opened_round(3, raters)
    pairs = list(round_.pairs.order_by("pair_id"))
    for number, rater in enumerate(raters):
        for showing in showings_of(packet_of(round_, rater)):
            for_b = showing.pair_id == pairs[0].pk and number == 0
            choose(showing, showing.pair.item_b if for_b else showing.pair.item_a)
    return round_, pairs, raters


def test_votes_are_counted_once_a_rater(judged):
    round_, pairs, _raters = judged
    assert votes_of(round_) == {pairs[0].pk: Votes(2, 1), pairs[1].pk: Votes(3), pairs[2].pk: Votes(3)}
    assert contested(round_)[Split.TWO_TO_ONE] == [pairs[0].pk]
    assert not any(contested(round_)[split] for split in (Split.TIE, Split.TOO_FEW, Split.BELOW_GATE))


def test_a_contested_pair_is_asked_of_more_raters(judged):
    round_, pairs, _raters = judged
    joiners = [make_rater(), make_rater()]
    added = top_up(round_, splits=[Split.TWO_TO_ONE], target=5, joining=joiners, actor="test", reason="split")
    assert (added.n_pairs, added.n_showings) == (1, 2)
    assert [list(packet_of(round_, j).showings.values_list("pair", flat=True)) for j in joiners] == [
        [pairs[0].pk]
    ] * 2
    assert balanced(round_)
    assert RoundTransition.objects.latest("pk").reason == "Topped up 1 pairs to 5 raters, 2 showings. split"
    with pytest.raises(WrongState, match="needs more raters"):  # asked already, though not answered
        top_up(round_, splits=[Split.TWO_TO_ONE], target=5, actor="test", reason="again")


def test_a_closed_round_is_opened_again_for_it_and_logged(judged):
    round_, _pairs, _raters = judged
    close_round(round_, actor="test")
    joiners = [make_rater() for _ in range(4)]
    top_up(round_, splits=[Split.TWO_TO_ONE], target=7, joining=joiners, actor="test", reason="split")
    round_.refresh_from_db()
    assert round_.state == "open"
    steps = RoundTransition.objects.filter(round=round_).values_list("from_state", "to_state", "reason")
    assert list(steps)[-2:] == [
        ("closed", "open", "split"),
        ("open", "open", "Topped up 1 pairs to 7 raters, 4 showings. split"),
    ]


def test_a_top_up_that_cannot_be_leaves_the_round_closed(judged):
    round_, _pairs, _raters = judged
    close_round(round_, actor="test")
    with pytest.raises(AssignmentImpossible):
        top_up(round_, splits=[Split.TWO_TO_ONE], target=5, actor="test", reason="split")
    round_.refresh_from_db()
    assert round_.state == "closed"


def test_who_cannot_judge_is_replaced():
    raters = [make_rater() for _ in range(3)]
    round_ = opened_round(1, raters)
    one, two, three = (showings_of(packet_of(round_, rater))[0] for rater in raters)
    choose(one, one.pair.item_a)
    choose(two, one.pair.item_a)
    act(three, "skip")
    act(three, "abstain")
    assert contested(round_)[Split.TOO_FEW] == [one.pair_id]
    joiners = [make_rater() for _ in range(3)]
    added = top_up(round_, splits=[Split.TOO_FEW], target=5, joining=joiners, actor="test", reason="few")
    assert added.n_showings == 3  # two can choose; three more make five


# --- voiding ---------------------------------------------------------------------------------------


def test_voiding_a_rater_replaces_the_answers_and_asks_no_more(judged):
    round_, pairs, raters = judged
    before = list(JudgmentEvent.objects.order_by("pk").values())
    voided = void_rater(round_, raters[0], actor="test", reason="did not read the rubric")
    assert (voided.n_events, voided.n_withdrawn) == (3, 3)
    assert list(JudgmentEvent.objects.exclude(kind="void").order_by("pk").values()) == before
    for event in JudgmentEvent.objects.filter(kind="void"):
        assert event.replaces is not None
        assert event.replaces.kind == "vote"
        assert (event.reason, event.rater, event.preferred) == ("did not read the rubric", raters[0], None)
        assert event.showing_id == event.replaces.showing_id
    assert votes_of(round_)[pairs[0].pk] == Votes(2, 0)
    assert next_showing(packet_of(round_, raters[0])) is None
    assert progress_of(packet_of(round_, raters[0])).total == 0
    assert RoundTransition.objects.latest("pk").reason.startswith(
        f"Voided 3 answers of {raters[0].pseudonym}."
    )


def test_voiding_twice_voids_nothing_more(judged):
    round_, _pairs, raters = judged
    void_rater(round_, raters[0], actor="test", reason="x")
    assert void_rater(round_, raters[0], actor="test", reason="x").n_events == 0


def test_one_voided_answer_is_asked_again(judged):
    round_, pairs, raters = judged
    packet = packet_of(round_, raters[0])
    showing = packet.showings.get(pair=pairs[0])
    event = showing.events.get()
    void_answer(round_, event, actor="test", reason="pressed by mistake")
    assert next_showing(packet) == showing
    assert votes_of(round_)[pairs[0].pk] == Votes(2, 0)
    with pytest.raises(WrongState, match="does not stand any more"):
        void_answer(round_, event, actor="test", reason="again")
    with pytest.raises(NotAllowed, match="nothing to undo"):  # an admin's act is not the rater's to take back
        act(showing, "undo")
    act(showing, "skip")
    choose(showing, pairs[0].item_a)
    assert votes_of(round_)[pairs[0].pk] == Votes(3, 0)


def test_answers_of_a_closed_round_can_be_voided(judged):
    round_, pairs, raters = judged
    close_round(round_, actor="test")
    void_rater(round_, raters[1], actor="test", reason="x")
    assert votes_of(round_)[pairs[1].pk] == Votes(2, 0)


# --- notes, reports, reminders ---------------------------------------------------------------------


def test_notes_wait_until_somebody_decides_and_can_be_decided_anew():
    round_ = opened_round(3, 1, asks_confidence=True)
    one, two, three = showings_of(Packet.objects.get(round=round_))
    noted = vote(one, note="Ada wrote this")
    sure = vote(two, confidence="0.9")
    vote(three)
    assert set(notes_of(round_)) == {noted, sure}
    assert list(confidences_alone(round_)) == [sure]
    assert review([noted, sure], release=True, actor="test") == 2
    assert not unread(round_).exists()
    assert review([noted], release=False, actor="account 2") == 1
    decided = NoteReview.objects.get(event=noted)
    assert (decided.is_released, decided.actor) == (False, "account 2")
    assert NoteReview.objects.get(event=sure).is_released


def test_a_note_of_an_answer_that_was_changed_is_not_listed():
    round_ = opened_round(1, 1)
    [showing] = showings_of(Packet.objects.get(round=round_))
    vote(showing, note="first thought")
    vote(showing)
    assert not notes_of(round_).exists()


def test_a_report_is_kept_once_and_settled_once():
    round_ = opened_round(2, 1)
    one, two = showings_of(Packet.objects.get(round=round_))
    known = uuid.uuid4()

    def send(showing):
        return report(showing, event_id=known, reason="broken", note="left is black")

    stored, is_new = send(one)
    assert (is_new, send(one)) == (True, (stored, False))
    with pytest.raises(NotAllowed):
        send(two)
    assert list(reports_of(round_)) == [stored]
    assert resolve(stored, resolution="file replaced", actor="test")
    assert not resolve(stored, resolution="something else", actor="test")
    assert ShowingReport.objects.get().resolution == "file replaced"


def test_raters_with_open_pairs_are_reminded_once_a_day():
    raters = [make_rater(email=f"expert{n}@example.org") for n in range(3)] + [make_rater()]
    deadline = timezone.now() + timedelta(days=3)
    round_ = opened_round(1, raters, deadline=deadline, name="Posters & pages")
    vote(showings_of(packet_of(round_, raters[0]))[0])
    raters[1].user.is_active = False
    raters[1].user.save()
    waiting = waited_for(round_)
    assert [packet.rater for packet in waiting] == [raters[2], raters[3]]
    done = remind(round_, waiting, home_url="https://bench.example/", actor="test")
    assert (done.sent, done.no_address) == ([raters[2].pseudonym], [raters[3].pseudonym])
    [message] = mail.outbox
    assert message.to == ["expert2@example.org"]
    assert message.subject == "Waiting for your answers: Posters & pages"
    assert "in the round “Posters & pages” 1 answer is still waiting for you." in message.body
    assert f"by {deadline:%Y-%m-%d}" in message.body
    assert "https://bench.example/" in message.body
    assert remind(round_, waiting, home_url="/", actor="test").too_soon == [raters[2].pseudonym]
    Reminder.objects.update(sent_at=timezone.now() - timedelta(days=1, minutes=1))
    assert remind(round_, waiting, home_url="/", actor="test").sent == [raters[2].pseudonym]


def test_a_mail_that_fails_is_told_and_counts_as_not_sent(monkeypatch):
    def refuse(*_args, **_more):
        raise ConnectionRefusedError

    rater = make_rater(email="expert@example.org")
    round_ = opened_round(1, [rater])
    monkeypatch.setattr("labeling.reminders.send_mail", refuse)
    assert remind(round_, waited_for(round_), home_url="/", actor="test").failed == [rater.pseudonym]
    assert not Reminder.objects.exists()
