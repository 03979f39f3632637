"""The two jobs behind the import page: look at a zip, then store it."""

import io
import zipfile

import pytest
from django.core.files.base import ContentFile
from django.core.files.storage import default_storage

from labeling.importing import staging
from labeling.models import Item, Job, Pair, TableImport
from tests.factories import make_user, webp
from tests.labeling.folders import ITEMS, PAIRS

pytestmark = [pytest.mark.django_db, pytest.mark.usefixtures("private_files")]


def zipped(files):
    target = io.BytesIO()
    with zipfile.ZipFile(target, "w", zipfile.ZIP_DEFLATED) as made:
        for name, data in files.items():
            made.writestr(name, data)
    return target.getvalue()


def tables(items=ITEMS, pairs=PAIRS, top="", **files):
    texts = {"bench_items.csv": "\n".join(items) + "\n", "bench_pairs.csv": "\n".join(pairs) + "\n"}
    return zipped({f"{top}{name}": data for name, data in (texts | files).items()})


@pytest.fixture
def run(finish_jobs):
    """run(kind, zip bytes) → the job, as it ended."""

    def run_(kind, data):
        path = default_storage.save("uploads/upload.zip", ContentFile(data))
        user = make_user("admin")
        Job.objects.create(kind=kind, params={"upload": path, "name": "upload.zip"}, created_by=user)
        [job] = finish_jobs()
        return job

    return run_


def test_the_preview_sums_up_and_stores_nothing(run):
    job = run("preview_tables", tables())
    assert job.state == "succeeded"
    assert (job.result["summary"]["new_items"], job.result["summary"]["new_pairs"]) == (4, 2)
    assert (job.result["errors"], job.result["n_errors"]) == ([], 0)
    assert not Item.objects.exists()
    assert not TableImport.objects.exists()


def test_the_preview_tells_faults_of_the_tables_as_its_result(run):
    job = run("preview_tables", tables(pairs=[PAIRS[0], PAIRS[1].replace("easy", "extreme")]))
    assert job.state == "succeeded"
    assert job.result["summary"] is None
    assert job.result["n_errors"] == 1
    assert job.result["errors"][0].startswith("bench_pairs.csv:2: difficulty:")


@pytest.mark.parametrize("kind", ["preview_tables", "import_tables"])
@pytest.mark.parametrize(
    ("data", "words"),
    [
        (b"no zip", "This is no zip that can be read"),
        (zipped({"../evil.txt": b"x"}), "leaves its folder: ../evil.txt"),
        (zipped({"notes.txt": b"x"}), "The folder holds no bench_items.csv and no bench_pairs.csv"),
        (zipped({}), "The folder holds no bench_items.csv and no bench_pairs.csv"),
        (zipped({"a/b/bench_items.csv": b"x", "c/x.txt": b"x"}), "The folder holds no bench_items.csv"),
    ],
    ids=["no zip", "out", "without tables", "empty", "too deep"],
)
def test_a_zip_that_is_no_folder_of_tables_fails_in_words(run, kind, data, words):
    job = run(kind, data)
    assert job.state == "failed"
    assert words in job.error
    assert "reference" not in job.error
    assert not Item.objects.exists()


def test_the_import_stores_the_files_of_the_zip(run):
    items = [ITEMS[0], "v1,visual,assets/a.png,,,CC-BY-4.0,simulation", *ITEMS[2:]]
    job = run("import_tables", tables(items=items, top="bench/", **{"assets/a.png": webp()}))
    stored = TableImport.objects.get()
    assert (job.state, job.error) == ("succeeded", "")
    assert job.result == {"table_import": stored.pk, "n_items": 4, "n_pairs": 2}
    assert (stored.name, stored.state, stored.job, stored.created_by) == (
        "upload.zip",
        "published",
        job,
        job.created_by,
    )
    assert Item.objects.get(item_id="v1").rendition.kind == "image"


def test_a_refused_import_tells_its_faults_and_stores_nothing(run):
    items = [*ITEMS[:4], "b2,book,assets/missing.txt,,,CC-BY-4.0,simulation"]
    job = run("import_tables", tables(items=items))
    assert job.state == "failed"
    assert job.error.startswith("bench_items.csv:5: uri_or_payload_ref: there is no file assets/missing.txt")
    assert not Item.objects.exists()


def test_a_job_taken_up_again_after_a_kill_stores_everything_once(run, finish_jobs, monkeypatch):
    def die(*_arguments):
        raise SystemExit

    with monkeypatch.context() as dying:
        dying.setattr(staging, "_stage_pairs", die)
        dying.setattr(staging, "withdraw", lambda _: None)
        with pytest.raises(SystemExit):
            run("import_tables", tables())
    assert Item.objects.count() == 4
    Job.objects.update(state="queued")  # as the sweeper does
    [job] = finish_jobs()
    assert job.state == "succeeded"
    assert (Item.objects.count(), Pair.objects.published().count()) == (4, 2)
    assert sorted(TableImport.objects.values_list("state", flat=True)) == ["failed", "published"]


def test_a_job_that_had_finished_unseen_finds_what_it_stored(run, finish_jobs):
    first = run("import_tables", tables()).result
    Job.objects.update(state="queued")  # its last sign of life was lost
    [job] = finish_jobs()
    assert (job.state, job.result) == ("succeeded", first)
    assert TableImport.objects.count() == 1
