"""How far raters agree, and what that agreement is worth.

Every figure depends only on how many pairs got which numbers of votes, so all of them are computed from that
small table (`Tally`), with exact fractions: the order of rows and raters cannot change even the last digit.
A figure that has no value says why instead (`Figure.why`).
"""

from collections.abc import Callable
from dataclasses import dataclass
from fractions import Fraction
from functools import lru_cache
from math import comb

import krippendorff
import numpy as np
from numpy.typing import NDArray

from gold.aggregation import GATE_DENOMINATOR, GATE_NUMERATOR, Aggregates, State, from_counts
from labeling.stats.exact import binomial_two_sided
from labeling.stats.intervals import wilson

PREVALENCE_NOTE_FROM = 0.8
"""From this share of votes for one value on, alpha is accompanied by a sentence on prevalence."""

NO_GOLD = "No pair is gold."
NOT_SHARED = "No pair was judged by two raters, so no two answers can be compared."


@dataclass(frozen=True, slots=True)
class Figure:
    """A value over `n` units, or none and the reason `why`; `note` is what a reader must know beside it."""

    value: float | None
    n: int
    why: str = ""
    note: str = ""

    def as_json(self) -> dict[str, object]:
        """`{"value", "n"}`, with "why" when undefined and "note" when there is one."""
        document: dict[str, object] = {"value": self.value, "n": self.n}
        if self.value is None:
            document["why"] = self.why
        if self.note:
            document["note"] = self.note
        return document


@dataclass(frozen=True, slots=True)
class Share:
    """`k` of `n`, with Wilson's 95 % interval; `why` when `n` is 0."""

    k: int
    n: int
    why: str

    def as_json(self) -> dict[str, object]:
        """`{"value", "k", "n", "interval"}`; at `n` = 0 value and interval are null and "why" is there."""
        interval = wilson(self.k, self.n)
        if interval is None:
            return {"value": None, "k": self.k, "n": self.n, "interval": None, "why": self.why}
        return {"value": self.k / self.n, "k": self.k, "n": self.n, "interval": list(interval)}


@dataclass(frozen=True, slots=True, eq=False)
class Tally:
    """The distinct (votes for a, votes for b) and on how many pairs each occurs, sorted by these numbers."""

    kinds: Aggregates
    pairs: NDArray[np.int64]

    def rows(self, chosen: NDArray[np.bool_]) -> list[tuple[int, int, int]]:
        """(votes_a, votes_b, pairs) of the chosen kinds as Python numbers, which never overflow."""
        columns = (self.kinds.votes_a[chosen], self.kinds.votes_b[chosen], self.pairs[chosen])
        return list(zip(*(column.tolist() for column in columns), strict=True))

    def count(self, chosen: NDArray[np.bool_]) -> int:
        """Pairs of the kinds for which `chosen` is true."""
        return int(self.pairs[chosen].sum())

    def in_state(self, state: State) -> int:
        """Pairs in `state`."""
        return self.count(self.kinds.state == state)

    @property
    def total(self) -> int:
        """All pairs."""
        return int(self.pairs.sum())

    @property
    def votes(self) -> int:
        """All votes."""
        return int((self.kinds.n_raters * self.pairs).sum())


def tally(aggregates: Aggregates) -> Tally:
    """Count how many pairs got which numbers of votes."""
    return tally_by(aggregates, np.zeros(len(aggregates), np.int64), 1)[0]


