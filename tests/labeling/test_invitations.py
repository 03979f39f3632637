"""Invitations: one account a link, whoever tries what with it."""

import logging
import threading
from datetime import timedelta

import pytest
from django.core import mail
from django.core.mail.backends.base import BaseEmailBackend
from django.db import connection
from django.test import Client
from django.urls import reverse
from django.utils import timezone

from labeling import invitations
from labeling.accounts import AccountRefused
from labeling.models import AccountAct, Invitation, Rater, Role, User
from tastebench_site.log_filters import HideLinks
from tests.factories import client_of, give_consent, make_user

pytestmark = pytest.mark.django_db
GOOD = "nine lanterns by the gate"


@pytest.fixture
def admin():
    return make_user(Role.ADMIN, username="the_admin")


@pytest.fixture
def invited(admin):
    """An expert's invitation and its token."""
    return invitations.invite(roles=["expert"], by=admin)


def join(browser, **changed):
    sent = {"username": "ada", "full_name": "", "email": "", "password": GOOD, "password_again": GOOD}
    return browser.post(reverse("join"), sent | changed)


def opened(token):
    """A browser that followed the link."""
    browser = Client()
    assert browser.get(reverse("invitation", args=[token])).headers["Location"] == reverse("join")
    return browser


# --- making --------------------------------------------------------------------------------------


def test_the_link_is_shown_once_and_only_its_digest_is_stored(admin):
    browser = client_of(admin)
    page = browser.post(reverse("invitation_new"), {"roles": ["expert", "researcher"]})
    link = page.context["link"]
    token = link.rstrip("/").rsplit("/", 1)[1]
    assert len(token) >= 43  # 256 bits in base64
    assert page.content.decode().count(token) == 1
    assert page.headers["Cache-Control"] == "no-store"
    stored = Invitation.objects.values().get()
    assert token not in str(stored)
    assert token not in browser.get(reverse("invitation_list")).content.decode()
    assert token not in str(list(AccountAct.objects.values()))
    assert mail.outbox == []


def test_the_link_is_mailed_where_an_address_is_given(admin):
    page = client_of(admin).post(reverse("invitation_new"), {"roles": ["expert"], "email": "ada@example.org"})
    [sent] = mail.outbox
    assert sent.to == ["ada@example.org"]
    assert page.context["link"] in sent.body
    assert "was mailed to ada@example.org" in page.content.decode()


class DeadServer(BaseEmailBackend):
    def send_messages(self, _messages):
        raise ConnectionRefusedError("nobody listens")


def test_a_mail_that_cannot_be_sent_is_told_beside_the_link(admin, settings):
    settings.EMAIL_BACKEND = f"{__name__}.DeadServer"
    page = client_of(admin).post(reverse("invitation_new"), {"roles": ["expert"], "email": "ada@example.org"})
    assert "could not be sent" in page.content.decode()
    assert page.context["link"] in page.content.decode()


@pytest.mark.parametrize("roles", [[], ["emperor"]])
def test_an_invitation_has_roles_that_there_are(admin, roles):
    page = client_of(admin).post(reverse("invitation_new"), {"roles": roles, "email": ""})
    assert "roles" in page.context["form"].errors
    assert not Invitation.objects.exists()


# --- using ---------------------------------------------------------------------------------------


def test_the_invited_makes_an_account_with_the_roles_and_a_pseudonym_and_is_signed_in(invited):
    invitation, token = invited
    browser = opened(token)
    answer = join(browser, full_name="Ada L.", email="ada@example.org")
    assert answer.headers["Location"] == reverse("home")
    user = User.objects.get(username="ada")
    assert user.check_password(GOOD)
    assert (user.full_name, user.email) == ("Ada L.", "ada@example.org")
    assert user.role_names == {"expert"}
    assert user.rater.pseudonym == "human_expert_01"
    assert browser.get(reverse("home")).headers["Location"] == reverse("consent")
    give_consent(user)
    assert browser.get(reverse("home")).status_code == 200
    invitation.refresh_from_db()
    assert invitation.used_by == user


def test_roles_that_do_not_judge_get_no_pseudonym(admin):
    _invitation, token = invitations.invite(roles=["admin", "researcher"], by=admin)
    join(opened(token))
    assert User.objects.get(username="ada").role_names == {"admin", "researcher"}
    assert not Rater.objects.exists()


@pytest.mark.parametrize(
    ("changed", "field", "told"),
    [
        ({"password_again": "another one altogether"}, "password_again", "differ"),
        ({"password": "short", "password_again": "short"}, "password", "too short"),
        ({"password": "password1234", "password_again": "password1234"}, "password", "too common"),
        ({"username": "the_admin"}, "username", "already exists"),
        ({"username": ""}, "username", "required"),
        ({"username": "lanterns by the gate"}, "password", "similar"),
        ({"email": "nonsense"}, "email", "valid"),
    ],
)
def test_what_is_wrong_is_told_beside_its_field_and_the_link_still_works(invited, changed, field, told):
    browser = opened(invited[1])
    page = join(browser, **changed)
    assert told in " ".join(page.context["form"].errors[field])
    assert not User.objects.filter(username="ada").exists()
    assert join(browser).headers["Location"] == reverse("home")


def test_a_name_taken_after_the_form_was_checked_gives_the_invitation_back(invited):
    invitation, _token = invited
    with pytest.raises(AccountRefused):
        invitations.accept(invitation, username="the_admin", password=GOOD)
    assert Invitation.objects.usable().count() == 1


