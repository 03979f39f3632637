"""`tb score` as a person runs it: what it writes, says, and refuses; real judges on real gold."""

import csv
import json
import subprocess
import sys
from pathlib import Path

import pytest
from click.testing import CliRunner, Result

from tastebench_site.cli import main
from tests.evaluation.small_bench import gold_csv, ids, items_csv, pairs_csv, preds_csv
from tests.shared_data import DATA, needs_data

ROOT = Path(__file__).resolve().parents[2]
PAIRS = ids("p1", "p2", "p3")


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    """Three gold pairs; one answered right, one wrong, one not at all."""
    (tmp_path / "pairs.csv").write_bytes(pairs_csv(*PAIRS))
    gold = [{"pair_id": each["pair_id"], "preferred_id": each["item_a"]} for each in PAIRS]
    (tmp_path / "gold.csv").write_bytes(gold_csv(*gold))
    answers = [("p1", "p1-a", "0.9"), ("p2", "p2-b", "0.6")]
    (tmp_path / "preds.csv").write_bytes(
        preds_csv(*({"pair_id": p, "pred_preferred_id": c, "confidence": f} for p, c, f in answers))
    )
    return tmp_path


def tb(*arguments: str | Path) -> Result:
    result = CliRunner().invoke(main, [str(argument) for argument in arguments])
    assert result.exception is None or isinstance(result.exception, SystemExit), result.exception
    return result


def tb_score(folder: Path, *more: str | Path, out: str = "metrics.json") -> Result:
    tables: list[str | Path] = ["--pairs", folder / "pairs.csv", "--gold", folder / "gold.csv"]
    return tb("score", folder / "preds.csv", *tables, "--out", folder / out, *more)


def metrics_of(folder):
    return json.loads((folder / "metrics.json").read_text(encoding="utf-8"))


def test_metrics_and_summary(folder):
    result = tb_score(folder)
    assert result.exit_code == 0, result.output
    lines = result.output.splitlines()
    assert lines[0] == "Tier primary_human_expert, split test: n = 3 pairs"
    # Wilson 95 % of 1 in 3, by the published formula: 0.0615 to 0.7923.
    assert lines[1] == "Accuracy 0.333 (n = 3, 95 % interval 0.061 to 0.792)"
    assert "Counted wrong: 1 missing, 0 abstained, 0 unknown_item" in lines
    # |1 - 0.9| and |0 - 0.6| over two predictions: 0.35.
    assert "ECE 0.350 (n = 2)" in lines
    metrics = metrics_of(folder)
    assert metrics["pairwise_acc"]["correct"] == 1
    assert metrics["digests"]["preds"]["file"] == "preds.csv"


def test_the_score_never_stands_without_floors_and_diagnostics(folder):
    output = tb_score(folder).output
    assert "Floors: random_seed42 " in output
    assert "neither floors nor ceilings: always_item_a 1.000, always_item_b 0.000" in output
    assert "leak_prefer_good_token undefined (file names are in the items table" in output


def test_items_make_the_file_name_diagnostic_known(folder):
    names = [each[side] for each in PAIRS for side in ("item_a", "item_b")]
    (folder / "items.csv").write_bytes(items_csv(*({"item_id": name} for name in names)))
    assert tb_score(folder, "--items", folder / "items.csv").exit_code == 0
    assert metrics_of(folder)["diagnostics"]["leak_prefer_good_token"]["value"] is not None


def test_simulation_is_the_first_word(folder):
    text = (folder / "gold.csv").read_text()
    text = text.replace("study_human_expert", "simulation").replace("primary_human_expert", "simulation")
    (folder / "gold.csv").write_text(text)
    assert tb_score(folder).output.startswith("SIMULATION: made-up labels")


def test_an_empty_split_is_undefined_with_its_reason(folder):
    result = tb_score(folder, "--split", "dev")
    assert result.exit_code == 0
    assert "Accuracy undefined (no gold row is left to score (3 other_split))" in result.output
    assert "choose one with --split" in result.output
    assert "Floors" not in result.output  # nothing to say of no pair
    assert metrics_of(folder)["harness_check"]["passed"] is None


def test_conditioned_pairs_and_incomplete_families_are_counted_apart(folder):
    cues = [("c1", "f1", "correct"), ("m1", "f1", "misleading"), ("c2", "f2", "correct")]
    conditioned = [
        each | {"pair_group_id": family, "cue_type": cue, "condition_era": f"era of {each['pair_id']}"}
        for each, (_, family, cue) in zip(ids(*(name for name, _, _ in cues)), cues, strict=True)
    ]
    (folder / "pairs.csv").write_bytes(pairs_csv(*PAIRS, *conditioned))
    rows = [{"pair_id": each["pair_id"], "preferred_id": each["item_a"]} for each in (*PAIRS, *conditioned)]
    (folder / "gold.csv").write_bytes(gold_csv(*rows))
    lines = tb_score(folder).output.splitlines()
    assert lines[0].endswith("n = 3 pairs")
    assert "Figures of their own, not in this n: 3 pairs under a condition" in lines
    # Nothing of family f1 was answered: wrong under both cues, 0 - 0.
    assert "Condition sensitivity 0.000 (complete families: 1, 1 incomplete left out)" in lines


def test_declarations_and_release_are_recorded(folder):
    tb_score(folder, "--declare", "model=m-1", "--declare", "decoding=temperature=0", "--release", "r1")
    metrics = metrics_of(folder)
    assert metrics["declared"] == {"model": "m-1", "decoding": "temperature=0"}
    assert metrics["release"] == "r1"


def test_a_declaration_without_a_key_is_refused(folder):
    result = tb_score(folder, "--declare", "gpt")
    assert result.exit_code == 2
    assert "'gpt' is not KEY=VALUE" in result.output