def tally_by(aggregates: Aggregates, group: NDArray[np.int64], n_groups: int) -> list[Tally]:
    """`tally` for each group apart; `group` (n_pairs,) holds numbers below `n_groups`."""
    base = int(aggregates.votes_b.max(initial=0)) + 1
    codes, kind = np.unique(aggregates.votes_a * base + aggregates.votes_b, return_inverse=True)
    kinds = from_counts(codes // base, codes % base, aggregates.min_raters)
    counts = np.bincount(group * len(codes) + kind, minlength=n_groups * len(codes)).reshape(
        n_groups, len(codes)
    )
    return [Tally(kinds.subset(row > 0), row[row > 0]) for row in counts]


def percent_agreement(t: Tally) -> Figure:
    """Mean share of the modal label over pairs with two or more raters: what the gate looks at."""
    return _mean(t.rows(t.kinds.n_raters >= 2), lambda a, b: Fraction(max(a, b), a + b), NOT_SHARED)


def mean_pairwise_agreement(t: Tally) -> Figure:
    """Mean, over pairs with two or more raters, of the share of pairs of raters who chose alike."""

    def alike(a: int, b: int) -> Fraction:
        return Fraction(a * (a - 1) + b * (b - 1), (a + b) * (a + b - 1))

    return _mean(t.rows(t.kinds.n_raters >= 2), alike, NOT_SHARED)


def mean_gold_agreement(t: Tally) -> Figure:
    """Mean of the `agreement` column over gold rows."""
    return _mean(t.rows(t.kinds.state == State.GOLD), lambda a, b: Fraction(max(a, b), a + b), NO_GOLD)


def unanimous(t: Tally) -> Share:
    """Gold pairs on which all raters chose alike."""
    gold = t.kinds.state == State.GOLD
    alike = gold & (t.kinds.modal == t.kinds.n_raters)
    return Share(t.count(alike), t.count(gold), NO_GOLD)


def preferred_in_a(t: Tally) -> Share:
    """Gold pairs whose preferred item is item_a: near 1/2 when the sides were drawn by chance."""
    gold = t.kinds.state == State.GOLD
    return Share(t.count(gold & (t.kinds.preferred == 0)), t.count(gold), NO_GOLD)


def position(t: Tally) -> dict[str, object]:
    """`preferred_in_a` as JSON, with the exact two-sided p of a fair coin."""
    share = preferred_in_a(t)
    p = binomial_two_sided(share.k, share.n) if share.n else None
    return share.as_json() | {"p_two_sided": p}


def alpha_as_coded(t: Tally) -> Figure:
    """Krippendorff's nominal alpha on the codes a and b.

    It depends on which item the table lists first: with every winner listed first it is far lower than for
    the same votes with the columns exchanged in half of the rows.
    """
    return nominal_alpha(_counts(t), t.pairs, ("item_a", "item_b"))


def alpha_orientation_free(t: Tally) -> Figure:
    """Krippendorff's nominal alpha with each pair entered as it is and mirrored.

    Both codes are then equally frequent whatever side winners are on: exchanging a and b in any rows
    changes nothing.
    """
    # Sorted, so that the package adds the same numbers in the same order however a and b were listed.
    counts = np.sort(_counts(t), axis=1)
    order = np.lexsort((counts[:, 1], counts[:, 0]))
    both = np.concatenate([counts[order], counts[order, ::-1]])
    figure = nominal_alpha(both, np.tile(t.pairs[order], 2), ("item_a", "item_b"))
    return Figure(figure.value, figure.n // 2, figure.why, figure.note)


def nominal_alpha(counts: NDArray[np.int64], units: NDArray[np.int64], values: tuple[str, ...]) -> Figure:
    """Krippendorff's alpha for nominal `values`.

    `counts` (kinds, values) holds votes for each value, `units` (kinds,) how many units got these votes.
    The figure's n counts units with two votes or more; the others do not enter. Undefined when there are
    none, and when all their votes are for one value: then no disagreement is expected by chance, and the
    formula divides zero by zero.
    Source: K. Krippendorff, Content Analysis (2004), chapter 11; computed by the `krippendorff` package.
    """
    shared = counts.sum(axis=1) >= 2
    counts, units = counts[shared], units[shared]
    n = int(units.sum())
    if n == 0:
        return Figure(None, 0, NOT_SHARED)
    votes = (counts * units[:, None]).sum(axis=0)
    top = int(votes.argmax())
    most, total = int(votes[top]), int(votes.sum())
    if most == total:
        why = (
            f"All {total} votes are for {values[top]}: raters agree on every pair, but with one value in use "
            "no disagreement is expected by chance and alpha has no value."
        )
        return Figure(None, n, why)
    # A column after the other in memory: the package is several times faster on it.
    expanded = np.stack([np.repeat(column, units) for column in counts.T]).T
    alpha = float(krippendorff.alpha(value_counts=expanded, level_of_measurement="nominal"))
    note = ""
    if most >= PREVALENCE_NOTE_FROM * total:
        note = (
            f"{most} of {total} votes are for {values[top]}. With one value this prevalent, chance alone "
            "explains nearly all agreement, so alpha can be near or below 0 even where raters almost always "
            "agree; read percent agreement beside it."
        )
    # Twelve digits are what the package's sums carry; adding 0.0 turns -0.0 into 0.0.
    return Figure(round(alpha, 12) + 0.0, n, note=note)


@lru_cache(maxsize=4096)
def gate_pass_by_chance(n: int, min_raters: int) -> Fraction:
    """Chance that a pair is gold when each of its `n` raters flips a fair coin."""
    if n < max(min_raters, 1):
        return Fraction(0)
    least = -(-GATE_NUMERATOR * n // GATE_DENOMINATOR)
    # The two labels' events cannot both happen: 3/5 is more than half.
    return Fraction(2 * sum(comb(n, k) for k in range(least, n + 1)), 2**n)


def _counts(t: Tally) -> NDArray[np.int64]:
    return np.stack([t.kinds.votes_a, t.kinds.votes_b], axis=1)


def _mean(rows: list[tuple[int, int, int]], value: Callable[[int, int], Fraction], why: str) -> Figure:
    n = sum(pairs for _, _, pairs in rows)
    if n == 0:
        return Figure(None, 0, why)
    total = sum((value(votes_a, votes_b) * pairs for votes_a, votes_b, pairs in rows), start=Fraction(0))
    return Figure(float(total / n), n)