def dead_links(admin):
    """Tokens of a used, a withdrawn, an expired invitation, and of none."""
    made = [invitations.invite(roles=["expert"], by=admin) for _ in range(3)]
    invitations.accept(made[0][0], username="first", password=GOOD)
    assert invitations.withdraw(made[1][0], by=admin)
    Invitation.objects.filter(pk=made[2][0].pk).update(expires_at=timezone.now() - timedelta(seconds=1))
    return [*(token for _invitation, token in made), Invitation.new_token()]


def test_used_withdrawn_expired_and_unknown_links_get_the_same_answer(admin):
    answers = [Client().get(reverse("invitation", args=[token])) for token in dead_links(admin)]
    assert {answer.status_code for answer in answers} == {404}
    assert len({answer.content for answer in answers}) == 1
    assert "does not work" in answers[0].content.decode()


def test_a_form_that_was_open_when_the_invitation_ended_makes_no_account(admin, invited):
    invitation, token = invited
    browser = opened(token)
    invitations.withdraw(invitation, by=admin)
    assert join(browser).status_code == 404
    assert not User.objects.filter(username="ada").exists()


def test_a_second_browser_with_the_same_link_comes_too_late(invited):
    first, second = opened(invited[1]), opened(invited[1])
    assert join(first).status_code == 302
    assert join(second, username="eve").status_code == 404
    assert not User.objects.filter(username="eve").exists()


@pytest.mark.django_db(transaction=True)
def test_of_many_who_press_the_button_together_one_gets_the_account(admin):
    invitation, _token = invitations.invite(roles=["expert"], by=admin)
    start, made, late = threading.Barrier(6), [], []

    def press(number):
        start.wait()
        try:
            made.append(invitations.accept(invitation, username=f"person_{number}", password=GOOD))
        except invitations.InvitationGone:
            late.append(number)
        finally:
            connection.close()

    presses = [threading.Thread(target=press, args=[number]) for number in range(6)]
    for pressing in presses:
        pressing.start()
    for pressing in presses:
        pressing.join()
    assert (len(made), len(late)) == (1, 5)
    assert User.objects.filter(username__startswith="person_").count() == 1


def test_who_is_signed_in_is_told_to_sign_out_and_the_link_still_works(admin, invited):
    browser = client_of(admin)
    browser.get(reverse("invitation", args=[invited[1]]))
    assert "signed in as the_admin" in browser.get(reverse("join")).content.decode()
    join(browser)
    assert Invitation.objects.usable().count() == 1


def test_withdrawing_is_logged_once_and_a_used_one_is_not_withdrawn(admin, invited):
    invitation, _token = invited
    browser = client_of(admin)
    for _ in range(2):
        browser.post(reverse("invitation_withdraw", args=[invitation.pk]))
    assert AccountAct.objects.filter(act="withdrawn").count() == 1
    used, _token = invitations.invite(roles=["expert"], by=admin)
    invitations.accept(used, username="ada", password=GOOD)
    browser.post(reverse("invitation_withdraw", args=[used.pk]))
    used.refresh_from_db()
    assert used.withdrawn_at is None


def test_the_list_says_what_became_of_each(admin):
    dead_links(admin)
    invitations.invite(roles=["reviewer"], by=admin)
    page = client_of(admin).get(reverse("invitation_list"))
    assert [state for _invitation, state, _roles in page.context["rows"]] == [
        "open",
        "expired",
        "withdrawn",
        "used",
    ]
    assert "used by first" in page.content.decode()


# --- secrecy -------------------------------------------------------------------------------------


def test_the_token_leaves_by_no_referrer_and_is_not_in_the_address_of_the_form(invited):
    token = invited[1]
    browser = Client()
    answer = browser.get(reverse("invitation", args=[token]))
    assert answer.headers["Referrer-Policy"] == "no-referrer"
    page = browser.get(answer.headers["Location"])
    assert token not in page.content.decode()
    assert token not in page.request["PATH_INFO"]
    assert token not in str(dict(browser.session))


def test_logs_hide_the_secret_of_a_link():
    record = logging.LogRecord(
        "django.request", 30, "", 0, "Not Found: %s", ("/invitations/a-Secret_1/?x=1",), None
    )
    assert HideLinks().filter(record)
    assert record.getMessage() == "Not Found: /invitations/…?x=1"
    record = logging.LogRecord("any", 30, "", 0, "GET /password/new/MQ/c8-1f/ took %d ms", (3,), None)
    HideLinks().filter(record)
    assert record.getMessage() == "GET /password/new/… took 3 ms"
    record = logging.LogRecord("any", 30, "", 0, "100%% of %s", ("/people/1/",), None)
    HideLinks().filter(record)
    assert record.getMessage() == "100% of /people/1/"


def test_the_log_names_the_account_by_number_and_no_mail_address(admin):
    invitation, _token = invitations.invite(roles=["expert"], email="ada@example.org", by=admin)
    user = invitations.accept(invitation, username="ada", password=GOOD)
    said = [(act.actor, act.subject, act.act, act.detail) for act in AccountAct.objects.order_by("pk")]
    number = f"invitation {invitation.pk}: expert"
    assert said == [
        (f"account {admin.pk}", "", "invited", number),
        (f"account {user.pk}", f"account {user.pk}", "joined", number),
    ]
