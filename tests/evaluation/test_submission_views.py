"""Handing in predictions on a page and reading the score."""

import json
from typing import Any

import pytest
from django.test import Client
from django.urls import reverse

from evaluation.models import Submission
from gold.models import GoldAccess, Release
from labeling.models import Job, Role
from tests.evaluation.released import oracle, preds, published, researcher
from tests.factories import client_of, make_user

pytestmark = [pytest.mark.django_db, pytest.mark.usefixtures("private_files")]

MIXED = ("p1,p1-a,0.9", "p2,p2-a,0.9")  # right, wrong; p3 is missing


@pytest.fixture
def owner():
    return researcher()


@pytest.fixture
def browser(owner):
    return client_of(owner)


@pytest.fixture
def release():
    return published()


def send(browser, release, upload=None, **more):
    form = {"model_label": "My model", "split": "test", "file": upload or preds(*MIXED), **more}
    return browser.post(reverse("submit", args=[release.number]), form)


def page(browser, submission):
    response = browser.get(reverse("submission", args=[submission.pk]))
    assert response.status_code == 200
    return response.content.decode()


def test_from_the_upload_to_the_score(browser, release, finish_jobs):
    response = send(browser, release)
    submission = Submission.objects.get()
    assert response.headers["Location"] == reverse("submission", args=[submission.pk])
    assert (submission.model_label, submission.split) == ("My model", "test")
    waiting = page(browser, submission)
    assert "Scoring predictions" in waiting
    assert reverse("job", args=[submission.job_id]) in waiting
    finish_jobs()
    assert "0.333" in page(browser, submission)


def test_every_headline_figure_stands_on_the_page(browser, release, finish_jobs):
    send(browser, release)
    finish_jobs()
    submission = Submission.objects.get()
    metrics: Any = submission.metrics
    shown = page(browser, submission)
    # Wilson, 1 of 3, z = 1.96: centre (1/3 + z²/6) / (1 + z²/3) = 0.4269, half-width 0.3654.
    low, high = metrics["pairwise_acc"]["interval"]
    assert (round(low, 3), round(high, 3)) == (0.061, 0.792)
    for words in ("Pairwise accuracy", "0.333", "n = 3", "0.061–0.792"):
        assert words in shown
    for words in ("Expected calibration error", "0.400", "Spread over domains", "Condition sensitivity"):
        assert words in shown
    for name, figure in [*metrics["floors"].items(), *metrics["diagnostics"].items()]:
        assert name in shown
        assert "undefined" in shown if figure["value"] is None else f"{figure['value']:.3f}" in shown
    assert "Simulated labels" in shown
    assert "1, counted as wrong" in shown  # p3
    assert metrics["tier"] in shown
    for digest in metrics["digests"].values():
        assert digest["sha256"] in shown
    for sentence in metrics["policy"].split(". "):
        assert sentence.rstrip(".") in shown.replace("&#x27;", "'").replace("&amp;", "&")


def test_a_figure_without_a_value_says_so_and_why(browser, release, finish_jobs):
    send(browser, release, preds("p1,p1-a", header="pair_id,pred_preferred_id"))
    finish_jobs()
    submission = Submission.objects.get()
    metrics: Any = submission.metrics
    assert metrics["ece"]["value"] is None
    shown = page(browser, submission)
    assert "undefined" in shown
    assert metrics["ece"]["why"] in shown
    assert "NaN" not in shown
    assert "None" not in shown


def test_a_split_without_gold_gives_a_page_and_no_number(browser, release, finish_jobs):
    send(browser, release, split="train")
    finish_jobs()
    shown = page(browser, Submission.objects.get())
    assert "no gold row is left to score" in shown


def test_faults_of_the_file_reach_the_page_with_line_and_cure(browser, release, finish_jobs):
    send(browser, release, preds("p1,p1-a,0.9", "p3,p3-a,1.2", "p2,p2-a,<b>95%</b>"))
    [job] = finish_jobs()
    shown = page(browser, Submission.objects.get())
    assert "preds.csv:3: confidence:" in shown
    assert "preds.csv:4: confidence:" in shown
    assert "<b>95%" not in shown
    for line in job.error.splitlines():
        assert line.split(": ")[0] in shown


def test_a_fault_of_ours_gives_a_reference_and_no_details(browser, release, finish_jobs, monkeypatch):
    def break_down(*_arguments, **_more):
        raise ZeroDivisionError("secret detail")

    monkeypatch.setattr("evaluation.submissions.score_files", break_down)
    send(browser, release)
    finish_jobs()
    shown = page(browser, Submission.objects.get())
    assert "Something went wrong (reference" in shown
    assert "secret detail" not in shown


