"""A round's life and what stands in its way."""

import pytest
from django.db import IntegrityError, transaction

from labeling import rounds
from labeling.models import Round, RoundPair, RoundState, RoundTransition, TableImport
from labeling.rounds import (
    RoundNotReady,
    WrongState,
    add_pairs,
    close_round,
    locked,
    mark_promoted,
    move,
    problems_before_opening,
    remove_pairs,
    reopen_round,
    set_raters,
)
from tests.factories import (
    make_item,
    make_pair,
    make_rater,
    make_round,
    make_rubric,
    opened_round,
    tables,
)

pytestmark = pytest.mark.django_db


def state_of(round_):
    return Round.objects.get(pk=round_.pk).state


def test_a_life_from_draft_to_a_second_release_is_logged_step_by_step():
    round_ = opened_round()
    close_round(round_, actor="account 1", reason="enough")
    reopen_round(round_, actor="account 2", reason="a top-up")
    close_round(round_, actor="account 1")
    mark_promoted(round_, actor="job 1")
    mark_promoted(round_, actor="job 2")
    log = RoundTransition.objects.filter(round=round_).values_list(
        "from_state", "to_state", "actor", "reason"
    )
    assert list(log) == [
        ("draft", "open", "test", ""),
        ("open", "closed", "account 1", "enough"),
        ("closed", "open", "account 2", "a top-up"),
        ("open", "closed", "account 1", ""),
        ("closed", "promoted", "job 1", ""),
        ("promoted", "promoted", "job 2", ""),
    ]


@pytest.mark.parametrize(
    ("state", "to"),
    [
        (RoundState.DRAFT, RoundState.PROMOTED),
        (RoundState.OPEN, RoundState.DRAFT),
        (RoundState.OPEN, RoundState.PROMOTED),
        (RoundState.CLOSED, RoundState.DRAFT),
        (RoundState.CLOSED, RoundState.CLOSED),
        (RoundState.PROMOTED, RoundState.OPEN),
        (RoundState.PROMOTED, RoundState.CLOSED),
    ],
)
def test_no_step_is_left_out_or_taken_back(state, to):
    round_ = make_round()
    Round.objects.filter(pk=round_.pk).update(state=state)
    with pytest.raises(WrongState, match="it cannot become"), transaction.atomic():
        move(locked(round_), to, actor="test")
    assert state_of(round_) == state
    assert not RoundTransition.objects.exists()


def test_a_draft_is_closed_at_once_for_judgments_collected_elsewhere():
    round_ = make_round(2, 0)
    close_round(round_, actor="test")
    assert state_of(round_) == "closed"


def test_such_a_round_has_no_packets_to_reopen():
    round_ = make_round(2, 0)
    close_round(round_, actor="test")
    with pytest.raises(WrongState, match="has no packets"):
        reopen_round(round_, actor="test", reason="why not")
    assert state_of(round_) == "closed"


def test_an_empty_draft_is_not_closed():
    with pytest.raises(RoundNotReady, match="There are no pairs"):
        close_round(make_round(0, 0), actor="test")


def test_pairs_are_added_and_removed_once():
    round_ = make_round(0, 1)
    pks = [make_pair().pk for _ in range(3)]
    assert add_pairs(round_, pks[:2]) == 2
    assert add_pairs(round_, pks) == 1
    assert remove_pairs(round_, pks[:1]) == 1
    assert remove_pairs(round_, pks[:1]) == 0
    assert sorted(round_.pairs.values_list("pk", flat=True)) == pks[1:]


def test_the_pairs_and_raters_of_a_round_that_has_opened_are_fixed():
    round_ = opened_round()
    for change in (
        lambda: add_pairs(round_, [make_pair().pk]),
        lambda: remove_pairs(round_, round_.pairs.values_list("pk", flat=True)),
        lambda: set_raters(round_, []),
    ):
        with pytest.raises(WrongState, match="no draft any more"):
            change()
    assert (round_.pairs.count(), round_.raters.count()) == (2, 1)


def test_raters_are_those_set_last():
    round_ = make_round(1, 2)
    other = make_rater()
    set_raters(round_, [other])
    assert list(round_.raters.all()) == [other]


# --- what must be mended before opening ---------------------------------------------------------


def test_a_complete_round_has_no_problems():
    assert problems_before_opening(make_round()) == []


def test_pairs_and_raters_are_missed_together():
    assert problems_before_opening(make_round(0, 0, raters_per_pair=3)) == [
        "There are no pairs; add some from the imported tables.",
        "3 raters are asked for each and 0 chosen; choose more raters.",
    ]


