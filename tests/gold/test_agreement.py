"""Agreement figures: published vectors, values derived by hand, and laws."""

import json
from fractions import Fraction
from random import Random

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from gold import agreement
from gold.aggregation import from_counts
from gold.agreement import (
    Tally,
    alpha_as_coded,
    alpha_orientation_free,
    gate_pass_by_chance,
    nominal_alpha,
    tally,
)
from tests.shared_data import REFERENCE, needs_data


def counted(*votes: tuple[int, int]) -> Tally:
    """A tally from (votes for a, votes for b), one entry a pair."""
    table = np.array(votes, np.int64).reshape(-1, 2)
    return tally(from_counts(table[:, 0], table[:, 1]))


def exact_alpha(units: list[list[int]]) -> Fraction:
    """Alpha by its definition, in fractions: 1 - observed / expected, from (units, values) counts."""
    units = [unit for unit in units if sum(unit) >= 2]
    totals = [sum(column) for column in zip(*units, strict=True)]
    n = sum(totals)
    observed = sum(
        (Fraction(sum(v * (sum(unit) - v) for v in unit), sum(unit) - 1) for unit in units), start=Fraction(0)
    )
    expected = Fraction(sum(v * (n - v) for v in totals), n - 1)
    return 1 - observed / expected


def value_counts(matrix: list[list[object]]) -> list[list[int]]:
    values = sorted({cell for row in matrix for cell in row if cell is not None}, key=str)
    return [[unit.count(value) for value in values] for unit in map(list, zip(*matrix, strict=True))]


@needs_data
def test_published_alphas() -> None:
    vectors = json.loads((REFERENCE / "vectors.json").read_text())["krippendorff_nominal"]
    assert len(vectors) == 9
    for name, vector in vectors.items():
        counts = value_counts(vector["matrix"])
        values = tuple(f"value {i}" for i in range(len(counts[0])))
        figure = nominal_alpha(np.array(counts), np.ones(len(counts), np.int64), values)
        assert exact_alpha(counts) == Fraction(vector["exact"]), name
        assert figure.value == pytest.approx(vector["value"], abs=1e-12), name


def test_alpha_derived_by_hand() -> None:
    # Three pairs, two raters: aa, ab, bb. Observed disagreement 2 of 6 ordered answers; expected
    # 2 * 3 * 3 / (6 - 1) = 18/5. Alpha = 1 - 2 / (18/5) = 4/9.
    t = counted((2, 0), (1, 1), (0, 2))
    assert alpha_as_coded(t).value == pytest.approx(4 / 9, abs=1e-12)
    # Mirrored as well: 4 of 12 disagree; expected 2 * 6 * 6 / 11 = 72/11. Alpha = 1 - 4 / (72/11) = 7/18.
    assert alpha_orientation_free(t).value == pytest.approx(7 / 18, abs=1e-12)
    assert alpha_orientation_free(t).n == 3


def test_winners_listed_first_fool_alpha_as_coded_only() -> None:
    # 40 pairs, three raters each, 30 unanimous and 10 at two to one: the winner listed first everywhere,
    # then exchanged in half of the rows.
    first = counted(*[(3, 0)] * 30, *[(2, 1)] * 10)
    half = counted(*[(3, 0)] * 15, *[(0, 3)] * 15, *[(2, 1)] * 5, *[(1, 2)] * 5)
    coded_first, coded_half = alpha_as_coded(first), alpha_as_coded(half)
    assert coded_first.value is not None
    assert coded_first.value < 0
    assert coded_half.value is not None
    assert coded_half.value > 0.6
    assert "110 of 120 votes are for item_a" in coded_first.note
    assert coded_half.note == ""
    assert alpha_orientation_free(first) == alpha_orientation_free(half)


def test_everybody_votes_the_same() -> None:
    t = counted((3, 0), (4, 0))
    coded = alpha_as_coded(t)
    assert coded.value is None
    assert coded.why.startswith("All 7 votes are for item_a: raters agree on every pair")
    assert coded.as_json() == {"value": None, "n": 2, "why": coded.why}
    # Both codes are in use once each pair is mirrored, so agreement is perfect and says so.
    assert alpha_orientation_free(t).value == 1.0
    assert agreement.percent_agreement(t).value == 1.0
    assert agreement.mean_pairwise_agreement(t).value == 1.0


def test_raters_without_a_common_pair() -> None:
    t = counted((1, 0), (0, 1), (0, 0))
    for figure in (
        alpha_as_coded(t),
        alpha_orientation_free(t),
        agreement.percent_agreement(t),
        agreement.mean_pairwise_agreement(t),
    ):
        assert figure.value is None
        assert figure.n == 0
        assert figure.why.startswith("No pair was judged by two raters")


