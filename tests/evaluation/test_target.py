import numpy as np
import pytest

from evaluation.target import choose_target, gold_votes
from labeling.tables import BENCH_GOLD, BENCH_PAIRS, read_table
from labeling.tables.references import check_pair_ids
from tests.evaluation.small_bench import gold_csv, pairs_csv


def votes_of(agreement, n):
    gold = read_table(gold_csv({"agreement": agreement, "n_raters": str(n)}), BENCH_GOLD)
    votes = gold_votes(gold)
    return int(votes.modal[0]), bool(votes.off[0])


def target_of(pairs, gold, split="test"):
    """Pair ids of T, and T itself. Pairs and gold rows are given as what differs from a plain row."""
    pair_frame = read_table(pairs_csv(*pairs), BENCH_PAIRS)
    gold_frame = read_table(gold_csv(*gold), BENCH_GOLD)
    pair_of_gold = check_pair_ids(gold_frame, pair_frame).pair
    target = choose_target(pair_frame, gold_frame, pair_of_gold, gold_votes(gold_frame), split)
    known = pair_frame.text("pair_id")
    return [known[row] for row in target.pair_rows], target


@pytest.mark.parametrize(
    ("agreement", "n", "modal", "off"),
    [
        ("0.6667", 3, 2, False),  # 2.0001
        ("0.67", 3, 2, False),  # 2.01 is off by 0.01, allowed 0.015
        ("0.68", 3, 2, True),  # 2.04
        ("0.6", 5, 3, False),  # 0.6 * 5 is 3.0000000000000004 in some orders of binary arithmetic
        ("0.5", 3, 2, True),  # 1.5
        ("0.995", 1, 1, False),  # off by exactly the 0.005 that is allowed
        ("0.994", 1, 1, True),
        ("0.333333", 3, 1, False),
        ("1", 7, 7, False),
        ("0", 0, 0, False),
    ],
)
def test_votes_behind_a_share(agreement, n, modal, off):
    assert votes_of(agreement, n) == (modal, off)


@pytest.mark.parametrize(
    ("agreement", "n", "kept"),
    [
        ("0.6", 5, True),  # 5 * 3 = 3 * 5, inclusive
        ("0.599999", 5, True),  # the same 3 of 5, written with fewer digits than it has
        ("0.5", 4, False),  # 5 * 2 < 3 * 4
        ("0.75", 4, True),
        ("0.571429", 7, False),  # 4 of 7: 20 < 21
        ("1", 2, False),  # too few raters
    ],
)
def test_the_gate_is_on_whole_votes(agreement, n, kept):
    pair_ids, _ = target_of([{}], [{"agreement": agreement, "n_raters": str(n)}])
    assert pair_ids == (["p1"] if kept else [])


def test_each_excluded_row_is_counted_once_under_the_first_reason():
    pairs = [
        {"pair_id": "kept"},
        {"pair_id": "dev", "split": "dev"},
        {"pair_id": "few"},
        {"pair_id": "below"},
        {"pair_id": "excluded"},
        {"pair_id": "ambiguous", "difficulty": "ambiguous"},
        {"pair_id": "many_reasons", "split": "train", "difficulty": "ambiguous"},
    ]
    gold = [
        {"pair_id": "kept"},
        {"pair_id": "dev"},
        {"pair_id": "few", "n_raters": "2"},
        {"pair_id": "below", "agreement": "0.5", "n_raters": "4"},
        {"pair_id": "excluded", "exclude_primary": "true"},
        {"pair_id": "ambiguous"},
        {"pair_id": "many_reasons", "n_raters": "1", "exclude_primary": "true"},
    ]
    pair_ids, target = target_of(pairs, gold)
    assert pair_ids == ["kept"]
    assert target.excluded == {
        "other_split": 2,
        "too_few_raters": 1,
        "below_agreement_gate": 1,
        "exclude_primary": 1,
        "ambiguous": 1,
    }


@pytest.mark.parametrize(
    ("split", "expected"),
    [("test", ["p1"]), ("dev", ["p2"]), ("train", ["p3"]), ("all", ["p1", "p2", "p3"])],
)
def test_other_splits_on_request(split, expected):
    pairs = [{"pair_id": "p1"}, {"pair_id": "p2", "split": "dev"}, {"pair_id": "p3", "split": "train"}]
    assert target_of(pairs, [{"pair_id": each} for each in ("p3", "p1", "p2")], split)[0] == expected


def test_pairs_with_a_cue_are_in_t_but_not_in_the_headline():
    cues = ["", "null", "correct", "misleading"]
    pairs = [{"pair_id": f"p{i}", "cue_type": cue} for i, cue in enumerate(cues)]
    pair_ids, target = target_of(pairs, [{"pair_id": each["pair_id"]} for each in pairs])
    assert pair_ids == ["p0", "p1", "p2", "p3"]
    assert np.array_equal(target.unconditioned, [True, True, False, False])