def test_a_domain_without_cues_is_named():
    round_ = make_round([make_pair(domain="tech"), make_pair(domain="book"), make_pair()], 1)
    assert problems_before_opening(round_) == [
        "The rubric rubric_v1 has no cues for: book, tech. Choose one that has, or drop these rows."
    ]


@pytest.mark.parametrize(
    ("origins", "tier", "problem"),
    [
        (["simulation", "public_crowd"], "simulation", "Simulated and real data never share a round"),
        (["simulation"], "public_reference", "The data are simulated, so the tier must be"),
        (["public_crowd"], "simulation", "The data are real, so the tier cannot be"),
    ],
)
def test_simulated_and_real_are_kept_apart(origins, tier, problem):
    round_ = make_round([make_pair(origin=origin) for origin in origins], 1, gold_tier=tier)
    [found] = problems_before_opening(round_)
    assert found.startswith(problem)


def test_an_item_without_content_is_counted_but_hinders_no_import_round():
    bare = make_item(rendition=False)
    round_ = make_round([make_pair(items=(make_item(), bare)), make_pair()], 1)
    assert problems_before_opening(round_) == [
        "1 pair has an item without content that can be shown; import its file or drop it."
    ]
    close_round(round_, actor="test")
    assert state_of(round_) == "closed"


def test_pairs_of_an_import_that_is_not_complete_are_not_opened():
    round_ = make_round(1, 1)
    under_way = make_pair(table_import=tables("under way", state="staging"))
    RoundPair.objects.create(round=round_, pair=under_way)
    [problem] = problems_before_opening(round_)
    assert "without content that can be shown" in problem


def test_a_rater_without_an_account_is_named():
    rater = make_rater("human_expert_07")
    round_ = make_round(1, [rater])
    rater.user.delete()
    assert problems_before_opening(round_) == [
        "These raters have no account to sign in with: human_expert_07."
    ]


def test_a_rater_who_can_no_longer_sign_in_is_named():
    rater = make_rater("human_expert_07", is_active=False)
    assert problems_before_opening(make_round(1, [rater])) == [
        "These raters have no account to sign in with: human_expert_07."
    ]


# --- rules that the database holds --------------------------------------------------------------


@pytest.mark.parametrize(
    ("field", "value"),
    [
        ("state", "lost"),
        ("gold_tier", "weak"),
        ("raters_per_pair", 0),
        ("repeat_share", "0.6"),
        ("min_raters", 2),
    ],
)
def test_a_round_outside_the_rules_cannot_be_stored(field, value):
    round_ = make_round()
    with pytest.raises(IntegrityError), transaction.atomic():
        Round.objects.filter(pk=round_.pk).update(**{field: value})


def test_review_rounds_may_ask_for_two():
    round_ = make_round(rubric=make_rubric(), verdicts="a_b_neither_cannot", min_raters=2)
    assert round_.min_raters == 2


@pytest.mark.parametrize(
    "change",
    [
        lambda: RoundTransition.objects.update(reason="another"),
        lambda: RoundTransition.objects.all().delete(),
    ],
)
def test_the_log_is_never_edited_nor_emptied(change):
    opened_round()
    with pytest.raises(IntegrityError), transaction.atomic():
        change()
    assert RoundTransition.objects.get().reason == ""


def test_pairs_and_raters_of_a_round_are_counted_apart():
    make_round(3, 2, slug="counted")
    make_round(0, 0, slug="empty")
    sizes = {round_.slug: (round_.n_pairs, round_.n_raters) for round_ in Round.objects.with_sizes()}
    assert sizes == {"counted": (3, 2), "empty": (0, 0)}


def test_pairs_of_an_import_under_way_are_passed_over():
    round_ = make_round(0)
    staging = TableImport.objects.create(name="under way")
    pairs = [make_pair(), make_pair(table_import=staging)]
    assert add_pairs(round_, [pair.pk for pair in pairs]) == 1
    assert list(round_.pairs.all()) == pairs[:1]


def test_more_pairs_than_one_statement_takes_are_added_and_removed(monkeypatch):
    monkeypatch.setattr(rounds, "CHUNK", 2)
    round_, pks = make_round(0), [make_pair().pk for _ in range(5)]
    assert add_pairs(round_, pks) == 5
    assert remove_pairs(round_, pks[1:]) == 4
    assert list(round_.pairs.values_list("pk", flat=True)) == pks[:1]
