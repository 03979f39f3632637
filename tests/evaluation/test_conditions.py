import numpy as np
import pyarrow as pa
import pytest

from evaluation.conditions import by_cue_type, by_pair_group, condition_sensitivity

CORRECT, MISLEADING = "correct", "misleading"


def families(rows):
    """rows of (group, cue, answered correctly)"""
    groups, cues, correct = zip(*rows, strict=True) if rows else ((), (), ())
    return by_pair_group(
        pa.array(groups, pa.string()), pa.array(cues, pa.string()), np.array(correct, dtype=bool)
    )


def test_empty_and_null_cues_are_one_group():
    figures = by_cue_type(pa.array(["", "null", CORRECT, ""]), np.array([True, False, True, True]))
    assert list(figures) == [CORRECT, "null"]
    assert (figures["null"]["correct"], figures["null"]["n"]) == (2, 3)


def test_accuracy_inside_each_family():
    result = families([("f1", "", True), ("f1", CORRECT, False), ("", "", True), ("f2", CORRECT, True)])
    assert list(result) == ["f1", "f2"]
    assert result["f1"]["null"]["value"] == 1.0
    assert result["f1"][CORRECT]["value"] == 0.0


def test_sensitivity_is_the_mean_over_families_not_over_pairs():
    # f1: correct 1/1, misleading 0/3 -> 1. f2: correct 1/2, misleading 1/1 -> -0.5. Mean 0.25.
    # Pooled over pairs it would be 2/3 - 1/4, another number.
    result = condition_sensitivity(
        families(
            [("f1", CORRECT, True)]
            + [("f1", MISLEADING, False)] * 3
            + [("f2", CORRECT, True), ("f2", CORRECT, False), ("f2", MISLEADING, True)]
        )
    )
    assert result["value"] == pytest.approx(0.25)
    assert result["n_families"] == 2


def test_families_without_both_cues_are_counted_but_not_used():
    result = condition_sensitivity(
        families([("f1", CORRECT, True), ("f1", MISLEADING, True), ("f2", CORRECT, True), ("f3", "", False)])
    )
    assert result == {"value": 0.0, "n_families": 1, "n_incomplete": 2}


def test_without_a_complete_family_it_is_undefined_and_says_why():
    incomplete = condition_sensitivity(families([("f1", CORRECT, True)]))
    assert incomplete["value"] is None
    assert "both a correct and a misleading cue" in incomplete["why"]
    assert "pair_group_id is empty" in condition_sensitivity(families([]))["why"]
