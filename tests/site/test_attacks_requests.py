"""Requests that no browser of ours sends: answered in a sentence, never by an error of the server."""

import json

import pytest
from django.test import RequestFactory

from gold.forms import PromotionForm
from labeling.models import Role
from labeling.round_forms import RatersForm
from labeling.rounds import close_round
from tastebench_site.wsgi import application
from tests import factories

KINDS = [
    "application/x-www-form-urlencoded",
    "multipart/form-data; boundary=x",
    "application/json",
    "text/plain",
]
HUGE = "9" * 30


@pytest.fixture
def rater(db):
    return factories.make_rater()


@pytest.fixture
def browser(rater):
    return factories.client_of(rater)


def status_of(kind):
    """The status of `GET /help/?page=1` with this Content-Type, asked of what the web server calls."""
    environ = RequestFactory().get("/help/?page=1").environ | {"CONTENT_TYPE": kind}
    told: dict[str, str] = {}

    def start(status, headers, exc_info=None):
        told.update(dict(headers), status=status)
        return told.setdefault  # WSGI's old way to write, used by nobody

    b"".join(application(environ, start))
    assert "default-src 'none'" in told["Content-Security-Policy"]
    return told["status"]


@pytest.mark.django_db
@pytest.mark.parametrize("charset", ["utf-16", "latin-1", "rot13", "zlib", "hex", "undefined", "idna"])
@pytest.mark.parametrize("kind", KINDS)
def test_text_in_another_encoding_than_utf_8_is_refused(kind, charset):
    assert status_of(f"{kind}; charset={charset}") == "400 Bad Request"


@pytest.mark.django_db
@pytest.mark.parametrize("charset", ["utf-8", "UTF8", "no-such-encoding"])
@pytest.mark.parametrize("kind", KINDS)
def test_utf_8_by_any_name_is_taken_and_an_unknown_name_is_passed_over(kind, charset):
    assert status_of(f"{kind}; charset={charset}") == "200 OK"


@pytest.mark.parametrize(
    "path", ["/rubrics/a%00/", "/releases/1/files/%00", "/releases/1/files/bench_gold.csv%00", "/%00"]
)
def test_a_path_with_a_nul_is_not_found(db, path):
    client = factories.client_of(factories.make_user(Role.ADMIN))
    assert client.get(path).status_code == 404


def test_a_showing_named_with_a_nul_is_not_found(rater, browser):
    packet = factories.opened_round(1, [rater]).packets.get()
    page = f"/packets/{packet.pk}/rate/"
    assert browser.get(page, {"showing": "a\0"}).status_code == 404
    assert browser.post(page, {"token": "a\0"}).status_code == 404


@pytest.mark.parametrize("username", ["\0", "somebody\0"])
def test_a_sign_in_name_with_a_nul_matches_nobody(client, db, username):
    sent = json.dumps({"username": username, "password": "x", "packet": 1})
    answer = client.post("/sign-in/inline/", sent, content_type="application/json")
    assert answer.status_code == 400
    assert "do not match" in answer.json()["error"]


@pytest.mark.parametrize("number", [HUGE, "-" + HUGE, str(2**63), "\0", "x"])
def test_numbers_of_rows_that_no_database_holds_are_errors_of_the_form(rater, number):
    draft = factories.make_round(1, [])
    close_round(factories.opened_round(1), actor="test")
    raters = RatersForm({"raters": [number, str(rater.pk)]}, round_=draft)
    also = PromotionForm(draft, {"title": "One", "also": [number]})
    assert "raters" in raters.errors
    assert "also" in also.errors
