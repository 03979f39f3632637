"""Votes into states, with every expected value counted by hand."""

from random import Random

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from gold.aggregation import Aggregates, State, aggregate, agreement_column, from_counts

A, B = 0, 1


def cast(ballots: list[str], min_raters: int = 3) -> Aggregates:
    """Aggregate ballots written as text: one string a pair, one letter a vote."""
    pair = [number for number, ballot in enumerate(ballots) for _ in ballot]
    choice = ["ab".index(vote) for ballot in ballots for vote in ballot]
    return aggregate(np.array(pair, np.int64), np.array(choice, np.int8), len(ballots), min_raters)


def states(aggregates: Aggregates) -> list[str]:
    return [State(code).label for code in aggregates.state.tolist()]


def test_counts_and_labels() -> None:
    result = cast(["aab", "bbb", "", "ab", "aabb"])
    assert result.votes_a.tolist() == [2, 0, 0, 1, 2]
    assert result.votes_b.tolist() == [1, 3, 0, 1, 2]
    assert result.n_raters.tolist() == [3, 3, 0, 2, 4]
    assert result.modal.tolist() == [2, 3, 0, 1, 2]
    assert result.preferred.tolist() == [A, B, -1, -1, -1]
    assert states(result) == ["gold", "gold", "too_few", "too_few", "tie"]


@pytest.mark.parametrize(
    ("ballot", "state"),
    [
        ("", "too_few"),
        ("aa", "too_few"),  # agreement 1.0, but two raters
        ("ab", "too_few"),  # too few comes before tie
        ("aab", "gold"),  # 2/3
        ("aaab", "gold"),  # 3/4
        ("aabb", "tie"),
        ("aaabb", "gold"),  # 3/5 exactly: inclusive
        ("aaaabb", "gold"),  # 4/6
        ("aaaabbb", "below_gate"),  # 4/7 = 0.571
        ("aaaaabbb", "gold"),  # 5/8 = 0.625
        ("aaaaabbbb", "below_gate"),  # 5/9 = 0.556
        ("aaaaaabbbb", "gold"),  # 6/10: 0.6 again
        ("aaaaaabbbbbb", "tie"),
    ],
)
def test_gate_is_inclusive_and_exact(ballot: str, state: str) -> None:
    assert states(cast([ballot])) == [state]


def test_gate_holds_where_floats_would_not() -> None:
    # 3/5 exactly and one vote less, at sizes where a share's last digit is lost.
    n = 5 * 10**15
    exact = from_counts(np.array([3 * 10**15, 3 * 10**15 - 1]), np.array([2 * 10**15, n - 3 * 10**15 + 1]))
    assert states(exact) == ["gold", "below_gate"]


def test_reviews_ask_for_two() -> None:
    assert states(cast(["aa", "ab", "a"], min_raters=2)) == ["gold", "tie", "too_few"]


def test_no_pairs_and_no_votes() -> None:
    assert len(cast([])) == 0
    assert states(cast(["", ""])) == ["too_few", "too_few"]


@pytest.mark.parametrize(
    ("pair", "choice", "message"),
    [
        ([0, 3], [0, 0], "pair numbers"),
        ([-1], [0], "pair numbers"),
        ([0], [2], "choice"),
        ([0], [-1], "choice"),
        ([0], [], "equally long"),
    ],
)
def test_arrays_out_of_range_are_refused(pair: list[int], choice: list[int], message: str) -> None:
    with pytest.raises(ValueError, match=message):
        aggregate(np.array(pair, np.int64), np.array(choice, np.int8), 3)


@pytest.mark.parametrize("n", [3, 4, 5, 7, 9, 199, 999_983])
def test_agreement_gives_the_count_back(n: int) -> None:
    votes_a = np.arange(n // 2 + 1, n + 1)
    agreement = agreement_column(from_counts(votes_a, n - votes_a))
    assert np.rint(agreement * n).tolist() == votes_a.tolist()
    assert (np.abs(agreement * n - votes_a) <= 0.005 * n).all()


def test_agreement_is_short() -> None:
    assert agreement_column(cast(["aab", "aaabb", "bbb", ""])).tolist() == [0.666667, 0.6, 1.0, 0.0]


ballots = st.lists(st.text("ab", max_size=9), max_size=12)


@given(ballots, st.integers(1, 4))
def test_exchanging_a_and_b_mirrors_the_label(cast_ballots: list[str], min_raters: int) -> None:
    plain = cast(cast_ballots, min_raters)
    mirrored = cast([ballot.translate(str.maketrans("ab", "ba")) for ballot in cast_ballots], min_raters)
    assert mirrored.state.tolist() == plain.state.tolist()
    assert mirrored.modal.tolist() == plain.modal.tolist()
    assert mirrored.votes_a.tolist() == plain.votes_b.tolist()
    assert [
        (1 - side if side >= 0 else side) for side in mirrored.preferred.tolist()
    ] == plain.preferred.tolist()


@given(ballots, st.randoms(use_true_random=False))
def test_order_of_votes_changes_nothing(cast_ballots: list[str], random: Random) -> None:
    votes = [(number, "ab".index(vote)) for number, ballot in enumerate(cast_ballots) for vote in ballot]
    random.shuffle(votes)
    shuffled = aggregate(
        np.array([pair for pair, _ in votes], np.int64),
        np.array([c for _, c in votes], np.int8),
        len(cast_ballots),
    )
    plain = cast(cast_ballots)
    assert shuffled.votes_a.tolist() == plain.votes_a.tolist()
    assert shuffled.state.tolist() == plain.state.tolist()


@given(ballots)
def test_a_gold_label_has_a_majority(cast_ballots: list[str]) -> None:
    result = cast(cast_ballots)
    gold = result.state == State.GOLD
    assert (result.preferred[gold] >= 0).all()
    assert (2 * result.modal[gold] > result.n_raters[gold]).all()
    subset = result.subset(gold)
    assert len(subset) == gold.sum()
    assert subset.modal.tolist() == result.modal[gold].tolist()
