"""The rater's pages: who may open which, and what stands on them."""

import json
import uuid

import pytest
from django.test import Client
from django.urls import reverse

from labeling.models import JudgmentEvent, Packet, Role
from labeling.rounds import close_round
from tests.factories import (
    PASSWORD,
    act,
    client_of,
    make_item,
    make_pair,
    make_rater,
    make_rubric,
    make_user,
    opened_packet,
    opened_round,
    post_event,
    showings_of,
    vote,
    webp,
)

pytestmark = pytest.mark.django_db


@pytest.fixture
def packet():
    return opened_packet(pairs=3)


@pytest.fixture
def showing(packet):
    return showings_of(packet)[0]


@pytest.fixture
def client(packet):
    return client_of(packet.rater)


# --- who ----------------------------------------------------------------------------------------


def test_signed_out_is_401_json_with_the_way_to_sign_in(showing):
    for response in (
        post_event(Client(), showing),
        Client().get(reverse("showing", args=[showing.token]), headers={"Accept": "application/json"}),
    ):
        assert response.status_code == 401
        assert response.json() == {"sign_in_url": reverse("login")}
    assert not JudgmentEvent.objects.exists()


def test_signed_out_pages_lead_to_sign_in_and_back(packet):
    address = reverse("rate", args=[packet.pk])
    response = Client().get(address)
    assert response.status_code == 302
    assert response.headers["Location"] == f"{reverse('login')}?next={address}"


def test_another_raters_showing_is_404_for_everything(packet, showing):
    other = client_of(make_rater())
    pages = [
        reverse("rate", args=[packet.pk]),
        reverse("answers", args=[packet.pk]),
        reverse("finish", args=[packet.pk]),
        reverse("showing", args=[showing.token]),
        reverse("rendition", args=[showing.left_token]),
    ]
    assert {other.get(page).status_code for page in pages} == {404}
    assert post_event(other, showing).status_code == 404
    assert other.post(pages[0], {"token": showing.token}).status_code == 404
    assert not JudgmentEvent.objects.exists()


def test_unknown_tokens_and_packets_are_404(client):
    for name in ("showing", "rendition"):
        assert client.get(reverse(name, args=["A" * 22])).status_code == 404
    for token in ("%00", "%ED%A0%80", "a.b", "é"):
        assert client.get(f"/showings/{token}/").status_code == 404
        assert client.get(f"/renditions/{token}/").status_code == 404
    assert (
        client.post(reverse("showing_events", args=["A" * 22]), "{}", "application/json").status_code == 404
    )
    for name in ("rate", "answers", "finish"):
        assert client.get(reverse(name, args=[10**30])).status_code == 404


def test_an_unknown_answer_looks_the_same_as_somebody_elses(packet, showing):
    other = client_of(make_rater())
    theirs = other.get(reverse("showing", args=[showing.token]))
    nobodys = other.get(reverse("showing", args=["A" * 22]))
    assert theirs.content == nobodys.content


def test_signing_in_as_another_rater_refuses_the_first_pages_answer(packet, showing):
    browser = client_of(packet.rater)
    assert browser.get(reverse("rate", args=[packet.pk])).status_code == 200
    browser.force_login(make_rater().user)  # in a second tab
    assert post_event(browser, showing).status_code == 404
    assert not JudgmentEvent.objects.exists()


def test_a_page_whose_csrf_token_was_rotated_fetches_a_new_one_and_stores_the_answer(packet, showing):
    browser = Client(enforce_csrf_checks=True)
    browser.force_login(packet.rater.user)
    stale = browser.get(reverse("csrf")).json()["csrf_token"]
    browser.cookies.clear()
    browser.force_login(packet.rater.user)  # signed in again in a second tab: another secret
    fresh = browser.get(reverse("csrf")).json()["csrf_token"]
    address, answer = reverse("showing_events", args=[showing.token]), uuid.uuid4()
    statuses = [
        browser.post(
            address,
            json.dumps({"event_id": str(answer), "kind": "vote", "choice": "left"}),
            content_type="application/json",
            headers={"X-CSRFToken": token},
        ).status_code
        for token in (stale, fresh)
    ]
    assert statuses == [403, 201]
    assert JudgmentEvent.objects.count() == 1


