"""The event protocol over HTTP: what is stored, repeated, superseded, refused."""

import uuid
from concurrent.futures import ThreadPoolExecutor
from threading import Barrier

import pytest
from django.db import connection
from django.urls import reverse

from labeling.importing.folder import read_folder
from labeling.importing.staging import import_folder
from labeling.models import JudgmentEvent, Packet, Pair
from labeling.rounds import close_round
from tests.factories import (
    client_of,
    opened_packet,
    opened_round,
    post_event,
    showings_of,
    silent,
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


# --- the protocol -------------------------------------------------------------------------------


def test_a_new_answer_is_201_and_brings_the_next_showing(client, packet, showing):
    response = post_event(client, showing, note="why", response_ms=1200, layout="side_by_side")
    assert response.status_code == 201
    sent = response.json()
    [event] = JudgmentEvent.objects.all()
    assert sent["event"] == {
        "event_id": str(event.event_id),
        "kind": "vote",
        "choice": "left",
        "score": None,
        "confidence": None,
        "note": "why",
    }
    assert sent["progress"] == {"done": 1, "total": 3, "label": "1 of 3"}
    assert sent["next"]["token"] == showings_of(packet)[1].token
    assert sent["finished_url"] is None


def test_the_same_id_again_is_200_with_the_same_answer(client, showing):
    same = {"event_id": str(uuid.uuid4())}
    first, again = post_event(client, showing, **same), post_event(client, showing, **same)
    assert (first.status_code, again.status_code) == (201, 200)
    assert first.json() == again.json()
    assert JudgmentEvent.objects.count() == 1


def test_the_last_answer_leads_to_the_finish_page(client, packet):
    for showing in showings_of(packet):
        response = post_event(client, showing)
    assert response.json()["next"] is None
    assert response.json()["finished_url"] == reverse("finish", args=[packet.pk])
    assert client.get(reverse("rate", args=[packet.pk])).headers["Location"] == reverse(
        "finish", args=[packet.pk]
    )


def test_after_an_undo_the_showing_is_open_and_comes_back(client, showing):
    event = post_event(client, showing, choice="right").json()["event"]["event_id"]
    response = post_event(client, showing, kind="undo", choice="", replaces=event)
    assert response.status_code == 201
    sent = response.json()
    assert sent["next"]["token"] == showing.token
    assert sent["next"]["current"]["kind"] == "undo"
    assert sent["progress"]["done"] == 0


def test_a_superseded_answer_is_409_with_the_current_one(client, showing):
    first = post_event(client, showing, choice="left").json()["event"]
    second = post_event(client, showing, choice="right", replaces=first["event_id"], note="n").json()["event"]
    for stale in (None, first["event_id"], str(uuid.uuid4())):
        response = post_event(client, showing, replaces=stale)
        assert response.status_code == 409
        assert response.json()["current"] == second
    assert JudgmentEvent.objects.count() == 2


def test_replacing_what_is_not_there_is_409_without_a_current_one(client, showing):
    response = post_event(client, showing, replaces=str(uuid.uuid4()))
    assert response.status_code == 409
    assert response.json()["current"] is None


def test_a_closed_round_is_409_closed_but_knows_what_it_stored(client, packet, showing):
    same = {"event_id": str(uuid.uuid4())}
    post_event(client, showing, **same)
    close_round(packet.round, actor="test")
    assert post_event(client, showing, **same).status_code == 200
    refused = post_event(client, showings_of(packet)[1])
    assert refused.status_code == 409
    assert refused.json()["closed"] is True
    assert JudgmentEvent.objects.count() == 1


def test_an_id_of_another_showing_is_refused(client, packet, showing):
    used = post_event(client, showing).json()["event"]["event_id"]
    response = post_event(client, showings_of(packet)[1], event_id=used)
    assert response.status_code == 400
    assert "belongs to another pair" in response.json()["error"]
    assert JudgmentEvent.objects.count() == 1


def test_cannot_judge_is_refused_before_the_skipped_pair_returned(client, showing):
    assert post_event(client, showing, kind="abstain", choice="").status_code == 400
    skipped = post_event(client, showing, kind="skip", choice="").json()["event"]["event_id"]
    assert post_event(client, showing, kind="skip", choice="", replaces=skipped).status_code == 400
    assert post_event(client, showing, kind="abstain", choice="", replaces=skipped).status_code == 201


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
    response = post_event(client, showing, **change)
    assert response.status_code == 400
    assert list(response.json()["fields"]) == [field]
    assert not JudgmentEvent.objects.exists()


@pytest.mark.parametrize("milliseconds", [0, 2**31 - 1, None])
def test_times_at_the_bounds_are_stored(client, showing, milliseconds):
    assert post_event(client, showing, response_ms=milliseconds).status_code == 201
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
    response = post_event(client, showing, body=body)
    assert response.status_code == 400
    assert response.json()["error"] == "The body is no JSON object."


@pytest.mark.parametrize("body", ["[]", '"vote"', "7", "null", "true"])
def test_json_that_is_no_object_is_400(client, showing, body):
    response = post_event(client, showing, body=body)
    assert response.status_code == 400
    assert response.json()["error"] == "The body is no JSON object."


def test_a_huge_body_is_refused(client, showing):
    response = post_event(client, showing, note="x" * 1_100_000)
    assert response.status_code in {400, 413}
    assert not JudgmentEvent.objects.exists()


@pytest.mark.parametrize("note", ["  two spaces \n\ttab\r\nend ", "=HYPERLINK(1)", "e\u0301 é \u2028 🖼"])
def test_a_note_is_kept_byte_for_byte(client, showing, note):
    sent = post_event(client, showing, note=note).json()["event"]
    assert sent["note"] == JudgmentEvent.objects.get().note == note


# --- at the same time ---------------------------------------------------------------------------


@pytest.mark.django_db(transaction=True)
def test_two_identical_posts_at_once_are_one_row(tmp_path):
    packet = opened_packet(pairs=6)
    browsers = [client_of(packet.rater) for _ in range(2)]
    together = Barrier(2)

    def send(browser, showing, event_id):
        together.wait()
        try:
            return post_event(browser, showing, event_id=event_id).status_code
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
            return [post_event(browser, showing).status_code for showing in showings]
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
