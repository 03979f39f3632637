"""The stage in a real browser: what can be done to the items, and what is offered where."""

import io
import json
import re
from decimal import Decimal

import pytest
from PIL import Image
from playwright.sync_api import Page, expect

from labeling.models import ItemRendition, JudgmentEvent, Packet, Round, ShowingReport
from labeling.packets import open_round
from labeling.rounds import add_items, set_raters
from tests import factories

pytestmark = [pytest.mark.browser, pytest.mark.django_db(transaction=True)]

ACCEPTING = "#stage[data-accepting]"
SCALE = """side => {
  const image = document.querySelector(`[data-side=${side}] .item--image`);
  const { a, e, f } = new DOMMatrix(getComputedStyle(image).transform);
  return [a, e, f].map((number) => Math.round(number * 100) / 100);
}"""
SCROLLED = """side => {
  const item = document.querySelector(`[data-side=${side}] .item`);
  const element = item.contentDocument?.scrollingElement ?? item;
  return element.scrollTop / (element.scrollHeight - element.clientHeight);
}"""
ANCHORS = [
    {"from": 0, "to": 0.3, "label": "clear fail"},
    {"from": 0.4, "to": 0.6, "label": "competent"},
    {"from": 0.7, "to": 0.85, "label": "strong"},
    {"from": 0.85, "to": 1, "label": "exemplary"},
]


def picture(size=(800, 600), colour=(200, 60, 40)):
    target = io.BytesIO()
    Image.new("RGB", size, colour).save(target, "WEBP")
    return target.getvalue()


def image_pair():
    items = (factories.make_item(image=picture()), factories.make_item(image=picture(colour=(20, 90, 40))))
    ItemRendition.objects.filter(item__in=items).update(width=800, height=600)
    return factories.make_pair(items=items)


def html_item(body):
    item = factories.make_item()
    ItemRendition.objects.filter(item=item).update(kind="html", text=body)
    return item


def begin(page: Page, packet: Packet, url: str) -> None:
    """Sign the packet's rater in and open the screen."""
    session = factories.client_of(packet.rater).cookies["sessionid"].value
    page.context.add_cookies([{"name": "sessionid", "value": session, "url": url}])
    page.goto(f"/packets/{packet.pk}/rate/")
    page.wait_for_selector(ACCEPTING)


def views(page: Page) -> list[list[float]]:
    """[scale, x, y] of both pictures."""
    return [page.evaluate(SCALE, side) for side in ("left", "right")]


def wait_for_scale(page: Page, side: str, expression: str) -> None:
    page.wait_for_function(f"side => ({SCALE})(side)[0] {expression}", arg=side)


def answered(page: Page, label: str) -> None:
    expect(page.locator("[data-progress-label]")).to_have_text(label)
    page.wait_for_selector(ACCEPTING)


def absolute_packet(n=2, **more):
    rubric = factories.make_rubric(anchors=ANCHORS)
    round_ = Round.objects.create(
        slug="absolute",
        name="Absolute",
        rubric=rubric,
        gold_tier="simulation",
        raters_per_pair=1,
        seed=1,
        task="absolute",
        **more,
    )
    add_items(round_, [factories.make_item().pk for _ in range(n)])
    set_raters(round_, [factories.make_rater()])
    open_round(round_, actor="test")
    return Packet.objects.get(round=round_)


# --- pictures -------------------------------------------------------------------------------------


def test_both_pictures_zoom_together_until_unlinked_and_a_new_pair_is_fitted(page, live_server):
    begin(page, factories.opened_packet([image_pair(), image_pair()]), live_server.url)
    page.get_by_role("button", name="Zoom in").click()
    wait_for_scale(page, "right", "> 1.4")
    left, right = views(page)
    assert left == right
    page.get_by_label("Linked").uncheck()
    page.locator('[data-side="left"] .panel__item').hover()
    page.mouse.wheel(0, -300)
    page.wait_for_function(f"scale => ({SCALE})('left')[0] > scale", arg=left[0])
    assert views(page)[1] == right
    page.get_by_role("button", name="Fit").click()
    wait_for_scale(page, "left", "=== 1")
    wait_for_scale(page, "right", "=== 1")
    page.keyboard.press("+")
    wait_for_scale(page, "right", "> 1.4")
    page.keyboard.press("1")
    answered(page, "1 of 2")
    assert views(page) == [[1, 0, 0], [1, 0, 0]]


