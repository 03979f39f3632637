"""The fixture benches hold what fixtures/README.md says, and score as derived there."""

import json
import re
from collections import Counter
from collections.abc import Callable
from functools import cache
from pathlib import Path

import pytest
from click.testing import CliRunner
from PIL import Image, ImageChops, ImageStat

from fixtures.generate import FIXTURES, generate
from fixtures.stub import numbered_pairs
from labeling.tables import (
    BENCH_GOLD,
    BENCH_ITEMS,
    BENCH_PAIRS,
    BENCH_WEAK,
    JUDGMENTS,
    LABEL_AGGREGATES,
    PREDS,
    Frame,
    read_table,
)
from labeling.tables.contract import CUE_TYPES, PLACEHOLDER_LICENSE, Table
from labeling.tables.references import check_bench, check_pair_ids
from tastebench_site.cli import main

STUB = FIXTURES / "stub"
CUES = FIXTURES / "cue_families"
LABELLED = FIXTURES / "cue_families_labelled"
BENCHES = (STUB, CUES, LABELLED)
TELLING = re.compile(
    r"good|bad|best|worse|better|strong|weak|win|lose|first|second|composed|muddled|distinct|clean|messy",
    re.IGNORECASE,
)
# A different build of an encoder may round otherwise; a different drawing differs by far more.
SAME_PICTURE = 1.0


def table(folder: Path, name: str, contract: Table) -> Frame:
    return read_table(folder / f"{name}.csv", contract)


def rows(frame: Frame) -> list[dict[str, str]]:
    texts = [frame.text(name) for name in frame.columns]
    return [dict(zip(frame.columns, cells, strict=True)) for cells in zip(*texts, strict=True)]


@pytest.fixture(scope="module")
def built(tmp_path_factory: pytest.TempPathFactory) -> Callable[[Path], Path]:
    """The folder with `gold.csv` and `aggregates.csv` that `tb gold` makes of a bench, made once a bench."""

    @cache
    def of(folder: Path) -> Path:
        out = tmp_path_factory.mktemp(folder.name)
        written = ["--out", out / "gold.csv", "--report", out / "report.json"]
        run("gold", *bench(folder), *written, "--aggregates", out / "aggregates.csv")
        return out

    return of


def bench(folder: Path) -> tuple[Path, Path]:
    return folder / "bench_pairs.csv", folder / "judgments.csv"


def run(*arguments: object) -> None:
    result = CliRunner().invoke(main, [str(argument) for argument in arguments], catch_exceptions=False)
    assert result.exit_code == 0, result.output


def metrics(folder: Path, made: Path, preds: str, split: str = "test"):
    """What `tb score` writes for a prediction file of a bench."""
    out = made / f"{preds}.json"
    tables = ["--pairs", folder / "bench_pairs.csv", "--gold", made / "gold.csv"]
    tables += ["--items", folder / "bench_items.csv"]
    run("score", folder / preds, *tables, "--split", split, "--out", out)
    return json.loads(out.read_text(encoding="utf-8"))


@pytest.fixture(scope="module")
def regenerated(tmp_path_factory: pytest.TempPathFactory) -> Path:
    target = tmp_path_factory.mktemp("fixtures")
    generate(target)
    return target


# --- the files themselves


def test_regenerating_gives_the_committed_tables_byte_for_byte(regenerated):
    committed = sorted(path.relative_to(FIXTURES) for path in FIXTURES.glob("*/*.csv"))
    assert committed == sorted(path.relative_to(regenerated) for path in regenerated.glob("*/*.csv"))
    for path in committed:
        assert (regenerated / path).read_bytes() == (FIXTURES / path).read_bytes(), path


def test_regenerating_gives_the_committed_assets(regenerated):
    committed = sorted(path.relative_to(FIXTURES) for path in FIXTURES.glob("*/assets/*"))
    assert committed == sorted(path.relative_to(regenerated) for path in regenerated.glob("*/assets/*"))
    for path in committed:
        if path.suffix in (".md", ".txt"):
            assert (regenerated / path).read_bytes() == (FIXTURES / path).read_bytes(), path
            continue
        with Image.open(FIXTURES / path) as old, Image.open(regenerated / path) as new:
            assert old.size == new.size
            difference = ImageChops.difference(old.convert("RGB"), new.convert("RGB"))
            assert max(ImageStat.Stat(difference).mean) <= SAME_PICTURE, path


