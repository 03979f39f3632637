"""The rating screen in a real browser: what counts as an answer, and what happens when the way is bad."""

import json

import pytest
from playwright.sync_api import Browser, Page, Route, expect

from labeling.models import JudgmentEvent, Packet, Role, User
from labeling.packet_state import choice_of
from tests.browser.small_round import PASSWORD, small_round

pytestmark = [pytest.mark.browser, pytest.mark.django_db(transaction=True)]

ACCEPTING = "#stage[data-accepting]"


def begin(page: Page, packet: Packet) -> None:
    page.goto(f"/sign-in/?next=/packets/{packet.pk}/rate/")
    page.get_by_label("Sign-in name").fill("demo_expert_1")
    page.get_by_label("Password").fill(PASSWORD)
    page.get_by_role("button", name="Sign in").click()
    page.wait_for_selector(ACCEPTING)


def progress(page: Page, label: str) -> None:
    """Wait until the page says so and shows the next pair."""
    expect(page.locator("[data-progress-label]")).to_have_text(label)
    page.wait_for_selector(ACCEPTING)


def stored() -> list[tuple[str, str]]:
    return [(event.kind, choice_of(event)) for event in JudgmentEvent.objects.order_by("received_at")]


def test_keys_answer_one_pair_each_and_the_last_leads_to_the_finish(page):
    packet = small_round(n_pairs=2)
    begin(page, packet)
    page.keyboard.press("ArrowLeft")
    progress(page, "1 of 2")
    page.keyboard.press("2")
    page.wait_for_url(f"**/packets/{packet.pk}/finish/")
    assert stored() == [("vote", "left"), ("vote", "right")]
    event = JudgmentEvent.objects.earliest("received_at")
    assert event.layout == "side_by_side"
    # The screen takes no choice before a pair has been seen for 250 ms.
    assert event.response_ms is not None
    assert event.response_ms >= 250


def test_a_second_key_at_once_a_held_key_and_a_double_click_answer_nothing_more(page):
    begin(page, small_round())
    page.keyboard.press("1")
    page.keyboard.press("1")
    progress(page, "1 of 4")
    page.keyboard.down("2")
    for _ in range(5):
        page.keyboard.down("2")  # Playwright sends these as repeats of the held key
    progress(page, "2 of 4")
    page.keyboard.down("2")
    page.keyboard.up("2")
    page.locator(".choose").first.dblclick()
    progress(page, "3 of 4")
    assert stored() == [("vote", "left"), ("vote", "right"), ("vote", "left")]


def test_typing_answers_nothing_and_the_note_goes_with_the_choice(page):
    begin(page, small_round())
    page.keyboard.press("n")
    page.keyboard.type("1 of these, u or s?")
    page.keyboard.press("ArrowLeft")
    page.keyboard.press("Escape")
    page.keyboard.press("ArrowRight")
    progress(page, "1 of 4")
    expect(page.locator("#note")).to_have_value("")
    assert stored() == [("vote", "right")]
    assert JudgmentEvent.objects.get().note == "1 of these, u or s?"


def test_an_open_dialog_takes_the_keys(page):
    begin(page, small_round())
    page.keyboard.press("?")
    expect(page.locator("#keys-dialog")).to_be_visible()
    page.keyboard.press("1")
    page.keyboard.press("Escape")
    expect(page.locator("#keys-dialog")).to_be_hidden()
    assert stored() == []


def test_undo_says_what_it_takes_back_and_reopens_that_pair(page):
    begin(page, small_round())
    first = page.locator('[data-side="left"] .item').inner_text()
    page.keyboard.press("1")
    progress(page, "1 of 4")
    expect(page.locator("#undo-button")).to_have_text("Undo: pair 1, left")
    page.keyboard.press("u")
    progress(page, "0 of 4")
    assert page.locator('[data-side="left"] .item').inner_text() == first
    page.keyboard.press("2")
    progress(page, "1 of 4")
    assert stored() == [("vote", "left"), ("undo", ""), ("vote", "right")]


def test_undo_keeps_the_note_of_the_pair(page):
    begin(page, small_round())
    page.locator("#note").fill("the margins")
    page.locator("#note").press("Escape")
    page.keyboard.press("1")
    progress(page, "1 of 4")
    expect(page.locator("#note")).to_have_value("")
    page.keyboard.press("u")
    progress(page, "0 of 4")
    expect(page.locator("#note")).to_have_value("the margins")
    page.keyboard.press("2")
    progress(page, "1 of 4")
    assert [event.note for event in JudgmentEvent.objects.order_by("received_at")] == ["the margins"] * 3


def test_a_skipped_pair_returns_and_can_then_be_left_unjudged(page):
    packet = small_round(n_pairs=1)
    begin(page, packet)
    for title in ("Skip this pair", "Cannot judge this pair"):
        page.keyboard.press("s")
        expect(page.get_by_role("dialog", name=title)).to_be_visible()
        page.get_by_label("Too close to call").check()
        page.get_by_label("In your words").fill("both fine")
        page.keyboard.press("Enter")
        if title.startswith("Skip"):
            expect(page.locator("#skip-button")).to_have_text("Cannot judge…", use_inner_text=True)
            page.wait_for_selector(ACCEPTING)
    page.wait_for_url(f"**/packets/{packet.pk}/finish/")
    assert stored() == [("skip", ""), ("abstain", "")]
    assert JudgmentEvent.objects.earliest("received_at").reason == "too_close: both fine"


