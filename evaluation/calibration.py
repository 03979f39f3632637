"""Expected calibration error with ten equal, right-closed bins (Guo et al., 2017), binned exactly.

A confidence is text such as ``0.3``. As a binary float it is a hair off its decimal value, and ``0.3 * 10``
or ``0.7 * 10`` may fall on either side of an edge; so whatever lies near an edge is binned from its decimal
text.
"""

from decimal import Decimal
from typing import Any

import numpy as np
import numpy.typing as npt
import pyarrow as pa
import pyarrow.compute as pc

from evaluation.columns import Mask, Rows, encode, mask
from evaluation.figures import Figure, undefined

BINS = 10
# Far above the rounding error of a parsed confidence times ten (< 1e-14), far below real distances.
_NEAR_EDGE = 1e-9


def confidence_bins(texts: pa.Array) -> Rows:
    """The bin (0..9) of each confidence text in [0, 1]: bin i holds (i/10, (i+1)/10], bin 0 also holds 0."""
    scaled = _numbers(texts) * BINS
    bins = np.clip(np.ceil(scaled).astype(np.int64) - 1, 0, BINS - 1)
    near = np.flatnonzero(np.abs(scaled - np.rint(scaled)) < _NEAR_EDGE)
    codes, distinct = encode(texts.take(pa.array(near)))
    bins[near] = np.array([_exact_bin(text) for text in distinct], dtype=np.int64)[codes]
    return bins


def _exact_bin(text: str) -> int:
    scaled = Decimal(text) * BINS
    whole = int(scaled)
    return min(max(whole if scaled > whole else whole - 1, 0), BINS - 1)


def _numbers(texts: pa.Array) -> npt.NDArray[np.float64]:
    numbers: npt.NDArray[np.float64] = pc.cast(texts, pa.float64()).to_numpy(zero_copy_only=False)
    return numbers


def calibration_error(confidence: pa.Array, chose: Mask, correct: Mask) -> Figure:
    """ECE over predictions with a choice and a confidence: sum_b n_b/n * |accuracy_b - mean confidence_b|.

    Parallel inputs, one entry a pair of T: ``confidence`` (string, "" = none given), ``chose`` and
    ``correct`` (bool). Returns ``{value, n, without_confidence, bins}``, or undefined with the reason.
    """
    stated = mask(pc.not_equal(confidence, ""))
    used = chose & stated
    n, without = int(used.sum()), int((chose & ~stated).sum())
    if not n:
        why = (
            "no prediction has a confidence, so calibration cannot be computed"
            if chose.any()
            else "no prediction on these pairs makes a choice"
        )
        return undefined(why, n=0, without_confidence=without)
    texts = confidence.filter(pa.array(used))
    bins = confidence_bins(texts)
    sizes = np.bincount(bins, minlength=BINS)
    hits = np.bincount(bins[correct[used]], minlength=BINS)
    stated_sums = np.bincount(bins, weights=_numbers(texts), minlength=BINS)
    return {
        "value": float(np.abs(hits - stated_sums).sum() / n),
        "n": n,
        "without_confidence": without,
        "bins": [_bin_row(i, int(sizes[i]), int(hits[i]), float(stated_sums[i])) for i in range(BINS)],
    }


def _bin_row(index: int, n: int, hits: int, stated_sum: float) -> dict[str, Any]:
    row: dict[str, Any] = {"above": index / BINS, "up_to": (index + 1) / BINS, "n": n}
    if n:
        return row | {"accuracy": hits / n, "mean_confidence": stated_sum / n}
    return row | {"accuracy": None, "mean_confidence": None, "why": "no prediction in this bin"}