@pytest.mark.parametrize("folder", BENCHES, ids=lambda folder: folder.name)
def test_every_asset_is_used_and_every_reference_leads_to_one(folder):
    refs = table(folder, "bench_items", BENCH_ITEMS).text("uri_or_payload_ref")
    files = [ref for ref in refs if not ref.startswith("text:")]
    assert sorted(files) == sorted(
        path.relative_to(folder).as_posix() for path in (folder / "assets").iterdir()
    )
    assert len(set(files)) == len(files)


@pytest.mark.parametrize("folder", BENCHES, ids=lambda folder: folder.name)
def test_tables_fit_each_other_and_say_that_they_are_simulated(folder):
    items, pairs = table(folder, "bench_items", BENCH_ITEMS), table(folder, "bench_pairs", BENCH_PAIRS)
    check_bench(items, pairs)
    assert set(items.text("license")) == {PLACEHOLDER_LICENSE}
    assert set(items.text("data_origin")) == set(pairs.text("data_origin")) == {"simulation"}
    assert set(items.text("item_id")) == set(pairs.text("item_a")) | set(pairs.text("item_b"))


def test_the_fixtures_stay_small():
    assert sum(path.stat().st_size for path in FIXTURES.rglob("*") if path.is_file()) < 3_000_000


# --- nothing tells which item is better


@pytest.mark.parametrize("folder", BENCHES, ids=lambda folder: folder.name)
def test_ids_and_file_names_are_numbers_only(folder):
    items, pairs = table(folder, "bench_items", BENCH_ITEMS), table(folder, "bench_pairs", BENCH_PAIRS)
    names = [
        *items.text("item_id"),
        *pairs.text("pair_id"),
        *(path.name for path in (folder / "assets").iterdir()),
    ]
    assert not [name for name in names if TELLING.search(name)]
    shape = re.compile(r"(cue_)?(item|pair)_\d{2,3}(\.(png|webp|md|txt))?")
    assert not [name for name in names if not shape.fullmatch(name)]


def test_pictures_carry_no_metadata_and_one_size_a_domain():
    sizes = {"visual": (900, 1200), "brand": (1000, 700)}
    for row in rows(table(STUB, "bench_items", BENCH_ITEMS)):
        if row["domain"] not in sizes:
            continue
        with Image.open(STUB / row["uri_or_payload_ref"]) as picture:
            picture.load()
            assert picture.size == sizes[row["domain"]]
            assert set(picture.info) <= {"background", "timestamp", "duration", "loop"}
            assert not picture.getexif()


def test_prose_is_as_long_as_a_page():
    for row in rows(table(STUB, "bench_items", BENCH_ITEMS)):
        if row["domain"] in ("book", "tech"):
            words = len((STUB / row["uri_or_payload_ref"]).read_text(encoding="utf-8").split())
            assert 120 <= words <= 250, row["item_id"]


def test_format_and_size_of_a_file_hardly_tell_the_preferred_item():
    path = {
        row["item_id"]: STUB / row["uri_or_payload_ref"]
        for row in rows(table(STUB, "bench_items", BENCH_ITEMS))
    }
    gold = [pair for pair in numbered_pairs() if pair.plan.is_gold]
    larger = [path[pair.ahead_id].stat().st_size > path[pair.other_id].stat().st_size for pair in gold]
    assert 0.3 <= sum(larger) / len(larger) <= 0.7
    formats = Counter(
        (path[pair.ahead_id].suffix, path[pair.other_id].suffix)
        for pair in gold
        if path[pair.ahead_id].suffix != path[pair.other_id].suffix
    )
    for (ahead, other), times in formats.items():
        assert abs(times - formats[other, ahead]) <= 2, (ahead, other)


# --- the stub bench


def test_stub_has_the_counts_of_the_paper():
    items, pairs = table(STUB, "bench_items", BENCH_ITEMS), table(STUB, "bench_pairs", BENCH_PAIRS)
    assert Counter(items.text("domain")) == {"visual": 14, "brand": 12, "book": 12, "tech": 12}
    assert Counter(pairs.text("split")) == {"test": 30, "dev": 10, "train": 10}
    assert "ambiguous" not in pairs.text("difficulty")
    assert (
        len({frozenset(sides) for sides in zip(pairs.text("item_a"), pairs.text("item_b"), strict=True)})
        == 50
    )