def test_an_answer_the_server_failed_to_confirm_is_sent_again_under_its_id_and_stored_once(page):
    begin(page, small_round())
    ids = []

    def store_but_answer_500(route: Route) -> None:
        ids.append(json.loads(route.request.post_data or "")["event_id"])
        route.fetch()
        route.fulfill(status=500, body="")

    page.route("**/events/", store_but_answer_500)
    page.keyboard.press("1")
    expect(page.locator("#save-state")).to_have_text("1 waiting")
    page.unroute("**/events/")
    page.get_by_role("button", name="Send now").click()
    expect(page.locator("#save-state")).to_have_text("saved")
    progress(page, "1 of 4")
    assert stored() == [("vote", "left")]
    assert {str(JudgmentEvent.objects.get().event_id)} == set(ids)


def test_when_the_session_has_ended_one_signs_in_in_place_and_another_account_is_refused(page):
    packet = small_round()
    other = User.objects.create_user("demo_expert_2", PASSWORD, roles=(Role.EXPERT,))
    begin(page, packet)
    page.context.clear_cookies(name="sessionid")
    page.keyboard.press("2")
    dialog = page.get_by_role("dialog", name="Sign in again")
    dialog.get_by_label("Sign-in name").fill(other.username)
    dialog.get_by_label("Password").fill(PASSWORD)
    page.keyboard.press("Enter")
    expect(dialog.get_by_role("alert")).to_contain_text("another account")
    assert stored() == []
    dialog.get_by_label("Sign-in name").fill("demo_expert_1")
    page.keyboard.press("Enter")
    progress(page, "1 of 4")
    assert stored() == [("vote", "right")]


def test_a_pair_answered_in_another_tab_is_shown_and_can_be_changed(page):
    packet = small_round()
    begin(page, packet)
    second = page.context.new_page()
    second.goto(f"/packets/{packet.pk}/rate/")
    second.wait_for_selector(ACCEPTING)
    second.keyboard.press("2")
    progress(second, "1 of 4")
    page.bring_to_front()
    page.keyboard.press("1")
    expect(page.locator("#notice")).to_contain_text("answered elsewhere in the meantime: right")
    page.wait_for_selector(ACCEPTING)
    page.keyboard.press("1")
    progress(page, "1 of 4")
    assert stored() == [("vote", "right"), ("vote", "left")]


def test_at_phone_width_the_two_stand_above_each_other_and_the_layout_is_stored(page):
    packet = small_round()
    page.set_viewport_size({"width": 360, "height": 740})
    begin(page, packet)
    assert page.evaluate("document.documentElement.scrollWidth") == 360
    expect(page.get_by_role("button", name="First is better")).to_be_in_viewport()
    page.get_by_role("button", name="Second is better").click()
    progress(page, "1 of 4")
    assert JudgmentEvent.objects.get().layout == "stacked"


def test_without_javascript_the_same_page_posts_forms(browser: Browser, live_server):
    packet = small_round()
    context = browser.new_context(base_url=live_server.url, java_script_enabled=False)
    page = context.new_page()
    page.goto(f"/sign-in/?next=/packets/{packet.pk}/rate/")
    page.get_by_label("Sign-in name").fill("demo_expert_1")
    page.get_by_label("Password").fill(PASSWORD)
    page.get_by_role("button", name="Sign in").click()
    page.get_by_role("button", name="Left is better").click()
    expect(page.locator("[data-progress-label]")).to_have_text("1 of 4")
    page.get_by_role("button", name="Undo: pair 1, left").click()
    expect(page.locator("[data-progress-label]")).to_have_text("0 of 4")
    page.get_by_role("button", name="Skip…").click()
    page.get_by_label("Something else").check()
    page.get_by_role("button", name="Skip", exact=True).click()
    expect(page.locator("[data-progress-label]")).to_have_text("0 of 4")
    context.close()
    assert stored() == [("vote", "left"), ("undo", ""), ("skip", "")]


def test_enter_right_after_a_key_and_a_server_that_fails_once_store_one_judgment(page):
    """Enter would press whatever has the focus; nothing that votes has it unless the rater put it there."""
    begin(page, small_round())
    ids = []

    def fail_once(route: Route) -> None:
        ids.append(json.loads(route.request.post_data or "")["event_id"])
        if len(ids) == 1:
            expect(page.locator("#save-state")).to_have_text("saving…")
            route.fulfill(status=500, body="")
        else:
            route.continue_()

    page.route("**/events/", fail_once)
    page.keyboard.press("1")
    page.keyboard.press("Enter")
    expect(page.locator("#save-state")).to_have_text("1 waiting")
    assert stored() == []
    # The page goes on meanwhile, and tries again by itself, a second later.
    progress(page, "1 of 4")
    expect(page.locator("#save-state")).to_have_text("saved")
    progress(page, "1 of 4")
    assert stored() == [("vote", "left")]
    assert ids == 2 * [str(JudgmentEvent.objects.get().event_id)]