def test_every_fault_is_listed_and_nothing_is_written(folder):
    (folder / "preds.csv").write_bytes(preds_csv({"pair_id": "P1"}, {"pair_id": "p2"}, {"pair_id": "p2"}))
    (folder / "gold.csv").write_bytes(gold_csv({"agreement": "0.5", "preferred_id": "p1-a"}))
    result = tb_score(folder)
    assert result.exit_code == 2
    assert "gold.csv:2: agreement: “0.5” is no share of 3 raters" in result.output
    assert "preds.csv:4: pair_id:" in result.output
    assert not (folder / "metrics.json").exists()


def test_an_unknown_column_is_a_warning(folder):
    (folder / "preds.csv").write_text("pair_id,pred_preferred_id,reason\np1,p1-a,hierarchy\n")
    result = tb_score(folder)
    assert result.exit_code == 0
    assert "Warning: preds.csv" in result.output
    assert metrics_of(folder)["warnings"]


def test_parquet_scores_like_csv(folder):
    from labeling.tables import PREDS, read_table, write_table

    assert tb_score(folder).exit_code == 0
    from_csv = metrics_of(folder)
    write_table(folder / "preds.parquet", PREDS, read_table(folder / "preds.csv", PREDS), "parquet")
    (folder / "preds.parquet").rename(folder / "preds.csv")
    assert tb_score(folder).exit_code == 0
    from_parquet = metrics_of(folder)
    for metrics in (from_csv, from_parquet):
        del metrics["digests"]
    assert from_parquet == from_csv


def test_neither_django_nor_pandas_is_loaded(folder):
    program = (
        "import sys; from tastebench_site.cli import main; main(sys.argv[1:], standalone_mode=False); "
        "print([each for each in ('django', 'pandas', 'celery') if each in sys.modules])"
    )
    tables = ["--pairs", folder / "pairs.csv", "--gold", folder / "gold.csv"]
    done = subprocess.run(
        [sys.executable, "-c", program, "score", folder / "preds.csv", *tables, "--out", folder / "m.json"],
        cwd=ROOT,
        capture_output=True,
        text=True,
        check=True,
    )
    assert done.stdout.splitlines()[-1] == "[]"


@pytest.fixture(scope="module")
def real_gold(tmp_path_factory):
    """Gold of a real data set, by `tb gold`."""
    folder = tmp_path_factory.mktemp("real")

    def make(name):
        gold = folder / f"{name}.csv"
        if not gold.exists():
            tables = [DATA / name / "bench_pairs.csv", DATA / name / "judgments.csv"]
            made = tb(
                "gold", *tables, "--out", gold, "--report", folder / "r.json", "--tier", "public_reference"
            )
            assert made.exit_code == 0, made.output
        return gold

    return make


def score_real(name, preds, gold, out, *more):
    bench = DATA / name
    tables = ["--pairs", bench / "bench_pairs.csv", "--gold", gold, "--items", bench / "bench_items.csv"]
    result = tb("score", preds, *tables, "--out", out, *more)
    assert result.exit_code == 0, result.output
    return json.loads(out.read_text(encoding="utf-8"))


@needs_data
def test_always_item_a_and_an_oracle_on_lamp(real_gold, tmp_path):
    gold = real_gold("lamp")
    with (DATA / "lamp" / "bench_pairs.csv").open(encoding="utf-8", newline="") as file:
        always_a = [(row["pair_id"], row["item_a"]) for row in csv.DictReader(file)]
    with gold.open(encoding="utf-8", newline="") as file:
        oracle = [(row["pair_id"], row["preferred_id"]) for row in csv.DictReader(file)]
    scores = {}
    for name, answers in (("always_a", always_a), ("oracle", oracle)):
        preds = tmp_path / f"{name}.csv"
        preds.write_text("pair_id,pred_preferred_id\n" + "".join(f"{p},{c}\n" for p, c in answers))
        scores[name] = score_real("lamp", preds, gold, tmp_path / "m.json", "--split", "all")
    # 600 gold pairs, of which 243 prefer item_a: 0.405.
    assert scores["always_a"]["pairwise_acc"]["value"] == 0.405
    assert scores["always_a"]["diagnostics"]["always_item_a"]["value"] == 0.405
    assert scores["oracle"]["pairwise_acc"]["value"] == 1.0
    assert scores["oracle"]["n_eval"] == 600
    # Ids such as lamp-001_human_edited give the better item away; the metrics must say so.
    assert "leak_prefer_good_token" in scores["oracle"]["diagnostics_beating_chance"]


@needs_data
@pytest.mark.parametrize("judge", ["gpt-3.5-turbo", "pandalm-7b"])
def test_a_real_judge_is_charged_for_each_abstention(judge, real_gold, tmp_path):
    gold = real_gold("pandalm")
    preds = DATA / "pandalm" / f"preds_{judge}.csv"
    metrics = score_real("pandalm", preds, gold, tmp_path / "m.json")
    with gold.open(encoding="utf-8", newline="") as file:
        preferred = {row["pair_id"]: row["preferred_id"] for row in csv.DictReader(file)}
    with preds.open(encoding="utf-8", newline="") as file:
        answers = {row["pair_id"]: row["pred_preferred_id"] for row in csv.DictReader(file)}
    abstained = sum(not answers[pair_id] for pair_id in preferred)
    right = sum(answers[pair_id] == item for pair_id, item in preferred.items())
    assert metrics["n_eval"] == len(preferred) == 863
    assert metrics["non_answers"] == {"missing": 0, "abstained": abstained, "unknown_item": 0}
    assert abstained > 0
    assert metrics["pairwise_acc"]["correct"] == right
    assert metrics["coverage"]["answered"] == 863 - abstained
