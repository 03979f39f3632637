"""Practice: chosen by an admin, tried by a rater first, told after the choice, counted in nothing."""

import pytest
from django.urls import reverse

from labeling.models import ItemRendition, JudgmentEvent, Packet, PracticePair, PracticeShowing, Role
from labeling.packets import open_round
from labeling.practice import add, candidates, explain, move_up, remove
from labeling.rounds import WrongState, close_round, problems_before_opening
from tests.factories import (
    client_of,
    make_item,
    make_pair,
    make_rater,
    make_round,
    make_user,
    showings_of,
    vote,
    webp,
)

pytestmark = [pytest.mark.django_db, pytest.mark.usefixtures("private_files")]

WHY = "The better one has one clear centre."


@pytest.fixture
def admin():
    return client_of(make_user(Role.ADMIN))


def make_practice(round_, *, better="a", explanation=WHY, **pair):
    """A practice pair of the draft, explained."""
    return practise_on(round_, make_pair(**pair), better, explanation)


def practise_on(round_, pair, better="a", explanation=WHY):
    chosen = add(round_, pair.pk)
    assert chosen is not None
    explain(chosen, better=better, explanation=explanation)
    return chosen


def practised_packet(n=1, raters=1, **more):
    """The first packet of a round with `n` practice pairs."""
    round_ = make_round(2, raters, **more)
    for _ in range(n):
        make_practice(round_)
    open_round(round_, actor="test")
    return Packet.objects.filter(round=round_).earliest("pk")


def page_of(packet, place=None):
    address = reverse("practice", args=[packet.pk])
    return address if place is None else f"{address}?place={place}"


def better_side(showing):
    return "left" if showing.left_item_id == showing.practice_pair.better_id else "right"


# --- choosing -------------------------------------------------------------------------------------


def test_candidates_are_of_the_rounds_domains_have_content_and_are_not_in_it():
    round_ = make_round(1, 1)
    other = make_pair()
    make_pair(domain="tech")
    make_pair(items=(make_item(), make_item(rendition=False)))
    assert list(candidates(round_)) == [other]
    add(round_, other.pk)
    assert not candidates(round_).exists()
    assert add(round_, round_.pairs.get().pk) is None


def test_an_admin_adds_explains_orders_and_removes(admin):
    round_ = make_round(1, 1)
    first, second = make_pair(), make_pair()
    address = reverse("round_practice", args=[round_.pk])
    for pair in (first, second):
        response = admin.post(address, {"act": f"add:{pair.pk}"})
        chosen = PracticePair.objects.get(pair=pair)
        assert response.headers["Location"] == reverse("practice_pair", args=[round_.pk, chosen.pk])
        admin.post(response.headers["Location"], {"better": "b", "explanation": WHY})
    assert [p.pair for p in round_.practice_pairs.all()] == [first, second]
    assert PracticePair.objects.get(pair=second).better == second.item_b
    admin.post(address, {"act": f"up:{PracticePair.objects.get(pair=second).pk}"})
    assert [p.pair for p in round_.practice_pairs.all()] == [second, first]
    admin.post(address, {"act": f"remove:{PracticePair.objects.get(pair=second).pk}"})
    assert [p.pair for p in round_.practice_pairs.all()] == [first]
    assert first.pair_id in admin.get(address).content.decode()


@pytest.mark.parametrize(
    "act", ["", "add", "add:", "add:x", "add:999999", "up:9", "remove:9" + "9" * 30, "x:1"]
)
def test_an_act_that_names_nothing_changes_nothing(admin, act):
    round_ = make_round(1, 1)
    chosen = make_practice(round_)
    response = admin.post(reverse("round_practice", args=[round_.pk]), {"act": act})
    assert response.headers["Location"] == reverse("round_practice", args=[round_.pk])
    assert list(round_.practice_pairs.all()) == [chosen]


def test_moving_the_first_up_leaves_it():
    round_ = make_round(1, 1)
    chosen = [make_practice(round_) for _ in range(2)]
    move_up(chosen[0])
    assert list(round_.practice_pairs.all()) == chosen


def test_an_explanation_is_needed(admin):
    round_ = make_round(1, 1)
    chosen = make_practice(round_, explanation="")
    address = reverse("practice_pair", args=[round_.pk, chosen.pk])
    assert admin.post(address, {"better": "a", "explanation": " "}).context["form"].errors
    assert problems_before_opening(round_) == [
        f"Practice pairs without an explanation: {chosen.pair.pair_id}. Write it or drop them."
    ]


