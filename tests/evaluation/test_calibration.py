import json
from decimal import Decimal

import numpy as np
import pyarrow as pa
import pytest
from hypothesis import given
from hypothesis import strategies as st

from evaluation.calibration import calibration_error, confidence_bins
from tests.shared_data import REFERENCE, needs_data


def ece(confidences, correct, chose=None):
    chose = [True] * len(correct) if chose is None else chose
    return calibration_error(
        pa.array(confidences, pa.string()), np.array(chose, bool), np.array(correct, bool)
    )


@needs_data
def test_reference_values_of_right_closed_bins():
    vectors = json.loads((REFERENCE / "vectors.json").read_text())["ece10"]
    assert len(vectors) == 9
    for vector in vectors:
        figure = ece([str(each) for each in vector["conf"]], vector["correct"])
        assert figure["value"] == pytest.approx(vector["right_closed"], abs=1e-12), vector


def test_edges_belong_to_the_bin_below():
    # Bin i holds (i/10, (i+1)/10]; 0 joins the first. 0.3, 0.6 and 0.7 times ten are off 3, 6, 7 in binary.
    texts = ["0", "0.0", "0.1", "0.3", "0.30", "0.6", "0.7", "1", "1.0", ".3", "1."]
    assert confidence_bins(pa.array(texts)).tolist() == [0, 0, 0, 2, 2, 5, 6, 9, 9, 2, 9]


def test_a_hair_beside_an_edge_is_told_apart():
    # As floats the first three equal 0.3, 0.7 and 0.1; as decimals they do not.
    texts = [
        "0.30000000000000000001",
        "0.70000000000000000001",
        "0.09999999999999999999999",
        "0.000000000000001",
    ]
    assert confidence_bins(pa.array(texts)).tolist() == [3, 7, 0, 0]


@given(st.decimals(min_value=0, max_value=1, places=18))
def test_bins_obey_their_definition(confidence):
    (index,) = confidence_bins(pa.array([f"{confidence:f}"])).tolist()
    assert confidence <= Decimal(index + 1) / 10
    assert confidence > Decimal(index) / 10 or index == confidence == 0


def test_a_worked_example_with_bins():
    # (0.8, 0.9]: 0.9 right, 0.9 wrong -> 0.5 against 0.9. (0.5, 0.6]: 0.6 right -> 1 against 0.6.
    # ECE = 2/3 * 0.4 + 1/3 * 0.4 = 0.4
    figure = ece(["0.9", "0.9", "0.6"], [True, False, True])
    assert figure["value"] == pytest.approx(0.4)
    assert figure["n"] == 3
    assert figure["bins"][8] == {"above": 0.8, "up_to": 0.9, "n": 2, "accuracy": 0.5, "mean_confidence": 0.9}
    assert figure["bins"][0]["accuracy"] is None
    assert sum(each["n"] for each in figure["bins"]) == 3


def test_only_predictions_with_choice_and_confidence_count():
    # The second abstains, the third states no confidence: left is 0.9, right -> |1 - 0.9| = 0.1
    figure = ece(["0.9", "0.2", ""], [True, False, True], [True, False, True])
    assert figure["value"] == pytest.approx(0.1)
    assert (figure["n"], figure["without_confidence"]) == (1, 1)


def test_without_confidence_it_is_undefined_and_says_why():
    figure = ece(["", ""], [True, False])
    assert figure["value"] is None
    assert "no prediction has a confidence" in figure["why"]
    assert figure["n"] == 0


def test_without_any_choice_it_is_undefined_for_another_reason():
    assert "makes a choice" in ece(["0.5"], [False], [False])["why"]
    assert "makes a choice" in ece([], [])["why"]
