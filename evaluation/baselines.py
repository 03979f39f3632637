"""Floors, construction diagnostics and the harness check on the headline pairs of one scoring."""

from typing import Any

import numpy as np
import pyarrow.compute as pc

from evaluation.answers import Key
from evaluation.columns import Mask, encode, flat
from evaluation.disclosures import POLICY_SENTENCES
from evaluation.figures import Figure, undefined
from evaluation.floors import beats_chance, coin_sides, majority_sides, policy_figure, random_seed42_sides
from evaluation.leakage import good_token_sides, token_scores
from labeling.tables import Frame


def baselines(key: Key, items: Frame | None) -> dict[str, Any]:
    """``floors``, ``diagnostics``, ``diagnostics_beating_chance`` and ``harness_check`` of the metrics."""
    gold_is_a = key.gold_is_a
    domains, names = encode(key.domain)
    coin = coin_sides(key.pair_id)

    def figure(name: str, sides: Mask) -> Figure:
        return policy_figure(name, sides, gold_is_a, domains, names)

    floors = {
        "random_seed42": figure("random_seed42", random_seed42_sides(key.pair_id)),
        "hash_coin": figure("hash_coin", coin),
        "majority_side": figure("majority_side", majority_sides(gold_is_a, domains, len(names))),
    }
    diagnostics = {
        "always_item_a": figure("always_item_a", np.ones_like(gold_is_a)),
        "always_item_b": figure("always_item_b", np.zeros_like(gold_is_a)),
    }
    if items is None:
        diagnostics["leak_prefer_good_token"] = undefined(
            "file names are in the items table, which was not given",
            sentence=POLICY_SENTENCES["leak_prefer_good_token"],
        )
    else:
        sides, decided = _leak_sides(key, items, coin)
        diagnostics["leak_prefer_good_token"] = figure("leak_prefer_good_token", sides) | {
            "n_decided": decided
        }
    oracle = figure("oracle", gold_is_a)
    return {
        "floors": floors,
        "diagnostics": diagnostics,
        "diagnostics_beating_chance": [name for name, each in diagnostics.items() if beats_chance(each)],
        "harness_check": {
            "oracle": oracle,
            "passed": None if oracle["value"] is None else oracle["value"] == 1,
        },
    }


def _leak_sides(key: Key, items: Frame, coin: Mask) -> tuple[Mask, int]:
    item_ids = flat(items.column("item_id"))
    scores = token_scores(item_ids, flat(items.column("uri_or_payload_ref")))
    # An item that the table lacks is refused in the end; until then it stands at -1, without a token.
    scores = np.append(scores, 0)
    score_a, score_b = (
        scores[pc.fill_null(pc.index_in(side, value_set=item_ids), -1).to_numpy()]
        for side in (key.item_a, key.item_b)
    )
    return good_token_sides(score_a, score_b, coin)
