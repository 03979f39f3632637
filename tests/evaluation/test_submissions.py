"""A prediction file is kept as sent and scored as a job, by the same function as `tb score`."""

import hashlib

import pytest
from django.db import OperationalError

from evaluation.models import Submission
from evaluation.scoring import score_files
from evaluation.submissions import submit
from gold.models import GoldAccess
from labeling.models import Job, Role
from tests.evaluation.released import oracle, preds, published, researcher
from tests.factories import make_user

pytestmark = [pytest.mark.django_db, pytest.mark.usefixtures("private_files")]

# Right, wrong, and p3 left out: 1 of 3.
MIXED = ("p1,p1-a,0.9", "p2,p2-a,0.9")


def sent(upload, *, split="test", release=None, owner=None):
    return submit(
        release=release or published(),
        owner=owner or researcher(),
        model_label="model",
        split=split,
        upload=upload,
    )


def test_the_file_is_kept_byte_for_byte_under_a_name_that_is_ours():
    upload = preds(*MIXED, name="my model (final).csv")
    data = upload.read()
    upload.seek(0)
    submission = sent(upload)
    with submission.file.open("rb") as kept:
        assert kept.read() == data
    assert submission.sha256 == hashlib.sha256(data).hexdigest()
    assert submission.file_name == "my model (final).csv"
    assert "model" not in submission.file.name
    assert (submission.job.state, submission.metrics) == ("queued", None)


def test_when_the_rows_cannot_be_stored_no_file_stays(private_files, monkeypatch):
    release, owner = published(), researcher()
    before = sorted(private_files.rglob("*"))

    def away(*_arguments, **_more):
        raise OperationalError("the database is away")

    monkeypatch.setattr(type(Job.objects), "enqueue", away)
    with pytest.raises(OperationalError):
        sent(oracle(), release=release, owner=owner)
    assert not Submission.objects.exists()
    assert [path for path in sorted(private_files.rglob("*")) if path.is_file()] == [
        path for path in before if path.is_file()
    ]


def test_accuracy_calibration_and_what_was_not_answered(finish_jobs):
    submission = sent(preds(*MIXED))
    [job] = finish_jobs()
    submission.refresh_from_db()
    assert (job.state, job.error, job.result["submission"]) == ("succeeded", "", submission.pk)
    metrics = submission.metrics
    assert metrics["pairwise_acc"]["value"] == pytest.approx(1 / 3)
    assert (metrics["n_eval"], metrics["non_answers"]["missing"]) == (3, 1)
    # Two answers with 0.9 in one bin, one of them right: |0.9 - 0.5| = 0.4.
    assert metrics["ece"]["value"] == pytest.approx(0.4)


def test_the_oracle_scores_one(finish_jobs):
    submission = sent(oracle())
    finish_jobs()
    submission.refresh_from_db()
    assert submission.metrics["pairwise_acc"]["value"] == 1
    assert submission.metrics["harness_check"]["oracle"]["value"] == 1


def test_the_figures_are_those_of_the_released_files(finish_jobs):
    """As `tb score` computes them from the exported tables."""
    release = published()
    files = {}
    for name in ("bench_pairs.csv", "bench_gold.csv", "bench_items.csv"):
        with release.files.get(path=name).file.open("rb") as stored:
            files[name] = stored.read()
    submission = sent(preds(*MIXED), release=release)
    finish_jobs()
    submission.refresh_from_db()
    alone = score_files(
        preds(*MIXED).read(), files["bench_pairs.csv"], files["bench_gold.csv"], files["bench_items.csv"]
    )
    told_by_the_sender = {"declared", "release", "digests"}
    same = alone.keys() - told_by_the_sender
    assert {key: submission.metrics[key] for key in same} == {key: alone[key] for key in same}
    for role, digest in alone["digests"].items():
        assert submission.metrics["digests"][role]["sha256"] == digest["sha256"]


@pytest.mark.parametrize(("split", "n"), [("test", 3), ("all", 3), ("dev", 0)])
def test_the_split_is_the_one_asked_for(finish_jobs, split, n):
    submission = sent(oracle(), split=split)
    finish_jobs()
    submission.refresh_from_db()
    assert submission.metrics["n_eval"] == n
    if not n:
        assert submission.metrics["pairwise_acc"]["value"] is None
        assert "no gold row is left" in submission.metrics["pairwise_acc"]["why"]


@pytest.mark.parametrize(
    ("upload", "told"),
    [
        (lambda: preds("p1,p1-a,0.9", "p9,p9-a,0.9"), "preds.csv:3: pair_id:"),
        (lambda: preds("p1,p1-a,0.9", "p1,p1-b,0.9"), "preds.csv:3: pair_id:"),
        (lambda: preds("p1,p1-a,95%"), "preds.csv:2: confidence:"),
        (lambda: preds("p1,p1-a,1.2"), "preds.csv:2: confidence:"),
        (lambda: preds("p1,p1-a"), "preds.csv:2:"),
        (lambda: preds("p1,p1-a", header="pair_id,answer"), "preds.csv:1:"),
        (lambda: preds("p1;p1-a", header="pair_id;pred_preferred_id"), "preds.csv"),
    ],
)
def test_faults_of_the_file_are_told_with_line_and_cure(finish_jobs, upload, told):
    submission = sent(upload())
    [job] = finish_jobs()
    submission.refresh_from_db()
    assert (job.state, submission.metrics) == ("failed", None)
    assert job.error.startswith(told)
    assert "reference" not in job.error


def test_an_item_not_of_the_pair_counts_as_wrong(finish_jobs):
    submission = sent(preds("p1,p2-b,0.9", "p2,p2-b,0.9", "p3,,"))
    finish_jobs()
    submission.refresh_from_db()
    assert submission.metrics["non_answers"] == {"missing": 0, "abstained": 1, "unknown_item": 1}
    assert submission.metrics["pairwise_acc"]["value"] == pytest.approx(1 / 3)


def test_scoring_again_gives_the_same_figures(finish_jobs):
    submission = sent(preds(*MIXED))
    finish_jobs()
    first = Submission.objects.get().metrics
    Job.objects.filter(pk=submission.job.pk).update(state="queued")  # its end was lost
    [job] = finish_jobs()
    assert job.state == "succeeded"
    assert Submission.objects.get().metrics == first


def test_scoring_reads_gold_and_is_logged(finish_jobs):
    submission = sent(preds(*MIXED))
    finish_jobs()
    logged = GoldAccess.objects.latest("pk")
    assert logged.actor == f"account {submission.owner.pk}"
    assert logged.release_number == submission.release.number
    assert logged.what == f"scored submission {submission.pk}"


def test_who_may_see_a_submission():
    mine, theirs = researcher(), researcher()
    submission = sent(preds(*MIXED), owner=mine)
    seen = {
        "owner": Submission.objects.visible_to(mine),
        "other": Submission.objects.visible_to(theirs),
        "admin": Submission.objects.visible_to(make_user(Role.ADMIN)),
        "expert": Submission.objects.visible_to(make_user(Role.EXPERT)),
    }
    assert {who: list(found) for who, found in seen.items()} == {
        "owner": [submission],
        "other": [],
        "admin": [submission],
        "expert": [],
    }


def test_a_submission_outlives_its_owners_account(finish_jobs):
    submission = sent(preds(*MIXED))
    submission.owner.delete()
    [job] = finish_jobs()
    submission.refresh_from_db()
    assert (job.state, submission.owner) == ("succeeded", None)
    assert submission.metrics["n_eval"] == 3