def test_a_drag_moves_both_and_so_do_the_arrows_in_a_zoomed_picture_without_answering(page, live_server):
    begin(page, factories.opened_packet([image_pair()]), live_server.url)
    page.get_by_role("button", name="Zoom in").click()
    wait_for_scale(page, "right", "> 1.4")
    panel = page.locator('[data-side="left"] .panel__item')
    box = panel.bounding_box()
    assert box is not None
    page.mouse.move(box["x"] + 100, box["y"] + 100)
    page.mouse.down()
    page.mouse.move(box["x"] + 160, box["y"] + 130)
    page.mouse.up()
    page.wait_for_function(f"() => ({SCALE})('right')[1] > 50")
    left, right = views(page)
    assert left == right
    panel.focus()
    page.keyboard.press("ArrowRight")
    page.wait_for_function(f"x => ({SCALE})('left')[1] < x", arg=left[1])
    assert JudgmentEvent.objects.count() == 0
    page.keyboard.press("0")
    wait_for_scale(page, "left", "=== 1")
    page.keyboard.press("ArrowRight")
    page.wait_for_url("**/finish/")
    assert JudgmentEvent.objects.count() == 1


# --- comparing ------------------------------------------------------------------------------------


def test_while_space_or_the_button_is_held_the_two_change_places_and_nothing_is_chosen(page, live_server):
    begin(page, factories.opened_packet([image_pair()]), live_server.url)
    stage, left = page.locator("#stage"), page.locator('[data-side="left"]')
    middle = page.evaluate("innerWidth / 2")
    page.keyboard.down(" ")
    expect(stage).to_have_attribute("data-swapped", "")
    assert left.bounding_box()["x"] >= middle
    page.keyboard.press("1")  # its release ends the swap as well
    assert JudgmentEvent.objects.count() == 0
    page.keyboard.up(" ")
    expect(stage).not_to_have_attribute("data-swapped", "")
    assert left.bounding_box()["x"] < middle
    page.get_by_role("button", name="Hold to swap").hover()
    page.mouse.down()
    expect(stage).to_have_attribute("data-swapped", "")
    page.evaluate("window.dispatchEvent(new Event('blur'))")
    expect(stage).not_to_have_attribute("data-swapped", "")
    page.mouse.up()
    assert JudgmentEvent.objects.count() == 0


# --- texts and frames -----------------------------------------------------------------------------


def test_texts_scroll_in_step_by_share_only_when_asked(page, live_server):
    short, long = ("\n\n".join(f"Line {n}." for n in range(count)) for count in (100, 400))
    pair = factories.make_pair(items=(factories.make_item(text=short), factories.make_item(text=long)))
    begin(page, factories.opened_packet([pair]), live_server.url)
    scroll = "share => { const item = document.querySelector('[data-side=left] .item');"
    scroll += " item.scrollTop = share * (item.scrollHeight - item.clientHeight); }"
    page.evaluate(scroll, 0.5)
    page.get_by_label("Scroll in step").check()
    page.wait_for_function(f"() => Math.abs(({SCROLLED})('right') - 0.5) < 0.05")
    page.evaluate(scroll, 1)
    page.wait_for_function(f"() => ({SCROLLED})('right') > 0.95")
    page.get_by_label("Scroll in step").uncheck()
    page.evaluate(scroll, 0)
    page.wait_for_function(f"() => ({SCROLLED})('left') === 0")
    assert page.evaluate(SCROLLED, "right") > 0.9


def test_a_long_text_is_shown_whole_in_blocks_of_which_few_are_laid_out(page, live_server):
    text = "\n".join(f"Paragraph {n}. " + "word " * 40 + "\n" for n in range(1600))  # 64 thousand words
    pair = factories.make_pair(items=(factories.make_item(text=text), factories.make_item()))
    begin(page, factories.opened_packet([pair]), live_server.url)
    blocks = page.locator(".block").filter(has_text="Paragraph")
    assert blocks.count() > 100
    shown = page.evaluate("[...document.querySelectorAll('.block')].map((b) => b.textContent).join('\\n')")
    assert "Paragraph 1599." in shown
    assert shown.count("\n") in (text.count("\n"), text.count("\n") + 1)  # the other item is one line more
    style = blocks.first.evaluate("(block) => getComputedStyle(block).contentVisibility")
    assert style == "auto"


