"""What admins do to accounts, and what none of it touches: what was judged."""

import threading

import pytest
from django.db import connection
from django.test import Client
from django.test.utils import CaptureQueriesContext
from django.urls import reverse

from gold.round_report import report_of
from labeling import people
from labeling.models import AccountAct, JudgmentEvent, Packet, Rater, Role, RoleGrant, User
from tests.factories import PASSWORD, client_of, make_rater, make_user, opened_round, showings_of, vote

pytestmark = pytest.mark.django_db


@pytest.fixture
def admin():
    return make_user(Role.ADMIN, username="the_admin")


def roles_of(user):
    return set(RoleGrant.objects.filter(user=user).values_list("role", flat=True))


def set_roles(browser, user, *roles):
    return browser.post(reverse("person_roles", args=[user.pk]), {"roles": roles}, follow=True)


def switch(browser, user):
    return browser.post(reverse("person_active", args=[user.pk]), follow=True)


# --- the list ------------------------------------------------------------------------------------


def listed(browser, **query):
    return [person.username for person in browser.get(reverse("people"), query).context["page_obj"]]


def test_the_list_is_narrowed_by_role_state_and_name(admin):
    make_rater("human_expert_07", username="ada", full_name="Ada L.")
    make_user(Role.RESEARCHER, username="bob", is_active=False, email="bob@example.org")
    both = make_user(Role.EXPERT, Role.RESEARCHER, username="cyd")
    browser = client_of(admin)
    assert listed(browser) == ["ada", "bob", "cyd", "the_admin"]
    assert listed(browser, role="researcher") == ["bob", "cyd"]
    assert listed(browser, state="deactivated") == ["bob"]
    assert listed(browser, role="researcher", state="active") == ["cyd"]
    assert listed(browser, q="L.") == ["ada"]
    assert listed(browser, q="expert_07") == ["ada"]
    assert listed(browser, q="EXAMPLE.org") == ["bob"]
    assert listed(browser, q="nobody") == []
    assert listed(browser, role="emperor", state="odd") == ["ada", "bob", "cyd", "the_admin"]
    page = browser.get(reverse("people")).content.decode()
    assert "human_expert_07" in page
    assert reverse("person", args=[both.pk]) in page


def test_the_list_asks_the_database_no_more_for_more_people(admin):
    browser = client_of(admin)
    with CaptureQueriesContext(connection) as few:
        browser.get(reverse("people"))
    for _ in range(5):
        make_rater()
    with CaptureQueriesContext(connection) as more:
        browser.get(reverse("people"))
    assert len(more) == len(few)


# --- roles ---------------------------------------------------------------------------------------


def test_roles_are_changed_and_logged(admin):
    user = make_user(Role.RESEARCHER)
    set_roles(client_of(admin), user, "expert", "admin")
    assert roles_of(user) == {"expert", "admin"}
    act = AccountAct.objects.get(act="roles")
    assert (act.actor, act.subject) == (f"account {admin.pk}", f"account {user.pk}")
    assert act.detail == "researcher → admin, expert"


def test_who_becomes_an_expert_gets_the_next_pseudonym_and_keeps_it(admin):
    make_rater("human_expert_04")
    user = make_user(Role.RESEARCHER)
    browser = client_of(admin)
    set_roles(browser, user, "expert")
    assert Rater.objects.get(user=user).pseudonym == "human_expert_05"
    for roles in (["researcher"], ["reviewer"]):
        set_roles(browser, user, *roles)
        assert Rater.objects.get(user=user).pseudonym == "human_expert_05"


def test_the_same_roles_again_are_no_change(admin):
    user = make_user(Role.RESEARCHER)
    set_roles(client_of(admin), user, "researcher")
    assert not AccountAct.objects.filter(act="roles").exists()


def test_an_account_without_any_role_is_refused(admin):
    user = make_user(Role.RESEARCHER)
    page = set_roles(client_of(admin), user)
    assert page.status_code == 200
    assert "roles" in page.context["form"].errors
    assert roles_of(user) == {"researcher"}


# --- somebody stays in charge --------------------------------------------------------------------


def test_an_admin_takes_admin_from_another_but_not_from_oneself(admin):
    other = make_user(Role.ADMIN)
    browser = client_of(admin)
    page = set_roles(browser, admin, "researcher")
    assert "ask another admin" in page.content.decode()
    assert roles_of(admin) == {"admin"}
    set_roles(browser, other, "researcher")
    assert roles_of(other) == {"researcher"}


def test_an_admin_may_add_roles_to_oneself(admin):
    set_roles(client_of(admin), admin, "admin", "researcher")
    assert roles_of(admin) == {"admin", "researcher"}


def test_nobody_deactivates_oneself(admin):
    page = switch(client_of(admin), admin)
    assert "ask another admin" in page.content.decode()
    assert User.objects.get(pk=admin.pk).is_active


def test_the_last_active_admin_stays(admin):
    """The other one was deactivated meanwhile: who acts is then no admin to count on."""
    other = make_user(Role.ADMIN, is_active=False)
    with pytest.raises(people.NotAllowed, match="last admin"):
        people.change_roles(admin, ["researcher"], by=other)
    with pytest.raises(people.NotAllowed, match="last admin"):
        people.set_active(admin, False, by=other)
    assert roles_of(admin) == {"admin"}


