"""The report of a round and the page that promotes it."""

import pytest

from gold.models import GoldAccess, Release
from labeling.models import Job, Round
from tests.factories import client_of, make_user
from tests.gold.worlds import make_pair, make_round

pytestmark = [pytest.mark.django_db, pytest.mark.usefixtures("private_files")]

VOTES = ("aaa", "abb", "aa", "aabb", "aaaabbb")


@pytest.fixture
def admin():
    return client_of(make_user("admin"))


@pytest.mark.parametrize("page", ["promote", "report"])
def test_only_admins(page, client):
    path = f"/rounds/{make_round().pk}/{page}/"
    for role in ("researcher", "expert", "reviewer"):
        assert client_of(make_user(role)).get(path).status_code == 403
        assert client_of(make_user(role)).post(path, {"act": "promote", "title": "T"}).status_code == 403
    assert client.get(path).url == f"/sign-in/?next={path}"
    assert not GoldAccess.objects.exists()
    assert not Release.objects.exists()


def test_the_report_begins_in_words_and_is_logged(admin):
    round_ = make_round(votes=VOTES, prefix="")
    page = admin.get(f"/rounds/{round_.pk}/report/").content.decode()
    assert "2 of 5 test pairs are gold; 1 has too few raters, 2 are split." in page
    # Both gold pairs: one prefers item_a, one item_b; with two, a fair coin cannot be told apart (p = 1).
    assert "1 of 2" in page
    assert "0.500" in page
    entry = GoldAccess.objects.get()
    assert (entry.what, entry.round_slug) == ("read the round report", "round-1")


def test_a_figure_that_has_no_value_says_why(admin):
    round_ = make_round(votes=("a",))
    page = admin.get(f"/rounds/{round_.pk}/report/").content.decode()
    assert "undefined" in page
    assert "No pair was judged by two raters" in page


@pytest.mark.parametrize("state", ["draft", "open"])
def test_no_report_while_raters_answer(admin, state):
    assert admin.get(f"/rounds/{make_round(state=state).pk}/report/").status_code == 404
    assert not GoldAccess.objects.exists()


def test_the_preview_shows_what_would_happen_and_is_logged(admin):
    round_ = make_round(votes=VOTES, prefix="")
    page = admin.get(f"/rounds/{round_.pk}/promote/").content.decode()
    assert "Enter as gold: 2" in page
    assert "4 of 7" in page
    assert "can never be changed or taken back" in page
    assert 'value="Round-1"' in page
    assert not Release.objects.exists()
    assert GoldAccess.objects.get().what == "read the promotion preview"


def test_an_open_round_cannot_be_promoted(admin):
    round_ = make_round(state="open")
    path = f"/rounds/{round_.pk}/promote/"
    page = admin.get(path).content.decode()
    assert "close it first" in page
    assert 'value="promote"' not in page
    assert "close it first" in admin.post(path, {"act": "promote", "title": "T"}).content.decode()
    assert not Release.objects.exists()


def test_nothing_gold_says_why(admin):
    page = admin.get(f"/rounds/{make_round(votes=('aa',)).pk}/promote/").content.decode()
    assert "No pair is gold" in page
    assert 'value="promote"' not in page


def test_promoting_starts_a_job_and_leads_to_it(admin, finish_jobs):
    round_ = make_round(votes=VOTES)
    path = f"/rounds/{round_.pk}/promote/"
    response = admin.post(path, {"act": "promote", "title": "Autumn"})
    job = Job.objects.get()
    assert response.url == f"/jobs/{job.pk}/"
    finish_jobs()
    release = Release.objects.get()
    assert (release.state, release.title, release.n_gold) == ("published", "Autumn", 2)
    assert Round.objects.get().state == "promoted"
    # A second click of the same page finds the round promoted.
    assert "must supersede" in admin.post(path, {"act": "promote", "title": "Autumn"}).content.decode()


def test_a_title_is_asked_for(admin):
    round_ = make_round()
    page = admin.post(f"/rounds/{round_.pk}/promote/", {"act": "promote", "title": " "}).content.decode()
    assert "This field is required" in page
    assert "Enter as gold: 2" in page
    assert not Release.objects.exists()


def test_further_rounds_and_the_replaced_release_are_chosen_on_the_page(admin, finish_jobs):
    pair = make_pair("p1")
    first = make_round("round-1", votes=("aaa",), pairs=[pair])
    admin.post(f"/rounds/{first.pk}/promote/", {"act": "promote", "title": "One"})
    finish_jobs()
    second = make_round("round-2", votes=("bbb",), pairs=[pair])
    make_round("other-tier", tier="crowd_reference", origin="public_crowd")
    make_round("still-open", state="open")
    path = f"/rounds/{second.pk}/promote/"
    page = admin.get(path).content.decode()
    assert "Round-1" in page
    assert "Other-Tier" not in page
    assert "Still-Open" not in page
    old = Release.objects.get()
    choice = {"title": "Two", "also": first.pk, "supersedes": old.pk}
    page = admin.post(path, choice | {"act": "preview"}).content.decode()
    # Without times the later round's answers hold: p1 goes over to item_b.
    assert "Stay gold with the other item preferred: 1" in page
    assert "Were gold and leave: 0" in page
    admin.post(path, choice | {"act": "promote"})
    (job,) = finish_jobs()[-1:]
    assert job.state == "succeeded"
    new = Release.objects.get(number=2)
    assert (new.supersedes, set(new.rounds.all())) == (old, {first, second})


def test_a_promoted_rounds_page_offers_to_replace_its_release(admin, finish_jobs):
    round_ = make_round()
    path = f"/rounds/{round_.pk}/promote/"
    admin.post(path, {"act": "promote", "title": "One"})
    finish_jobs()
    page = admin.get(path).content.decode()
    assert "Were gold and leave: 0" in page
    assert 'value="promote"' in page


def test_a_choice_that_is_not_offered_is_refused(admin):
    round_, other = make_round(), make_round("two", tier="crowd_reference", origin="public_crowd")
    make_round("three")
    response = admin.post(f"/rounds/{round_.pk}/promote/", {"act": "promote", "title": "T", "also": other.pk})
    assert response.status_code == 200
    assert not Release.objects.exists()


def test_a_round_that_is_not_there_is_not_found(admin):
    assert admin.get("/rounds/999/promote/").status_code == 404
    assert admin.get("/rounds/999/report/").status_code == 404
