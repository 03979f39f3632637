"""The way of a rater with nothing but a keyboard, the size of targets on a phone, and reduced motion."""

from typing import Any

import pytest
from playwright.sync_api import Page, expect

from labeling.models import JudgmentEvent
from labeling.packet_state import choice_of
from tests.browser.small_round import PASSWORD, small_round

pytestmark = [pytest.mark.browser, pytest.mark.django_db(transaction=True)]

ACCEPTING = "#stage[data-accepting]"
USERNAME = "demo_expert_1"
MOST_STOPS = 60
PHONE = {"width": 360, "height": 740}

# What has the focus, in a word, and what is wrong with the way it shows ("" when nothing is).
FOCUS = """() => {
  const element = document.activeElement;
  if (element === null || element === document.body) return { name: "", fault: "", dialog: "" };
  const said = element.getAttribute("aria-label") || element.labels?.[0]?.innerText || element.innerText;
  const name = (said || element.id).trim().replace(/\\s+/g, " ");
  const told = { name, dialog: element.closest("dialog")?.id ?? "" };
  const box = element.getClientRects()[0];
  if (!box || box.width === 0) return { ...told, fault: "has no box" };
  const [x, y] = [box.x + box.width / 2, box.y + box.height / 2];
  if (box.top < 0 || box.left < 0 || box.bottom > innerHeight + 1 || box.right > innerWidth + 1)
    return { ...told, fault: `is off the screen at ${x}, ${y}` };
  const top = document.elementFromPoint(x, y);
  if (top !== element && !element.contains(top) && !top.contains(element))
    return { ...told, fault: `is covered by ${top.outerHTML.slice(0, 80)}` };
  const { outlineStyle, outlineWidth } = getComputedStyle(element);
  const rings = outlineStyle !== "none" && parseFloat(outlineWidth) >= 2;
  return { ...told, fault: rings || element.id === "main" ? "" : "has no ring of 2 px" };
}"""

# Controls smaller than 24 px. A box in a label is as large as the label; links in a sentence are exempt.
SMALL = """() => [...document.querySelectorAll("a[href], button, summary, select, textarea, input")]
  .filter((element) => element.checkVisibility() && !element.matches("[type=hidden], .skip-link"))
  .filter((element) => !element.matches(":is(p, dd) a"))
  .map((element) => [element, (element.closest("label") ?? element).getBoundingClientRect()])
  .filter(([, box]) => box.width < 24 || box.height < 24)
  .map(([element, box]) => `${element.outerHTML.slice(0, 90)}: ${box.width} × ${box.height}`)"""

MOVING = """() => [...document.querySelectorAll("*")].flatMap((element) => {
  const { transitionDuration, animationDuration, animationName } = getComputedStyle(element);
  const lasts = (durations) => Math.max(...durations.split(",").map(parseFloat)) > 0.01;
  return lasts(transitionDuration) || (animationName !== "none" && lasts(animationDuration))
    ? [element.outerHTML.slice(0, 90)] : [];
})"""


def focus(page: Page) -> dict[str, Any]:
    """Where the focus is; it is an error that it does not show there."""
    told: dict[str, Any] = page.evaluate(FOCUS)
    assert told["fault"] == "", f"{page.url}: “{told['name']}” {told['fault']}"
    return told


def tab_to(page: Page, name: str, key: str = "Tab") -> None:
    """Press Tab until what is called so has the focus; all that is passed shows its focus."""
    passed = []
    for _ in range(MOST_STOPS):
        page.keyboard.press(key)
        passed.append(focus(page)["name"])
        if passed[-1].startswith(name):
            return
    pytest.fail(f"{page.url}: no “{name}” by {key}, only {passed}")


def answered(page: Page, label: str) -> None:
    expect(page.locator("[data-progress-label]")).to_have_text(label)
    page.wait_for_selector(ACCEPTING)


def stays_inside(page: Page, dialog: str, stops: int) -> None:
    """Tab leaves an open dialog for the browser's own controls at most, and comes back into it."""
    visited = set()
    for _ in range(stops):
        page.keyboard.press("Tab")
        told = focus(page)
        assert told["dialog"] == dialog or told["name"] == ""
        visited.add(told["name"])
    assert visited - {""}


