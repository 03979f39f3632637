"""The monitor's pages and acts, reports and notes, as an admin sees them; and the report a rater sends."""

import json
import uuid

import pytest
from django.core import mail
from django.urls import reverse

from labeling.models import (
    ItemRendition,
    JudgmentEvent,
    NoteReview,
    Packet,
    Role,
    Showing,
    ShowingReport,
    ShowingWithdrawal,
)
from labeling.reports import report
from labeling.rounds import close_round
from tests.factories import (
    act,
    client_of,
    make_item,
    make_pair,
    make_rater,
    make_round,
    make_user,
    opened_packet,
    opened_round,
    showings_of,
    vote,
    webp,
)

pytestmark = pytest.mark.django_db


@pytest.fixture
def admin():
    return client_of(make_user(Role.ADMIN))


@pytest.fixture(autouse=True)
def private_files(settings, tmp_path):
    settings.STORAGES = settings.STORAGES | {
        "default": {
            "BACKEND": "django.core.files.storage.FileSystemStorage",
            "OPTIONS": {"location": str(tmp_path / "files"), "base_url": None},
        }
    }


def said(response):
    return [str(message) for message in response.context["messages"]]


def page(browser, name, *args, **query):
    response = browser.get(reverse(name, args=args), query)
    assert response.status_code == 200
    return response.content.decode()


# --- monitor ---------------------------------------------------------------------------------------


def test_an_open_monitor_asks_for_itself_again_and_tells_no_item(admin):
    round_ = opened_round(3, 2)
    showing = showings_of(Packet.objects.filter(round=round_).first())[0]
    vote(showing, "left")
    fragment = page(admin, "round_monitor", round_.pk, sort="-done")
    assert f'hx-get="{reverse("round_monitor", args=[round_.pk])}?sort=-done"' in fragment
    assert 'hx-trigger="every 10s"' in fragment
    assert 'aria-sort="descending"' in fragment
    assert "<html" not in fragment
    assert "1 of 3" in fragment
    assert "style=" not in fragment
    for item in (showing.left_item, showing.right_item):
        assert item.item_id not in fragment
    assert "Agrees with the rest" not in fragment


def test_a_closed_monitor_stands_still_and_tells_agreement(admin):
    round_ = opened_round(1, 2)
    for packet in Packet.objects.filter(round=round_):
        vote(showings_of(packet)[0])
    close_round(round_, actor="test")
    fragment = page(admin, "round_monitor", round_.pk)
    assert "hx-get" not in fragment
    assert "Agrees with the rest" in fragment
    assert "n = 1" in fragment


def test_an_order_that_is_none_is_by_rater(admin):
    round_ = opened_round(1, 2)
    assert admin.get(reverse("round", args=[round_.pk]), {"sort": "winner"}).context["sort"] == "rater"


def test_a_draft_has_no_monitor(admin):
    assert admin.get(reverse("round_monitor", args=[make_round().pk])).status_code == 404


def test_a_rater_who_cannot_sign_in_is_flagged_with_what_to_do(admin):
    rater = make_rater()
    round_ = opened_round(2, [rater])
    rater.user.is_active = False
    rater.user.save()
    fragment = page(admin, "round_monitor", round_.pk)
    assert "cannot sign in any more; pass on what is open" in fragment
    assert reverse("round_pass_on", args=[round_.pk, rater.pk]) in fragment
    assert "Remind</button>" not in fragment


def test_a_raters_page_lists_acts_without_what_was_preferred(admin):
    round_ = opened_round(2, 1)
    packet = Packet.objects.get(round=round_)
    one, two = showings_of(packet)
    event = vote(one)
    act(two, "skip")
    listed = page(admin, "round_rater", round_.pk, packet.rater_id)
    assert one.pair.pair_id in listed
    assert reverse("answer_void", args=[event.pk]) in listed
    for item in (one.left_item, one.right_item):
        assert item.item_id not in listed
    stranger = make_rater()
    assert admin.get(reverse("round_rater", args=[round_.pk, stranger.pk])).status_code == 404


# --- acts ------------------------------------------------------------------------------------------


def test_passing_on_is_confirmed_in_a_sentence(admin):
    leaver, joiner = make_rater(), make_rater()
    round_ = opened_round(3, [leaver])
    address = reverse("round_pass_on", args=[round_.pk, leaver.pk])
    assert "3 unanswered showings of" in page(admin, "round_pass_on", round_.pk, leaver.pk)
    refused = admin.post(address, {"reason": "left"})
    assert "find no rater" in str(refused.context["form"].non_field_errors())
    response = admin.post(address, {"reason": "left", "joining": [joiner.pk]}, follow=True)
    assert said(response) == ["3 showings were passed on."]
    assert Packet.objects.get(rater=joiner).showings.count() == 3
    assert "Passed on 3 showings" in response.content.decode()


def test_only_raters_without_a_packet_can_join(admin):
    inside, outside = make_rater(), make_rater()
    make_rater("reviewer_01", role=Role.REVIEWER)
    round_ = opened_round(1, [inside])
    form = admin.get(reverse("round_pass_on", args=[round_.pk, inside.pk])).context["form"]
    assert list(form.fields["joining"].queryset) == [outside]


