"""From an empty folder to a score, twice: through the database and its commands, and on the files alone.

Both ways must give the same gold, row for row, and the same metrics. On the stub always; on real judgments
where ../shared/data is beside the checkout (its counts are in ../shared/reference/README.md).
"""

import io
import json
from collections.abc import Callable, Iterable
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pytest
from click.testing import CliRunner
from django.core.files.uploadedfile import SimpleUploadedFile
from django.core.management import CommandError, call_command

from evaluation.models import Submission
from evaluation.submissions import submit
from fixtures.generate import FIXTURES
from gold.models import GoldAccess, Release
from labeling.models import Role
from labeling.tables import BENCH_GOLD, BENCH_PAIRS, PREDS, Table, read_table, write_table
from tastebench_site.cli import main
from tests.factories import make_user
from tests.shared_data import DATA, needs_data

STUB = FIXTURES / "stub"
RUBRIC = STUB / "rubric_v1.json"
# What differs between the two ways by design: which release was scored, and the bytes that were read.
OF_THE_WAY = {"release", "digests"}

Rows = list[dict[str, str]]
Metrics = dict[str, Any]


@dataclass(frozen=True)
class Trip:
    """One bench brought both ways: `database` and `files` hold its tables, `release` was promoted."""

    database: Path
    files: Path
    release: Release
    finish_jobs: Callable[[], list[Any]]

    def gold(self) -> Rows:
        """The gold of both ways, which must be one."""
        stored, made = (rows(folder / "bench_gold.csv", BENCH_GOLD) for folder in (self.database, self.files))
        assert stored == made
        return stored

    def unanimous(self) -> int:
        """Gold pairs whose raters all agree, as the reports of both ways must say alike."""
        stored, made = (
            json.loads((folder / "report.json").read_text()) for folder in (self.database, self.files)
        )
        assert {**stored, "warnings": []} == {**made, "warnings": []}
        return int(made["overall"]["unanimous"]["k"])

    def score(self, predictions: bytes, split: str) -> Metrics:
        """The metrics of both ways, which must be one."""
        stored, made = self._through_the_database(predictions, split), self._on_files(predictions, split)
        assert figures(stored) == figures(made)
        return stored

    def _through_the_database(self, predictions: bytes, split: str) -> Metrics:
        submission = submit(
            release=self.release,
            owner=make_user(Role.RESEARCHER),
            model_label="a model",
            split=split,
            upload=SimpleUploadedFile("preds.csv", predictions),
        )
        (job,) = self.finish_jobs()
        assert (job.state, job.error) == ("succeeded", "")
        metrics: Metrics | None = Submission.objects.get(pk=submission.pk).metrics
        assert metrics is not None
        assert metrics["release"] == str(self.release.number)
        return metrics

    def _on_files(self, predictions: bytes, split: str) -> Metrics:
        preds, out = self.files / "preds.csv", self.files / "metrics.json"
        preds.write_bytes(predictions)
        tables = ["--pairs", self.files / "bench_pairs.csv", "--gold", self.files / "bench_gold.csv"]
        tables += ["--items", self.files / "bench_items.csv"]
        tb("score", preds, *tables, "--split", split, "--declare", "model=a model", "--out", out)
        metrics: Metrics = json.loads(out.read_text())
        return metrics


@pytest.fixture
def bring(db, settings, tmp_path, finish_jobs) -> Callable[[Path, str], Trip]:
    """A function that brings the bench in a folder both ways, under a tier."""
    settings.STORAGES = settings.STORAGES | {
        "default": {
            "BACKEND": "django.core.files.storage.FileSystemStorage",
            "OPTIONS": {"location": str(tmp_path / "private"), "base_url": None},
        }
    }

    def bring_both_ways(bench: Path, tier: str) -> Trip:
        release, exported = through_the_database(bench, tier, tmp_path / "exported")
        return Trip(exported, on_files(bench, tier, tmp_path / "files"), release, finish_jobs)

    return bring_both_ways


def through_the_database(bench: Path, tier: str, target: Path) -> tuple[Release, Path]:
    manage("import_rubric", RUBRIC)
    manage("import_tables", bench)
    manage(
        "create_round", "trip", "--rubric=rubric_v1", f"--tier={tier}", f"--tables={bench.name}", "--closed"
    )
    manage("import_judgments", "trip", bench / "judgments.csv")
    assert "0 judgments" in manage("import_judgments", "trip", bench / "judgments.csv")
    manage("promote", "trip", "--title=Round trip")
    release = Release.objects.get()
    manage("export_release", release.number, target)
    assert "agree" in manage("verify_release", release.number)
    assert "agree" in tb("verify", target, "--digest", release.digest)
    return release, target


