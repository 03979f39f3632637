import json
import random

import pytest
from hypothesis import given
from hypothesis import strategies as st

from evaluation.scoring import score_files
from labeling import strict_json
from tests.evaluation.small_bench import gold_csv, ids, items_csv, pairs_csv, preds_csv

FIVE = ids("p1", "p2", "p3", "p4", "p5")
GOLD_A = [{"pair_id": each["pair_id"], "preferred_id": each["item_a"]} for each in FIVE]


def score(preds, pairs=FIVE, gold=GOLD_A, items=None, **also):
    metrics = score_files(
        preds_csv(*preds), pairs_csv(*pairs), gold_csv(*gold), items and items_csv(*items), **also
    )
    # Whatever is scored must be strict JSON.
    return json.loads(strict_json.dumps(metrics))


def pred(pair_id, choice, confidence=""):
    return {"pair_id": pair_id, "pred_preferred_id": choice, "confidence": confidence}


def test_every_non_answer_is_wrong_and_counted_by_kind():
    # Right, wrong, an item of another pair, abstained; p5 is missing. 1 of 5.
    metrics = score([pred("p1", "p1-a"), pred("p2", "p2-b"), pred("p3", "p1-a"), pred("p4", "")])
    assert (metrics["n_eval"], metrics["pairwise_acc"]["correct"]) == (5, 1)
    assert metrics["pairwise_acc"]["value"] == 0.2
    assert metrics["non_answers"] == {"missing": 1, "abstained": 1, "unknown_item": 1}
    # Two chose an item of the pair.
    assert metrics["coverage"] == {"value": 0.4, "answered": 2, "n": 5}


def test_ids_are_compared_byte_for_byte():
    metrics = score([pred("p1", "P1-a"), pred("p2", "p2-a ")])
    assert metrics["non_answers"]["unknown_item"] == 2
    assert metrics["pairwise_acc"]["correct"] == 0


def test_no_prediction_at_all_is_all_missing():
    metrics = score([])
    assert metrics["pairwise_acc"]["value"] == 0.0
    assert metrics["non_answers"]["missing"] == 5
    assert metrics["ece"]["value"] is None


def test_predictions_outside_t_are_counted_not_scored():
    pairs = [*FIVE[:2], FIVE[2] | {"split": "dev"}, FIVE[3]]
    preds = [pred("p1", "p1-a"), pred("p3", "p3-b"), pred("p4", "p4-b")]
    metrics = score(preds, pairs, GOLD_A[:3])
    assert metrics["target"] == {
        "gold_rows": 3,
        "excluded": {
            "other_split": 1,
            "too_few_raters": 0,
            "below_agreement_gate": 0,
            "exclude_primary": 0,
            "ambiguous": 0,
        },
        "in_target": 2,
        "headline": 2,
        "conditioned": 0,
        "predictions": 3,
        "predictions_in_target": 1,
        "predictions_outside_target": 2,
    }
    assert metrics["pairwise_acc"]["value"] == 0.5


def test_headline_leaves_conditioned_pairs_out_and_cues_have_their_own_figures():
    # Family f1 on one pair of items: null right, correct right, misleading wrong; p4 is unconditioned, wrong.
    cues = [("p1", ""), ("p2", "correct"), ("p3", "misleading")]
    eras = dict(zip(["p1", "p2", "p3"], ["", "y2k", "2020s"], strict=True))
    family = [
        {"pair_id": pair_id, "cue_type": cue, "pair_group_id": "f1", "condition_era": eras[pair_id]}
        for pair_id, cue in cues
    ]
    pairs = [*family, FIVE[3]]
    gold = [{"pair_id": pair_id} for pair_id, _ in cues] + [GOLD_A[3]]
    preds = [pred("p1", "a"), pred("p2", "a"), pred("p3", "b"), pred("p4", "p4-b")]
    metrics = score(preds, pairs, gold)
    assert (metrics["n_eval"], metrics["pairwise_acc"]["value"]) == (2, 0.5)
    assert {cue: each["value"] for cue, each in metrics["by_cue_type"].items()} == {
        "null": 0.5,
        "correct": 1.0,
        "misleading": 0.0,
    }
    assert metrics["by_pair_group_id"]["f1"]["misleading"]["value"] == 0.0
    assert metrics["condition_sensitivity"] == {"value": 1.0, "n_families": 1, "n_incomplete": 0}


def test_by_domain_and_spread():
    pairs = [
        each | {"domain": domain}
        for each, domain in zip(FIVE, ["tech", "tech", "book", "book", "book"], strict=True)
    ]
    preds = [
        pred("p1", "p1-a"),
        pred("p2", "p2-a"),
        pred("p3", "p3-a"),
        pred("p4", "p4-b"),
        pred("p5", "p5-b"),
    ]
    metrics = score(preds, pairs)
    assert metrics["by_domain"]["book"]["value"] == pytest.approx(1 / 3)
    assert metrics["spread"]["value"] == pytest.approx(2 / 3)
    assert metrics["floors"]["hash_coin"]["by_domain"]["tech"]["n"] == 2


def test_floors_by_hand():
    # First bytes of sha256 of p1..p4: f6 39 43 ab -> a b b b; behind 42: 23 4c b7 5c -> b a b a.
    # Gold a a b a: hash_coin is right on p1 and p3, random_seed42 on p2, p3 and p4; the majority side is a.
    gold = [*GOLD_A[:2], {"pair_id": "p3", "preferred_id": "p3-b"}, GOLD_A[3]]
    metrics = score([], FIVE[:4], gold)
    assert {name: each["value"] for name, each in metrics["floors"].items()} == {
        "random_seed42": 0.75,
        "hash_coin": 0.5,
        "majority_side": 0.75,
    }
    assert metrics["diagnostics"]["always_item_a"]["value"] == 0.75
    assert metrics["diagnostics"]["always_item_b"]["value"] == 0.25
    assert metrics["harness_check"]["oracle"]["value"] == 1.0
    assert metrics["harness_check"]["passed"] is True


