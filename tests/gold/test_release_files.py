"""A release's folder: what it says of itself, that it is always the same, and that tampering is found."""

import hashlib
import json

import pytest
from click.testing import CliRunner
from django.core.management import CommandError, call_command

from gold.models import GoldAccess, Release
from gold.release_manifest import MANIFEST, SUMS, file_facts, sums_text
from labeling.models import Round
from labeling.rubrics import load_rubric
from labeling.tables import BENCH_GOLD, read_table, write_table
from tastebench_site.cli.verify import verify
from tests.gold.worlds import make_round, shown

pytestmark = [pytest.mark.django_db, pytest.mark.usefixtures("private_files")]

FILES = {
    "RELEASE_MANIFEST.json",
    "SHA256SUMS",
    "bench_gold.csv",
    "bench_gold.parquet",
    "bench_items.csv",
    "bench_items.parquet",
    "bench_pairs.csv",
    "bench_pairs.parquet",
    "judgment_events.csv",
    "judgment_events.parquet",
    "judgments.csv",
    "judgments.parquet",
    "label_aggregates.csv",
    "label_aggregates.parquet",
    "report.json",
    "rubric.json",
}


@pytest.fixture
def folder(private_files, tmp_path):
    """Release 1 as exported: gold for p1 and p2, too few on p3; rater 4 changed an answer on p1."""
    round_ = make_round(votes=("aaa", "abb", "ab"), prefix="", repeat_share="0.100")
    shown(round_, round_.pairs.get(pair_id="p1"), "human_expert_04", "rl")
    call_command("promote", "round-1", title="First", stdout=Quiet())
    call_command("export_release", 1, tmp_path / "out", stdout=Quiet())
    return tmp_path / "out"


class Quiet:
    def write(self, _text):
        pass

    def flush(self):
        pass

    def isatty(self):
        return False


def content(folder):
    return {path.name: path.read_bytes() for path in folder.iterdir()}


def run_verify(folder, *more):
    result = CliRunner().invoke(verify, [str(folder), *more])
    return result.exit_code, result.output


def manifest_of(folder):
    return json.loads((folder / MANIFEST).read_text())


def seal_again(folder):
    """What a careful forger does: make manifest and sums fit the files as they are now."""
    document = manifest_of(folder)
    facts = []
    for entry in document["files"]:
        fact = file_facts(folder, entry["path"])
        entry["sha256"], entry["bytes"] = fact.sha256, fact.n_bytes
        facts.append(fact)
    (folder / MANIFEST).write_text(json.dumps(document))
    (folder / SUMS).write_text(sums_text([*facts, file_facts(folder, MANIFEST)]))


def test_the_folder_holds_these_files_and_its_manifest_names_them(folder):
    assert {path.name for path in folder.iterdir()} == FILES
    document = manifest_of(folder)
    assert {entry["path"] for entry in document["files"]} == FILES - {MANIFEST, SUMS}
    by_path = {entry["path"]: entry for entry in document["files"]}
    gold = (folder / "bench_gold.csv").read_bytes()
    assert by_path["bench_gold.csv"] == {
        "path": "bench_gold.csv",
        "sha256": hashlib.sha256(gold).hexdigest(),
        "bytes": len(gold),
        "rows": 2,
        "holds_gold": True,
    }
    # 3 + 3 + 2 imported events and the two of rater 4; one judgment of each rater and pair.
    assert by_path["judgment_events.csv"]["rows"] == 10
    assert by_path["judgments.csv"]["rows"] == 9
    assert by_path["rubric.json"]["rows"] is None
    assert not by_path["bench_pairs.parquet"]["holds_gold"]


def test_the_rubric_can_be_loaded_again_as_it_was_judged_under(folder):
    rubric = Round.objects.get().rubric
    document = json.loads((folder / "rubric.json").read_text())
    assert document["question"] == rubric.question
    assert list(document["domains"]) == sorted(rubric.domains.values_list("domain", flat=True))
    assert load_rubric(document) == rubric