def test_the_second_rater_gets_the_pair_without_a_trace_of_the_first():
    item_pair = make_pair()
    round_ = opened_round([item_pair], 2)
    first, second = Packet.objects.filter(round=round_).order_by("pk")
    vote(showings_of(first)[0], "left", note="CANARY-NOTE")
    browser, [showing] = client_of(second.rater), showings_of(second)
    page = browser.get(reverse("rate", args=[second.pk]))
    sent = browser.get(reverse("showing", args=[showing.token]))
    assert page.status_code == sent.status_code == 200
    assert sent.json()["current"] is sent.json()["undo"] is None
    for body in (page.content.decode(), sent.content.decode()):
        assert "CANARY-NOTE" not in body
        assert first.rater.pseudonym not in body


def test_a_user_signed_out_by_deactivation_loses_no_answer(client, packet, showing):
    post_event(client, showing)
    packet.rater.user.is_active = False
    packet.rater.user.save()
    assert post_event(client, showings_of(packet)[1]).status_code == 401
    assert JudgmentEvent.objects.count() == 1


# --- pages --------------------------------------------------------------------------------------


def test_the_same_number_stands_on_home_rate_page_json_and_answers(client, packet):
    one, two, three = showings_of(packet)
    act(one, "skip")
    vote(two)
    for name, arguments in (
        ("home", []),
        ("rate", [packet.pk]),
        ("answers", [packet.pk]),
        ("finish", [packet.pk]),
    ):
        assert "1 of 3" in client.get(reverse(name, args=arguments)).content.decode()
    assert post_event(client, three).json()["progress"]["label"] == "2 of 3"
    assert "2 of 3" in client.get(reverse("home")).content.decode()


def test_the_rate_page_shows_the_question_the_items_and_its_data(client, packet, showing):
    body = client.get(reverse("rate", args=[packet.pk])).content.decode()
    assert packet.round.rubric.question in body
    for item in (showing.left_item, showing.right_item):
        assert item.rendition.text in body
    assert body.index(showing.left_item.rendition.text) < body.index(showing.right_item.rendition.text)
    assert 'id="showing-data"' in body


def test_a_reload_shows_the_same_pair_on_the_same_sides(client, packet):
    shown = [client.get(reverse("rate", args=[packet.pk])).context["showing"] for _ in range(2)]
    assert shown[0] == shown[1]


def test_an_answered_showing_is_looked_at_again_by_its_token(client, packet, showing):
    vote(showing, "right", note="a note")
    page = client.get(reverse("rate", args=[packet.pk]), {"showing": showing.token})
    assert page.context["showing"]["current"] == {
        "event_id": str(showing.events.get().pk),
        "kind": "vote",
        "choice": "right",
        "score": None,
        "confidence": None,
        "note": "a note",
    }


def test_my_answers_link_back_while_the_round_is_open(client, packet, showing):
    vote(showing, "left", note="<script>")
    body = client.get(reverse("answers", args=[packet.pk])).content.decode()
    assert f"?showing={showing.token}" in body
    assert "&lt;script&gt;" in body
    close_round(packet.round, actor="test")
    body = client.get(reverse("answers", args=[packet.pk])).content.decode()
    assert "?showing=" not in body
    assert "&lt;script&gt;" in body


def test_a_closed_round_leads_from_the_rate_page_to_the_finish_page(client, packet):
    close_round(packet.round, actor="test")
    response = client.get(reverse("rate", args=[packet.pk]), follow=True)
    assert response.redirect_chain == [(reverse("finish", args=[packet.pk]), 302)]
    assert "This round has closed" in response.content.decode()


def test_without_javascript_the_form_stores_and_goes_on(client, packet):
    address = reverse("rate", args=[packet.pk])
    form = {"token": showings_of(packet)[0].token, "replaces": "", "kind": "vote", "choice": "left"}
    sent = form | {"event_id": str(uuid.uuid4()), "note": " kept "}
    for _ in range(2):  # a double click
        assert client.post(address, sent).headers["Location"] == address
    [event] = JudgmentEvent.objects.all()
    assert event.note == " kept "
    undo = {"token": form["token"], "kind": "undo", "replaces": event.pk, "event_id": uuid.uuid4()}
    assert client.post(address, undo).headers["Location"] == f"{address}?showing={form['token']}"
    assert JudgmentEvent.objects.count() == 2