def test_topping_up_counts_the_pairs_of_each_kind_and_adds_showings(admin):
    raters = [make_rater() for _ in range(3)]
    round_ = opened_round(2, raters)
    pair = round_.pairs.first()
    for number, rater in enumerate(raters):
        for showing in showings_of(Packet.objects.get(round=round_, rater=rater)):
            for_a = showing.pair != pair or number > 0
            vote(showing, "left" if (showing.left_item_id == showing.pair.item_a_id) is for_a else "right")
    joiners = [make_rater() for _ in range(2)]
    assert "two against one: 1" in page(admin, "round_top_up", round_.pk)
    sent = {"splits": ["two_to_one"], "target": "5", "reason": "split", "joining": [j.pk for j in joiners]}
    response = admin.post(reverse("round_top_up", args=[round_.pk]), sent, follow=True)
    assert said(response) == ["2 showings were added."]
    assert {
        showing.pair for joiner in joiners for showing in Showing.objects.filter(packet__rater=joiner)
    } == {pair}


def test_a_closed_round_says_that_a_top_up_opens_it(admin):
    round_ = opened_round(1, 1)
    close_round(round_, actor="test")
    assert "will be open again" in page(admin, "round_top_up", round_.pk)


def test_voiding_says_what_will_happen_and_needs_a_reason(admin):
    round_ = opened_round(2, 1)
    packet = Packet.objects.get(round=round_)
    vote(showings_of(packet)[0])
    address = reverse("round_void", args=[round_.pk, packet.rater_id])
    assert "1 answer of" in page(admin, "round_void", round_.pk, packet.rater_id)
    assert "reason" in admin.post(address, {"reason": ""}).context["form"].errors
    assert said(admin.post(address, {"reason": "hasty"}, follow=True)) == ["1 answer was voided."]
    assert ShowingWithdrawal.objects.count() == 2


def test_one_answer_is_voided(admin):
    round_ = opened_round(1, 1)
    [showing] = showings_of(Packet.objects.get(round=round_))
    event = vote(showing)
    assert "The rater is asked again." in page(admin, "answer_void", event.pk)
    address = reverse("answer_void", args=[event.pk])
    assert said(admin.post(address, {"reason": "slip"}, follow=True)) == ["The answer was voided."]
    refused = admin.post(address, {"reason": "slip"})
    assert "does not stand any more" in str(refused.context["form"].non_field_errors())
    assert JudgmentEvent.objects.filter(kind="void").count() == 1


def test_reminders_go_to_one_or_to_all(admin):
    raters = [make_rater(email=f"e{n}@example.org") for n in range(2)] + [make_rater()]
    round_ = opened_round(1, raters)
    address = reverse("round_remind", args=[round_.pk])
    response = admin.post(address, {"rater": raters[0].pk}, follow=True)
    assert said(response) == [f"Reminded: {raters[0].pseudonym}."]
    assert said(admin.post(address, follow=True)) == [
        f"Reminded: {raters[1].pseudonym}.",
        f"Reminded within a day already: {raters[0].pseudonym}.",
        f"No mail address: {raters[2].pseudonym}. Add one on the page of people.",
    ]
    assert [message.to for message in mail.outbox] == [["e0@example.org"], ["e1@example.org"]]
    assert "http://testserver/" in mail.outbox[0].body
    assert said(admin.post(address, {"rater": "x"}, follow=True)) == ["There is nobody to remind."]


def test_closing_shows_what_is_missing_by_rater(admin):
    raters = [make_rater("human_expert_01"), make_rater("human_expert_02")]
    round_ = opened_round(3, raters)
    for showing in showings_of(Packet.objects.get(round=round_, rater=raters[0])):
        vote(showing)
    facts = admin.get(reverse("round_close", args=[round_.pk])).context["facts"]
    assert facts == [{"name": "human_expert_02", "value": "3 missing"}]


# --- reports ---------------------------------------------------------------------------------------


def post_report(browser, showing, **sent):
    sent = {"event_id": str(uuid.uuid4()), "reason": "broken", "note": "left is black"} | sent
    address = reverse("showing_reports", args=[showing.token])
    return browser.post(address, json.dumps(sent), content_type="application/json")


def test_a_rater_reports_a_pair_once():
    packet = opened_packet(1)
    [showing] = showings_of(packet)
    browser, event_id = client_of(packet.rater), str(uuid.uuid4())
    for status in (201, 200):
        response = post_report(browser, showing, event_id=event_id)
        assert (response.status_code, response.json()) == (status, {"reported": True})
    stored = ShowingReport.objects.get()
    assert (stored.showing, stored.reason, stored.note) == (showing, "broken", "left is black")
    assert not JudgmentEvent.objects.exists()  # the skip is the page's own event


