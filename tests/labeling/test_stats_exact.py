"""Exact binomial tests against sums of whole numbers."""

import json
from fractions import Fraction
from math import comb

import pytest
from hypothesis import given
from hypothesis import strategies as st

from labeling.stats.exact import binomial_two_sided
from tests.shared_data import REFERENCE, needs_data


def by_definition(k: int, n: int, p: Fraction) -> Fraction:
    chances = [comb(n, i) * p**i * (1 - p) ** (n - i) for i in range(n + 1)]
    return sum((chance for chance in chances if chance <= chances[k]), start=Fraction(0))


@pytest.mark.parametrize(
    ("k", "n", "expected"),
    [
        (0, 0, 1.0),
        (0, 1, 1.0),
        (0, 5, 2 / 32),
        (1, 10, 22 / 1024),  # 2 * (1 + 10)
        (3, 6, 1.0),
        (2, 8, 74 / 256),  # 2 * (1 + 8 + 28)
        (2, 5, 1.0),
    ],
)
def test_fair_coin_derived_by_hand(k: int, n: int, expected: float) -> None:
    assert binomial_two_sided(k, n) == pytest.approx(expected, rel=1e-12)


def test_a_biased_coin_derived_by_hand() -> None:
    # n=3, p=1/4: chances 27, 27, 9, 1 of 64. Two is as likely as 9/64: it and three count.
    assert binomial_two_sided(2, 3, 0.25) == pytest.approx(10 / 64, rel=1e-12)
    # 0 and 1 are equally likely, so either is among the likeliest and everything counts.
    assert binomial_two_sided(0, 3, 0.25) == pytest.approx(1.0)
    assert binomial_two_sided(1, 3, 0.25) == pytest.approx(1.0)


@needs_data
def test_published_values() -> None:
    # McNemar's exact test is this test on the discordant pairs.
    vectors = json.loads((REFERENCE / "vectors.json").read_text())["mcnemar_exact"]
    for key, expected in vectors.items():
        b, c = (int(part.split("=")[1]) for part in key.split(","))
        assert binomial_two_sided(b, b + c) == pytest.approx(expected, rel=1e-10), key


@given(
    st.integers(0, 60).flatmap(lambda n: st.tuples(st.integers(0, n), st.just(n))),
    st.sampled_from([Fraction(1, 2), Fraction(1, 4), Fraction(2, 3), Fraction(9, 10), Fraction(1, 100)]),
)
def test_equals_the_definition(count: tuple[int, int], p: Fraction) -> None:
    k, n = count
    assert binomial_two_sided(k, n, float(p)) == pytest.approx(float(by_definition(k, n, p)), rel=1e-9)


@given(st.integers(0, 3000).flatmap(lambda n: st.tuples(st.integers(0, n), st.just(n))))
def test_exchanging_sides_changes_nothing(count: tuple[int, int]) -> None:
    k, n = count
    assert binomial_two_sided(k, n) == pytest.approx(binomial_two_sided(n - k, n), rel=1e-9)


def test_a_million_trials() -> None:
    # One standard deviation is 500: the normal curve leaves 4.55 % outside two of them.
    assert binomial_two_sided(499_000, 1_000_000) == pytest.approx(0.0455, abs=5e-4)
    assert binomial_two_sided(0, 1_000_000) == 0.0


@pytest.mark.parametrize(("k", "n", "p"), [(-1, 3, 0.5), (4, 3, 0.5), (1, 3, 0.0), (1, 3, 1.0), (1, 3, 1.5)])
def test_impossible_arguments_are_refused(k: int, n: int, p: float) -> None:
    with pytest.raises(ValueError, match="must lie"):
        binomial_two_sided(k, n, p)
