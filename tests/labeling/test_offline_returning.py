"""The answers of an offline packet coming back: stored once, by the browser's rules, whole or not at all."""

import io
from datetime import timedelta

import pytest
from django.core.files.uploadedfile import SimpleUploadedFile
from django.core.management import CommandError, call_command
from django.urls import reverse
from django.utils import timezone
from hypothesis import given
from hypothesis import strategies as st

from labeling.models import JudgmentEvent, Packet, Role, Showing, ShowingWithdrawal
from labeling.offline.responses import RESPONSES
from labeling.offline.returning import preview_return, return_packet
from labeling.recording import RoundNotOpen
from labeling.tables import TableErrors, read_table, write_table
from labeling.voiding import void_answer
from tests.factories import (
    act,
    client_of,
    make_item,
    make_rater,
    make_user,
    opened_packet,
    opened_round,
    showings_of,
    vote,
)

pytestmark = [pytest.mark.django_db, pytest.mark.usefixtures("private_files")]


def table(*rows):
    """responses.csv as bytes; a row is (token or showing, choice, further columns)."""
    target = io.BytesIO()
    written = []
    for showing, choice, more in ((*row, {})[:3] for row in rows):
        token = showing.token if isinstance(showing, Showing) else showing
        written.append(dict.fromkeys(RESPONSES.names, "") | {"token": token, "choice": choice} | more)
    write_table(target, RESPONSES, written)
    return target.getvalue()


def frame(*rows):
    return read_table(table(*rows), RESPONSES, name="responses.csv")


def refusals(own, *rows, **more):
    """(line, column) and text of each fault; that nothing was stored."""
    before = JudgmentEvent.objects.count()
    with pytest.raises(TableErrors) as refused:
        return_packet(own.round, frame(*rows), **more)
    assert JudgmentEvent.objects.count() == before
    return [(error.line, error.column) for error in refused.value.errors], str(refused.value)


def current(showing):
    return JudgmentEvent.objects.current().get(showing=showing)


def test_answers_are_stored_as_events_of_their_showings():
    packet = opened_packet(4, asks_confidence=True)
    left, right, cannot, empty = showings_of(packet)
    done = return_packet(
        packet.round,
        frame(
            (left, "left", {"confidence": "0.75", "note": "=calm"}),
            (right, "RIGHT "),
            (cannot, "cannot judge"),
            (empty, ""),
        ),
    )
    assert (done.stored, done.known, done.standing, done.rater) == (3, 0, [], packet.rater.pseudonym)
    event = current(left)
    assert (event.kind, event.preferred, event.shown_left) == ("vote", left.left_item, left.left_item)
    assert (float(event.confidence), event.note, event.channel) == (0.75, "=calm", "offline_packet")
    assert current(right).preferred == right.right_item
    assert (current(cannot).kind, current(cannot).preferred) == ("abstain", None)
    assert not empty.events.exists()


def test_the_time_is_that_of_the_file_or_that_of_its_return():
    packet = opened_packet(2)
    told, untold = showings_of(packet)
    moment = before = timezone.now()
    return_packet(packet.round, frame((told, "left", {"judged_at": moment.isoformat()}), (untold, "left")))
    assert current(told).judged_at == moment
    assert before <= current(untold).judged_at <= timezone.now()


def test_the_same_file_again_stores_nothing_and_a_fuller_one_only_what_is_new():
    packet = opened_packet(3)
    first, second, third = showings_of(packet)
    part = [(first, "left"), (second, "cannot judge")]
    return_packet(packet.round, frame(*part))
    again = return_packet(packet.round, frame(*part))
    assert (again.stored, again.known, again.standing) == (0, 2, [])
    fuller = return_packet(packet.round, frame(*part, (third, "right")))
    assert (fuller.stored, fuller.known) == (1, 2)
    assert JudgmentEvent.objects.count() == 3


def test_an_answer_given_in_the_browser_stands_and_is_reported():
    packet = opened_packet(2)
    answered, fresh = showings_of(packet)
    event = vote(answered, "right")
    done = return_packet(packet.round, frame((answered, "left"), (fresh, "left")))
    assert done.stored == 1
    assert done.standing == ["responses.csv:2: page 1 says “right” since; that stands."]
    assert current(answered) == event


def test_with_replace_the_file_supersedes_it_once():
    packet = opened_packet(1)
    [showing] = showings_of(packet)
    event = vote(showing, "right")
    done = return_packet(packet.round, frame((showing, "left")), replace=True)
    assert (done.stored, done.replaced, done.standing) == (1, 1, [])
    assert current(showing).replaces == event
    assert current(showing).preferred == showing.left_item
    assert return_packet(packet.round, frame((showing, "left")), replace=True).known == 1
    assert showing.events.count() == 2


