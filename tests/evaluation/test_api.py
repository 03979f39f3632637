"""The HTTP API, version 1: releases, submissions and their metrics."""

import pytest
from django.test import Client
from django.urls import reverse

from evaluation.models import Submission
from labeling.models import Role
from tests.evaluation.released import oracle, preds, published, researcher
from tests.factories import client_of, make_user

pytestmark = [pytest.mark.django_db, pytest.mark.usefixtures("private_files")]


@pytest.fixture
def release():
    return published()


@pytest.fixture
def browser():
    return client_of(researcher())


def send(browser, release, upload=None, **more):
    form = {"model_label": "My model", "split": "test", "file": upload or oracle(), **more}
    return browser.post(reverse("api_submit", args=[release.number]), form)


def test_releases_are_listed_with_what_they_are(browser, release):
    answer = browser.get(reverse("api_releases")).json()
    [listed] = answer["results"]
    assert listed.pop("promoted_at")
    assert listed == {
        "number": release.number,
        "title": "Spring",
        "gold_tier": "simulation",
        "is_simulation": True,
        "n_pairs": 4,
        "n_gold": 3,
        "digest": release.digest,
    }


def test_from_the_upload_to_the_metrics(browser, release, finish_jobs):
    sent = send(browser, release)
    assert sent.status_code == 202
    number = sent.json()["id"]
    assert (sent.json()["state"], sent.json()["metrics"]) == ("queued", None)
    finish_jobs()
    answer = browser.get(reverse("api_submission", args=[number])).json()
    assert (answer["state"], answer["error"], answer["release"]) == ("succeeded", "", release.number)
    assert answer["metrics"]["pairwise_acc"]["value"] == 1
    assert answer["metrics"] == Submission.objects.get().metrics
    assert answer["sha256"] == Submission.objects.get().sha256
    [listed] = browser.get(reverse("api_submissions")).json()["results"]
    assert listed == answer


def test_faults_of_the_file_are_told(browser, release, finish_jobs):
    number = send(browser, release, preds("p9,p9-a,1")).json()["id"]
    finish_jobs()
    answer = browser.get(reverse("api_submission", args=[number])).json()
    assert (answer["state"], answer["metrics"]) == ("failed", None)
    assert answer["error"].startswith("preds.csv:2: pair_id:")


@pytest.mark.parametrize(
    ("change", "field"),
    [({"model_label": ""}, "model_label"), ({"split": "exam"}, "split"), ({"file": ""}, "file")],
)
def test_a_malformed_request_is_400_with_its_fields(browser, release, change, field):
    response = browser.post(
        reverse("api_submit", args=[release.number]),
        {"model_label": "m", "split": "test", "file": oracle()} | change,
    )
    assert response.status_code == 400
    assert list(response.json()["fields"]) == [field]
    assert not Submission.objects.exists()


def test_another_type_of_body_is_415(browser, release):
    address = reverse("api_submit", args=[release.number])
    assert browser.post(address, "{}", content_type="application/json").status_code == 415


def test_another_researchers_submission_is_404(browser, release):
    number = send(browser, release).json()["id"]
    other = client_of(researcher())
    assert other.get(reverse("api_submission", args=[number])).status_code == 404
    assert other.get(reverse("api_submissions")).json()["results"] == []
    assert client_of(make_user(Role.ADMIN)).get(reverse("api_submission", args=[number])).status_code == 200


@pytest.mark.parametrize("role", [Role.EXPERT, Role.REVIEWER])
def test_raters_are_403_everywhere(browser, release, role):
    number = send(browser, release).json()["id"]
    rater = client_of(make_user(role))
    for name, args in (("api_releases", []), ("api_submissions", []), ("api_submission", [number])):
        assert rater.get(reverse(name, args=args)).status_code == 403
    assert send(rater, release).status_code == 403
    assert Submission.objects.count() == 1


def test_signed_out_is_refused_in_json(release):
    response = Client().get(reverse("api_releases"))
    assert response.status_code == 403
    assert response.json()["detail"]


def test_a_release_that_is_not_there_is_404(browser):
    assert browser.post(reverse("api_submit", args=[77]), {"model_label": "m"}).status_code == 404


def test_a_session_needs_its_csrf_token(release):
    browser = Client(enforce_csrf_checks=True)
    browser.force_login(researcher())
    assert send(browser, release).status_code == 403
    assert not Submission.objects.exists()
