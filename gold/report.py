"""The agreement report: what is gold and why the rest is not, how far raters agree, which side wins.

Pure: aggregates in, a JSON-ready dictionary out. Keys are always there, in the same order; domains, splits
and numbers of raters are sorted, so the order of the input's rows cannot show.
"""

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from gold import agreement
from gold.aggregation import GATE_DENOMINATOR, GATE_NUMERATOR, Aggregates, State
from gold.agreement import Tally, tally, tally_by

SCHEMA_VERSION = 1

CODING_NOTE = (
    "as_coded depends on which item of a pair the table lists first; orientation_free enters each pair as it "
    "is and mirrored and does not. Neither gates or ranks anything: the gate is percent agreement. "
    "preferred_in_a is as coded too; every other figure is the same whichever item is listed first."
)


@dataclass(frozen=True, slots=True, eq=False)
class Grouping:
    """A name for each pair: `codes` (n_pairs,) are positions in `names`."""

    codes: NDArray[np.int64]
    names: Sequence[str]

    def tallies(self, aggregates: Aggregates) -> dict[str, Tally]:
        """A tally for each name that some pair bears, sorted by name."""
        parts = tally_by(aggregates, self.codes, len(self.names))
        named = sorted(zip(self.names, parts, strict=True), key=lambda pair: pair[0])
        return {name: part for name, part in named if part.total}


def agreement_report(
    aggregates: Aggregates, *, domains: Grouping, splits: Grouping, raters: int, abstentions: int
) -> dict[str, object]:
    """Everything there is to say about one set of judgments.

    `raters` counts people who chose at least once; `abstentions` counts empty answers, which enter no other
    figure.
    """
    overall = tally(aggregates)
    by_domain = domains.tallies(aggregates)
    by_split = splits.tallies(aggregates)
    return {
        "summary": summary(overall, by_split.get("test")),
        "report": "agreement",
        "schema_version": SCHEMA_VERSION,
        "gate": {
            "min_raters": aggregates.min_raters,
            "min_agreement": GATE_NUMERATOR / GATE_DENOMINATOR,
            "rule": f"n >= {aggregates.min_raters} and {GATE_DENOMINATOR} * k >= {GATE_NUMERATOR} * n, "
            "k votes of n for the same item; equal votes are a tie",
        },
        "judgments": {"votes": overall.votes, "abstentions": abstentions, "raters": raters},
        "overall": section(overall),
        "by_domain": {name: section(part) for name, part in by_domain.items()},
        "by_split": {name: {"pairs": part.total, "states": states(part)} for name, part in by_split.items()},
        "coin_flips": coin_flips(overall),
        "notes": [CODING_NOTE],
    }


def section(t: Tally) -> dict[str, object]:
    """All figures over one set of pairs."""
    return {
        "pairs": t.total,
        "states": states(t),
        "unanimous": agreement.unanimous(t).as_json(),
        "used_for_agreement": used(t),
        "percent_agreement": agreement.percent_agreement(t).as_json(),
        "percent_agreement_gold": agreement.mean_gold_agreement(t).as_json(),
        "mean_pairwise_agreement": agreement.mean_pairwise_agreement(t).as_json(),
        "alpha_nominal": {
            "as_coded": agreement.alpha_as_coded(t).as_json(),
            "orientation_free": agreement.alpha_orientation_free(t).as_json(),
        },
        "preferred_in_a": agreement.position(t),
    }


def states(t: Tally) -> dict[str, int]:
    """Pairs in each state; gold first, then why the others are not."""
    return {
        state.label: t.in_state(state) for state in (State.GOLD, State.TOO_FEW, State.TIE, State.BELOW_GATE)
    }


def used(t: Tally) -> dict[str, object]:
    """How many pairs the agreement figures rest on, and why the others are left out."""
    n_raters = t.kinds.n_raters
    return {
        "used": t.count(n_raters >= 2),
        "total": t.total,
        "left_out": {"no_vote": t.count(n_raters == 0), "one_vote": t.count(n_raters == 1)},
    }


def coin_flips(t: Tally) -> dict[str, object]:
    """What the gate lets through when raters flip coins: for each number of raters, and in all."""
    numbers = np.unique(t.kinds.n_raters).tolist()
    rows, expected = [], 0.0
    for n in numbers:
        pairs = t.count(t.kinds.n_raters == n)
        chance = agreement.gate_pass_by_chance(n, t.kinds.min_raters)
        expected += pairs * float(chance)
        rows.append({"n_raters": n, "pairs": pairs, "pass_probability": float(chance)})
    gold = t.in_state(State.GOLD)
    return {
        "note": f"If every vote were a coin flip, {expected:.1f} of {t.total} pairs would be expected to "
        f"pass the gate; {gold} did. Passing is no evidence of agreement where this chance is high.",
        "expected_gold": expected,
        "by_n_raters": rows,
    }


def summary(overall: Tally, test: Tally | None) -> str:
    """The report's first line in words: about the test pairs where there are any, as these are scored."""
    if overall.total == 0:
        return "There are no pairs, so there is nothing to report."
    if test is None:
        return f"{_sentence(overall, 'pairs')} No pair is in the test split."
    text = _sentence(test, "test pairs")
    if test.total < overall.total:
        gold = overall.in_state(State.GOLD)
        text += f" Over all splits {gold} of {overall.total} {'is' if gold == 1 else 'are'} gold."
    return text


def _sentence(t: Tally, what: str) -> str:
    gold, few = t.in_state(State.GOLD), t.in_state(State.TOO_FEW)
    split = t.in_state(State.TIE) + t.in_state(State.BELOW_GATE)
    text = f"{gold} of {t.total} {what} {'is' if gold == 1 else 'are'} gold"
    reasons = []
    if few:
        reasons.append(f"{few} {'has' if few == 1 else 'have'} too few raters")
    if split:
        reasons.append(f"{split} {'is' if split == 1 else 'are'} split")
    return f"{text}; {', '.join(reasons)}." if reasons else f"{text}."