def test_what_was_undone_after_the_file_came_is_not_done_again_by_it():
    packet = opened_packet(1)
    [showing] = showings_of(packet)
    return_packet(packet.round, frame((showing, "left")))
    act(showing, "undo")
    done = return_packet(packet.round, frame((showing, "left")))
    assert (done.stored, len(done.standing)) == (0, 1)
    assert current(showing).kind == "undo"


def test_an_answer_to_what_was_skipped_or_undone_in_the_browser_is_taken():
    packet = opened_packet(2)
    skipped, undone = showings_of(packet)
    act(skipped, "skip", reason="unsure")
    vote(undone)
    act(undone, "undo")
    assert return_packet(packet.round, frame((skipped, "left"), (undone, "cannot judge"))).stored == 2


def test_a_voided_row_stays_void_and_another_answers_the_showing_anew():
    packet = opened_packet(1)
    [showing] = showings_of(packet)
    return_packet(packet.round, frame((showing, "left")))
    void_answer(packet.round, current(showing), actor="test", reason="careless")
    again = return_packet(packet.round, frame((showing, "left")), replace=True)
    assert (again.stored, again.standing) == (0, ["responses.csv:2: page 1 says “void” since; that stands."])
    assert return_packet(packet.round, frame((showing, "right"))).stored == 1
    assert current(showing).preferred == showing.right_item


def test_all_faults_are_told_at_once_with_line_column_and_cure_and_nothing_is_stored():
    packet = opened_packet(6)
    good, bad, noted, withdrawn, sure, late = showings_of(packet)
    ShowingWithdrawal.objects.create(showing=withdrawn, reason="passed on", actor="test")
    tomorrow = (timezone.now() + timedelta(days=1)).isoformat()
    places, text = refusals(
        packet,
        (good, "left"),
        (bad, "middle"),
        (noted, "", {"note": "pretty"}),
        (withdrawn, "left"),
        (sure, "left", {"confidence": "0.9"}),
        (late, "left", {"judged_at": tomorrow}),
        ("no-such-token", "left"),
    )
    assert places == [
        (3, "choice"),
        (4, "note"),
        (5, "token"),
        (6, "confidence"),
        (7, "judged_at"),
        (8, "token"),
    ]
    assert "Write left, right or cannot judge" in text


def test_cells_of_the_wrong_kind_are_refused_by_the_reader():
    packet = opened_packet(1, asks_confidence=True)
    [showing] = showings_of(packet)
    with pytest.raises(TableErrors, match=r"confidence: .*decimal comma"):
        frame((showing, "left", {"confidence": "0,8"}))
    with pytest.raises(TableErrors, match="line 2 has the same"):
        frame((showing, "left"), (showing, "right"))
    assert refusals(packet, (showing, "left", {"confidence": "0.4"}))[0] == [(2, "confidence")]
    assert refusals(packet, (showing, "cannot judge", {"confidence": "0.9"}))[0] == [(2, "confidence")]
    assert refusals(packet, (showing, "left", {"score": "0.4"}))[0] == [(2, "score")]


def test_a_file_holds_one_raters_answers():
    round_ = opened_round(2, 2)
    mine, other = Packet.objects.filter(round=round_).order_by("pk")
    rows = [(showings_of(mine)[0], "left"), (showings_of(other)[0], "left")]
    assert refusals(mine, *rows)[0] == [(3, "token")]
    assert refusals(mine, *rows, packet=mine)[0] == [(3, "token")]
    assert refusals(mine, *rows, packet=other)[0] == [(2, "token")]


def test_a_closed_round_takes_nothing():
    packet = opened_packet(1)
    rows = frame((showings_of(packet)[0], "left"))
    packet.round.state = "closed"
    packet.round.save()
    with pytest.raises(RoundNotOpen):
        return_packet(packet.round, rows)
    assert not JudgmentEvent.objects.exists()


def test_a_single_item_takes_a_score_and_no_side():
    round_ = opened_round(1, 1)
    packet = Packet.objects.get(round=round_)
    item = make_item()
    single = Showing(packet=packet, position=2, left_item=item)
    Showing.objects.bulk_create([single])
    assert refusals(packet, (single, "left"))[0] == [(2, "choice")]
    assert refusals(packet, (single, "cannot judge", {"score": "0.4"}))[0] == [(2, "score")]
    assert return_packet(round_, frame((single, "", {"score": "0.7"}))).stored == 1
    assert float(current(single).score) == 0.7
    assert current(single).item == item


def test_a_preview_says_the_same_and_stores_nothing():
    packet = opened_packet(2)
    rows = frame((showings_of(packet)[0], "left"))
    assert preview_return(packet.round, rows).stored == 1
    assert not JudgmentEvent.objects.exists()
    assert return_packet(packet.round, rows).stored == 1


