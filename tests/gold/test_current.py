"""What holds after votes, changes, undos, skips, voids, repeats and several rounds."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from gold.current import BrokenChain, Event, current_judgments, current_pair_by_pair


def event(event_id, kind="vote", choice="", *, rater="r1", pair="p1", replaces="", **more):
    preferred = choice or ("x" if kind == "vote" else "")
    return Event(
        event_id=event_id,
        round=more.pop("round", "one"),
        kind=kind,
        rater_id=rater,
        pair_id=pair,
        replaces=replaces,
        preferred_id=preferred,
        **more,
    )


def choices(events, rounds=()):
    return [(e.pair_id, e.rater_id, e.preferred_id) for e in current_judgments(events, rounds)]


def test_the_last_of_several_answers_holds():
    chain = [
        event("1", choice="x"),
        event("2", choice="y", replaces="1"),
        event("3", choice="x", replaces="2"),
    ]
    assert choices(chain) == [("p1", "r1", "x")]
    assert choices(chain[:2]) == [("p1", "r1", "y")]


@pytest.mark.parametrize("kind", ["undo", "void", "skip"])
def test_an_answer_taken_back_is_no_judgment(kind):
    assert choices([event("1"), event("2", kind, replaces="1")]) == []


def test_an_answer_after_an_undo_holds():
    chain = [event("1"), event("2", "undo", replaces="1"), event("3", choice="y", replaces="2")]
    assert choices(chain) == [("p1", "r1", "y")]


def test_an_abstention_is_a_judgment_without_a_choice():
    (judgment,) = current_judgments([event("1", "skip"), event("2", "abstain", replaces="1")])
    assert judgment.abstained
    (judgment,) = current_judgments([event("1", "import")])
    assert judgment.abstained
    (judgment,) = current_judgments([event("1", "import", "y")])
    assert not judgment.abstained


def test_a_mirrored_repeat_never_counts():
    repeat = event("2", choice="y", repeat_of="one/r1/3")
    assert choices([event("1", choice="x"), repeat]) == [("p1", "r1", "x")]
    assert choices([repeat]) == []


def test_over_rounds_the_later_answer_holds():
    first = event("1", choice="x", round="one", judged_at="2026-01-02T08:00:00Z")
    # 09:30 at +02:00 is 07:30 UTC: earlier, although the text sorts later.
    second = event("2", choice="y", round="two", judged_at="2026-01-02T09:30:00+02:00")
    assert choices([first, second], ["one", "two"]) == [("p1", "r1", "x")]
    assert choices([first, second._replace(judged_at="2026-01-02T08:00:01Z")], ["one", "two"]) == [
        ("p1", "r1", "y")
    ]


def test_without_times_the_later_round_holds_and_a_time_beats_none():
    first, second = event("9", choice="x", round="one"), event("1", choice="y", round="two")
    assert choices([first, second], ["one", "two"]) == [("p1", "r1", "y")]
    assert choices([first, second], ["two", "one"]) == [("p1", "r1", "x")]
    timed = first._replace(judged_at="2026-01-02T08:00:00Z")
    assert choices([timed, second], ["one", "two"]) == [("p1", "r1", "x")]


def test_undoing_the_later_round_brings_the_earlier_answer_back():
    first = event("1", choice="x", round="one")
    second = event("2", choice="y", round="two")
    assert choices([first, second, event("3", "undo", replaces="2", round="two")], ["one", "two"]) == [
        ("p1", "r1", "x")
    ]


@pytest.mark.parametrize(
    ("events", "message"),
    [
        ([event("2", replaces="1")], "not there"),
        ([event("1"), event("2", replaces="1"), event("3", replaces="1")], "replaced 2 times"),
        ([event("1", replaces="2"), event("2", replaces="1")], "circle"),
        ([event("1"), event("1", choice="y")], "different content"),
        ([event("1"), event("2", replaces="1", rater="r2")], "another rater"),
    ],
)
def test_what_cannot_have_happened_is_refused(events, message):
    with pytest.raises(BrokenChain, match=message):
        current_judgments(events)


def test_pair_by_pair_wants_its_events_sorted():
    events = [event("1", pair="p2"), event("2", pair="p1")]
    with pytest.raises(BrokenChain, match="sort by"):
        list(current_pair_by_pair(events))


@st.composite
def histories(draw):
    """Chains of acts by a few raters on a few pairs in two rounds, some of them repeats."""
    events = []
    for number in range(draw(st.integers(0, 8))):
        rater, pair = draw(st.sampled_from(["r1", "r2"])), draw(st.sampled_from(["p1", "p2"]))
        more = {
            "rater": rater,
            "pair": pair,
            "round": draw(st.sampled_from(["one", "two"])),
            "repeat_of": draw(st.sampled_from(["", "", "s"])),
            "judged_at": draw(st.sampled_from(["", "2026-01-01T00:00:00Z", "2026-01-02T00:00:00Z"])),
        }
        before = ""
        for step, act in enumerate(draw(st.lists(st.sampled_from("xy-us"), min_size=1, max_size=4))):
            kind = {"x": "vote", "y": "vote", "-": "abstain", "u": "undo", "s": "skip"}[act]
            choice = act if kind == "vote" else ""
            events.append(event(f"{number}.{step}", kind, choice, replaces=before, **more))
            before = f"{number}.{step}"
    return events


@given(histories(), st.randoms(use_true_random=False))
def test_order_and_repetition_of_rows_change_nothing(events, random):
    told = current_judgments(events, ["one", "two"])
    again = events + random.sample(events, k=len(events) // 2)
    random.shuffle(again)
    assert current_judgments(again, ["one", "two"]) == told


@given(histories())
def test_undoing_every_answer_leaves_nothing(events):
    replaced = {e.replaces for e in events}
    undone = [
        e._replace(event_id=f"undo {e.event_id}", kind="undo", replaces=e.event_id, preferred_id="")
        for e in events
        if e.event_id not in replaced
    ]
    assert current_judgments([*events, *undone], ["one", "two"]) == []


@given(histories())
def test_one_judgment_a_rater_and_pair_and_it_was_really_given(events):
    told = current_judgments(events, ["one", "two"])
    assert len({(e.rater_id, e.pair_id) for e in told}) == len(told)
    assert set(told) <= set(events)


@given(histories())
def test_pair_by_pair_is_the_same(events):
    by_pair = sorted(events, key=lambda e: e.pair_id)
    assert list(current_pair_by_pair(by_pair, ["one", "two"])) == current_judgments(events, ["one", "two"])
