import numpy as np
import pytest

from evaluation.figures import accuracy, accuracy_by, spread


def test_accuracy_has_n_and_wilson_interval():
    # Wilson 95 % for 15/20, from the published formula: [0.5313, 0.8881].
    figure = accuracy(15, 20)
    assert (figure["value"], figure["correct"], figure["n"]) == (0.75, 15, 20)
    assert figure["interval"] == pytest.approx([0.5312991224, 0.8881382986])


def test_accuracy_of_nothing_is_undefined_with_its_reason():
    assert accuracy(0, 0, "all left out") == {
        "value": None, "why": "all left out", "correct": 0, "n": 0, "interval": None,
    }  # fmt: skip


def test_groups_come_sorted_and_empty_ones_are_left_out():
    figures = accuracy_by(np.array([True, False, True]), np.array([2, 2, 0]), ["tech", "brand", "book"])
    assert list(figures) == ["book", "tech"]
    assert (figures["book"]["value"], figures["tech"]["value"]) == (0.5, 1.0)


def test_spread_is_highest_minus_lowest():
    figure = spread({"book": accuracy(1, 1), "tech": accuracy(1, 4), "visual": accuracy(1, 2)})
    assert figure == {"value": 0.75, "highest": ["book"], "lowest": ["tech"], "n_domains": 3}


def test_domains_that_share_an_extreme_are_all_named():
    figure = spread({"book": accuracy(1, 2), "tech": accuracy(0, 2), "visual": accuracy(2, 4)})
    # 1/2 and 2/4 are the same share.
    assert (figure["highest"], figure["lowest"]) == (["book", "visual"], ["tech"])


def test_spread_of_one_domain_is_undefined_not_zero():
    figure = spread({"book": accuracy(1, 2)})
    assert figure["value"] is None
    assert "'book'" in figure["why"]
    assert spread({})["n_domains"] == 0