@given(
    st.lists(st.sampled_from(["left", "right", "cannot judge", ""]), min_size=3, max_size=3),
    st.lists(st.booleans(), min_size=3, max_size=3),
)
def test_any_parts_in_any_order_end_where_the_whole_file_does(choices, in_first_part):
    packet = opened_packet(3)
    rows = list(zip(showings_of(packet), choices, strict=True))
    part = [row for row, first in zip(rows, in_first_part, strict=True) if first]
    for some in (part, rows, part):
        return_packet(packet.round, frame(*some))
    answered = {event.showing_id for event in JudgmentEvent.objects.filter(showing__packet=packet)}
    assert answered == {showing.pk for showing, choice in rows if choice}
    assert JudgmentEvent.objects.filter(showing__packet=packet).count() == len(answered)


def hand_in(browser, packet, data, **more):
    upload = SimpleUploadedFile("responses.csv", data, content_type="text/csv")
    return browser.post(reverse("offline", args=[packet.pk]), {"file": upload, **more})


def test_the_rater_sees_what_the_file_holds_and_then_stores_it():
    packet = opened_packet(2)
    browser = client_of(packet.rater)
    shown = hand_in(browser, packet, table((showings_of(packet)[0], "left")))
    assert shown.context["returned"].stored == 1
    assert not JudgmentEvent.objects.exists()
    address = reverse("offline", args=[packet.pk])
    page = browser.post(address, {"ticket": shown.context["ticket"]}, follow=True)
    assert "1 answer stored." in page.content.decode()
    assert JudgmentEvent.objects.count() == 1
    again = browser.post(address, {"ticket": shown.context["ticket"]}, follow=True)
    assert "handed in already" in again.content.decode()
    assert JudgmentEvent.objects.count() == 1


def test_the_rater_cannot_replace_nor_use_the_ticket_of_another():
    packet = opened_packet(1)
    [showing] = showings_of(packet)
    vote(showing, "right")
    shown = hand_in(client_of(packet.rater), packet, table((showing, "left")), replace="on")
    assert len(shown.context["returned"].standing) == 1
    other = opened_packet(1)
    answer = client_of(other.rater).post(
        reverse("offline", args=[other.pk]), {"ticket": shown.context["ticket"]}, follow=True
    )
    assert "is gone" in answer.content.decode()
    assert JudgmentEvent.objects.count() == 1


def test_an_admin_may_replace():
    packet = opened_packet(1)
    [showing] = showings_of(packet)
    vote(showing, "right")
    admin = client_of(make_user(Role.ADMIN))
    shown = hand_in(admin, packet, table((showing, "left")), replace="on")
    assert shown.context["returned"].replaced == 1
    admin.post(reverse("offline", args=[packet.pk]), {"ticket": shown.context["ticket"]})
    assert current(showing).preferred == showing.left_item


def test_faults_are_listed_on_the_page():
    packet = opened_packet(1)
    shown = hand_in(client_of(packet.rater), packet, table(("unknown", "left")))
    assert shown.context["n_errors"] == 1
    assert "responses.csv:2: token:" in shown.content.decode()


def test_the_page_of_a_round_leads_to_each_packet():
    round_ = opened_round(2, 2)
    page = client_of(make_user(Role.ADMIN)).get(reverse("round_offline", args=[round_.pk]))
    for packet in Packet.objects.filter(round=round_):
        assert reverse("offline", args=[packet.pk]) in page.content.decode()


def test_the_command_checks_stores_and_refuses(tmp_path, capsys):
    packet = opened_packet(2)
    [showing, _other] = showings_of(packet)
    path = tmp_path / "responses.csv"
    path.write_bytes(table((showing, "left")))
    call_command("import_offline_packet", packet.round.slug, str(path), "--check")
    assert not JudgmentEvent.objects.exists()
    call_command("import_offline_packet", packet.round.slug, str(path))
    assert JudgmentEvent.objects.count() == 1
    call_command("import_offline_packet", packet.round.slug, str(path))
    assert "Stored 0 answers" in capsys.readouterr().out
    path.write_bytes(table(("unknown", "left")))
    with pytest.raises(CommandError, match=r"1 errors\.\nresponses\.csv:2: token:"):
        call_command("import_offline_packet", packet.round.slug, str(path))
    with pytest.raises(CommandError, match="no round"):
        call_command("import_offline_packet", "nowhere", str(path))


def test_another_rater_has_no_page_to_hand_anything_in_at():
    packet = opened_packet(1)
    assert hand_in(client_of(make_rater()), packet, table()).status_code == 404


def test_a_raters_start_page_leads_there_while_something_is_open():
    packet = opened_packet(1)
    browser = client_of(packet.rater)
    address = reverse("offline", args=[packet.pk])
    assert address in browser.get("/").content.decode()
    vote(showings_of(packet)[0])
    assert address not in browser.get("/").content.decode()