@pytest.mark.parametrize(
    ("change", "field"),
    [
        ({"model_label": ""}, "model_label"),
        ({"model_label": "x" * 201}, "model_label"),
        ({"split": "exam"}, "split"),
        ({"file": ""}, "file"),
        ({"file": None}, "file"),
    ],
)
def test_what_is_missing_is_told_at_its_field(browser, release, change, field):
    form = {"model_label": "m", "split": "test", "file": preds(*MIXED)} | change
    sent = {name: value for name, value in form.items() if value is not None}
    response = browser.post(reverse("submit", args=[release.number]), sent)
    assert list(response.context["form"].errors) == [field]
    assert not Submission.objects.exists()


def test_a_file_over_the_limit_is_told(browser, release, settings):
    settings.UPLOAD_MAX_BYTES = 20
    response = send(browser, release)
    assert response.status_code == 413
    assert "refused it before reading it" in response.content.decode()
    assert not Submission.objects.exists()


def test_metrics_are_downloaded_as_strict_json(browser, release, finish_jobs):
    send(browser, release)
    submission = Submission.objects.get()
    address = reverse("submission_metrics", args=[submission.pk])
    assert browser.get(address).status_code == 404  # not scored yet
    finish_jobs()
    response = browser.get(address)
    assert response.headers["Content-Type"] == "application/json"
    assert response.headers["Content-Disposition"] == f'attachment; filename="metrics-{submission.pk}.json"'
    submission.refresh_from_db()
    assert json.loads(response.content) == submission.metrics


def test_another_researcher_sees_none_of_it(browser, release, finish_jobs):
    send(browser, release)
    finish_jobs()
    submission = Submission.objects.get()
    other = client_of(researcher())
    for name in ("submission", "submission_metrics"):
        assert other.get(reverse(name, args=[submission.pk])).status_code == 404
    assert other.get(reverse("job", args=[submission.job_id])).status_code == 404
    for name in ("submissions", "home"):
        assert "My model" in browser.get(reverse(name)).content.decode()
        assert "My model" not in other.get(reverse(name)).content.decode()


def test_an_admin_sees_every_submission(browser, release, finish_jobs):
    send(browser, release)
    finish_jobs()
    admin = client_of(make_user(Role.ADMIN))
    assert "My model" in admin.get(reverse("submissions")).content.decode()
    assert "0.333" in page(admin, Submission.objects.get())


@pytest.mark.parametrize("role", [Role.EXPERT, Role.REVIEWER])
def test_raters_may_not_open_any_of_it(release, role):
    rater = client_of(make_user(role))
    for address in (reverse("submissions"), reverse("submit", args=[release.number])):
        assert rater.get(address).status_code == 403
        assert rater.post(address, {"model_label": "m"}).status_code == 403
    assert not Submission.objects.exists()


def test_nobody_scores_against_a_release_under_construction(browser, release):
    Release.objects.create(
        number=99,
        title="Not yet",
        gold_tier="simulation",
        is_simulation=True,
        canary="c",
        promoted_at=release.promoted_at,
    )
    assert browser.get(reverse("submit", args=[99])).status_code == 404
    assert browser.get(reverse("submit", args=[98])).status_code == 404


def test_nothing_is_scored_against_an_archival_release(browser, release):
    archival = Release.objects.create(
        number=99,
        title="A panel of agents",
        gold_tier="provisional_agent_panel",
        state="published",
        digest="d",
        canary="c",
        promoted_at=release.promoted_at,
    )
    assert browser.get(reverse("submit", args=[99])).status_code == 404
    assert reverse("submit", args=[99]) not in browser.get(archival.get_absolute_url()).content.decode()
    home = browser.get(reverse("home")).content.decode()
    assert reverse("submit", args=[99]) not in home
    assert reverse("submit", args=[release.number]) in home
    assert [one["number"] for one in browser.get(reverse("api_releases")).json()["results"]] == [
        release.number
    ]
    assert browser.post(reverse("api_submit", args=[99]), {"model_label": "m"}).status_code == 404


def test_the_list_shows_accuracy_n_and_state(browser, release, finish_jobs):
    send(browser, release, model_label="Scored")
    send(browser, release, oracle(), model_label="Oracle")
    finish_jobs()
    send(browser, release, model_label="Waiting")
    response = browser.get(reverse("submissions"))
    listed = [found.model_label for found in response.context["submissions"]]
    assert listed == ["Waiting", "Oracle", "Scored"]
    shown = response.content.decode()
    assert "0.333" in shown
    assert "1.000" in shown


def test_nothing_sent_yet_says_what_to_do(browser):
    assert browser.get(reverse("submissions")).status_code == 200


def test_signed_out_leads_to_sign_in(release):
    address = reverse("submit", args=[release.number])
    assert Client().get(address).headers["Location"] == f"{reverse('login')}?next={address}"
    assert not Job.objects.exists()


def test_erasing_the_person_keeps_the_submission_and_its_score(browser, owner, release, finish_jobs):
    send(browser, release)
    owner.delete()
    [job] = finish_jobs()
    submission = Submission.objects.get()
    assert (job.state, submission.owner) == ("succeeded", None)
    assert submission.metrics is not None
    assert submission.metrics["n_eval"] == 3
    assert GoldAccess.objects.latest("pk").actor == "an erased account"