def test_one_dissenting_vote_in_22_makes_alpha_zero_and_is_explained() -> None:
    # 22 votes on five pairs, one of them for b, on a pair of four.
    # Observed disagreement 2 * 3 / 3 = 2, expected 2 * 21 / 21 = 2.
    t = counted((5, 0), (4, 0), (4, 0), (3, 1), (5, 0))
    figure = alpha_as_coded(t)
    assert figure.value == 0.0
    assert str(figure.value) == "0.0"
    assert "21 of 22 votes are for item_a" in figure.note
    assert "percent agreement" in figure.note


def test_agreements_derived_by_hand() -> None:
    t = counted((2, 1), (0, 3), (2, 2), (1, 0), (0, 0))
    # Modal shares 2/3, 1, 1/2 over the three pairs with two raters or more: 13/18.
    assert agreement.percent_agreement(t).value == float(Fraction(13, 18))
    # Pairs of raters alike: 1 of 3, 3 of 3, 2 of 6: mean 5/9.
    assert agreement.mean_pairwise_agreement(t).value == float(Fraction(5, 9))
    # Gold rows are the first two: (2/3 + 1) / 2.
    assert agreement.mean_gold_agreement(t).value == float(Fraction(5, 6))
    assert agreement.percent_agreement(t).n == 3
    assert agreement.mean_gold_agreement(t).n == 2


def test_shares_of_gold() -> None:
    t = counted((3, 0), (2, 1), (0, 3), (2, 2), (1, 0))
    assert agreement.unanimous(t).as_json() | {"interval": None} == {
        "value": 2 / 3,
        "k": 2,
        "n": 3,
        "interval": None,
    }
    position = agreement.position(t)
    assert position["k"] == 2
    assert position["p_two_sided"] == pytest.approx(1.0)
    assert position["interval"] == pytest.approx([0.2077, 0.9385], abs=1e-4)


def test_shares_of_no_gold_say_why() -> None:
    t = counted((1, 1))
    assert agreement.unanimous(t).as_json() == {
        "value": None, "k": 0, "n": 0, "interval": None, "why": "No pair is gold.",
    }  # fmt: skip
    assert agreement.position(t)["p_two_sided"] is None


@pytest.mark.parametrize(
    ("n", "chance"),
    [
        (0, Fraction(0)),
        (2, Fraction(0)),
        (3, Fraction(1)),
        (4, Fraction(5, 8)),  # 2 * (4 + 1) / 16
        (5, Fraction(1)),
        (6, Fraction(11, 16)),  # 2 * (15 + 6 + 1) / 64
        (7, Fraction(29, 64)),  # 2 * (21 + 7 + 1) / 128 = 0.453
        (8, Fraction(93, 128)),  # 2 * (56 + 28 + 8 + 1) / 256
    ],
)
def test_coin_flips_at_the_gate(n: int, chance: Fraction) -> None:
    assert gate_pass_by_chance(n, 3) == chance


def test_coin_flips_agree_with_the_gate_itself() -> None:
    # Every sequence of seven votes, sent through the aggregation.
    ones = np.array([bin(sequence).count("1") for sequence in range(128)])
    passed = from_counts(ones, 7 - ones).state == 3
    assert gate_pass_by_chance(7, 3) == Fraction(int(passed.sum()), 128)


votes = st.lists(st.tuples(st.integers(0, 5), st.integers(0, 5)), min_size=1, max_size=15)


def figures(t: Tally) -> list[object]:
    """Every figure that does not depend on which item is listed first."""
    return [
        alpha_orientation_free(t),
        agreement.percent_agreement(t),
        agreement.mean_pairwise_agreement(t),
        agreement.mean_gold_agreement(t),
        agreement.unanimous(t),
    ]


@given(votes, st.lists(st.booleans(), min_size=15, max_size=15))
def test_exchanging_a_and_b_in_any_rows(table: list[tuple[int, int]], exchange: list[bool]) -> None:
    exchanged = [(b, a) if flip else (a, b) for (a, b), flip in zip(table, exchange, strict=False)]
    assert figures(counted(*exchanged)) == figures(counted(*table))


@given(votes, st.randoms(use_true_random=False))
def test_order_of_pairs_changes_not_even_the_last_digit(table: list[tuple[int, int]], random: Random) -> None:
    shuffled = list(table)
    random.shuffle(shuffled)
    assert figures(counted(*shuffled)) == figures(counted(*table))
    assert alpha_as_coded(counted(*shuffled)) == alpha_as_coded(counted(*table))


@given(votes)
def test_alphas_equal_their_definition(table: list[tuple[int, int]]) -> None:
    t = counted(*table)
    shared = [list(unit) for unit in table if sum(unit) >= 2]
    both_used = all(any(unit[side] for unit in shared) for side in (0, 1))
    coded, free = alpha_as_coded(t), alpha_orientation_free(t)
    assert (coded.value is not None) == both_used
    assert (free.value is not None) == bool(shared)
    if coded.value is not None:
        assert coded.value == pytest.approx(float(exact_alpha(shared)), abs=1e-11)
    if free.value is not None:
        mirrored = shared + [unit[::-1] for unit in shared]
        assert free.value == pytest.approx(float(exact_alpha(mirrored)), abs=1e-11)