def test_a_diagnostic_that_beats_chance_is_named_in_metrics_and_policy():
    # Always a on ten pairs with gold a: Wilson's lower bound of 10/10 is 0.722 > 0.5.
    ten = ids(*(f"q{i}" for i in range(10)))
    metrics = score([], ten, [{"pair_id": each["pair_id"], "preferred_id": each["item_a"]} for each in ten])
    assert metrics["diagnostics_beating_chance"] == ["always_item_a"]
    assert "without judging: always_item_a;" in metrics["policy"]
    assert "always_item_a" not in metrics["floors"]


def test_lexical_leak_needs_items_and_falls_back_to_the_coin():
    pairs = [
        {"pair_id": "p1", "item_a": "x_weak", "item_b": "x_good"},  # tokens say b; gold b
        {"pair_id": "p2", "item_a": "y1", "item_b": "y2"},  # no token: the coin says b; gold a
    ]
    gold = [{"pair_id": "p1", "preferred_id": "x_good"}, {"pair_id": "p2", "preferred_id": "y1"}]
    without = score([], pairs, gold)["diagnostics"]["leak_prefer_good_token"]
    assert without["value"] is None
    assert "items table" in without["why"]
    items = [{"item_id": each} for each in ("x_weak", "x_good", "y1", "y2")]
    leak = score([], pairs, gold, items)["diagnostics"]["leak_prefer_good_token"]
    assert (leak["value"], leak["n_decided"]) == (0.5, 1)


def test_ece_is_over_stated_choices_of_t():
    # Right at 0.8: |1 - 0.8|; wrong at 0.6: |0 - 0.6|; mean 0.4. The abstention's 0.9 does not count.
    metrics = score([pred("p1", "p1-a", "0.8"), pred("p2", "p2-b", "0.6"), pred("p3", "", "0.9")])
    assert metrics["ece"]["value"] == pytest.approx(0.4)
    assert metrics["ece"]["n"] == 2


def test_an_empty_t_is_undefined_with_its_reason_not_zero():
    metrics = score([], FIVE, GOLD_A, split="dev")
    assert metrics["n_eval"] == 0
    assert metrics["pairwise_acc"]["value"] is None
    assert "5 other_split" in metrics["pairwise_acc"]["why"]
    assert metrics["spread"]["value"] is None
    assert metrics["floors"]["hash_coin"]["value"] is None
    assert metrics["harness_check"]["passed"] is None


def test_simulated_gold_is_flagged():
    simulated = {"data_origin": "simulation", "gold_tier": "simulation"}
    metrics = score([], FIVE, [each | simulated for each in GOLD_A])
    assert metrics["simulation"] is True
    assert metrics["tier"] == "simulation"
    assert "support no claim" in metrics["policy"]


def test_primary_gold_states_firewall_and_origin():
    metrics = score([], declared={"model": "m-1"}, release="r1")
    assert metrics["simulation"] is False
    assert "never from bench_weak" in metrics["policy"]
    assert "study_human_expert" in metrics["policy"]
    assert (metrics["declared"], metrics["release"]) == ({"model": "m-1"}, "r1")
    assert metrics["by_origin"]["study_human_expert"]["n"] == 5


def test_an_unknown_split_is_refused():
    with pytest.raises(ValueError, match="choose one of test, dev, train, all"):
        score([], split="tset")


@given(
    st.lists(st.sampled_from(["a", "b", "", "other", None]), min_size=5, max_size=5),
    st.randoms(use_true_random=False),
)
def test_order_of_rows_changes_nothing(choices, shuffle: random.Random):
    preds = [
        pred(f"p{i}", f"p{i}-{choice}" if choice in ("a", "b") else choice, f"0.{i}{i}")
        for i, choice in enumerate(choices, start=1)
        if choice is not None
    ]
    once = score(preds)
    shuffled_preds, shuffled_gold = preds.copy(), GOLD_A.copy()
    shuffle.shuffle(shuffled_preds)
    shuffle.shuffle(shuffled_gold)
    again = score(shuffled_preds, gold=shuffled_gold)
    once.pop("digests"), again.pop("digests")
    assert once == again


@given(st.lists(st.tuples(st.booleans(), st.sampled_from("ab")), min_size=5, max_size=5))
def test_exchanging_the_sides_of_pairs_leaves_the_score_and_mirrors_the_diagnostics(rows):
    gold = [
        {"pair_id": each["pair_id"], "preferred_id": f"{each['pair_id']}-{side}"}
        for each, (_, side) in zip(FIVE, rows, strict=True)
    ]
    preds = [
        pred(each["pair_id"], each["item_a"])
        for each, (answered, _) in zip(FIVE, rows, strict=True)
        if answered
    ]
    mirrored = [each | {"item_a": each["item_b"], "item_b": each["item_a"]} for each in FIVE]
    as_is, exchanged = score(preds, FIVE, gold), score(preds, mirrored, gold)
    assert as_is["pairwise_acc"] == exchanged["pairwise_acc"]
    assert (
        as_is["diagnostics"]["always_item_a"]["correct"]
        == exchanged["diagnostics"]["always_item_b"]["correct"]
    )
    assert as_is["floors"]["majority_side"]["value"] == exchanged["floors"]["majority_side"]["value"]
