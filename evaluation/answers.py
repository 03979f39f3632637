"""The columns that all figures are made of: what gold says of each pair of T, and what was predicted."""

from dataclasses import dataclass
from typing import Any, Self

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

from evaluation.columns import Mask, Rows, flat, inverse, mask
from evaluation.intake import Bench, Predictions
from evaluation.target import Target


class _Columns:
    """Dataclasses of parallel columns, one entry a pair."""

    def subset(self, rows: Mask) -> Self:
        """The same columns for the marked pairs."""
        if rows.all():
            return self
        arrow_rows = pa.array(rows)
        return type(self)(**{name: _some(column, rows, arrow_rows) for name, column in vars(self).items()})


def _some(column: Any, rows: Mask, arrow_rows: pa.Array) -> Any:
    return column[rows] if isinstance(column, np.ndarray) else column.filter(arrow_rows)


@dataclass(frozen=True)
class Key(_Columns):
    """Pairs of T in the order of the pair table, and the side that gold prefers."""

    pair_row: Rows
    pair_id: pa.Array
    domain: pa.Array
    origin: pa.Array
    cue_type: pa.Array
    pair_group_id: pa.Array
    item_a: pa.Array
    item_b: pa.Array
    gold_is_a: Mask


@dataclass(frozen=True)
class Answers(_Columns):
    """Predictions for the pairs of a key: of the five masks exactly one holds for each pair."""

    confidence: pa.Array
    correct: Mask
    wrong_item: Mask
    unknown_item: Mask
    abstained: Mask
    missing: Mask

    @property
    def chose(self) -> Mask:
        """A choice was made, be it of an item that is not in the pair."""
        return self.correct | self.wrong_item | self.unknown_item


def key_of(target: Target, bench: Bench) -> Key:
    """Look up the pairs of T and their gold sides."""
    pair_rows, gold_rows = pa.array(target.pair_rows), pa.array(target.gold_rows)
    names = ("pair_id", "domain", "cue_type", "pair_group_id", "item_a", "item_b")
    of_pair = {name: flat(bench.pairs.column(name)).take(pair_rows) for name in names}
    preferred = flat(bench.gold.column("preferred_id")).take(gold_rows)
    return Key(
        **of_pair,
        pair_row=target.pair_rows,
        origin=flat(bench.gold.column("data_origin")).take(gold_rows),
        gold_is_a=mask(pc.equal(preferred, of_pair["item_a"])),
    )


def answers_to(key: Key, predictions: Predictions, n_pairs: int) -> Answers:
    """Compare the prediction for each pair of the key with gold, byte for byte.

    ``n_pairs`` is the length of the pair table that both point into.
    """
    pred_rows = inverse(predictions.pair_rows, n_pairs)[key.pair_row]
    missing = pred_rows < 0
    # A missing prediction reads as an empty cell: neither choice nor confidence.
    at_pred = pa.array(pred_rows, mask=missing)
    choice, confidence = (
        pc.fill_null(flat(predictions.frame.column(name)).take(at_pred), "")
        for name in ("pred_preferred_id", "confidence")
    )
    chose_a, chose_b = mask(pc.equal(choice, key.item_a)), mask(pc.equal(choice, key.item_b))
    empty = mask(pc.equal(choice, ""))
    return Answers(
        confidence=confidence,
        correct=np.where(key.gold_is_a, chose_a, chose_b),
        wrong_item=np.where(key.gold_is_a, chose_b, chose_a),
        unknown_item=~(chose_a | chose_b | empty),
        abstained=empty & ~missing,
        missing=missing,
    )
