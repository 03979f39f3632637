"""Votes into gold: how many chose which item of a pair, and whether that is enough to call one better.

Arrays in, arrays out, whole numbers throughout: no share is compared with 0.6, so nothing hangs on rounding.
"""

from dataclasses import dataclass
from enum import IntEnum

import numpy as np
from numpy.typing import NDArray

MIN_RATERS = 3
GATE_NUMERATOR, GATE_DENOMINATOR = 3, 5
"""A label needs at least 3/5 of the votes."""


class State(IntEnum):
    """What a pair's votes amount to. The first that applies holds."""

    TOO_FEW = 0
    TIE = 1
    BELOW_GATE = 2
    GOLD = 3

    @property
    def label(self) -> str:
        """The word used in tables and reports."""
        return self.name.lower()


@dataclass(frozen=True, slots=True, eq=False)
class Aggregates:
    """One entry a pair, in the order of the pairs. Abstentions are in none of them."""

    n_raters: NDArray[np.int64]
    votes_a: NDArray[np.int64]
    votes_b: NDArray[np.int64]
    modal: NDArray[np.int64]
    """Votes for the label with most of them: `agreement` is modal / n_raters."""
    preferred: NDArray[np.int8]
    """0 for item_a, 1 for item_b, -1 without votes or at a tie."""
    state: NDArray[np.int8]
    """Codes of `State`."""
    min_raters: int = MIN_RATERS

    def __len__(self) -> int:
        return len(self.n_raters)

    def subset(self, rows: NDArray[np.int64] | NDArray[np.bool_]) -> "Aggregates":
        """The same for the pairs that `rows` (indices or a mask) selects."""
        return Aggregates(
            n_raters=self.n_raters[rows],
            votes_a=self.votes_a[rows],
            votes_b=self.votes_b[rows],
            modal=self.modal[rows],
            preferred=self.preferred[rows],
            state=self.state[rows],
            min_raters=self.min_raters,
        )


def aggregate(
    pair: NDArray[np.int64], choice: NDArray[np.int8], n_pairs: int, min_raters: int = MIN_RATERS
) -> Aggregates:
    """Count votes a pair and name the state of each.

    `pair` (n,) holds row numbers below `n_pairs`, `choice` (n,) 0 for item_a and 1 for item_b. The caller
    guarantees one vote a rater and pair, and leaves abstentions out.
    Raises ValueError for a pair number or a choice outside its range, or arrays of different lengths.
    """
    if len(pair) != len(choice):
        raise ValueError(f"pair and choice must be equally long, got {len(pair)} and {len(choice)}")
    if len(pair) and not (pair.min() >= 0 and pair.max() < n_pairs):
        raise ValueError(f"pair numbers must lie in [0, {n_pairs})")
    if len(choice) and not (choice.min() >= 0 and choice.max() <= 1):
        raise ValueError("a choice must be 0 (item_a) or 1 (item_b)")
    # One pass counts both sides: cell 2 * pair + choice.
    counts = np.bincount((pair << 1) | choice, minlength=2 * n_pairs).reshape(n_pairs, 2)
    return from_counts(counts[:, 0], counts[:, 1], min_raters)


def from_counts(
    votes_a: NDArray[np.int64], votes_b: NDArray[np.int64], min_raters: int = MIN_RATERS
) -> Aggregates:
    """`aggregate` for votes that are already counted: (n_pairs,) votes for item_a and for item_b."""
    n_raters = votes_a + votes_b
    modal = np.maximum(votes_a, votes_b)
    tie = votes_a == votes_b
    preferred = np.where(tie, -1, votes_b > votes_a).astype(np.int8)
    state = np.where(passes_gate(modal, n_raters), State.GOLD, State.BELOW_GATE)
    state = np.where(tie, State.TIE, state)
    state = np.where(n_raters < min_raters, State.TOO_FEW, state).astype(np.int8)
    return Aggregates(n_raters, votes_a, votes_b, modal, preferred, state, min_raters)


def passes_gate(modal: NDArray[np.int64], n_raters: NDArray[np.int64]) -> NDArray[np.bool_]:
    """Whether `modal` of `n_raters` votes reach 3/5, in whole numbers."""
    passed: NDArray[np.bool_] = GATE_DENOMINATOR * modal >= GATE_NUMERATOR * n_raters
    return passed


def agreement_column(aggregates: Aggregates) -> NDArray[np.float64]:
    """The `agreement` column: modal / n_raters to six decimals, 0 without votes.

    Six decimals give the count back exactly, round(agreement * n) = modal, for any n below a million.
    """
    return np.round(aggregates.modal / np.maximum(aggregates.n_raters, 1), 6)
