"""Pages of releases: who sees what, what is sent, and that it is logged."""

import io
import zipfile

import pytest
from django.core.management import call_command

from gold.models import GoldAccess, Release
from gold.promotion import build_and_publish, promote
from tests.factories import client_of, make_user, silent
from tests.gold.worlds import make_round

pytestmark = [pytest.mark.django_db, pytest.mark.usefixtures("private_files")]

PATHS = ["/releases/", "/releases/1/", "/releases/1/files/bench_gold.csv", "/releases/1/all.zip"]


@pytest.fixture
def release(private_files):
    make_round(votes=("aaa", "abb", "ab"), prefix="")
    call_command("promote", "round-1", title="First", stdout=io.StringIO())
    return Release.objects.get()


def as_role(role):
    return client_of(make_user(role))


def body(response):
    return b"".join(response.streaming_content)


def sent(response):
    """Status, after reading a stream to its end as a server would."""
    if response.streaming:
        body(response)
    return response.status_code


@pytest.mark.parametrize("path", PATHS)
@pytest.mark.usefixtures("release")
def test_admins_and_researchers_see_a_published_release_and_nobody_else(path, client):
    assert sent(as_role("admin").get(path)) == 200
    assert sent(as_role("researcher").get(path)) == 200
    before = GoldAccess.objects.count()
    assert as_role("expert").get(path).status_code == 403
    assert as_role("reviewer").get(path).status_code == 403
    response = client.get(path)
    assert (response.status_code, response.url) == (302, f"/sign-in/?next={path}")
    assert GoldAccess.objects.count() == before


def test_a_release_being_built_is_the_admins_alone():
    promote([make_round()], title="Soon", actor="test")
    admin, researcher = as_role("admin"), as_role("researcher")
    assert "being built" in admin.get("/releases/").content.decode()
    assert "Still being built" in admin.get("/releases/1/").content.decode()
    assert "Soon" not in researcher.get("/releases/").content.decode()
    assert researcher.get("/releases/1/").status_code == 404
    for path in PATHS[2:]:
        assert admin.get(path).status_code == 404
        assert researcher.get(path).status_code == 404


def test_the_list_says_what_is_there_or_why_nothing_is():
    assert "No release yet" in as_role("researcher").get("/releases/").content.decode()


def test_the_page_tells_what_the_release_is(release):
    page = as_role("researcher").get("/releases/1/").content.decode()
    for text in (
        "2 of 3 pairs are gold",
        "Simulation: no claim rests on it",
        release.digest,
        release.canary,
        release.files.get(path="bench_pairs.csv").sha256,
        "/releases/1/files/bench_pairs.csv",
        "/releases/1/submit/",
    ):
        assert text in page
    assert "p1-a" not in page


def test_nothing_is_scored_against_an_archival_release():
    make_round(votes=("aaa",), tier="provisional_agent_panel", origin="public_crowd")
    call_command("promote", "round-1", title="Panel", stdout=io.StringIO())
    page = as_role("researcher").get("/releases/1/").content.decode()
    assert "Archival." in page
    assert "/releases/1/submit/" not in page


def test_a_file_is_sent_as_published_and_logged(release):
    response = as_role("researcher").get("/releases/1/files/bench_gold.csv")
    stored = release.files.get(path="bench_gold.csv")
    with stored.file.open("rb") as file:
        assert body(response) == file.read()
    assert response["Content-Disposition"] == 'attachment; filename="tastebench-release-1-bench_gold.csv"'
    assert response["Content-Length"] == str(stored.n_bytes)
    entry = GoldAccess.objects.get(what="downloaded bench_gold.csv")
    assert (entry.release_number, entry.actor.startswith("account ")) == (1, True)


@pytest.mark.parametrize("path", ["nope.csv", "../1/bench_gold.csv", "%2e%2e/files", "bench_gold.csv/"])
@pytest.mark.usefixtures("release")
def test_only_files_of_the_release_can_be_named(path):
    assert as_role("admin").get(f"/releases/1/files/{path}").status_code == 404
    assert as_role("admin").get("/releases/2/files/bench_gold.csv").status_code == 404


def test_the_zip_holds_every_file_and_is_the_same_each_time(release):
    researcher = as_role("researcher")
    first, second = (body(researcher.get("/releases/1/all.zip")) for _ in range(2))
    assert first == second
    with zipfile.ZipFile(io.BytesIO(first)) as archive:
        assert archive.testzip() is None
        content = {name: archive.read(name) for name in archive.namelist()}
    assert content.keys() == {f"tastebench-release-1/{row.path}" for row in release.files.all()}
    with release.files.get(path="bench_gold.parquet").file.open("rb") as file:
        assert content["tastebench-release-1/bench_gold.parquet"] == file.read()
    assert GoldAccess.objects.filter(what="downloaded all files", release_number=1).count() == 2


@pytest.mark.parametrize("path", PATHS)
@pytest.mark.usefixtures("release")
def test_reading_pages_take_no_posts(path):
    assert as_role("admin").post(path).status_code == 405


def test_the_log_is_the_admins_in_pages_and_by_release(client):
    for number in range(60):
        GoldAccess.objects.create(
            actor=f"account {number}", release_number=1 + number % 2, what="downloaded x"
        )
    admin = as_role("admin")
    page = admin.get("/gold-access/").content.decode()
    assert "1–50 of 60" in page
    assert "account 59" in page
    assert "account 0<" not in page
    assert "account 0<" in admin.get("/gold-access/?page=2").content.decode()
    assert "account 59" not in admin.get("/gold-access/?release=1").content.decode()
    assert admin.get("/gold-access/?release=%C2%B2&page=x").status_code == 200
    for role in ("researcher", "expert", "reviewer"):
        assert as_role(role).get("/gold-access/").status_code == 403
    assert client.get("/gold-access/").status_code == 302


def test_a_replaced_release_points_to_the_newer_one(release):
    round_ = release.rounds.get()
    more = make_round("round-2", votes=("bbb",))
    new = promote([round_, more], title="Second", actor="test", supersedes=release, enqueue=False)
    build_and_publish(new, actor="test", progress=silent())
    researcher = as_role("researcher")
    assert "A newer release replaces this one" in researcher.get("/releases/1/").content.decode()
    assert "Release 1: First" in researcher.get("/releases/2/").content.decode()
