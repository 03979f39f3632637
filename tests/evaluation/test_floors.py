from hashlib import sha256

import numpy as np
import pyarrow as pa
from hypothesis import given
from hypothesis import strategies as st

from evaluation.disclosures import POLICY_SENTENCES
from evaluation.figures import undefined
from evaluation.floors import beats_chance, coin_sides, majority_sides, policy_figure, random_seed42_sides

PAIR_IDS = pa.array(["p1", "p2", "p3", "p4"])


def test_hash_coin_takes_item_a_on_an_even_first_byte():
    # `printf '%s' p1 | sha256sum` and so on: f6, 39, 43, ab.
    assert coin_sides(PAIR_IDS).tolist() == [True, False, False, False]


def test_random_seed42_hashes_the_id_behind_its_seed():
    # `printf '%s' 42:p1 | sha256sum` and so on: 23, 4c, b7, 5c.
    assert random_seed42_sides(PAIR_IDS).tolist() == [False, True, False, True]


@given(st.lists(st.text(min_size=1), max_size=20))
def test_any_id_is_hashed_as_utf8(pair_ids):
    ids = pa.array(pair_ids, pa.string())
    assert coin_sides(ids).tolist() == [sha256(each.encode()).digest()[0] % 2 == 0 for each in pair_ids]


def test_majority_side_is_chosen_within_each_domain():
    # Domain 0: a, a, b -> a. Domain 1: b, b -> b. Domain 2: a, b, a tie -> a.
    gold_is_a = np.array([True, True, False, False, False, True, False])
    domains = np.array([0, 0, 0, 1, 1, 2, 2])
    assert majority_sides(gold_is_a, domains, 3).tolist() == [True, True, True, False, False, True, True]


@given(st.lists(st.tuples(st.booleans(), st.integers(0, 3)), max_size=30))
def test_majority_side_is_never_below_one_half_and_mirrors(rows):
    gold_is_a = np.array([side for side, _ in rows], dtype=bool)
    domains = np.array([domain for _, domain in rows], dtype=np.int64)
    hits = (majority_sides(gold_is_a, domains, 4) == gold_is_a).sum()
    mirrored = (majority_sides(~gold_is_a, domains, 4) == ~gold_is_a).sum()
    assert 2 * hits >= len(rows)
    assert hits == mirrored


def test_a_policy_carries_interval_domains_and_its_sentence():
    gold_is_a = np.array([True, True, False, True])
    figure = policy_figure(
        "always_item_a", np.ones(4, bool), gold_is_a, np.array([0, 0, 1, 1]), ["book", "tech"]
    )
    assert (figure["value"], figure["correct"], figure["n"]) == (0.75, 3, 4)
    assert figure["by_domain"]["book"]["value"] == 1.0
    assert figure["by_domain"]["tech"]["value"] == 0.5
    assert figure["sentence"] == POLICY_SENTENCES["always_item_a"]
    assert "not a ceiling" in figure["sentence"]


def test_beating_chance_needs_the_whole_interval_above_one_half():
    # Wilson 95 %: 10/10 is [0.722, 1], 15/20 is [0.531, 0.888], 5/10 is [0.237, 0.763].
    assert beats_chance({"value": 1.0, "interval": [0.722, 1.0]})
    assert beats_chance({"value": 0.75, "interval": [0.531, 0.888]})
    assert not beats_chance({"value": 0.5, "interval": [0.237, 0.763]})
    assert not beats_chance(undefined("no items"))
