"""Tables of pairs and judgments as the arrays that `gold.aggregation` counts."""

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from labeling.tables import Frame
from labeling.tables.references import ABSTAINED, check_pair_ids


@dataclass(frozen=True, slots=True, eq=False)
class Votes:
    """Choices: `pair` (n,) holds rows of the pairs table, `choice` (n,) 0 for item_a, 1 for item_b."""

    pair: NDArray[np.int64]
    choice: NDArray[np.int8]
    raters: int
    """How many people chose at least once."""
    abstentions: int
    """Judgments without a choice; they enter nothing else."""


def votes(pairs: Frame, judgments: Frame) -> Votes:
    """The votes in `judgments` on `pairs`; a rater answers a pair once, as the table's key demands.

    Raises TableErrors for a judged pair that is unknown and for a choice that is neither item of its pair.
    """
    pair, choice = check_pair_ids(judgments, pairs, choice="preferred_id")
    assert choice is not None
    rater, names = judgments.encoded("rater_id")
    chose = choice != ABSTAINED
    abstentions = len(chose) - int(np.count_nonzero(chose))
    if abstentions:
        pair, choice, rater = pair[chose], choice[chose], rater[chose]
    raters = np.count_nonzero(np.bincount(rater, minlength=len(names)))
    return Votes(pair, choice, int(raters), abstentions)
