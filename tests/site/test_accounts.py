"""Signing in and out, and in place beside an answer that waits."""

import json
import uuid

import pytest
from django.test import Client
from django.urls import reverse

from labeling.models import JudgmentEvent, Role, RoleGrant, User
from tests.factories import (
    PASSWORD,
    client_of,
    make_rater,
    make_user,
    opened_packet,
    opened_round,
    showings_of,
)

pytestmark = pytest.mark.django_db


@pytest.fixture
def packet():
    return opened_packet()


def inline(browser, *, body=None, **sent):
    return browser.post(
        reverse("sign_in_inline"), json.dumps(sent) if body is None else body, content_type="application/json"
    )


def is_signed_in(browser):
    return browser.get(reverse("home")).status_code == 200


# --- on the page ---------------------------------------------------------------------------------


def test_a_wrong_password_is_told_and_signs_nobody_in():
    user, browser = make_user(), Client()
    response = browser.post(reverse("login"), {"username": user.username, "password": "wrong"})
    assert response.status_code == 200
    assert response.context["form"].errors
    assert not is_signed_in(browser)


def test_an_unknown_name_looks_like_a_wrong_password():
    user = make_user(username="known")
    told = [
        Client().post(reverse("login"), {"username": name, "password": "wrong"}).context["form"].errors
        for name in (user.username, "unknown")
    ]
    assert told[0] == told[1]


def test_a_deactivated_account_cannot_sign_in():
    user, browser = make_user(is_active=False), Client()
    browser.post(reverse("login"), {"username": user.username, "password": PASSWORD})
    assert not is_signed_in(browser)


def test_an_account_without_a_password_cannot_sign_in():
    User.objects.create_user("imported", roles=(Role.EXPERT,))
    browser = Client()
    for password in ("", "None", "!"):
        browser.post(reverse("login"), {"username": "imported", "password": password})
        assert not is_signed_in(browser)


@pytest.mark.parametrize("address", ["https://evil.example/", "//evil.example/", "javascript:alert(1)"])
def test_signing_in_leads_nowhere_else(address):
    user = make_user()
    response = Client().post(
        reverse("login"), {"username": user.username, "password": PASSWORD, "next": address}
    )
    assert response.headers["Location"] == reverse("home")


def test_signing_out_is_a_post_and_ends_the_session(packet):
    browser = client_of(packet.rater)
    assert browser.get(reverse("logout")).status_code == 405
    assert is_signed_in(browser)
    assert browser.post(reverse("logout")).headers["Location"] == reverse("login")
    assert not is_signed_in(browser)


def test_a_role_taken_away_counts_from_the_next_request():
    user = make_user(Role.ADMIN)
    browser = client_of(user)
    assert browser.get(reverse("rounds")).status_code == 200
    RoleGrant.objects.filter(user=user).delete()
    assert browser.get(reverse("rounds")).status_code == 403


def test_a_person_with_two_roles_sees_both_parts():
    packet = opened_packet()
    RoleGrant.objects.create(user=packet.rater.user, role=Role.RESEARCHER)
    page = client_of(packet.rater).get(reverse("home"))
    assert page.context["is_rater"]
    assert page.context["is_researcher"]
    assert packet.round.name in page.content.decode()


# --- in place ------------------------------------------------------------------------------------


def test_the_packets_rater_signs_in_and_the_kept_answer_is_stored(packet):
    browser = Client(enforce_csrf_checks=True)
    token = browser.get(reverse("csrf")).json()["csrf_token"]
    response = browser.post(
        reverse("sign_in_inline"),
        json.dumps({"username": packet.rater.user.username, "password": PASSWORD, "packet": packet.pk}),
        content_type="application/json",
        headers={"X-CSRFToken": token},
    )
    assert response.status_code == 200
    assert response.json()["rater_matches"] is True
    stored = browser.post(
        reverse("showing_events", args=[showings_of(packet)[0].token]),
        json.dumps({"event_id": str(uuid.uuid4()), "kind": "vote", "choice": "left"}),
        content_type="application/json",
        headers={"X-CSRFToken": response.json()["csrf_token"]},
    )
    assert stored.status_code == 201


def test_a_name_is_the_same_however_it_is_composed():
    """An accented letter is one character or two, by the keyboard of the day."""
    rater = make_rater(username="ren\u00e9e")
    packet = opened_round(1, [rater]).packets.get()
    answer = inline(Client(), username="rene\u0301e", password=PASSWORD, packet=packet.pk)
    assert answer.json()["rater_matches"] is True


def test_another_rater_is_refused_and_stays_signed_out(packet):
    other, browser = make_rater(), Client()
    response = inline(browser, username=other.user.username, password=PASSWORD, packet=packet.pk)
    assert response.status_code == 403
    assert "belongs to another account" in response.json()["error"]
    assert not is_signed_in(browser)
    assert not JudgmentEvent.objects.exists()


def test_another_rater_with_a_wrong_password_learns_nothing_of_the_packet(packet):
    other, browser = make_rater(), Client()
    for username in (other.user.username, packet.rater.user.username, "unknown"):
        response = inline(browser, username=username, password="wrong", packet=packet.pk)
        assert response.status_code == 400
        assert response.json() == {"error": "Sign-in name and password do not match."}
    assert not is_signed_in(browser)


@pytest.mark.parametrize("number", [10**30, -1, 0])
def test_a_packet_that_is_not_there_is_nobodys(packet, number):
    response = inline(Client(), username=packet.rater.user.username, password=PASSWORD, packet=number)
    assert response.status_code == 403


@pytest.mark.parametrize(
    "body",
    [
        "",
        "[]",
        "7",
        "null",
        "{}",
        '{"username": "a", "password": "b"}',
        '{"username": "a", "password": "b", "packet": "x"}',
        '{"username": "a", "password": "b", "packet": null}',
        '{"username": "a", "password": "b", "packet": [1]}',
        '{"username": "a", "password": "b", "packet": 1e999}',
        '{"username": "\\u0000", "password": "b", "packet": 1}',
        '{"username": "\\ud800", "password": "b", "packet": 1}',
        '{"username": "a", "password": "\\ud800", "packet": 1}',
        "[" * 100_000,
        b"\xff",
    ],
)
def test_a_malformed_request_is_400(packet, body):
    make_user(username="a")
    assert inline(Client(), body=body).status_code == 400


def test_csrf_tokens_are_kept_by_no_cache(packet):
    response = client_of(packet.rater).get(reverse("csrf"))
    assert set(response.json()) == {"csrf_token"}
    assert "no-store" in response.headers["Cache-Control"]


def test_without_a_csrf_token_nothing_is_stored(packet):
    browser = Client(enforce_csrf_checks=True)
    browser.force_login(packet.rater.user)
    for address in (reverse("showing_events", args=[showings_of(packet)[0].token]), reverse("logout")):
        assert browser.post(address, "{}", content_type="application/json").status_code == 403
    assert is_signed_in(browser)