@pytest.mark.parametrize(
    ("bad", "words"),
    [
        ({"kind": "vote"}, "Not stored: A vote names a side"),
        ({"kind": "abstain"}, "Not stored: “Cannot judge” is offered when a skipped pair comes back."),
        ({"kind": "vote", "choice": "left", "replaces": uuid.uuid4()}, "Not stored: This pair was answered"),
        ({"kind": "vote", "choice": "left", "note": "x" * 4001}, "Not stored: Ensure this value has at most"),
    ],
)
def test_without_javascript_a_refused_answer_is_told_beside_its_showing(client, packet, bad, words):
    address, token = reverse("rate", args=[packet.pk]), showings_of(packet)[0].token
    response = client.post(address, {"token": token, "event_id": uuid.uuid4(), **bad}, follow=True)
    assert response.redirect_chain[0][0] == f"{address}?showing={token}"
    assert words in response.content.decode()
    assert words not in client.get(address).content.decode()
    assert not JudgmentEvent.objects.exists()


def test_without_javascript_an_answer_after_the_closing_is_told_to_be_lost(client, packet):
    sent = {"token": showings_of(packet)[0].token, "kind": "vote", "choice": "left", "event_id": uuid.uuid4()}
    close_round(packet.round, actor="test")
    response = client.post(reverse("rate", args=[packet.pk]), sent, follow=True)
    assert response.redirect_chain[-1][0] == reverse("finish", args=[packet.pk])
    assert "has closed; the answer was not stored" in response.content.decode()
    assert not JudgmentEvent.objects.exists()


def test_an_image_is_sent_as_its_bytes_and_kept_by_no_shared_cache():
    pictures = [webp((200, 0, 0)), webp((0, 0, 200))]
    packet = opened_packet(pairs=[make_pair(items=[make_item(image=picture) for picture in pictures])])
    [showing] = showings_of(packet)
    browser = client_of(packet.rater)
    for token, item in ((showing.left_token, showing.left_item), (showing.right_token, showing.right_item)):
        response = browser.get(reverse("rendition", args=[token]))
        with item.rendition.file.open("rb") as stored:
            assert response.content == stored.read()
        assert response.headers["Content-Type"] == "image/webp"
        assert response.headers["Cache-Control"].startswith("private")
        assert response.headers["X-Content-Type-Options"] == "nosniff"
        assert response.headers["Cross-Origin-Resource-Policy"] == "same-origin"
        assert not {"ETag", "Last-Modified", "Content-Disposition"} & set(response.headers)


def test_pages_are_kept_by_no_cache(client, packet, showing):
    for address in (
        reverse("home"),
        reverse("rate", args=[packet.pk]),
        reverse("showing", args=[showing.token]),
        reverse("answers", args=[packet.pk]),
    ):
        assert client.get(address).headers["Cache-Control"] == "no-store"


def test_a_reviewer_may_rate_and_an_admin_may_not(packet):
    reviewer = client_of(make_user(Role.REVIEWER))
    assert reviewer.get(reverse("rate", args=[packet.pk])).status_code == 404
    admin = client_of(make_user(Role.ADMIN))
    assert admin.get(reverse("rate", args=[packet.pk])).status_code == 403


def test_sign_in_with_the_password_leads_back_to_the_packet(packet):
    address = reverse("rate", args=[packet.pk])
    response = Client().post(
        f"{reverse('login')}?next={address}",
        {"username": packet.rater.user.username, "password": PASSWORD, "next": address},
        follow=True,
    )
    assert response.redirect_chain == [(address, 302)]
    assert response.status_code == 200


def test_the_whole_rubric_is_at_hand_while_rating():
    rubric = make_rubric()
    words = {
        "pairwise": "Still choose when it is close.",
        "guidelines": "Do not look the work up.",
        "condition_rule": "The condition counts as much as the question.",
    }
    for name, text in words.items():
        setattr(rubric, name, text)
    rubric.save()
    packet = opened_packet(pairs=[make_pair(condition_era="1970s")], rubric=rubric)
    page = client_of(packet.rater).get(reverse("rate", args=[packet.pk])).content.decode()
    for text in words.values():
        assert text in page