def test_a_practice_pair_that_the_round_asks_about_too_keeps_it_from_opening():
    round_ = make_round(1, 1)
    chosen = make_practice(round_)
    round_.round_pairs.create(pair=chosen.pair)
    assert problems_before_opening(round_) == [
        f"Practice pairs that the round also asks about: {chosen.pair.pair_id}. Keep each in one place."
    ]


def test_practice_of_a_begun_round_is_fixed(admin):
    packet = practised_packet()
    chosen = PracticePair.objects.get()
    for act in (
        lambda: add(packet.round, make_pair().pk),
        lambda: explain(chosen, better="", explanation="Other."),
        lambda: remove(chosen),
        lambda: move_up(chosen),
    ):
        with pytest.raises(WrongState):
            act()
    for name, args in (("round_practice", ()), ("practice_pair", (chosen.pk,))):
        address = reverse(name, args=[packet.round_id, *args])
        response = admin.post(address, {"act": f"remove:{chosen.pk}", "explanation": "Other."})
        assert response.headers["Location"] == reverse("round", args=[packet.round_id])
    assert PracticePair.objects.get().explanation == WHY


def test_the_preview_is_the_raters_page_and_stores_nothing(admin):
    round_ = make_round(1, 1)
    pictures = (make_item(image=webp()), make_item(image=webp((1, 2, 3))))
    chosen = make_practice(round_, items=pictures, better="b")
    address = reverse("practice_preview", args=[round_.pk, chosen.pk])
    before = admin.get(address).content.decode()
    assert "Which is better crafted?" in before
    assert WHY not in before
    after = admin.post(address, {"choice": "left"}).content.decode()
    assert WHY in after
    assert "The right one is better" in after
    assert not PracticeShowing.objects.exists()
    for letter in "ab":
        item = reverse("practice_item", args=[round_.pk, chosen.pk, letter])
        assert item in before
        assert admin.get(item).headers["Content-Type"] == "image/webp"
    assert admin.get(reverse("practice_item", args=[round_.pk, chosen.pk, "c"])).status_code == 404


def test_a_formatted_item_is_framed_for_the_admin(admin):
    round_ = make_round(1, 1)
    formatted = make_item(rendition=False)
    ItemRendition.objects.create(item=formatted, kind="html", text="<p>Prose.</p>", n_bytes=13)
    chosen = make_practice(round_, items=(formatted, make_item()))
    address = reverse("practice_item", args=[round_.pk, chosen.pk, "a"])
    assert address in admin.get(reverse("practice_pair", args=[round_.pk, chosen.pk])).content.decode()
    response = admin.get(address)
    assert b"<p>Prose.</p>" in response.content
    assert "script-src 'none'" in response.headers["Content-Security-Policy"]


# --- practising -----------------------------------------------------------------------------------


def test_sides_are_fixed_by_the_seed_when_the_round_opens():
    pairs = [make_pair() for _ in range(8)]
    raters = [make_rater() for _ in range(2)]
    seen = []
    for seed in (7, 7, 8):
        round_ = make_round(1, raters, seed=seed)
        for pair in pairs:
            practise_on(round_, pair)
        open_round(round_, actor="test")
        showings = PracticeShowing.objects.filter(packet__round=round_).order_by("packet", "position")
        seen.append([s.left_item_id == s.practice_pair.pair.item_a_id for s in showings])
    assert len(seen[0]) == 16
    assert seen[0] == seen[1] != seen[2]
    assert set(seen[0]) == {True, False}


def test_practice_comes_before_the_first_real_pair_and_is_told_after_the_choice():
    packet = practised_packet(2)
    browser = client_of(packet.rater)
    rate = reverse("rate", args=[packet.pk])
    assert browser.get(rate).headers["Location"] == page_of(packet)
    first, second = packet.practice_showings.all()
    before = browser.get(page_of(packet)).content.decode()
    assert "Practice 1 of 2" in before
    assert WHY not in before
    page = browser.post(page_of(packet), {"choice": better_side(first)}).content.decode()
    assert WHY in page
    assert f"The {better_side(first)} one is better" in page
    assert "as you chose" in page
    assert page_of(packet, 2) in page
    assert browser.get(rate).headers["Location"] == page_of(packet)  # one is left
    assert "Practice 2 of 2" in browser.get(page_of(packet)).content.decode()
    wrong = {"left": "right", "right": "left"}[better_side(second)]
    page = browser.post(page_of(packet, 2), {"choice": wrong}).content.decode()
    assert "as you chose" not in page
    assert f'href="{rate}"' in page
    assert browser.get(rate).status_code == 200


