"""Consent: asked once a version, before anything to rate is shown."""

import json
import uuid

import pytest
from django.test import Client
from django.urls import reverse

from labeling import consent
from labeling.models import Consent, ConsentText, JudgmentEvent, Role, RoleGrant
from tests.factories import client_of, make_user, opened_packet, showings_of

pytestmark = pytest.mark.django_db


@pytest.fixture
def packet():
    """The packet of a rater who was not asked yet."""
    packet = opened_packet()
    Consent.objects.all().delete()
    return packet


def agree(browser, *, version=1):
    return browser.post(reverse("consent"), {"version": version, "agree": "on"})


def test_a_first_text_is_there_and_readable(packet):
    page = client_of(packet.rater).get(reverse("consent"))
    text = page.content.decode()
    assert "<h3>What is kept</h3>" in text
    assert "version 1" in text
    assert text.count("<h1") == 1


def test_nothing_to_rate_is_shown_before_consent(packet):
    browser = client_of(packet.rater)
    [first, *_] = showings_of(packet)
    for address in (
        reverse("home"),
        reverse("rate", args=[packet.pk]),
        reverse("answers", args=[packet.pk]),
        reverse("finish", args=[packet.pk]),
        reverse("rendition", args=[first.left_token]),
        reverse("showing", args=[first.token]),
    ):
        answer = browser.get(address)
        assert (answer.status_code, answer.headers["Location"]) == (302, reverse("consent")), address
    told = browser.get(reverse("showing", args=[first.token]), headers={"Accept": "application/json"})
    assert (told.status_code, told.json()) == (403, {"consent_url": reverse("consent")})


def test_an_answer_without_consent_is_refused_and_not_stored(packet):
    answer = client_of(packet.rater).post(
        reverse("showing_events", args=[showings_of(packet)[0].token]),
        json.dumps({"event_id": str(uuid.uuid4()), "kind": "vote", "choice": "left"}),
        content_type="application/json",
    )
    assert (answer.status_code, answer.json()) == (403, {"consent_url": reverse("consent")})
    assert not JudgmentEvent.objects.exists()


def test_who_agrees_can_rate_and_it_is_recorded(packet):
    browser = client_of(packet.rater)
    assert agree(browser).headers["Location"] == reverse("home")
    given = Consent.objects.get()
    assert (given.user, given.text.version) == (packet.rater.user, 1)
    assert browser.get(reverse("rate", args=[packet.pk])).status_code == 200


def test_without_the_tick_nothing_is_recorded(packet):
    page = client_of(packet.rater).post(reverse("consent"), {"version": 1})
    assert "agree" in page.context["form"].errors
    assert not Consent.objects.exists()


def test_agreeing_twice_is_one_consent(packet):
    browser = client_of(packet.rater)
    agree(browser)
    agree(browser)
    assert Consent.objects.count() == 1


def test_a_new_version_asks_everybody_again_and_keeps_what_was_agreed(packet):
    browser = client_of(packet.rater)
    agree(browser)
    admin = make_user(Role.ADMIN)
    page = client_of(admin).post(reverse("consent_text"), {"text": "# New\r\n\r\nOther *words*."})
    assert page.headers["Location"] == reverse("consent_text")
    assert browser.get(reverse("home")).headers["Location"] == reverse("consent")
    assert "<em>words</em>" in browser.get(reverse("consent")).content.decode()
    agree(browser, version=2)
    assert browser.get(reverse("home")).status_code == 200
    given = Consent.objects.filter(user=packet.rater.user).order_by("pk")
    assert list(given.values_list("text__version", flat=True)) == [1, 2]


def test_the_version_that_was_shown_is_agreed_to_and_no_later_one(packet):
    browser = client_of(packet.rater)
    consent.publish("Other words.", by=make_user(Role.ADMIN))
    assert agree(browser, version=1).headers["Location"] == reverse("consent")
    assert not Consent.objects.filter(user=packet.rater.user).exists()


def test_publishing_the_same_text_again_is_refused():
    admin = make_user(Role.ADMIN)
    page = client_of(admin).post(reverse("consent_text"), {"text": ConsentText.objects.get().text})
    assert "present text" in page.context["form"].errors["text"][0]
    assert ConsentText.objects.count() == 1


def test_a_text_cannot_bring_scripts_to_raters():
    text = consent.publish("<script>alert(1)</script> [x](javascript:alert(1)) fine", by=make_user("admin"))
    markup = consent.as_html(text)
    assert "<script" not in markup
    assert "href" not in markup
    assert "fine" in markup


def test_who_does_not_judge_is_not_asked():
    for role in (Role.ADMIN, Role.RESEARCHER):
        user = make_user(role)
        assert client_of(user).get(reverse("home")).status_code == 200
    assert Client().get(reverse("consent")).status_code == 302  # to the sign-in


def test_an_admin_who_also_rates_is_asked_where_rating_begins(packet):
    RoleGrant.objects.create(user=packet.rater.user, role=Role.ADMIN)
    browser = client_of(packet.rater)
    assert browser.get(reverse("rounds")).status_code == 200
    assert browser.get(reverse("rate", args=[packet.pk])).headers["Location"] == reverse("consent")


def test_account_and_sign_out_are_open_before_consent(packet):
    browser = client_of(packet.rater)
    for name in ("account", "account_password", "account_data"):
        assert browser.get(reverse(name)).status_code == 200
    assert browser.post(reverse("logout")).status_code == 302


def test_erasing_the_person_erases_the_consent(packet):
    consent.give(packet.rater.user, ConsentText.objects.get())
    packet.rater.user.delete()
    assert not Consent.objects.exists()