def rating(page: Page, n_pairs: int = 4) -> None:
    """Sign in and come to the rating page by keyboard alone."""
    small_round(n_pairs=n_pairs)
    page.goto("/")
    tab_to(page, "Sign-in name")
    page.keyboard.type(USERNAME)
    tab_to(page, "Password")
    page.keyboard.type(PASSWORD)
    page.keyboard.press("Enter")
    page.wait_for_url("/")
    tab_to(page, "Begin")
    page.keyboard.press("Enter")
    page.wait_for_selector(ACCEPTING)


@pytest.fixture
def page(browser, live_server):
    """A window for people who asked for less motion."""
    context = browser.new_context(base_url=live_server.url, reduced_motion="reduce")
    context.set_default_timeout(15_000)
    yield context.new_page()
    context.close()


def test_from_signing_in_to_the_finish_with_the_keyboard_alone(page):
    rating(page, n_pairs=3)
    page.keyboard.press("1")
    answered(page, "1 of 3")
    page.keyboard.press("n")
    assert focus(page)["name"] == "Note on this pair"
    page.keyboard.type("1 and 2 are keys elsewhere")
    page.keyboard.press("Escape")
    assert focus(page)["name"] != "Note on this pair"
    tab_to(page, "Right is better")
    page.keyboard.press("Enter")
    answered(page, "2 of 3")
    focus(page)

    tab_to(page, "Menu", key="Shift+Tab")
    page.keyboard.press("Enter")
    tab_to(page, "My answers")
    page.keyboard.press("Enter")
    page.wait_for_url("**/answers/")
    tab_to(page, "Look at or change 1")
    page.keyboard.press("Enter")
    page.wait_for_selector(ACCEPTING)
    page.keyboard.press("ArrowRight")
    answered(page, "2 of 3")
    page.keyboard.press("1")
    page.wait_for_url("**/finish/")
    tab_to(page, "My answers")
    events = JudgmentEvent.objects.order_by("received_at")
    assert [choice_of(event) for event in events] == ["left", "right", "right", "left"]
    assert [event.note for event in events] == ["", "1 and 2 are keys elsewhere", "", ""]


def test_dialogs_keep_the_focus_and_give_it_back(page):
    rating(page)
    tab_to(page, "Keys")
    page.keyboard.press("Enter")
    expect(page.locator("#keys-dialog")).to_be_visible()
    stays_inside(page, "keys-dialog", stops=4)
    page.keyboard.press("Escape")
    assert focus(page)["name"].startswith("Keys")

    tab_to(page, "Skip…")
    page.keyboard.press("Enter")
    expect(page.locator("#skip-dialog")).to_be_visible()
    stays_inside(page, "skip-dialog", stops=10)
    page.keyboard.press("Escape")
    assert focus(page)["name"].startswith("Skip…")


def test_a_skip_and_its_undo_by_keys_leave_the_focus_where_the_next_tab_is_seen(page):
    rating(page)
    page.keyboard.press("s")
    expect(page.locator("#skip-dialog")).to_be_visible()
    tab_to(page, "Too close to call")
    page.keyboard.press(" ")
    tab_to(page, "Skip")
    page.keyboard.press("Enter")
    expect(page.locator("#save-state")).to_have_text("saved")
    page.wait_for_selector(ACCEPTING)
    focus(page)
    tab_to(page, "Undo:")
    page.keyboard.press("Enter")
    expect(page.locator("#save-state")).to_have_text("undone")
    page.wait_for_selector(ACCEPTING)
    assert focus(page)["name"] != ""
    page.keyboard.press("?")
    expect(page.locator("#keys-dialog")).to_be_visible()
    page.keyboard.press("Escape")
    page.keyboard.press("2")
    answered(page, "1 of 4")
    assert [event.kind for event in JudgmentEvent.objects.order_by("received_at")] == ["skip", "undo", "vote"]


def test_targets_on_a_phone_are_large_enough_and_nothing_moves(page):
    page.set_viewport_size(PHONE)
    rating(page)
    page.keyboard.press("1")
    answered(page, "1 of 4")
    assert page.evaluate(SMALL) == []
    assert page.evaluate(MOVING) == []
    for key in ("s", "?"):
        page.keyboard.press(key)
        assert page.evaluate(SMALL) == []
        assert page.evaluate(MOVING) == []
        page.keyboard.press("Escape")
    page.locator("summary", has_text="Menu").click()
    assert page.evaluate(SMALL) == []
    page.goto("/")
    assert page.evaluate(SMALL) == []
    assert page.evaluate(MOVING) == []
