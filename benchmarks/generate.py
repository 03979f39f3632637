"""Seeded made-up tables, large enough to measure with: the same seed gives the same bytes.

Ids are strings of the length real ones have, rows of judgments come in random order, and no two rows of a
file depend on each other's place, so that nothing measured here profits from order or from short ids.

    from benchmarks.generate import Bench
    bench = Bench(n_pairs=1_000_000, seed=7)
    bench.write_pairs(folder / "pairs.csv")          # bench_pairs
    bench.write_judgments(folder / "judgments.csv")  # judgments, `votes` a pair
    bench.write_gold(folder / "gold.csv")            # bench_gold, rows that pass the gate
    bench.write_preds(folder / "preds.csv")          # preds, one a pair, with confidence
"""

from __future__ import annotations

from functools import cached_property
from pathlib import Path

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc
import pyarrow.csv

DOMAINS = ("visual", "brand", "book", "tech")
SPLITS = ("test", "test", "test", "dev", "train")
RATERS = 24


class Bench:
    """One made-up benchmark; `accuracy` is the chance that a vote or a prediction is for the better item."""

    def __init__(
        self, n_pairs: int = 1_000_000, votes: int = 3, seed: int = 7, accuracy: float = 0.75
    ) -> None:
        self.n_pairs, self.votes, self.seed, self.accuracy = n_pairs, votes, seed, accuracy

    def _random(self, stream: int) -> np.random.Generator:
        # One stream a table: writing a table never changes another one.
        return np.random.default_rng([self.seed, stream])

    @cached_property
    def _number(self) -> pa.Array:
        return pc.utf8_lpad(pa.array(np.arange(self.n_pairs)).cast(pa.string()), 7, padding="0")

    @cached_property
    def pair_id(self) -> pa.Array:
        tail = pa.array(self._random(0).integers(100_000, 999_999, self.n_pairs)).cast(pa.string())
        return pc.binary_join_element_wise("pair", self._number, tail, "-")

    @cached_property
    def items(self) -> tuple[pa.Array, pa.Array]:
        return (
            pc.binary_join_element_wise("item", self._number, "first", "-"),
            pc.binary_join_element_wise("item", self._number, "second", "-"),
        )

    @cached_property
    def better(self) -> np.ndarray:
        """0 where item_a is better, 1 where item_b is."""
        return self._random(1).integers(0, 2, self.n_pairs)

    @cached_property
    def choices(self) -> np.ndarray:
        """(n_pairs, votes): 0 for item_a, 1 for item_b."""
        wrong = self._random(2).random((self.n_pairs, self.votes)) >= self.accuracy
        return self.better[:, None] ^ wrong

    def _side(self, choice: np.ndarray, pair: np.ndarray | None = None) -> pa.Array:
        first, second = self.items
        if pair is not None:
            first, second = first.take(pa.array(pair)), second.take(pa.array(pair))
        return pc.if_else(pa.array(choice == 0), first, second)

    def write_pairs(self, path: Path) -> None:
        draw = self._random(3)
        first, second = self.items
        _write(
            path,
            {
                "pair_id": self.pair_id,
                "domain": _pick(DOMAINS, draw.integers(0, len(DOMAINS), self.n_pairs)),
                "item_a": first,
                "item_b": second,
                "difficulty": _pick(("medium",), np.zeros(self.n_pairs, np.int64)),
                "split": _pick(SPLITS, draw.integers(0, len(SPLITS), self.n_pairs)),
                "data_origin": _pick(("simulation",), np.zeros(self.n_pairs, np.int64)),
            },
        )

    def write_judgments(self, path: Path) -> None:
        draw = self._random(4)
        first_rater = draw.integers(0, RATERS, self.n_pairs)
        rater = (first_rater[:, None] + np.arange(self.votes)) % RATERS
        order = draw.permutation(self.n_pairs * self.votes)
        pair = np.repeat(np.arange(self.n_pairs), self.votes)[order]
        names = tuple(f"human_expert_{i + 1:02d}" for i in range(RATERS))
        _write(
            path,
            {
                "rater_id": _pick(names, rater.ravel()[order]),
                "pair_id": self.pair_id.take(pa.array(pair)),
                "preferred_id": self._side(self.choices.ravel()[order], pair),
            },
        )

    def write_gold(self, path: Path) -> None:
        for_b = self.choices.sum(axis=1)
        modal = np.maximum(for_b, self.votes - for_b)
        gold = np.flatnonzero((5 * modal >= 3 * self.votes) & (2 * modal > self.votes))
        constant = np.zeros(len(gold), np.int64)
        _write(
            path,
            {
                "pair_id": self.pair_id.take(pa.array(gold)),
                "preferred_id": self._side((2 * for_b > self.votes)[gold].astype(int), gold),
                "agreement": pa.array(np.round(modal[gold] / self.votes, 6)),
                "n_raters": pa.array(np.full(len(gold), self.votes)),
                "rubric_id": _pick(("rubric_v1",), constant),
                "data_origin": _pick(("simulation",), constant),
                "gold_tier": _pick(("simulation",), constant),
                "exclude_primary": _pick(("false",), constant),
            },
        )

    def write_preds(self, path: Path) -> None:
        draw = self._random(5)
        order = draw.permutation(self.n_pairs)
        choice = self.better ^ (draw.random(self.n_pairs) >= self.accuracy)
        _write(
            path,
            {
                "pair_id": self.pair_id.take(pa.array(order)),
                "pred_preferred_id": self._side(choice[order], order),
                "confidence": pa.array(np.round(draw.uniform(0.5, 1.0, self.n_pairs), 2)),
            },
        )


def _pick(names: tuple[str, ...], codes: np.ndarray) -> pa.Array:
    return pa.array(names).take(pa.array(codes))


def _write(path: Path, columns: dict[str, pa.Array]) -> None:
    header = (",".join(columns) + "\n").encode()
    with path.open("wb") as file:
        file.write(header)
        options = pyarrow.csv.WriteOptions(include_header=False, quoting_style="none")
        pyarrow.csv.write_csv(pa.table(columns), file, options)
