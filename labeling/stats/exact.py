"""Exact tests for counts: no normal approximation, so they hold for three pairs and for a million."""

from math import ceil, exp, floor, lgamma, log

import numpy as np

# Outcomes as likely as the observed one belong to the tail; rounding must not push them out of it.
# R's binom.test and SciPy's binomtest allow the same.
_TIE = 1e-7


def binomial_two_sided(k: int, n: int, p: float = 0.5) -> float:
    """Chance, when each of `n` trials succeeds with `p`, of a count no more likely than `k`.

    Returns a value in [0, 1]: 1 when `n` is 0, and 0 only for chances too small for a float.
    Raises ValueError unless 0 <= k <= n and 0 < p < 1.
    Source: the minimum-likelihood two-sided test, as in R's binom.test.
    """
    if not 0 <= k <= n:
        raise ValueError(f"k must lie between 0 and n, got k={k}, n={n}")
    if not 0 < p < 1:
        raise ValueError(f"p must lie strictly between 0 and 1, got {p}")
    observed = _log_pmf(k, n, p) + log(1 + _TIE)
    if k <= n * p:
        other = _first_no_likelier(observed, n, p, ceil(n * p), n + 1)
        lower, upper = k, other
    else:
        # Seen from the other end (failures counted), the same search finds the lower tail.
        other = n - _first_no_likelier(observed, n, 1 - p, ceil(n * (1 - p)), n + 1)
        lower, upper = other, k
    if upper <= lower + 1:
        return 1.0
    return min(1.0, _upper_tail(n - lower, n, 1 - p) + _upper_tail(upper, n, p))


def _log_pmf(k: int, n: int, p: float) -> float:
    ways = lgamma(n + 1) - lgamma(k + 1) - lgamma(n - k + 1)
    return ways + k * log(p) + (n - k) * log(1 - p)


def _first_no_likelier(limit: float, n: int, p: float, start: int, stop: int) -> int:
    """The smallest count in [start, stop) with log chance <= limit; `stop` when there is none.

    `start` is at or above the mean, from where chances only fall.
    """
    while start < stop:
        middle = floor((start + stop) / 2)
        if _log_pmf(middle, n, p) <= limit:
            stop = middle
        else:
            start = middle + 1
    return start


def _upper_tail(k: int, n: int, p: float) -> float:
    """P(count >= k): the chance of `k` times the sum of the running products of pmf(i + 1) / pmf(i)."""
    if k > n:
        return 0.0
    steps = np.arange(k, n, dtype=np.float64)
    ratios = (n - steps) / (steps + 1) * (p / (1 - p))
    return exp(_log_pmf(k, n, p)) * (1.0 + float(np.cumprod(ratios).sum()))