def test_formatted_items_stand_in_frames_without_scripts_whose_keys_work(page, live_server):
    body = "".join(f"<p>Passage {n}</p>" for n in range(300))
    pair = factories.make_pair(items=(html_item(f"<h1>One</h1>{body}"), html_item(f"<h1>Two</h1>{body}")))
    begin(page, factories.opened_packet([pair]), live_server.url)
    frame = page.frame_locator('[data-side="left"] iframe')
    expect(frame.get_by_role("heading")).to_be_visible()
    assert page.locator("iframe").first.get_attribute("sandbox") == "allow-same-origin"
    page.get_by_label("Scroll in step").check()
    frame.locator("p").last.scroll_into_view_if_needed()
    page.wait_for_function(f"() => ({SCROLLED})('left') > 0.9 && ({SCROLLED})('right') > 0.9")
    frame.locator("p").last.click()
    page.keyboard.press("2")
    page.wait_for_url("**/finish/")
    assert JudgmentEvent.objects.get().kind == "vote"


def test_a_formatted_pair_that_was_loaded_ahead_is_shown_without_a_connection(page, live_server):
    pairs = [factories.make_pair(items=(html_item("<p>One</p>"), html_item("<p>Two</p>"))) for _ in range(3)]
    packet = factories.opened_packet(pairs)
    begin(page, packet, live_server.url)
    ahead = "[...document.querySelectorAll('iframe:not(.item)')]"
    page.wait_for_function(
        f"{ahead}.length === 4 && {ahead}.every((f) => f.contentDocument.body.dataset.item === '')"
    )
    page.context.set_offline(True)
    page.keyboard.press("1")
    answered(page, "1 of 3")
    expect(page.locator("iframe.item").first.content_frame.locator("p")).to_be_visible()
    page.context.set_offline(False)


def test_a_frame_has_a_policy_of_its_own_and_only_its_rater_gets_it():
    pair = factories.make_pair(items=(html_item("<p>One</p>"), html_item("<p>Two</p>")))
    packet = factories.opened_packet([pair])
    address = f"/frames/{factories.showings_of(packet)[0].left_token}/"
    response = factories.client_of(packet.rater).get(address)
    policy = response.headers["Content-Security-Policy"]
    assert "default-src 'none'" in policy
    assert "script-src 'none'" in policy
    assert "frame-ancestors 'self'" in policy
    assert "sandbox allow-same-origin" in policy
    assert response.headers["X-Frame-Options"] == "SAMEORIGIN"
    assert response.headers["Cache-Control"].startswith("private")
    assert not {"ETag", "Last-Modified"} & set(response.headers)
    assert factories.client_of(factories.make_rater()).get(address).status_code == 404


# --- scores and confidence ------------------------------------------------------------------------


def test_a_single_item_is_scored_with_arrows_and_enter_and_never_unset(page, live_server):
    begin(page, absolute_packet(), live_server.url)
    said = page.locator("[data-said]")
    assert page.locator(".panel").count() == 1
    expect(said).to_have_text("not set yet")
    page.keyboard.press("Enter")  # asks for the score: the slider has the focus now
    expect(page.get_by_label("Score from 0 to 1")).to_be_focused()
    page.keyboard.press("ArrowRight")
    expect(said).to_have_text("0.55 · competent")
    page.keyboard.press("ArrowRight")
    page.keyboard.press("ArrowRight")
    expect(said).to_have_text("0.65 · between “competent” and “strong”")
    page.keyboard.press("Enter")
    answered(page, "1 of 2")
    expect(said).to_have_text("not set yet")
    page.locator("#main").focus()
    page.keyboard.press("ArrowLeft")
    expect(said).to_have_text("0.45 · competent")
    page.get_by_role("button", name="Store the score").click()
    page.wait_for_url("**/finish/")
    assert list(JudgmentEvent.objects.order_by("received_at").values_list("score", flat=True)) == [
        Decimal("0.65"),
        Decimal("0.45"),
    ]


def test_confidence_is_asked_where_the_round_says_so_and_may_be_left_out(page, live_server):
    begin(page, factories.opened_packet(3, asks_confidence=True), live_server.url)
    select = page.get_by_label("How sure are you?")
    page.keyboard.press("6")
    expect(select).to_have_value("0.8")
    page.keyboard.press("1")
    answered(page, "1 of 3")
    expect(select).to_have_value("")
    page.keyboard.press("8")
    page.keyboard.press("8")
    page.keyboard.press("2")
    answered(page, "2 of 3")
    stored = [event.confidence for event in JudgmentEvent.objects.order_by("received_at")]
    assert [None if value is None else float(value) for value in stored] == [0.8, None]