def test_no_item_is_in_two_splits():
    pairs = rows(table(STUB, "bench_pairs", BENCH_PAIRS))
    splits: dict[str, set[str]] = {}
    for row in pairs:
        for side in ("item_a", "item_b"):
            splits.setdefault(row[side], set()).add(row["split"])
    assert all(len(found) == 1 for found in splits.values())


def test_weak_labels_are_the_ten_train_pairs_for_alignment_only():
    pairs, weak = table(STUB, "bench_pairs", BENCH_PAIRS), table(STUB, "bench_weak", BENCH_WEAK)
    check_pair_ids(weak, pairs, choice="weak_preferred_id")
    train = {row["pair_id"] for row in rows(pairs) if row["split"] == "train"}
    assert set(weak.text("pair_id")) == train
    assert len(weak) == 10
    assert set(weak.text("use_as")) == {"alignment_only"}
    assert set(weak.text("data_origin")) == {"simulation"}


def test_stub_judgments_give_19_gold_test_pairs_and_nothing_else_gold(built):
    split = {row["pair_id"]: row["split"] for row in rows(table(STUB, "bench_pairs", BENCH_PAIRS))}
    labels = rows(table(built(STUB), "aggregates", LABEL_AGGREGATES))
    states: dict[str, Counter[str]] = {"test": Counter(), "dev": Counter(), "train": Counter()}
    for label in labels:
        states[split[label["label_id"]]][label["state"]] += 1
    assert states["test"] == {"gold": 19, "too_few": 8, "tie": 2, "below_gate": 1}
    assert states["dev"] == states["train"] == {"too_few": 10}


def test_stub_sides_are_balanced_in_total_and_in_each_domain(built):
    gold = {row["pair_id"]: row["preferred_id"] for row in rows(table(built(STUB), "gold", BENCH_GOLD))}
    in_a: Counter[str] = Counter()
    n: Counter[str] = Counter()
    for row in rows(table(STUB, "bench_pairs", BENCH_PAIRS)):
        if row["pair_id"] in gold:
            n[row["domain"]] += 1
            in_a[row["domain"]] += gold[row["pair_id"]] == row["item_a"]
    assert n == {"visual": 6, "brand": 4, "book": 5, "tech": 4}
    assert in_a == {"visual": 3, "brand": 2, "book": 3, "tech": 2}


