"""Wilson intervals against published values, and what must hold for any count."""

import json
from math import sqrt

import pytest
from hypothesis import given
from hypothesis import strategies as st

from labeling.stats.intervals import wilson
from tests.shared_data import REFERENCE, needs_data


def counts() -> st.SearchStrategy[tuple[int, int]]:
    return st.integers(1, 5000).flatmap(lambda n: st.tuples(st.integers(0, n), st.just(n)))


@needs_data
def test_published_values() -> None:
    vectors = json.loads((REFERENCE / "vectors.json").read_text())["wilson95"]
    for key, expected in vectors.items():
        k, n = map(int, key.split("/"))
        assert wilson(k, n) == pytest.approx(expected, abs=1e-9), key


def test_derived_by_hand() -> None:
    # k=1, n=1, z=1: centre (1 + 1/2) / 2 = 3/4, half sqrt(0 + 1/4) / 2 = 1/4.
    assert wilson(1, 1, z=1.0) == pytest.approx((0.5, 1.0))
    # k=2, n=4, z=2: centre 1/2, half 2 * sqrt(1/16 + 1/16) / 2 = sqrt(1/8).
    assert wilson(2, 4, z=2.0) == pytest.approx((0.5 - sqrt(1 / 8), 0.5 + sqrt(1 / 8)))


def test_nothing_observed_has_no_interval() -> None:
    assert wilson(0, 0) is None


@pytest.mark.parametrize(("k", "n"), [(-1, 3), (4, 3), (0, -1)])
def test_impossible_counts_are_refused(k: int, n: int) -> None:
    with pytest.raises(ValueError, match=f"k={k}, n={n}"):
        wilson(k, n)


@given(counts())
def test_interval_holds_the_share_and_stays_in_bounds(count: tuple[int, int]) -> None:
    k, n = count
    low, high = wilson(k, n) or (None, None)
    assert low is not None
    assert high is not None
    assert 0 <= low <= k / n <= high <= 1
    assert (low == 0.0) == (k == 0)
    assert (high == 1.0) == (k == n)


@given(counts())
def test_counting_the_others_mirrors_the_interval(count: tuple[int, int]) -> None:
    k, n = count
    low, high = wilson(k, n) or (0.0, 0.0)
    assert wilson(n - k, n) == pytest.approx((1 - high, 1 - low), abs=1e-12)
