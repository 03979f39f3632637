"""Confidence intervals for a share."""

from math import sqrt

Z95 = 1.959963984540054
"""The normal quantile that leaves 2.5 % above it."""


def wilson(k: int, n: int, z: float = Z95) -> tuple[float, float] | None:
    """Wilson's score interval for a share of `k` in `n`; None when `n` is 0, as nothing was observed.

    Returns (low, high) within [0, 1]; low is exactly 0 at k = 0 and high exactly 1 at k = n.
    Raises ValueError unless 0 <= k <= n.
    Source: E. B. Wilson, Probable inference, the law of succession, and statistical inference,
    Journal of the American Statistical Association 22 (1927).
    """
    if not 0 <= k <= n:
        raise ValueError(f"k must lie between 0 and n, got k={k}, n={n}")
    if n == 0:
        return None
    share = k / n
    centre = share + z * z / (2 * n)
    half = z * sqrt(share * (1 - share) / n + z * z / (4 * n * n))
    scale = 1 + z * z / n
    low = 0.0 if k == 0 else (centre - half) / scale
    high = 1.0 if k == n else (centre + half) / scale
    return low, high