def test_the_manifest_states_what_the_release_is(folder):
    document = manifest_of(folder)
    release = Release.objects.get()
    del document["files"], document["software"]["version"]
    assert document == {
        "manifest": "tastebench_release",
        "schema_version": 1,
        "number": 1,
        "title": "First",
        "tier": "simulation",
        "simulation": True,
        "archival": False,
        "promoted_at": release.promoted_at.isoformat().replace("+00:00", "Z"),
        "canary": release.canary,
        "supersedes": None,
        "rubric_id": "rubric_v1",
        "min_raters": 3,
        "rounds": [
            {"slug": "round-1", "name": "Round-1", "seed": 7, "raters_per_pair": 3, "repeat_share": 0.1}
        ],
        "software": {"name": "tastebench"},
        "vocabulary": {"license": ["CC-BY-4.0"], "data_origin": ["simulation"]},
        "n_pairs": 3,
        "n_gold": 2,
        "states": {"gold": 2, "too_few": 1, "tie": 0, "below_gate": 0},
    }


def test_the_digest_is_the_manifests(folder):
    assert Release.objects.get().digest == hashlib.sha256((folder / MANIFEST).read_bytes()).hexdigest()


def test_sums_are_in_the_form_that_sha256sum_checks(folder):
    lines = (folder / SUMS).read_text().splitlines()
    assert len(lines) == len(FILES) - 1
    for line in lines:
        digest, name = line.split("  ")
        assert hashlib.sha256((folder / name).read_bytes()).hexdigest() == digest


def test_exported_twice_gives_the_same_bytes_and_each_export_is_logged(folder, tmp_path):
    call_command("export_release", 1, tmp_path / "again", stdout=Quiet())
    assert content(tmp_path / "again") == content(folder)
    assert GoldAccess.objects.filter(what="exported all files", release_number=1).count() == 2


def test_export_refuses_a_folder_that_holds_something(folder):
    before = content(folder)
    with pytest.raises(CommandError, match="not empty"):
        call_command("export_release", 1, folder)
    assert content(folder) == before


def test_export_never_hands_out_a_changed_file(folder, tmp_path, private_files):
    stored = private_files / "releases/1/bench_gold.csv"
    stored.write_bytes(stored.read_bytes().replace(b"p1-a", b"p1-b"))
    with pytest.raises(CommandError, match=r"bench_gold\.csv in storage is not the published file"):
        call_command("export_release", 1, tmp_path / "again")
    assert not (tmp_path / "again").exists()
    stored.unlink()
    with pytest.raises(CommandError, match=r"bench_gold\.csv is missing"):
        call_command("export_release", 1, tmp_path / "again")


def test_an_untouched_folder_agrees(folder):
    digest = Release.objects.get().digest
    code, output = run_verify(folder)
    assert (code, digest in output) == (0, True)
    assert run_verify(folder, "--digest", digest)[0] == 0
    code, output = run_verify(folder, "--digest", "0" * 64)
    assert (code, output.splitlines()[0][:30]) == (1, f"{MANIFEST}: changed"[:30])


