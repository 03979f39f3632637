"""How one figure is written down: a value with its n and interval, or a reason why there is none."""

from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np

from evaluation.columns import Mask, Rows
from labeling.stats.intervals import wilson

Figure = dict[str, Any]


def undefined(why: str, **also: Any) -> Figure:
    """A figure that has no value; ``why`` is a sentence for a reader, ``also`` what is known nevertheless."""
    return {"value": None, "why": why, **also}


def accuracy(correct: int, n: int, why: str = "there is no pair to score") -> Figure:
    """``{value, correct, n, interval}`` with the 95 % Wilson interval, or undefined when ``n`` is 0."""
    interval = wilson(correct, n)
    if interval is None:
        return undefined(why, correct=0, n=0, interval=None)
    return {"value": correct / n, "correct": correct, "n": n, "interval": list(interval)}


def accuracy_by(correct: Mask, codes: Rows, names: Sequence[str]) -> dict[str, Figure]:
    """Accuracy of each group, by name in sorted order.

    ``correct`` (bool[n]) and ``codes`` (int[n], index into ``names``) are parallel; groups without a row are
    left out.
    """
    sizes = np.bincount(codes, minlength=len(names))
    hits = np.bincount(codes[correct], minlength=len(names))
    order = sorted(range(len(names)), key=lambda i: names[i])
    return {names[i]: accuracy(int(hits[i]), int(sizes[i])) for i in order if sizes[i]}


def spread(by_domain: Mapping[str, Figure]) -> Figure:
    """Highest minus lowest accuracy over domains, and which they are; undefined for fewer than two."""
    if len(by_domain) < 2:
        known = f"only {next(iter(by_domain))!r} has" if by_domain else "no domain has"
        return undefined(f"a spread needs two domains, and {known} scored pairs", n_domains=len(by_domain))
    accuracies = {name: figure["value"] for name, figure in sorted(by_domain.items())}
    top, bottom = max(accuracies.values()), min(accuracies.values())
    return {
        "value": top - bottom,
        "highest": [name for name, value in accuracies.items() if value == top],
        "lowest": [name for name, value in accuracies.items() if value == bottom],
        "n_domains": len(by_domain),
    }
