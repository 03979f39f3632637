import hashlib

import pytest

from evaluation.intake import Reading
from labeling.tables import TableErrors
from tests.evaluation.small_bench import gold_csv, ids, items_csv, pairs_csv, preds_csv

SIMULATED = {"data_origin": "simulation", "gold_tier": "simulation"}


def read(preds=None, pairs=None, gold=None, items=None, names=None):
    """Bench and predictions of plain files, where not given otherwise."""
    sources = {
        "preds": preds or preds_csv({}),
        "pairs": pairs or pairs_csv({}),
        "gold": gold or gold_csv({}),
    }
    with Reading(sources | ({"items": items} if items else {}), names) as reading:
        return reading.bench(), reading.predictions()


def refused(preds=None, pairs=None, gold=None, items=None):
    with pytest.raises(TableErrors) as caught:
        read(preds, pairs, gold, items)
    return caught.value


def faults(preds=None, pairs=None, gold=None, items=None):
    return str(refused(preds, pairs, gold, items)).splitlines()


def test_good_files_are_joined_by_row():
    bench, predictions = read(
        preds_csv({"pair_id": "p3"}, {"pair_id": "p1"}),
        pairs_csv(*ids("p1", "p2", "p3")),
        gold_csv({"pair_id": "p2", "preferred_id": "p2-b"}),
    )
    assert predictions.pair_rows.tolist() == [2, 0]
    assert bench.pair_of_gold.tolist() == [1]
    assert bench.items is None


def test_digests_are_of_the_very_bytes(tmp_path):
    path = tmp_path / "mine.csv"
    path.write_bytes(preds_csv({}))
    _, predictions = read(path, names={"gold": "release-gold.csv"})
    assert predictions.digests["preds"] == {
        "file": "mine.csv",
        "sha256": hashlib.sha256(path.read_bytes()).hexdigest(),
        "rows": 1,
    }
    assert predictions.digests["gold"]["file"] == "release-gold.csv"
    assert predictions.digests["pairs"]["file"] == "bench_pairs.csv"


def test_an_unknown_pair_names_its_near_miss():
    lines = faults(
        preds_csv({"pair_id": "1"}, {"pair_id": "zz"}),
        pairs_csv({"pair_id": "001"}),
        gold_csv({"pair_id": "001"}),
    )
    assert lines[0].startswith("preds.csv:2: pair_id: “1” is not in bench_pairs.csv. Did you mean “001”?")
    assert lines[1].startswith("preds.csv:3: pair_id: “zz” is not in bench_pairs.csv.")
    assert len(lines) == 2


def test_a_pair_predicted_twice_is_refused_with_both_lines():
    (line,) = faults(preds_csv({}, {"pred_preferred_id": "b"}))
    assert line.startswith("preds.csv:3: pair_id: ")
    assert "line 2" in line


def test_faults_of_all_files_come_together():
    lines = faults(
        preds=preds_csv({"confidence": "95%"}),
        pairs=pairs_csv({}, {"pair_id": "p2", "split": "tset", "item_b": "c"}),
        gold=gold_csv({"agreement": "0.5"}, {"pair_id": "p9"}),
    )
    assert {line.split(":")[0] for line in lines} == {"bench_pairs.csv", "bench_gold.csv", "preds.csv"}


def test_faults_between_readable_files_come_even_when_another_is_unreadable():
    lines = faults(
        preds=preds_csv({"confidence": "95%"}), gold=gold_csv({"pair_id": "p9"}, {"agreement": "0.5"})
    )
    assert any("95%" in line for line in lines)
    assert any("“p9” is not in bench_pairs.csv" in line for line in lines)
    assert any("no share of 3 raters; the nearest is 0.666667 (2 of 3)" in line for line in lines)


def test_gold_must_prefer_an_item_of_its_pair():
    (line,) = faults(gold=gold_csv({"preferred_id": "A"}))
    assert line.startswith("bench_gold.csv:2: preferred_id: “A” is neither item of pair “p1” (“a”, “b”).")


def test_a_predicted_item_of_another_pair_is_no_fault():
    _, predictions = read(preds_csv({"pred_preferred_id": "elsewhere"}))
    assert predictions.pair_rows.tolist() == [0]


def test_several_tiers_are_refused():
    lines = faults(
        pairs=pairs_csv(*ids("p1", "p2")),
        gold=gold_csv(
            {"preferred_id": "p1-a"},
            {
                "pair_id": "p2",
                "preferred_id": "p2-a",
                "gold_tier": "crowd_reference",
                "data_origin": "public_crowd",
            },
        ),
    )
    assert lines == [
        "bench_gold.csv:3: gold_tier: the file mixes primary_human_expert (1 row), "
        "crowd_reference (1 row); here is the first crowd_reference one. "
        "Score each tier with a gold file of its own."
    ]


def test_simulated_and_real_labels_in_one_file_are_refused():
    lines = faults(
        pairs=pairs_csv(*ids("p1", "p2")),
        gold=gold_csv({"preferred_id": "p1-a"}, {"pair_id": "p2", "preferred_id": "p2-a"} | SIMULATED),
    )
    assert any("mixes real (1 row), simulated (1 row)" in line for line in lines)


def test_a_simulated_label_cannot_carry_a_real_tier():
    (line,) = faults(gold=gold_csv({"data_origin": "simulation"}))
    assert "data_origin simulation does not go with gold_tier primary_human_expert" in line


def test_a_real_label_cannot_stand_on_a_simulated_pair():
    (line,) = faults(pairs=pairs_csv({"data_origin": "simulation"}))
    assert "the label is not simulated, but its pair is" in line


def test_simulated_labels_on_real_pairs_are_admitted():
    bench, _ = read(gold=gold_csv(SIMULATED))
    assert len(bench.gold) == 1


def test_the_archival_tier_is_never_scored():
    (line,) = faults(gold=gold_csv({"gold_tier": "provisional_agent_panel"}))
    assert "tier provisional_agent_panel is archival and never scored" in line


def test_gold_without_rows_says_so():
    (line,) = faults(gold=gold_csv())
    assert line.startswith("bench_gold.csv: it has no rows, so there is nothing to score against.")


def test_only_the_first_200_of_many_faults_are_written_out_and_all_counted():
    errors = refused(preds_csv({"pair_id": "p1"}, *({"pair_id": f"x{i}"} for i in range(300))))
    assert errors.total == 300
    assert len(errors.errors) == 200


def test_items_must_hold_what_pairs_name():
    lines = faults(items=items_csv({"item_id": "a"}))
    assert any("“b”" in line for line in lines)


def test_unknown_columns_are_a_warning():
    preds = b"pair_id,pred_preferred_id,comment\np1,a,hello\n"
    (warning,) = read(preds)[1].warnings
    assert "comment" in warning