def test_stub_raters_share_the_load_and_see_both_sides():
    judgments = rows(table(STUB, "judgments", JUDGMENTS))
    loads = Counter(row["rater_id"] for row in judgments)
    assert set(loads) == {f"sim_rater_{number:02d}" for number in range(1, 8)}
    assert max(loads.values()) - min(loads.values()) <= 1
    sides = {row["pair_id"]: row["item_a"] for row in rows(table(STUB, "bench_pairs", BENCH_PAIRS))}
    left: Counter[str] = Counter()
    shown: Counter[str] = Counter()
    for row in judgments:
        shown[row["pair_id"]] += 1
        left[row["pair_id"]] += row["shown_left"] == sides[row["pair_id"]]
    assert all(left[pair_id] in (k // 2, (k + 1) // 2) for pair_id, k in shown.items())


def test_chance_file_is_right_on_8_of_19_with_the_derived_calibration_error(built):
    scored = metrics(STUB, built(STUB), "preds_chance.csv")
    assert scored["n_eval"] == 19
    assert scored["simulation"] is True
    assert scored["pairwise_acc"]["value"] == pytest.approx(8 / 19)
    by_domain = {domain: figure["value"] for domain, figure in scored["by_domain"].items()}
    assert by_domain == pytest.approx({"visual": 3 / 6, "brand": 1 / 4, "book": 2 / 5, "tech": 2 / 4})
    # (0.55 + 0.65 + 0.70 + 0.55) / 19; fixtures/README.md has the bins.
    assert scored["ece"]["value"] == pytest.approx(2.45 / 19)
    assert scored["ece"]["n"] == 19


def test_chance_file_answers_all_30_test_pairs():
    preds, pairs = table(STUB, "preds_chance", PREDS), table(STUB, "bench_pairs", BENCH_PAIRS)
    check_pair_ids(preds, pairs, choice="pred_preferred_id")
    assert set(preds.text("pair_id")) == {row["pair_id"] for row in rows(pairs) if row["split"] == "test"}


def test_oracle_file_is_right_everywhere(built):
    scored = metrics(STUB, built(STUB), "preds_oracle.csv")
    assert scored["pairwise_acc"]["value"] == 1.0
    assert scored["ece"]["value"] == 0.0


def test_rubric_covers_every_domain_of_the_stub():
    rubric = json.loads((STUB / "rubric_v1.json").read_bytes())
    assert rubric["rubric_id"] == "rubric_v1"
    assert set(rubric["domains"]) == set(table(STUB, "bench_items", BENCH_ITEMS).text("domain"))
    assert all(domain["cues"] and domain["default_brief"] for domain in rubric["domains"].values())
    assert [(band["from"], band["to"]) for band in rubric["anchors"]] == [
        (0.0, 0.3),
        (0.4, 0.6),
        (0.7, 0.85),
        (0.85, 1.0),
    ]
    assert {"question", "pairwise", "non_criteria", "condition_rule", "guidelines"} <= rubric.keys()


# --- the cue families


@pytest.mark.parametrize("folder", [CUES, LABELLED], ids=lambda folder: folder.name)
def test_ten_families_of_three_cues_with_conditions_from_the_items_tags(folder):
    items = rows(table(folder, "bench_items", BENCH_ITEMS))
    eras = {row["era_tag"] for row in items}
    circles = {circle for row in items for circle in row["circle_tags"].split(";")}
    tags = {row["item_id"]: {row["era_tag"], *row["circle_tags"].split(";")} for row in items}
    families: dict[str, list[dict[str, str]]] = {}
    for row in rows(table(folder, "bench_pairs", BENCH_PAIRS)):
        families.setdefault(row["pair_group_id"], []).append(row)
        condition = row["condition_era"] or row["condition_circle"]
        assert row["split"] == "dev"
        assert bool(condition) == (row["cue_type"] != "null")
        assert row["condition_era"] in {"", *eras}
        assert row["condition_circle"] in {"", *circles}
        fits = sum(condition in tags[row[side]] for side in ("item_a", "item_b"))
        assert fits == (row["cue_type"] == "correct")
    assert len(families) == 10
    for members in families.values():
        assert sorted(row["cue_type"] for row in members) == sorted(CUE_TYPES)
        assert len({(row["item_a"], row["item_b"], row["brief"]) for row in members}) == 1


def test_the_unlabelled_families_carry_no_labels():
    assert sorted(path.name for path in CUES.iterdir()) == ["assets", "bench_items.csv", "bench_pairs.csv"]
    pairs = table(CUES, "bench_pairs", BENCH_PAIRS)
    assert set(pairs.text("agreement")) == set(pairs.text("n_raters")) == {""}


def test_the_labelled_families_are_the_same_bench():
    for name in ("bench_items.csv", "bench_pairs.csv"):
        assert (LABELLED / name).read_bytes() == (CUES / name).read_bytes()


def test_condition_sensitivity_is_one_half_as_derived(built):
    scored = metrics(LABELLED, built(LABELLED), "preds_sensitive.csv", split="dev")
    # Eight complete families: five +1, two 0, one -1. Two lack a gold row under one of the two cues.
    sensitivity = scored["condition_sensitivity"]
    assert sensitivity["value"] == pytest.approx((5 * 1 + 2 * 0 - 1) / 8)
    assert (sensitivity["n_families"], sensitivity["n_incomplete"]) == (8, 2)
    by_cue = {cue: figure["value"] for cue, figure in scored["by_cue_type"].items()}
    assert by_cue == pytest.approx({"null": 7 / 10, "correct": 8 / 9, "misleading": 4 / 9})


def test_targets_of_the_families_are_half_on_each_side_in_each_domain(built):
    gold = {row["pair_id"]: row["preferred_id"] for row in rows(table(built(LABELLED), "gold", BENCH_GOLD))}
    null_rows = [
        row for row in rows(table(LABELLED, "bench_pairs", BENCH_PAIRS)) if row["cue_type"] == "null"
    ]
    n = Counter(row["domain"] for row in null_rows)
    in_a = Counter(row["domain"] for row in null_rows if gold[row["pair_id"]] == row["item_a"])
    assert n == {"visual": 4, "brand": 2, "book": 2, "tech": 2}
    assert in_a == {"visual": 2, "brand": 1, "book": 1, "tech": 1}


def test_headline_of_the_labelled_families_covers_the_null_rows_only(built):
    scored = metrics(LABELLED, built(LABELLED), "preds_sensitive.csv", split="dev")
    assert scored["n_eval"] == 10
    assert scored["pairwise_acc"]["value"] == pytest.approx(0.7)
    assert scored["ece"]["value"] is None