@pytest.mark.parametrize("name", sorted(FILES - {MANIFEST}))
def test_one_changed_byte_is_found_and_its_file_named(folder, name):
    path = folder / name
    data = bytearray(path.read_bytes())
    data[len(data) // 2] ^= 1
    path.write_bytes(data)
    code, output = run_verify(folder)
    assert code == 1
    assert f"{name}: changed" in output


def test_missing_and_added_files_are_named(folder):
    (folder / "rubric.json").unlink()
    (folder / "judgments.csv").unlink()
    (folder / "notes.txt").write_text("x")
    code, output = run_verify(folder)
    assert code == 1
    for line in ("rubric.json: missing", "judgments.csv: missing", "notes.txt: added"):
        assert line in output


def test_a_link_to_another_folder_is_an_addition(folder):
    (folder / "more").symlink_to(folder.parent)
    code, output = run_verify(folder)
    assert (code, "more: added" in output) == (1, True)


@pytest.mark.parametrize(
    ("change", "code", "message"),
    [
        ({"min_raters": "3"}, 1, "states a tier, rubric, round, word or minimum of raters that is none"),
        ({"vocabulary": {"license": [5]}}, 1, "states a tier, rubric, round, word"),
        ({"vocabulary": {"split": ["mine"]}}, 1, "extends a list that is closed (split)"),
        ({"rounds": ["round-1"]}, 1, "is not as exports write it"),
        ({"files": [{"path": 5, "sha256": "", "bytes": 0, "rows": 0, "holds_gold": 0}]}, 2, "names no file"),
        ({"files": None}, 2, "cannot be read"),
    ],
)
def test_a_manifest_of_odd_shape_is_told_in_words(folder, change, code, message):
    (folder / MANIFEST).write_text(json.dumps(manifest_of(folder) | change))
    found, output = run_verify(folder)
    assert found == code
    assert message in output


def test_a_folder_without_a_manifest_is_no_release(tmp_path):
    code, output = run_verify(tmp_path)
    assert (code, MANIFEST in output) == (2, True)


def test_gold_that_does_not_follow_from_the_events_is_found_behind_a_forged_manifest(folder):
    path = folder / "bench_gold.csv"
    path.write_text(path.read_text().replace("p2,p2-b", "p2,p2-a"))
    seal_again(folder)
    code, output = run_verify(folder)
    assert code == 1
    assert (
        "bench_gold.csv: preferred_id of pair_id 'p2' is 'p2-a'; by bench_gold.parquet it is 'p2-b'" in output
    )


def test_forged_gold_in_both_formats_is_found(folder):
    frame = read_table(folder / "bench_gold.csv", BENCH_GOLD)
    cells = {name: frame.text(name) for name in BENCH_GOLD.names}
    cells["preferred_id"][1] = "p2-a"
    write_table(folder / "bench_gold.csv", BENCH_GOLD, cells, "csv")
    write_table(folder / "bench_gold.parquet", BENCH_GOLD, cells, "parquet")
    seal_again(folder)
    code, output = run_verify(folder)
    assert code == 1
    assert "bench_gold: preferred_id of pair_id 'p2' is 'p2-a'; by the events it is 'p2-b'" in output


def test_a_report_may_use_other_words_but_no_other_figures(folder):
    path = folder / "report.json"
    path.write_text(path.read_text().replace("are gold", "count as gold"))
    seal_again(folder)
    assert run_verify(folder)[0] == 0
    report = json.loads(path.read_text())
    report["overall"]["states"]["gold"] += 1
    path.write_text(json.dumps(report))
    seal_again(folder)
    code, output = run_verify(folder)
    assert (code, "report.json: holds other figures" in output) == (1, True)


def test_a_forged_release_is_found_by_its_published_digest_alone(folder):
    path = folder / "rubric.json"
    path.write_text(path.read_text().replace("Which is better crafted?", "Which is more famous?"))
    seal_again(folder)
    assert run_verify(folder)[0] == 0
    code, output = run_verify(folder, "--digest", Release.objects.get().digest)
    assert (code, f"{MANIFEST}: changed" in output) == (1, True)


@pytest.mark.usefixtures("folder")
def test_stored_files_are_verified_in_place(private_files, capsys):
    call_command("verify_release", 1)
    assert "all files and labels agree" in capsys.readouterr().out
    stored = private_files / "releases/1/report.json"
    stored.write_bytes(stored.read_bytes() + b" ")
    with pytest.raises(CommandError, match="not what was published") as failed:
        call_command("verify_release", 1)
    assert failed.value.returncode == 1
    assert "report.json: changed" in capsys.readouterr().out
    with pytest.raises(CommandError) as failed:
        call_command("verify_release", 2)
    assert failed.value.returncode == 2


def test_promote_names_what_is_wrong():
    with pytest.raises(CommandError, match=r"no round nope; there are: none"):
        call_command("promote", "nope", title="T")
    make_round(state="open")
    with pytest.raises(CommandError, match="close it first"):
        call_command("promote", "round-1", title="T")
    with pytest.raises(CommandError, match="no release 9"):
        call_command("promote", "round-1", title="T", supersedes=9)
    with pytest.raises(CommandError, match="--title"):
        call_command("promote", "round-1")
    with pytest.raises(CommandError, match="nothing to finish"):
        call_command("promote", finish=1)


def test_a_build_that_was_cut_off_is_finished_by_command(monkeypatch):
    make_round()
    with monkeypatch.context() as patch:
        patch.setattr("gold.promotion.build_folder", _cut_off)
        with pytest.raises(KeyboardInterrupt):
            call_command("promote", "round-1", title="First")
    assert Release.objects.get().state == "building"
    call_command("promote", finish=1, stdout=Quiet())
    assert Release.objects.get().state == "published"


def _cut_off(*_args):
    raise KeyboardInterrupt