@pytest.mark.django_db(transaction=True)
def test_two_admins_who_remove_each_other_at_once_leave_one():
    admins = [make_user(Role.ADMIN), make_user(Role.ADMIN)]
    start, refused = threading.Barrier(2), []

    def remove(by, user):
        start.wait()
        try:
            people.change_roles(user, ["researcher"], by=by)
        except people.NotAllowed as refusal:
            refused.append(str(refusal))
        finally:
            connection.close()

    acts = [threading.Thread(target=remove, args=pair) for pair in (admins, admins[::-1])]
    for act in acts:
        act.start()
    for act in acts:
        act.join()
    assert len(refused) == 1
    assert RoleGrant.objects.filter(role=Role.ADMIN).count() == 1


# --- deactivating --------------------------------------------------------------------------------


def test_a_deactivated_persons_session_ends_at_once_and_sign_in_is_refused(admin):
    user = make_user(Role.RESEARCHER)
    browser = client_of(user)
    assert browser.get(reverse("home")).status_code == 200
    switch(client_of(admin), user)
    assert browser.get(reverse("home")).status_code == 302
    again = Client()
    again.post(reverse("login"), {"username": user.username, "password": PASSWORD})
    assert again.get(reverse("home")).status_code == 302


def test_an_account_activated_again_is_as_before(admin):
    rater = make_rater()
    browser = client_of(admin)
    switch(browser, rater.user)
    switch(browser, rater.user)
    again = Client()
    again.post(reverse("login"), {"username": rater.user.username, "password": PASSWORD})
    assert again.get(reverse("home")).status_code == 200
    assert [act.act for act in AccountAct.objects.order_by("pk")] == ["deactivated", "activated"]


def test_deactivating_is_asked_before_it_is_done(admin):
    user = make_user(Role.RESEARCHER)
    page = client_of(admin).get(reverse("person_active", args=[user.pk]))
    assert "signed out at once" in page.content.decode()
    assert User.objects.get(pk=user.pk).is_active


def test_votes_raters_and_gold_stay_whatever_becomes_of_the_accounts(admin):
    """Three experts prefer item_a; one is deactivated, one becomes a researcher, one is erased."""
    raters = [make_rater() for _ in range(3)]
    round_ = opened_round(1, raters)
    for packet in Packet.objects.filter(round=round_):
        [showing] = showings_of(packet)
        vote(showing, "left" if showing.left_item_id == showing.pair.item_a_id else "right")
    before_events = list(JudgmentEvent.objects.order_by("pk").values())
    before_report = report_of(round_)
    browser = client_of(admin)
    switch(browser, raters[0].user)
    set_roles(browser, raters[1].user, "researcher")
    raters[2].user.delete()
    assert list(JudgmentEvent.objects.order_by("pk").values()) == before_events
    assert report_of(round_) == before_report
    assert Packet.objects.filter(round=round_).count() == 3


# --- links to a new password ---------------------------------------------------------------------


def reset_link(admin, user):
    return client_of(admin).post(reverse("person_reset_link", args=[user.pk])).context["link"]


def set_password(browser, link, password="nine lanterns by the gate"):
    form = browser.get(link, follow=True)
    return browser.post(
        form.request["PATH_INFO"], {"new_password1": password, "new_password2": password}, follow=True
    )


def test_a_link_by_an_admin_sets_a_password_once(admin):
    user = make_user(Role.RESEARCHER)
    session = client_of(user)
    link = reset_link(admin, user)
    page = set_password(Client(), link)
    assert "new password holds" in page.content.decode()
    assert User.objects.get(pk=user.pk).check_password("nine lanterns by the gate")
    assert session.get(reverse("home")).status_code == 302  # signed out elsewhere
    assert "no longer works" in Client().get(link, follow=True).content.decode()
    said = list(AccountAct.objects.order_by("pk").values_list("act", "actor"))
    assert said == [("reset_link", f"account {admin.pk}"), ("password", f"account {user.pk}")]


def test_the_links_secret_is_not_in_the_address_of_the_form(admin):
    link = reset_link(admin, make_user(Role.RESEARCHER))
    secret = link.rstrip("/").rsplit("/", 1)[1]
    page = Client().get(link, follow=True)
    assert secret not in page.request["PATH_INFO"]
    assert secret not in page.content.decode()


def test_a_link_expires_after_three_days(admin, settings):
    link = reset_link(admin, make_user(Role.RESEARCHER))
    settings.PASSWORD_RESET_TIMEOUT = -1
    assert "no longer works" in Client().get(link, follow=True).content.decode()


def test_there_is_no_link_for_a_deactivated_account(admin):
    user = make_user(Role.RESEARCHER, is_active=False)
    assert client_of(admin).post(reverse("person_reset_link", args=[user.pk])).status_code == 404


# --- the log -------------------------------------------------------------------------------------


def test_the_log_names_numbers_and_not_people(admin):
    user = make_user(Role.RESEARCHER, username="somebody_private")
    browser = client_of(admin)
    switch(browser, user)
    page = browser.get(reverse("account_log")).content.decode()
    assert f"account {user.pk}" in page
    assert "somebody_private" not in page
    assert "deactivated" in browser.get(reverse("person", args=[user.pk])).content.decode()
