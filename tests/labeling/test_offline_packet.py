"""The zip of a packet: what is in it, that it is the same twice, that it works from a disk."""

import csv
import io
import re
import zipfile

import pytest
from django.urls import reverse

from labeling.models import Packet, ShowingWithdrawal
from labeling.offline.packet_zip import write_packet
from labeling.voiding import void_answer
from tests.factories import (
    act,
    client_of,
    make_item,
    make_pair,
    make_rater,
    make_user,
    opened_packet,
    opened_round,
    showings_of,
    vote,
    webp,
)

pytestmark = [pytest.mark.django_db, pytest.mark.usefixtures("private_files")]


def packed(packet):
    target = io.BytesIO()
    write_packet(target, packet)
    return target.getvalue()


def files_of(data):
    with zipfile.ZipFile(io.BytesIO(data)) as opened:
        return {name: opened.read(name) for name in opened.namelist()}


def picture_packet(**more):
    """One pair of pictures, one of texts."""
    pictures = make_pair(items=(make_item(image=webp()), make_item(image=webp((10, 200, 90)))))
    texts = make_pair(items=(make_item(text="One <b>text</b>."), make_item(text="Another.")))
    return opened_packet([pictures, texts], **more)


def test_it_holds_a_page_a_showing_pictures_a_table_and_a_word_of_help_and_nothing_else():
    packet = picture_packet()
    files = files_of(packed(packet))
    pictured = [s for s in showings_of(packet) if s.left_item.rendition.kind == "image"]
    expected = {"README.txt", "index.html", "responses.csv"}
    expected |= {f"pages/{s.token}.html" for s in showings_of(packet)}
    expected |= {f"pictures/{token}.webp" for s in pictured for token in (s.left_token, s.right_token)}
    assert set(files) == expected
    [showing] = pictured
    with showing.left_item.rendition.file.open("rb") as stored:
        assert files[f"pictures/{showing.left_token}.webp"] == stored.read()


def test_the_index_lists_the_pages_in_the_packets_order():
    packet = opened_packet(5)
    page = files_of(packed(packet))["index.html"].decode()
    assert re.findall(r'href="pages/([^"]+)\.html"', page) == [s.token for s in showings_of(packet)]


def test_the_table_has_a_row_a_page_and_the_columns_the_round_asks_for():
    packet = opened_packet(3, asks_confidence=True)
    rows = list(csv.DictReader(io.StringIO(files_of(packed(packet))["responses.csv"].decode())))
    assert [row["token"].removeprefix("'") for row in rows] == [s.token for s in showings_of(packet)]
    assert list(rows[0]) == ["token", "choice", "confidence", "note", "judged_at"]
    assert {row["choice"] for row in rows} == {""}
    plain = files_of(packed(opened_packet(2)))["responses.csv"]
    assert plain.startswith(b"token,choice,note,judged_at\n")


def test_the_same_packet_gives_the_same_bytes_with_no_date_in_them():
    packet = picture_packet()
    data = packed(packet)
    assert data == packed(packet)
    with zipfile.ZipFile(io.BytesIO(data)) as opened:
        assert {entry.date_time for entry in opened.infolist()} == {(1980, 1, 1, 0, 0, 0)}
        assert not any(entry.comment or entry.extra for entry in opened.infolist())


def test_what_is_answered_or_withdrawn_is_left_out_and_what_is_asked_again_is_in():
    packet = opened_packet(6)
    answered, skipped, withdrawn, undone, voided, fresh = showings_of(packet)
    vote(answered)
    act(skipped, "skip", reason="unsure")
    ShowingWithdrawal.objects.create(showing=withdrawn, reason="passed on", actor="test")
    vote(undone)
    act(undone, "undo")
    void_answer(packet.round, vote(voided), actor="test", reason="careless")
    pages = {name for name in files_of(packed(packet)) if name.startswith("pages/")}
    assert pages == {f"pages/{s.token}.html" for s in (skipped, undone, voided, fresh)}


def test_text_is_shown_as_text_and_sides_are_those_of_the_showing():
    packet = picture_packet()
    [showing] = [s for s in showings_of(packet) if s.left_item.rendition.kind == "text"]
    page = files_of(packed(packet))[f"pages/{showing.token}.html"].decode()
    left, right = re.findall(r'<div class="plain">(.*?)</div>', page, re.S)
    shown = {"One &lt;b&gt;text&lt;/b&gt;.": "One <b>text</b>.", "Another.": "Another."}
    assert shown[left] == showing.left_item.rendition.text
    assert shown[right] == showing.right_item.rendition.text


def test_neither_names_nor_ids_nor_the_rounds_name_are_in_it():
    item_a, item_b = make_item("secretitem1", text="One."), make_item("secretitem2", text="Two.")
    pair = make_pair("secretpair", items=(item_a, item_b))
    rater = make_rater("secretrater", username="secretuser")
    round_ = opened_round([pair], [rater], slug="secretslug", name="secretname", seed=77661234)
    data = files_of(packed(Packet.objects.get(round=round_)))
    for name, content in data.items():
        assert b"secret" not in name.encode() + content, name
        assert b"77661234" not in content


def test_a_rater_downloads_only_the_own_packet_and_only_while_the_round_is_open():
    packet = opened_packet(2)
    address = reverse("offline_zip", args=[packet.pk])
    response = client_of(packet.rater).get(address)
    assert response.status_code == 200
    assert response.headers["Content-Disposition"] == 'attachment; filename="packet.zip"'
    assert b"".join(response.streaming_content) == packed(packet)
    assert client_of(make_rater()).get(address).status_code == 404
    assert client_of(make_user("admin")).get(address).status_code == 200
    packet.round.state = "closed"
    packet.round.save()
    assert client_of(packet.rater).get(address).status_code == 404
