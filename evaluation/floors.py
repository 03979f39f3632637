"""What policies that look at nothing of worth would score: fair floors, and diagnostics of construction.

Diagnostics are never called floors: a high ``always_item_a`` says that good items were put on side A, not
that a model is poor. All policies answer every pair of T with a side, True standing for item_a.
"""

from collections.abc import Sequence
from hashlib import sha256

import numpy as np
import pyarrow as pa

from evaluation.columns import Mask, Rows
from evaluation.disclosures import POLICY_SENTENCES
from evaluation.figures import Figure, accuracy, accuracy_by

CHANCE = 0.5


def coin_sides(pair_ids: pa.Array, prefix: bytes = b"") -> Mask:
    """item_a iff sha256(prefix + pair_id as UTF-8) has an even first byte; the same on every machine."""
    ids = pair_ids.cast(pa.binary()).to_numpy(zero_copy_only=False).tolist()
    first_bytes = bytes([sha256(prefix + pair_id).digest()[0] for pair_id in ids])
    even: Mask = np.frombuffer(first_bytes, dtype=np.uint8) % 2 == 0
    return even


def random_seed42_sides(pair_ids: pa.Array) -> Mask:
    return coin_sides(pair_ids, b"42:")


def majority_sides(gold_is_a: Mask, domains: Rows, n_domains: int) -> Mask:
    """The side that holds more gold items in the pair's domain; item_a when both hold as many."""
    sizes = np.bincount(domains, minlength=n_domains)
    on_a = np.bincount(domains[gold_is_a], minlength=n_domains)
    a_leads: Mask = 2 * on_a >= sizes
    return a_leads[domains]


def policy_figure(
    name: str, sides: Mask, gold_is_a: Mask, domains: Rows, domain_names: Sequence[str]
) -> Figure:
    """Accuracy of one policy on T with its interval, by domain, and the sentence it must be read with."""
    correct = sides == gold_is_a
    figure = accuracy(int(correct.sum()), len(correct))
    by_domain = accuracy_by(correct, domains, domain_names)
    return figure | {"by_domain": by_domain, "sentence": POLICY_SENTENCES[name]}


def beats_chance(figure: Figure) -> bool:
    """Whether the whole 95 % interval lies above one half."""
    return figure.get("interval") is not None and figure["interval"][0] > CHANCE
