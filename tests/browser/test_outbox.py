"""Answers that cannot be sent yet: kept, shown as waiting, sent in order later, by their own account only."""

import pytest
from playwright.sync_api import BrowserContext, Page, expect

from labeling.models import JudgmentEvent, Role, User
from labeling.packet_state import choice_of
from tests.browser.small_round import PASSWORD, small_round
from tests.factories import give_consent

pytestmark = [pytest.mark.browser, pytest.mark.django_db(transaction=True)]

ACCEPTING = "#stage[data-accepting]"


def sign_in(page: Page, address: str, username: str = "demo_expert_1") -> None:
    page.goto(f"/sign-in/?next={address}")
    page.get_by_label("Sign-in name").fill(username)
    page.get_by_label("Password").fill(PASSWORD)
    page.get_by_role("button", name="Sign in").click()
    page.wait_for_url(f"**{address}")


def begin(page: Page, n_pairs: int = 6) -> str:
    """Open the rating page of a new packet; its address."""
    address = f"/packets/{small_round(n_pairs=n_pairs).pk}/rate/"
    sign_in(page, address)
    page.wait_for_selector(ACCEPTING)
    return address


def press(page: Page, *keys: str) -> None:
    """Press each key once a choice is taken, and wait until the page shows another pair or none."""
    left = page.locator('[data-side="left"] .item')
    for key in keys:
        page.wait_for_selector(ACCEPTING)
        before = left.inner_text()
        page.keyboard.press(key)
        page.locator("#stage:not([hidden])").filter(has_text=before).wait_for(state="detached")


def waiting(page: Page, count: int) -> None:
    expect(page.locator("#save-state")).to_have_text(f"{count} waiting")


def saved(page: Page, progress: str) -> None:
    expect(page.locator("#save-state")).to_have_text("saved")
    expect(page.locator("[data-progress-label]")).to_have_text(progress)


def stored() -> list[tuple[str, str]]:
    return [(event.kind, choice_of(event)) for event in JudgmentEvent.objects.order_by("received_at")]


def fail_events(target: Page | BrowserContext) -> None:
    target.route("**/events/", lambda route: route.fulfill(status=500, body=""))


def test_answers_and_an_undo_given_offline_are_sent_in_order_when_the_way_is_back(page):
    begin(page)
    page.context.set_offline(True)
    press(page, "1", "2", "u", "1", "2")
    waiting(page, 5)
    expect(page.locator("[data-progress-label]")).to_have_text("3 of 6")
    assert stored() == []
    page.context.set_offline(False)
    saved(page, "3 of 6")
    assert stored() == [
        ("vote", "left"),
        ("vote", "right"),
        ("undo", ""),
        ("vote", "left"),
        ("vote", "right"),
    ]
    chain = JudgmentEvent.objects.order_by("received_at")
    assert chain[2].replaces == chain[1]
    assert chain[3].replaces == chain[2]


def test_offline_one_goes_on_as_far_as_pairs_are_loaded_and_is_told_when_they_end(page):
    begin(page, n_pairs=6)
    page.context.set_offline(True)
    press(page, "1", "1", "1", "1")
    expect(page.locator("#notice")).to_contain_text("No further pair is loaded")
    waiting(page, 4)
    page.context.set_offline(False)
    saved(page, "4 of 6")
    press(page, "2")
    saved(page, "5 of 6")
    assert stored() == 4 * [("vote", "left")] + [("vote", "right")]


def test_answers_of_a_closed_tab_are_sent_when_the_packet_is_opened_again(page):
    address = begin(page)
    fail_events(page.context)
    press(page, "1", "2")
    waiting(page, 2)
    page.close()
    again = page.context.new_page()
    again.goto(address)
    # Not sent yet either, and none of the two is asked again.
    waiting(again, 2)
    expect(again.locator("[data-progress-label]")).to_have_text("2 of 6")
    press(again, "1")
    waiting(again, 3)
    assert stored() == []
    again.context.unroute("**/events/")
    again.get_by_role("button", name="Send now").click()
    saved(again, "3 of 6")
    assert stored() == [("vote", "left"), ("vote", "right"), ("vote", "left")]


def test_answers_of_a_closed_tab_are_sent_from_the_home_page_with_the_time_at_which_they_were_given(page):
    begin(page)
    fail_events(page.context)
    press(page, "2")
    waiting(page, 1)
    page.close()
    page.context.unroute("**/events/")
    home = page.context.new_page()
    home.goto("/")
    expect(home.get_by_text("1 of 6")).to_be_visible()
    [event] = JudgmentEvent.objects.all()
    assert choice_of(event) == "right"
    assert event.judged_at is not None
    assert event.response_ms is not None
    assert event.judged_at < event.received_at


def test_another_account_on_the_browser_neither_sees_nor_sends_what_the_first_left(page):
    begin(page)
    fail_events(page.context)
    press(page, "1")
    waiting(page, 1)
    page.close()
    page.context.unroute("**/events/")
    page.context.clear_cookies()
    give_consent(User.objects.create_user("demo_expert_2", PASSWORD, roles=(Role.EXPERT,)))
    other = page.context.new_page()
    sent: list[str] = []
    other.on("request", lambda request: sent.append(request.method) if "/events/" in request.url else None)
    sign_in(other, "/", "demo_expert_2")
    expect(other.get_by_role("heading", name="Your packets")).to_be_visible()
    other.wait_for_load_state("networkidle")
    expect(other.locator("#waiting")).to_be_hidden()
    assert (sent, stored()) == ([], [])
    other.context.clear_cookies()
    sign_in(other, "/")
    expect(other.get_by_text("1 of 6")).to_be_visible()
    assert stored() == [("vote", "left")]


def test_after_the_session_ended_answers_go_on_and_are_stored_by_the_same_account_alone(page):
    begin(page)
    page.context.clear_cookies(name="sessionid")
    press(page, "2")
    dialog = page.get_by_role("dialog", name="Sign in again")
    dialog.get_by_role("button", name="Later").click()
    press(page, "1")
    waiting(page, 2)
    page.get_by_role("button", name="Send now").click()
    dialog.get_by_label("Sign-in name").fill("demo_expert_1")
    dialog.get_by_label("Password").fill(PASSWORD)
    page.keyboard.press("Enter")
    saved(page, "2 of 6")
    assert stored() == [("vote", "right"), ("vote", "left")]


def test_what_a_tab_could_not_send_another_tab_of_the_account_sends_once(page):
    address = begin(page)
    fail_events(page)
    press(page, "1", "2")
    waiting(page, 2)
    second = page.context.new_page()
    second.goto(address)
    expect(second.locator("[data-progress-label]")).to_have_text("2 of 6")
    expect(page.locator("#save-state")).to_have_text("saved")
    assert stored() == [("vote", "left"), ("vote", "right")]


def test_where_the_browser_stores_nothing_the_page_says_so_and_keeps_answers_while_it_is_open(page):
    page.add_init_script("Object.defineProperty(window, 'indexedDB', { value: undefined });")
    begin(page)
    fail_events(page)
    press(page, "1")
    expect(page.locator("#notice")).to_contain_text("lost when this page is closed")
    page.unroute("**/events/")
    page.get_by_role("button", name="Send now").click()
    saved(page, "1 of 6")
    assert stored() == [("vote", "left")]