def on_files(bench: Path, tier: str, target: Path) -> Path:
    target.mkdir()
    for name in ("bench_items.csv", "bench_pairs.csv"):
        (target / name).write_bytes((bench / name).read_bytes())
    written = ["--out", target / "bench_gold.csv", "--report", target / "report.json", "--tier", tier]
    tb("gold", bench / "bench_pairs.csv", bench / "judgments.csv", *written)
    return target


def manage(command: str, *arguments: object) -> str:
    said = io.StringIO()
    call_command(command, *[str(argument) for argument in arguments], stdout=said)
    return said.getvalue()


def tb(*arguments: object) -> str:
    result = CliRunner().invoke(main, [str(argument) for argument in arguments], catch_exceptions=False)
    assert result.exit_code == 0, result.output
    return result.output


def rows(path: Path, table: Table) -> Rows:
    frame = read_table(path, table)
    texts = [frame.text(name) for name in table.names]
    return [dict(zip(table.names, cells, strict=True)) for cells in zip(*texts, strict=True)]


def figures(metrics: Metrics) -> Metrics:
    return {name: value for name, value in metrics.items() if name not in OF_THE_WAY}


def predictions(choices: Iterable[tuple[str, str]]) -> bytes:
    target = io.BytesIO()
    cells = ({"pair_id": pair_id, "pred_preferred_id": item_id} for pair_id, item_id in choices)
    write_table(target, PREDS, cells, columns=["pair_id", "pred_preferred_id"])
    return target.getvalue()


def always_item_a(trip: Trip) -> bytes:
    pairs = rows(trip.files / "bench_pairs.csv", BENCH_PAIRS)
    return predictions((pair["pair_id"], pair["item_a"]) for pair in pairs)


def oracle(trip: Trip) -> bytes:
    return predictions((row["pair_id"], row["preferred_id"]) for row in trip.gold())


def test_the_stub(bring):
    trip = bring(STUB, "simulation")
    gold = trip.gold()
    assert len(gold) == 19
    assert {(row["gold_tier"], row["data_origin"]) for row in gold} == {("simulation", "simulation")}
    chance = trip.score((STUB / "preds_chance.csv").read_bytes(), "test")
    # fixtures/README.md: right on 8 of the 19, and (0.55 + 0.65 + 0.70 + 0.55) / 19 over the bins.
    assert (chance["simulation"], chance["pairwise_acc"]["correct"], chance["n_eval"]) == (True, 8, 19)
    assert chance["ece"]["value"] == pytest.approx(2.45 / 19)
    assert trip.score((STUB / "preds_oracle.csv").read_bytes(), "test")["pairwise_acc"]["value"] == 1.0


def test_a_simulation_cannot_pass_for_gold_of_experts(bring):
    with pytest.raises(CommandError, match="The data are simulated"):
        bring(STUB, "primary_human_expert")
    assert not Release.objects.exists()


@needs_data
def test_professional_writers(bring):
    """`lamp`: 600 pairs, each ranked by 3 of 13 writers; 428 unanimous; 243 of 600 preferred in A."""
    trip = bring(DATA / "lamp", "public_reference")
    gold = trip.gold()
    assert len(gold) == 600
    assert {row["gold_tier"] for row in gold} == {"public_reference"}
    assert trip.unanimous() == 428
    always = trip.score(always_item_a(trip), "all")
    assert (always["n_eval"], always["pairwise_acc"]["value"]) == (600, 0.405)
    assert always["diagnostics"]["always_item_a"]["value"] == 0.405
    assert trip.score(oracle(trip), "all")["pairwise_acc"]["value"] == 1.0
    assert (
        GoldAccess.objects.filter(release_number=trip.release.number, what__startswith="scored").count() == 2
    )


@needs_data
def test_annotators_who_could_abstain(bring):
    """`pandalm`: 863 of 999 pairs have three votes. Items are texts such as `true`, some of them empty."""
    trip = bring(DATA / "pandalm", "public_reference")
    assert len(trip.gold()) == 863
    assert trip.unanimous() == 794
    # Two judges that answer in words: what they abstained from is counted wrong, both ways alike.
    for judge in ("pandalm-7b", "gpt-3.5-turbo"):
        scored = trip.score((DATA / "pandalm" / f"preds_{judge}.csv").read_bytes(), "test")
        assert scored["n_eval"] == 863


@needs_data
def test_a_crowd_on_screenshots(bring):
    """`calista`: 110 of 122 pairs are gold, 60 of them preferred in A (0.5455)."""
    trip = bring(DATA / "calista", "crowd_reference")
    gold = trip.gold()
    assert len(gold) == 110
    assert {row["gold_tier"] for row in gold} == {"crowd_reference"}
    assert trip.unanimous() == 47
    assert trip.score(always_item_a(trip), "all")["pairwise_acc"]["correct"] == 60