def test_of_the_choice_nothing_is_stored_but_that_it_was_made():
    packet = practised_packet()
    browser = client_of(packet.rater)
    browser.post(page_of(packet), {"choice": "left"})
    [showing] = packet.practice_showings.all()
    done = showing.done_at
    assert done is not None
    assert not JudgmentEvent.objects.exists()
    browser.post(page_of(packet), {"choice": "right"})
    showing.refresh_from_db()
    assert showing.done_at == done


def test_it_can_be_repeated_from_the_menu():
    packet = practised_packet()
    browser = client_of(packet.rater)
    browser.post(page_of(packet), {"choice": "left"})
    assert page_of(packet, 1) in browser.get(reverse("rate", args=[packet.pk])).content.decode()
    assert WHY not in browser.get(page_of(packet, 1)).content.decode()
    assert WHY in browser.post(page_of(packet, 1), {"choice": "right"}).content.decode()


def test_who_has_begun_already_is_not_held_up():
    packet = practised_packet()
    vote(showings_of(packet)[0])
    assert client_of(packet.rater).get(reverse("rate", args=[packet.pk])).status_code == 200


@pytest.mark.parametrize("choice", ["", "a", "both"])
def test_what_is_no_choice_tells_nothing(choice):
    packet = practised_packet()
    page = client_of(packet.rater).post(page_of(packet), {"choice": choice}).content.decode()
    assert WHY not in page
    assert packet.practice_showings.get().done_at is None


def test_neither_may_be_better():
    round_ = make_round(1, 1)
    make_practice(round_, better="")
    open_round(round_, actor="test")
    packet = Packet.objects.get(round=round_)
    page = client_of(packet.rater).post(page_of(packet), {"choice": "left"}).content.decode()
    assert "Neither is clearly better here" in page


def test_pictures_come_through_tokens_of_the_practice_for_its_rater_alone():
    round_ = make_round(1, 2)
    make_practice(round_, items=(make_item(image=webp()), make_item(image=webp((1, 2, 3)))))
    open_round(round_, actor="test")
    packet, others = Packet.objects.filter(round=round_).order_by("pk")
    [showing] = packet.practice_showings.all()
    for token in (showing.left_token, showing.right_token):
        address = reverse("rendition", args=[token])
        assert client_of(packet.rater).get(address).headers["Content-Type"] == "image/webp"
        assert client_of(others.rater).get(address).status_code == 404
    assert client_of(others.rater).get(page_of(packet)).status_code == 404


def test_no_practice_leads_to_rating_and_a_place_that_is_none_is_not_found():
    packet = practised_packet(0)
    assert client_of(packet.rater).get(page_of(packet)).headers["Location"] == reverse(
        "rate", args=[packet.pk]
    )
    packet = practised_packet(1)
    for place in ("0", "2", "99999"):
        assert client_of(packet.rater).get(page_of(packet, place)).status_code == 404


def test_a_closed_round_is_practised_on_no_more():
    packet = practised_packet()
    close_round(packet.round, actor="test")
    browser = client_of(packet.rater)
    token = packet.practice_showings.get().left_token
    assert browser.get(page_of(packet), follow=True).redirect_chain[-1][0] == reverse(
        "finish", args=[packet.pk]
    )
    assert browser.get(reverse("rendition", args=[token])).status_code == 404


def test_practice_pairs_are_in_no_table_and_no_count(admin):
    packet = practised_packet(2)
    for showing in showings_of(packet):
        vote(showing)
    close_round(packet.round, actor="test")
    chosen = PracticePair.objects.select_related("pair").earliest("pk")
    page = admin.get(reverse("round_report", args=[packet.round_id])).content.decode()
    assert chosen.pair.pair_id not in page
    assert Packet.objects.with_progress().get(pk=packet.pk).n_showings == 2
