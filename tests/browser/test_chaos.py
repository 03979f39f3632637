"""Two hundred pairs over a bad connection, with undos and closed tabs: what was pressed is what is stored."""

import random
import sys

import pytest
from playwright.sync_api import Browser, Page

from labeling.models import JudgmentEvent, Showing
from labeling.packet_state import choice_of
from tests.browser.proxy import FATES, bad_connection
from tests.browser.small_round import PASSWORD, small_round

pytestmark = [pytest.mark.browser, pytest.mark.django_db(transaction=True)]

SEED = 20261130
N_PAIRS = 200
UNDO_SHARE = 0.08
CLOSE_SHARE = 0.03
# The page's timers run fifteen times as fast: what it waits for is not what is tested here.
HASTE = "const slow = setTimeout; window.setTimeout = (run, ms, ...rest) => slow(run, ms / 15, ...rest);"


class Log:
    """What a rater pressed and saw: (kind, choice, token of the showing) in order."""

    def __init__(self) -> None:
        self.acts: list[tuple[str, str, str]] = []
        self.standing: list[str] = []  # tokens answered, last at the end

    def answered(self, choice: str, token: str) -> None:
        self.acts.append(("vote", choice, token))
        self.standing.append(token)

    def undone(self) -> None:
        self.acts.append(("undo", "", self.standing.pop()))


LEFT = "#stage[data-accepting] [data-side=left] .item"


def shown(page: Page, *, other_than: str = "") -> str:
    """The left text of the pair that takes a choice now; "" once the packet is finished."""
    there = page.locator(f"{LEFT}, main:not(.board)")
    (there.filter(has_not_text=other_than) if other_than else there).wait_for()
    return "" if page.url.endswith("/finish/") else page.locator(LEFT).inner_text()


def press_through(page: Page, rater: random.Random, tokens: dict[str, str], log: Log) -> bool:
    """Press keys until the tab is closed on a whim (True) or the packet is finished (False)."""
    text = shown(page)
    while text:
        if rater.random() < CLOSE_SHARE:
            return True
        if log.standing and rater.random() < UNDO_SHARE and page.locator("#undo-button").is_visible():
            page.keyboard.press("u")
            log.undone()
        else:
            key, choice = rater.choice([("1", "left"), ("2", "right")])
            page.keyboard.press(key)
            log.answered(choice, tokens[text])
        text = shown(page, other_than=text)
    return False


def test_what_was_pressed_is_what_is_stored_however_bad_the_connection(browser: Browser, live_server):
    packet = small_round(n_pairs=N_PAIRS)
    tokens = {
        showing.left_item.payload_ref.removeprefix("text:"): showing.token
        for showing in Showing.objects.filter(packet=packet).select_related("left_item")
    }
    rater, log = random.Random(SEED), Log()
    with bad_connection(live_server.url.removeprefix("http://"), SEED) as proxy:
        context = browser.new_context(base_url=proxy.url, reduced_motion="reduce")
        context.add_init_script(HASTE)
        page = context.new_page()
        page.goto(f"/sign-in/?next=/packets/{packet.pk}/rate/")
        page.get_by_label("Sign-in name").fill("demo_expert_1")
        page.get_by_label("Password").fill(PASSWORD)
        page.get_by_role("button", name="Sign in").click()
        tabs = 1
        while press_through(page, rater, tokens, log):
            page.close()
            page = context.new_page()
            page.goto(f"/packets/{packet.pk}/rate/")
            tabs += 1
        proxy.send_kept()
        context.close()
    sys.stdout.write(f"seed {SEED}: {len(log.acts)} acts in {tabs} tabs; {dict(proxy.fates)}\n")
    stored = [
        (event.kind, choice_of(event), event.showing.token if event.showing else "")
        for event in JudgmentEvent.objects.select_related("showing").order_by("received_at")
    ]
    assert stored == log.acts
    assert set(proxy.fates) == set(FATES)
    assert tabs > 2
    assert ("undo", "") in {act[:2] for act in log.acts}