def test_what_is_no_report_is_refused_and_other_raters_find_nothing():
    packet = opened_packet(1)
    [showing] = showings_of(packet)
    browser = client_of(packet.rater)
    for sent in ({"event_id": "?"}, {"reason": "ugly"}, {"note": 3}, {"note": "x" * 4001}):
        response = post_report(browser, showing, **sent)
        assert response.status_code == 400
        assert response.json()["fields"]
    address = reverse("showing_reports", args=[showing.token])
    assert browser.post(address, "[", content_type="application/json").status_code == 400
    assert post_report(client_of(make_rater()), showing).status_code == 404
    assert not ShowingReport.objects.exists()


def test_a_report_that_was_kept_waiting_is_stored_after_the_round_closed():
    packet = opened_packet(1)
    close_round(packet.round, actor="test")
    assert post_report(client_of(packet.rater), showings_of(packet)[0]).status_code == 201


def test_an_admin_sees_a_reported_pair_as_its_rater_does_and_settles_it(admin):
    pair = make_pair(items=(make_item(image=webp()), make_item(text="A line of prose.")))
    round_ = opened_round([pair], 1)
    [showing] = showings_of(Packet.objects.get(round=round_))
    stored, _ = report(showing, event_id=uuid.uuid4(), reason="offensive", note="see the left")
    assert "see the left" in page(admin, "round_reports", round_.pk)
    seen = page(admin, "report", stored.pk)
    side = "left" if showing.left_item == pair.item_a else "right"
    address = reverse("report_rendition", args=[stored.pk, side])
    assert f'src="{address}"' in seen
    assert "A line of prose." in seen
    assert showing.left_token not in seen
    picture = admin.get(address)
    assert (picture.status_code, picture.headers["Content-Type"]) == (200, "image/webp")
    assert admin.get(reverse("report_rendition", args=[stored.pk, "middle"])).status_code == 404
    response = admin.post(reverse("report", args=[stored.pk]), {"resolution": "Taken out."}, follow=True)
    assert said(response) == ["The report is settled."]
    assert "see the left" not in page(admin, "round_reports", round_.pk)
    assert "Taken out." in page(admin, "round_reports", round_.pk, all=1)


def test_a_reported_formatted_item_stands_in_a_frame_without_scripts(admin):
    item = make_item(rendition=False)
    ItemRendition.objects.create(item=item, kind="html", text="<p>A page.</p>", n_bytes=14)
    round_ = opened_round([make_pair(items=(item, make_item()))], 1)
    [showing] = showings_of(Packet.objects.get(round=round_))
    stored, _ = report(showing, event_id=uuid.uuid4(), reason="broken", note="")
    side = "left" if showing.left_item == item else "right"
    address = reverse("report_rendition", args=[stored.pk, side])
    assert f'<iframe class="item item--frame" src="{address}"' in page(admin, "report", stored.pk)
    framed = admin.get(address)
    assert "<p>A page.</p>" in framed.content.decode()
    assert "script-src 'none'" in framed.headers["Content-Security-Policy"]


def test_looking_at_a_reported_pair_is_logged(admin, caplog):
    [showing] = showings_of(opened_packet(1))
    stored, _ = report(showing, event_id=uuid.uuid4(), reason="broken", note="")
    with caplog.at_level("INFO", logger="labeling.reports"):
        page(admin, "report", stored.pk)
    assert f"looked at the pair of report {stored.pk}" in caplog.text


# --- notes -----------------------------------------------------------------------------------------


def test_notes_are_released_or_kept_one_by_one_and_confidences_together(admin):
    round_ = opened_round(4, 1, asks_confidence=True)
    one, two, three, four = showings_of(Packet.objects.get(round=round_))
    good, telling = vote(one, note="clear margins"), vote(two, note="I know who drew this")
    vote(three, confidence="0.9")
    vote(four, confidence="0.6")
    address = reverse("round_notes", args=[round_.pk])
    listed = page(admin, "round_notes", round_.pk)
    assert "clear margins" in listed
    assert "2 confidences come without a note." in listed
    assert said(admin.post(address, {"act": "release", "event": [good.pk]}, follow=True)) == [
        "1 answer released."
    ]
    assert said(admin.post(address, {"act": "keep", "event": [telling.pk, "x"]}, follow=True)) == [
        "1 answer kept inside."
    ]
    assert said(admin.post(address, {"act": "release_alone"}, follow=True)) == ["2 answers released."]
    assert "Nothing to decide" in page(admin, "round_notes", round_.pk)
    assert "kept inside" in page(admin, "round_notes", round_.pk, all=1)
    assert dict(NoteReview.objects.values_list("event", "is_released")).pop(telling.pk) is False
    assert said(admin.post(address, {"act": "burn"}, follow=True)) == [
        "Choose whether to release or to keep."
    ]


def test_another_rounds_notes_cannot_be_released_from_here(admin):
    other = vote(showings_of(opened_packet(1))[0], note="a note")
    round_ = opened_round(1, 1)
    admin.post(reverse("round_notes", args=[round_.pk]), {"act": "release", "event": [other.pk]})
    assert not NoteReview.objects.exists()
