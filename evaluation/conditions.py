"""Accuracy under stated eras and circles: by cue, by family, and how much a misleading cue costs."""

from typing import Any

import pyarrow as pa
import pyarrow.compute as pc

from evaluation.columns import Mask, encode, mask
from evaluation.figures import Figure, accuracy, accuracy_by, undefined

Groups = dict[str, dict[str, Figure]]


def by_cue_type(cues: pa.Array, correct: Mask) -> dict[str, Figure]:
    """Accuracy by cue_type over all of T, conditioned pairs included; an empty cue is ``null``."""
    codes, names = encode(pc.if_else(pc.equal(cues, ""), "null", cues))
    return accuracy_by(correct, codes, names)


def by_pair_group(groups: pa.Array, cues: pa.Array, correct: Mask) -> Groups:
    """Accuracy by cue_type inside each pair_group_id; pairs without a family are left out."""
    in_family = pc.not_equal(groups, "")
    tallies: dict[tuple[str, str], list[int]] = {}
    rows = zip(
        groups.filter(in_family).to_pylist(),
        cues.filter(in_family).to_pylist(),
        correct[mask(in_family)].tolist(),
        strict=True,
    )
    for group, cue, is_correct in rows:
        tally = tallies.setdefault((group, cue or "null"), [0, 0])
        tally[0] += is_correct
        tally[1] += 1
    result: Groups = {}
    for (group, cue), (hits, n) in sorted(tallies.items()):
        result.setdefault(group, {})[cue] = accuracy(hits, n)
    return result


def condition_sensitivity(families: Groups) -> Figure:
    """Mean over complete families of accuracy(correct cue) - accuracy(misleading cue).

    A family is complete when T holds a pair of it under each of the two cues. Returns ``{value, n_families,
    n_incomplete}``, or undefined when no family is complete.
    """
    complete = {name: cues for name, cues in families.items() if {"correct", "misleading"} <= cues.keys()}
    counts: dict[str, Any] = {"n_families": len(complete), "n_incomplete": len(families) - len(complete)}
    if not complete:
        why = (
            "no family has both a correct and a misleading cue among the scored pairs"
            if families
            else "no scored pair belongs to a family (pair_group_id is empty)"
        )
        return undefined(why, **counts)
    differences = [cues["correct"]["value"] - cues["misleading"]["value"] for cues in complete.values()]
    return {"value": sum(differences) / len(differences), **counts}
