"""One's own account: settings, password, keys, data; a forgotten password."""

import json
from datetime import UTC, datetime

import pytest
from django.core import mail
from django.test import Client
from django.urls import reverse

from labeling.models import AccountAct, JudgmentEvent, Role, User
from labeling.people_forms import key_typed
from tests.factories import PASSWORD, act, client_of, make_rater, make_user, opened_packet, showings_of, vote

pytestmark = pytest.mark.django_db
GOOD = "nine lanterns by the gate"


@pytest.fixture
def user():
    return make_user(Role.RESEARCHER, username="ada", email="ada@example.org")


def save(user, **settings):
    sent = {"full_name": "", "email": "", "theme": "", "time_zone": ""} | settings
    return client_of(user).post(reverse("account"), sent)


# --- settings ------------------------------------------------------------------------------------


def test_name_and_mail_address_are_saved_and_nothing_else_can_be(user):
    save(user, full_name="Ada L.", email="l@example.org", username="eve", is_active="", keys_enabled="")
    user.refresh_from_db()
    assert (user.full_name, user.email, user.username) == ("Ada L.", "l@example.org", "ada")
    assert (user.is_active, user.keys_enabled) == (True, True)


def test_a_faulty_address_is_told_and_the_frame_shows_what_is_stored(user):
    page = save(user, email="nonsense", theme="dark")
    assert "email" in page.context["form"].errors
    assert 'data-account-theme=""' in page.content.decode()
    assert User.objects.get().email == "ada@example.org"


@pytest.mark.parametrize("theme", ["light", "dark"])
def test_the_theme_comes_with_every_page(user, theme):
    save(user, theme=theme)
    page = client_of(user).get(reverse("home")).content.decode()
    assert f'data-account-theme="{theme}" data-theme="{theme}"' in page


def test_without_a_theme_the_system_decides(user):
    assert "data-theme=" not in client_of(user).get(reverse("home")).content.decode()
    assert "data-account-theme" not in Client().get(reverse("help")).content.decode()


@pytest.mark.parametrize(("field", "value"), [("theme", "purple"), ("time_zone", "Mars/Olympus")])
def test_a_setting_that_there_is_not_is_refused(user, field, value):
    page = save(user, **{field: value})
    assert field in page.context["form"].errors


def test_times_are_shown_in_the_zone_of_the_person(user):
    """Noon in Greenwich in January is 21:00 in Tokyo, nine hours ahead, and 07:00 in New York."""
    admin = make_user(Role.ADMIN, time_zone="Asia/Tokyo")
    User.objects.filter(pk=user.pk).update(created_at=datetime(2026, 1, 5, 12, tzinfo=UTC))
    address = reverse("person", args=[user.pk])
    page = client_of(admin).get(address).content.decode()
    assert "2026-01-05 21:00" in page
    assert "Times in Asia/Tokyo" in page
    assert "Times in UTC" in Client().get(reverse("help")).content.decode()
    User.objects.filter(pk=admin.pk).update(time_zone="America/New_York")
    assert "2026-01-05 07:00" in client_of(admin).get(address).content.decode()


def test_a_zone_that_this_system_does_not_know_falls_back(user):
    User.objects.update(time_zone="Old/Zone")
    assert "Times in UTC" in client_of(user).get(reverse("home")).content.decode()


# --- password ------------------------------------------------------------------------------------


def change(browser, old=PASSWORD, new=GOOD):
    sent = {"old_password": old, "new_password1": new, "new_password2": new}
    return browser.post(reverse("account_password"), sent)


def test_a_new_password_holds_here_and_ends_other_sessions(user):
    here, elsewhere = client_of(user), client_of(user)
    assert change(here).status_code == 302
    assert User.objects.get().check_password(GOOD)
    assert here.get(reverse("home")).status_code == 200
    assert elsewhere.get(reverse("home")).status_code == 302
    assert AccountAct.objects.get().act == "password"


@pytest.mark.parametrize(
    ("old", "new"), [("wrong", GOOD), (PASSWORD, "short"), (PASSWORD, "ada@example.org")]
)
def test_a_wrong_old_or_a_weak_new_password_changes_nothing(user, old, new):
    assert change(client_of(user), old, new).context["form"].errors
    assert User.objects.get().check_password(PASSWORD)


# --- keys ----------------------------------------------------------------------------------------


def save_keys(user, **keys):
    return client_of(user).post(reverse("account_keys"), {"left": "", **keys})


def test_changed_keys_are_stored_and_only_those(user):
    save_keys(user, enabled="on", left="a", right="L", undo="u", swap="Space")
    user.refresh_from_db()
    assert user.keys == {"left": "a", "right": "l"}
    assert user.keys_enabled


def test_keys_are_switched_off_and_kept(user):
    save_keys(user, enabled="on", left="a")
    save_keys(user, left="a")
    user.refresh_from_db()
    assert (user.keys_enabled, user.keys) == (False, {"left": "a"})