def test_score_and_confidence_work_without_javascript(browser, live_server):
    packet = absolute_packet(asks_confidence=True)
    context = browser.new_context(base_url=live_server.url, java_script_enabled=False)
    session = factories.client_of(packet.rater).cookies["sessionid"].value
    context.add_cookies([{"name": "sessionid", "value": session, "url": live_server.url}])
    page = context.new_page()
    page.goto(f"/packets/{packet.pk}/rate/")
    page.get_by_label("Score from 0 to 1").fill("0.3")
    page.get_by_label("How sure are you?").select_option("0.7")
    page.get_by_role("button", name="Store the score").click()
    expect(page.locator("[data-progress-label]")).to_have_text("1 of 2")
    context.close()
    event = JudgmentEvent.objects.get()
    assert (event.score, event.confidence) == (Decimal("0.3"), Decimal("0.7"))


# --- keys -----------------------------------------------------------------------------------------


def test_keys_can_be_changed_and_the_list_says_so(page, live_server):
    packet = factories.opened_packet(2)
    packet.rater.user.keys = {"left": "a", "right": "l"}
    packet.rater.user.save()
    begin(page, packet, live_server.url)
    page.keyboard.press("?")
    listed = page.locator("#keys-dialog")
    expect(listed).to_contain_text(re.compile(r"←\s*a\s*Left"))
    page.keyboard.press("Escape")
    page.keyboard.press("1")
    page.keyboard.press("a")
    answered(page, "1 of 2")
    assert JudgmentEvent.objects.count() == 1


def test_keys_that_are_turned_off_do_nothing_and_buttons_still_do(page, live_server):
    packet = factories.opened_packet(2)
    packet.rater.user.keys_enabled = False
    packet.rater.user.save()
    begin(page, packet, live_server.url)
    for key in ("1", "2", "ArrowLeft", "s", "?", "+"):
        page.keyboard.press(key)
    expect(page.locator("dialog[open]")).to_have_count(0)
    page.get_by_role("button", name="Keys").click()
    expect(page.locator("#keys-dialog")).to_contain_text("turned single keys off")
    page.get_by_role("button", name="Close").click()
    assert JudgmentEvent.objects.count() == 0
    page.get_by_role("button", name="Left is better").click()
    answered(page, "1 of 2")


# --- reports and pauses ---------------------------------------------------------------------------


def test_a_broken_pair_is_reported_and_skipped(page, live_server):
    begin(page, factories.opened_packet(2), live_server.url)
    page.keyboard.press("s")
    page.get_by_label("This pair is broken: report it").check()
    page.get_by_label("In your words").fill("half of it is black")
    page.keyboard.press("Enter")
    expect(page.locator("#save-state")).to_have_text("saved")
    report = ShowingReport.objects.get()
    event = JudgmentEvent.objects.get()
    assert (report.reason, report.note) == ("broken", "half of it is black")
    assert (event.kind, event.showing_id) == ("skip", report.showing_id)


def test_after_sixty_answers_in_a_row_a_pause_is_offered_and_never_in_the_way(page, live_server):
    begin(page, factories.opened_packet(4), live_server.url)
    offer = page.get_by_role("button", name="All right")
    expect(offer).to_be_hidden()
    key = "tastebench-sitting-" + page.evaluate("document.getElementById('sending').dataset.user")
    before = {"dayMs": 11 * 60_000, "rowMs": 0, "rowCount": 59}
    page.evaluate(
        "([key, counted]) => localStorage.setItem(key, JSON.stringify({ at: Date.now(), ...counted }))",
        [key, before],
    )
    page.reload()
    page.wait_for_selector(ACCEPTING)
    page.keyboard.press("1")
    expect(offer).to_be_visible()
    answered(page, "1 of 4")
    page.keyboard.press("1")
    answered(page, "2 of 4")
    offer.click()
    expect(offer).to_be_hidden()
    page.get_by_text("Menu").click()
    expect(page.get_by_text("Minutes at this today: 11")).to_be_visible()
    assert json.loads(page.evaluate("(key) => localStorage.getItem(key)", key))["rowCount"] == 0
