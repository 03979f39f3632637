"""Several people at one round at the same moment: nothing breaks, nothing goes back."""

from concurrent.futures import ThreadPoolExecutor

import pytest
from django.db import IntegrityError, connection, transaction

from labeling.models import Packet, Role, Round, RoundState
from labeling.packets import open_round
from labeling.round_forms import RoundForm
from labeling.rounds import WrongState, change_settings, close_round
from labeling.views import round_content, round_setup
from tests import factories
from tests.polling import eventually


@pytest.fixture
def admin(db):
    return factories.client_of(factories.make_user(Role.ADMIN))


def settings_of(round_, **changed):
    return {
        "name": round_.name,
        "slug": round_.slug,
        "rubric": round_.rubric_id,
        "gold_tier": round_.gold_tier,
        "raters_per_pair": 3,
        "repeat_share": "0",
        "seed": 1,
        "deadline": "",
        **changed,
    }


@pytest.fixture
def opened_meanwhile(monkeypatch):
    """Open the round after the page has read it as a draft and before it stores what was sent."""
    read = round_setup.draft_at

    def read_and_open(pk):
        draft = read(pk)
        assert draft is not None
        open_round(Round.objects.get(pk=pk), actor="another tab")
        return draft

    for module in (round_setup, round_content):
        monkeypatch.setattr(module, "draft_at", read_and_open)


@pytest.mark.parametrize("page", ["settings", "pairs", "raters"])
def test_a_round_opened_meanwhile_stays_open_whatever_a_draft_page_sends(admin, opened_meanwhile, page):
    """Stored whole, the draft's row would take the state back to draft, packets and all."""
    round_ = factories.make_round(2, 3)
    sent = {
        "settings": settings_of(round_, name="Too late"),
        "pairs": {"act": "add_all"},
        "raters": {"raters": [], "csrfmiddlewaretoken": "any"},
    }
    answer = admin.post(f"/rounds/{round_.pk}/{page}/", sent[page], follow=True)
    assert answer.redirect_chain[0] == (f"/rounds/{round_.pk}/", 302)
    assert "no draft any more" in answer.content.decode()
    before = round_.name
    round_.refresh_from_db()
    assert (round_.state, round_.name) == (RoundState.OPEN, before)
    assert (round_.round_pairs.count(), round_.round_raters.count()) == (2, 3)


def test_changed_settings_touch_nothing_but_the_settings(db):
    round_ = factories.make_round(1)
    stale = Round.objects.get(pk=round_.pk)
    stale.name, stale.state = "New name", RoundState.CLOSED
    change_settings(stale, ["name"])
    round_.refresh_from_db()
    assert (round_.name, round_.state) == ("New name", RoundState.DRAFT)
    open_round(round_, actor="test")
    with pytest.raises(WrongState):
        change_settings(stale, ["name"])


def test_the_database_lets_no_round_become_a_draft_again(db):
    round_ = factories.opened_round(1)
    with pytest.raises(IntegrityError, match="never a draft again"), transaction.atomic():
        Round.objects.filter(pk=round_.pk).update(state=RoundState.DRAFT)


def test_a_short_name_taken_meanwhile_is_an_error_of_the_form(admin, monkeypatch):
    taken = factories.make_round(1, slug="taken")
    monkeypatch.setattr(RoundForm, "validate_unique", lambda _form: None)
    answer = admin.post("/rounds/new/", settings_of(taken))
    assert answer.status_code == 200
    assert "Another round has taken this short name" in answer.content.decode()
    assert Round.objects.count() == 1


@pytest.mark.django_db(transaction=True)
def test_an_answer_under_way_and_the_closing_do_not_wait_for_each_other():
    """On PostgreSQL the answer holds its packet and then shares the round's key; closing does the reverse."""
    packet = factories.opened_packet(pairs=1)
    [showing] = factories.showings_of(packet)

    def close():
        try:
            close_round(packet.round, actor="test")
        finally:
            connection.close()

    with ThreadPoolExecutor(1) as pool:
        with transaction.atomic():
            Packet.objects.select_for_update().get(pk=packet.pk)
            closing = pool.submit(close)
            if connection.vendor == "postgresql":
                eventually(somebody_waits_for_us)
            factories.vote(showing)
        closing.result()
    assert showing.events.count() == 1
    assert Round.objects.get().state == RoundState.CLOSED


def somebody_waits_for_us():
    with connection.cursor() as cursor:
        cursor.execute(
            "SELECT count(*) FROM pg_locks "
            "WHERE NOT granted AND pg_backend_pid() = ANY (pg_blocking_pids(pid))"
        )
        return cursor.fetchone()[0]