@pytest.mark.parametrize(
    ("keys", "field"),
    [
        ({"left": "x", "right": "x"}, "right"),
        ({"left": "u"}, "undo"),  # the default of another act
        ({"note": "ab"}, "note"),
        ({"help": "i"}, "help"),  # opens the rubric
    ],
)
def test_keys_that_would_do_two_things_are_refused_beside_their_field(user, keys, field):
    page = save_keys(user, enabled="on", **keys)
    assert list(page.context["form"].errors) == [field]
    user.refresh_from_db()
    assert user.keys == {}


def test_the_space_is_written_as_a_word(user):
    assert [key_typed(text) for text in (" ", "Space", "  space ", "x ", "")] == [" ", " ", " ", "x", ""]
    save_keys(user, enabled="on", left="space", swap="x")
    user.refresh_from_db()
    assert user.keys == {"left": " ", "swap": "x"}
    assert 'value="space"' in client_of(user).get(reverse("account_keys")).content.decode()


# --- data ----------------------------------------------------------------------------------------


def test_the_data_are_ones_own_with_times_and_choices():
    packet = opened_packet(2)
    rater, other = packet.rater, make_rater("somebody_else", email="else@example.org")
    first, second = showings_of(packet)
    vote(first, "left", note="firm lines")
    vote(first, "right", response_ms=900)
    act(second, "skip", reason="too dark")
    answer = client_of(rater).get(reverse("account_data"))
    assert "attachment" in answer.headers["Content-Disposition"]
    data = json.loads(answer.content)
    assert data["account"]["sign_in_name"] == rater.user.username
    assert (data["roles"], data["pseudonym"]) == (["expert"], rater.pseudonym)
    assert [consent["text__version"] for consent in data["consents"]] == [1]
    told = [(a["kind"], a["choice"], a["place"], a["note"], a["reason"]) for a in data["answers"]]
    assert told == [
        ("vote", "left", first.position, "firm lines", ""),
        ("vote", "right", first.position, "", ""),
        ("skip", None, second.position, "", "too dark"),
    ]
    assert data["answers"][1]["replaces"] == data["answers"][0]["event_id"]
    assert data["answers"][1]["response_ms"] == 900
    received = JudgmentEvent.objects.get(pk=data["answers"][0]["event_id"]).received_at
    assert datetime.fromisoformat(data["answers"][0]["received_at"]) == received.replace(
        microsecond=received.microsecond // 1000 * 1000
    )
    text = answer.content.decode()
    for hidden in (first.pair.pair_id, first.pair.item_a.item_id, other.pseudonym, "argon2", "md5$"):
        assert hidden not in text


def test_data_of_who_does_not_judge_has_no_answers(user):
    data = json.loads(client_of(user).get(reverse("account_data")).content)
    assert (data["pseudonym"], data["answers"]) == (None, [])
    assert [entry["act"] for entry in data["log"]] == ["data"]


def test_the_page_says_how_to_be_erased(user):
    assert "To be erased, ask an admin" in client_of(user).get(reverse("account")).content.decode()


# --- a forgotten password ------------------------------------------------------------------------


def forget(address):
    return Client().post(reverse("password_reset"), {"email": address}, follow=True)


def test_the_answer_is_the_same_whether_the_address_is_known_or_not(user):
    known, unknown = forget("ada@example.org"), forget("nobody@example.org")
    assert known.content == unknown.content
    assert known.redirect_chain == unknown.redirect_chain
    assert len(mail.outbox) == 1


def test_the_mailed_link_sets_a_password_once(user):
    forget("ADA@example.org")
    [sent] = mail.outbox
    assert sent.to == ["ada@example.org"]
    assert "account ada." in sent.body
    link = next(line for line in sent.body.splitlines() if line.startswith("http"))
    browser = Client()
    form = browser.get(link, follow=True)
    sent_form = {"new_password1": GOOD, "new_password2": GOOD}
    page = browser.post(form.request["PATH_INFO"], sent_form, follow=True)
    assert page.redirect_chain[-1][0] == reverse("login")
    assert User.objects.get().check_password(GOOD)
    assert "no longer works" in Client().get(link, follow=True).content.decode()


def test_a_weak_password_is_refused_and_the_link_still_works(user):
    forget("ada@example.org")
    link = next(line for line in mail.outbox[0].body.splitlines() if line.startswith("http"))
    browser = Client()
    address = browser.get(link, follow=True).request["PATH_INFO"]
    page = browser.post(address, {"new_password1": "short", "new_password2": "short"})
    assert page.context["form"].errors
    assert User.objects.get().check_password(PASSWORD)
    assert browser.post(address, {"new_password1": GOOD, "new_password2": GOOD}).status_code == 302


def test_no_mail_goes_to_a_deactivated_account(user):
    User.objects.update(is_active=False)
    forget("ada@example.org")
    assert mail.outbox == []


@pytest.mark.parametrize(
    ("code", "token"), [("MQ", "c8-1f"), ("!", "x"), ("OTk5OTk5OTk5OTk5OTk5OTk5OTk5", "c8-1f")]
)
def test_a_link_that_never_was_one_is_told_like_a_used_one(user, code, token):
    page = Client().get(reverse("password_reset_confirm", args=[code, token]))
    assert "no longer works" in page.content.decode()
