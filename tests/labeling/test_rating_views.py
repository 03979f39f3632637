"""The event protocol over HTTP, and the rater's pages."""

import json
import uuid
from concurrent.futures import ThreadPoolExecutor
from threading import Barrier

import pytest
from django.db import connection
from django.test import Client
from django.urls import reverse

from labeling.importing.folder import read_folder
from labeling.importing.staging import import_folder
from labeling.models import JudgmentEvent, Packet, Pair, Role
from labeling.rounds import close_round
from tests.factories import (
    PASSWORD,
    act,
    client_of,
    make_item,
    make_pair,
    make_rater,
    make_user,
    opened_packet,
    opened_round,
    showings_of,
    silent,
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


def post(client, showing, *, body=None, **answer):
    """Send an event as the page does; `body` replaces the whole body."""
    answer = {"event_id": str(uuid.uuid4()), "replaces": None, "kind": "vote", "choice": "left"} | answer
    return client.post(
        reverse("showing_events", args=[showing.token]),
        json.dumps(answer) if body is None else body,
        content_type="application/json",
    )


# --- the protocol -------------------------------------------------------------------------------


def test_a_new_answer_is_201_and_brings_the_next_showing(client, packet, showing):
    response = post(client, showing, note="why", response_ms=1200, layout="side_by_side")
    assert response.status_code == 201
    sent = response.json()
    [event] = JudgmentEvent.objects.all()
    assert sent["event"] == {
        "event_id": str(event.event_id),
        "kind": "vote",
        "choice": "left",
        "note": "why",
    }
    assert sent["progress"] == {"done": 1, "total": 3, "label": "1 of 3"}
    assert sent["next"]["token"] == showings_of(packet)[1].token
    assert sent["finished_url"] is None


def test_the_same_id_again_is_200_with_the_same_answer(client, showing):
    same = {"event_id": str(uuid.uuid4())}
    first, again = post(client, showing, **same), post(client, showing, **same)
    assert (first.status_code, again.status_code) == (201, 200)
    assert first.json() == again.json()
    assert JudgmentEvent.objects.count() == 1


def test_the_last_answer_leads_to_the_finish_page(client, packet):
    for showing in showings_of(packet):
        response = post(client, showing)
    assert response.json()["next"] is None
    assert response.json()["finished_url"] == reverse("finish", args=[packet.pk])
    assert client.get(reverse("rate", args=[packet.pk])).headers["Location"] == reverse(
        "finish", args=[packet.pk]
    )


def test_after_an_undo_the_showing_is_open_and_comes_back(client, showing):
    event = post(client, showing, choice="right").json()["event"]["event_id"]
    response = post(client, showing, kind="undo", choice="", replaces=event)
    assert response.status_code == 201
    sent = response.json()
    assert sent["next"]["token"] == showing.token
    assert sent["next"]["current"]["kind"] == "undo"
    assert sent["progress"]["done"] == 0


def test_a_superseded_answer_is_409_with_the_current_one(client, showing):
    first = post(client, showing, choice="left").json()["event"]
    second = post(client, showing, choice="right", replaces=first["event_id"], note="n").json()["event"]
    for stale in (None, first["event_id"], str(uuid.uuid4())):
        response = post(client, showing, replaces=stale)
        assert response.status_code == 409
        assert response.json()["current"] == second
    assert JudgmentEvent.objects.count() == 2


def test_replacing_what_is_not_there_is_409_without_a_current_one(client, showing):
    response = post(client, showing, replaces=str(uuid.uuid4()))
    assert response.status_code == 409
    assert response.json()["current"] is None


def test_a_closed_round_is_409_closed_but_knows_what_it_stored(client, packet, showing):
    same = {"event_id": str(uuid.uuid4())}
    post(client, showing, **same)
    close_round(packet.round, actor="test")
    assert post(client, showing, **same).status_code == 200
    refused = post(client, showings_of(packet)[1])
    assert refused.status_code == 409
    assert refused.json()["closed"] is True
    assert JudgmentEvent.objects.count() == 1


def test_an_id_of_another_showing_is_refused(client, packet, showing):
    used = post(client, showing).json()["event"]["event_id"]
    response = post(client, showings_of(packet)[1], event_id=used)
    assert response.status_code == 400
    assert "belongs to another pair" in response.json()["error"]
    assert JudgmentEvent.objects.count() == 1


def test_cannot_judge_is_refused_before_the_skipped_pair_returned(client, showing):
    assert post(client, showing, kind="abstain", choice="").status_code == 400
    skipped = post(client, showing, kind="skip", choice="").json()["event"]["event_id"]
    assert post(client, showing, kind="skip", choice="", replaces=skipped).status_code == 400
    assert post(client, showing, kind="abstain", choice="", replaces=skipped).status_code == 201


@pytest.mark.parametrize(
    ("change", "field"),
    [
        ({"event_id": None}, "event_id"),
        ({"event_id": "7"}, "event_id"),
        ({"replaces": "yes"}, "replaces"),
        ({"kind": None}, "kind"),
        ({"kind": "void"}, "kind"),
        ({"kind": "import"}, "kind"),
        ({"choice": "a"}, "choice"),
        ({"layout": "diagonal"}, "layout"),
        ({"response_ms": -1}, "response_ms"),
        ({"response_ms": 2**31}, "response_ms"),
        ({"response_ms": 1.5}, "response_ms"),
        ({"response_ms": True}, "response_ms"),
        ({"note": "x" * 4001}, "note"),
        ({"note": "a\0b"}, "note"),
        ({"note": {"a": 1}}, "note"),
        ({"note": 7}, "note"),
    ],
)
def test_a_malformed_answer_is_400_with_its_field_and_stores_nothing(client, showing, change, field):
    response = post(client, showing, **change)
    assert response.status_code == 400
    assert list(response.json()["fields"]) == [field]
    assert not JudgmentEvent.objects.exists()


@pytest.mark.parametrize("milliseconds", [0, 2**31 - 1, None])
def test_times_at_the_bounds_are_stored(client, showing, milliseconds):
    assert post(client, showing, response_ms=milliseconds).status_code == 201
    assert JudgmentEvent.objects.get().response_ms == milliseconds


@pytest.mark.parametrize(
    "body",
    [
        b"",
        b"vote",
        b"\xff\xfe",
        b"{",
        b"[" * 100_000,
        b"1" * 10_000,
        b'{"event_id": ',
        b'{"note": "\\ud800"}',
        b'{"response_ms": NaN}',
    ],
    ids=["empty", "word", "bytes", "open", "deep", "digits", "cut", "half a character", "nan"],
)
def test_a_body_that_is_no_json_is_400(client, showing, body):
    response = post(client, showing, body=body)
    assert response.status_code == 400
    assert response.json()["error"] == "The body is no JSON object."


@pytest.mark.parametrize("body", ["[]", '"vote"', "7", "null", "true"])
def test_json_that_is_no_object_is_400(client, showing, body):
    response = post(client, showing, body=body)
    assert response.status_code == 400
    assert response.json()["error"] == "The body is no JSON object."


def test_a_huge_body_is_refused(client, showing):
    response = post(client, showing, note="x" * 1_100_000)
    assert response.status_code in {400, 413}
    assert not JudgmentEvent.objects.exists()


@pytest.mark.parametrize("note", ["  two spaces \n\ttab\r\nend ", "=HYPERLINK(1)", "e\u0301 é \u2028 🖼"])
def test_a_note_is_kept_byte_for_byte(client, showing, note):
    sent = post(client, showing, note=note).json()["event"]
    assert sent["note"] == JudgmentEvent.objects.get().note == note


# --- who ----------------------------------------------------------------------------------------


def test_signed_out_is_401_json_with_the_way_to_sign_in(showing):
    for response in (
        post(Client(), showing),
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
    assert post(other, showing).status_code == 404
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
    assert post(browser, showing).status_code == 404
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
    post(client, showing)
    packet.rater.user.is_active = False
    packet.rater.user.save()
    assert post(client, showings_of(packet)[1]).status_code == 401
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
    assert post(client, three).json()["progress"]["label"] == "2 of 3"
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


# --- at the same time ---------------------------------------------------------------------------


@pytest.mark.django_db(transaction=True)
def test_two_identical_posts_at_once_are_one_row(tmp_path):
    packet = opened_packet(pairs=6)
    browsers = [client_of(packet.rater) for _ in range(2)]
    together = Barrier(2)

    def send(browser, showing, event_id):
        together.wait()
        try:
            return post(browser, showing, event_id=event_id).status_code
        finally:
            connection.close()

    with ThreadPoolExecutor(2) as pool:
        for showing in showings_of(packet):
            event_id = str(uuid.uuid4())
            statuses = pool.map(send, browsers, [showing] * 2, [event_id] * 2)
            assert sorted(statuses) == [200, 201]
            assert showing.events.count() == 1


@pytest.mark.django_db(transaction=True)
def test_eight_raters_vote_while_five_hundred_pairs_are_imported(tmp_path):
    round_ = opened_round(12, 8)
    work = [(client_of(packet.rater), showings_of(packet)) for packet in Packet.objects.filter(round=round_)]
    write_tables(tmp_path, 500)
    together = Barrier(9)

    def rate(browser, showings):
        together.wait()
        try:
            return [post(browser, showing).status_code for showing in showings]
        finally:
            connection.close()

    def bring_in():
        together.wait()
        try:
            return import_folder(read_folder(tmp_path), name="meanwhile", progress=silent()).n_pairs
        finally:
            connection.close()

    with ThreadPoolExecutor(9) as pool:
        importing = pool.submit(bring_in)
        rating = [pool.submit(rate, browser, showings) for browser, showings in work]
        assert importing.result() == 500
        assert [future.result() for future in rating] == [[201] * 12] * 8
    assert JudgmentEvent.objects.count() == 96
    assert Pair.objects.published().count() == 512


def write_tables(folder, n_pairs):
    items = ["item_id,domain,uri_or_payload_ref,license,data_origin"]
    pairs = ["pair_id,domain,item_a,item_b,difficulty,split,data_origin"]
    for number in range(n_pairs):
        items += [
            f"new_{number}{side},visual,text:Thing {number} {side},CC-BY-4.0,simulation" for side in "ab"
        ]
        pairs.append(f"new_{number},visual,new_{number}a,new_{number}b,easy,test,simulation")
    (folder / "bench_items.csv").write_text("\n".join(items) + "\n")
    (folder / "bench_pairs.csv").write_text("\n".join(pairs) + "\n")
