"""Choosing T, the pairs that are scored: filters are applied to the numbers, even where a tag disagrees."""

from dataclasses import dataclass

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

from evaluation.columns import Mask, Rows, flat, mask
from gold.aggregation import MIN_RATERS, passes_gate
from labeling.tables import Frame

SPLITS = ("test", "dev", "train", "all")
CONDITIONED_CUES = ("correct", "misleading")


@dataclass(frozen=True)
class Votes:
    """Votes behind each gold row (int64[n]), recovered from its share; ``off``: no count explains it."""

    n_raters: Rows
    modal: Rows
    off: Mask


@dataclass(frozen=True)
class Target:
    """T as parallel rows of gold and pair table, which of them the headline uses, what was left out."""

    gold_rows: Rows
    pair_rows: Rows
    unconditioned: Mask
    excluded: dict[str, int]


def gold_votes(gold: Frame) -> Votes:
    """k = round(agreement * n) of each gold row; off when more than 0.005 * n from a whole number."""
    n = flat(gold.column("n_raters")).cast(pa.int64()).to_numpy(zero_copy_only=False)
    agreement = flat(gold.column("agreement")).cast(pa.float64()).to_numpy(zero_copy_only=False)
    # Nine decimals take away the noise of the binary product (0.6 * 5 = 3.0000000000000004), nothing else.
    product = np.round(agreement * n, 9)
    modal = np.rint(product)
    off = np.round(np.abs(product - modal), 9) > np.round(0.005 * n, 9)
    return Votes(n, modal.astype(np.int64), off)


def choose_target(pairs: Frame, gold: Frame, pair_of_gold: Rows, votes: Votes, split: str) -> Target:
    """T among the gold rows; ``pair_of_gold`` (int64[n_gold]) is each gold row's row in ``pairs``.

    ``excluded`` counts each left-out row once, under the first reason that applies, in the order below.
    """
    at_pair = pa.array(pair_of_gold)
    splits, difficulties, cues = (
        flat(pairs.column(name)).take(at_pair) for name in ("split", "difficulty", "cue_type")
    )
    reasons: dict[str, Mask] = {
        "other_split": mask(pc.and_(pc.not_equal(splits, split), split != "all")),
        "too_few_raters": votes.n_raters < MIN_RATERS,
        "below_agreement_gate": ~passes_gate(votes.modal, votes.n_raters),
        "exclude_primary": mask(pc.equal(flat(gold.column("exclude_primary")), "true")),
        "ambiguous": mask(pc.equal(difficulties, "ambiguous")),
    }
    kept = np.ones(len(gold), dtype=bool)
    excluded = {}
    for reason, applies in reasons.items():
        excluded[reason] = int((kept & applies).sum())
        kept &= ~applies
    # In the order of the pair table, so that no figure depends on the order of the gold file.
    gold_rows = np.flatnonzero(kept)
    gold_rows = gold_rows[np.argsort(pair_of_gold[gold_rows], kind="stable")]
    conditioned = mask(pc.is_in(cues, value_set=pa.array(CONDITIONED_CUES)))[gold_rows]
    return Target(gold_rows, pair_of_gold[gold_rows], ~conditioned, excluded)
