"""What axe finds on every page that anybody reaches (WCAG 2.2 A and AA), wide and narrow, light and dark."""

from importlib import resources
from typing import Any

import pytest
from playwright.sync_api import Page

from labeling.invitations import invite
from labeling.models import Role
from tests import factories
from tests.browser.test_pages import REACHED, SIZES, walk
from tests.browser.test_pages import lived_in as lived_in
from tests.browser.test_stage import absolute_packet, begin, image_pair

pytestmark = [pytest.mark.browser, pytest.mark.django_db(transaction=True)]

AXE = (resources.files("axe_playwright_python") / "axe.min.js").read_text("utf-8")
# Frames hold items, which are what is judged and not ours to mend; axe could not run in them anyway.
CHECK = """() => axe.run(document, {
  iframes: false,
  resultTypes: ["violations"],
  runOnly: ["wcag2a", "wcag2aa", "wcag21a", "wcag21aa", "wcag22aa"],
})"""
# Pages of one address and different numbers are alike in their elements; their states fit into so many.
OF_A_KIND = 4
SIGNED_OUT = ("/sign-in/", "/password/forgotten/", "/password/forgotten/sent/", "/nowhere/")


def violations(page: Page, name: str) -> list[str]:
    """What axe finds on the page that is open, at each size and in each theme, in sentences."""
    # Evaluating is the debugger's way in, which the page's content policy does not stop and need not allow.
    page.evaluate(AXE)
    found: list[str] = []
    for size, (width, height) in SIZES.items():
        page.set_viewport_size({"width": width, "height": height})
        for theme in ("light", "dark"):
            # Colours on their way from one theme to the other are nobody's.
            page.emulate_media(color_scheme=theme, reduced_motion="reduce")
            result: dict[str, Any] = page.evaluate(CHECK)
            found += [
                f"{name}, {size}, {theme}: {rule['id']}: {node['html'][:200]}: {node['failureSummary']}"
                for rule in result["violations"]
                for node in rule["nodes"]
            ]
    return found


@pytest.mark.usefixtures("lived_in")
@pytest.mark.parametrize("username", REACHED)
def test_axe_finds_nothing_on_the_pages_of(username, window_of):
    page = window_of(username)
    found: list[str] = []

    def look(name: str) -> None:
        if int(name.rpartition("-")[2]) <= OF_A_KIND:
            found.extend(violations(page, f"{username}-{name}"))

    walk(page, look)
    assert "\n".join(found) == ""


def test_axe_finds_nothing_for_people_who_are_not_signed_in(page, live_server):
    _, token = invite(roles=[Role.EXPERT], by=factories.make_user(Role.ADMIN))
    found: list[str] = []
    for path in (*SIGNED_OUT, f"/invitations/{token}/", "/invitations/no-such-token/"):
        page.goto(live_server.url + path)
        found += violations(page, path)
    assert "\n".join(found) == ""


def test_axe_finds_nothing_on_pictures_with_confidence_nor_in_the_dialogs(page, live_server):
    begin(page, factories.opened_packet([image_pair()], asks_confidence=True), live_server.url)
    found = violations(page, "pictures")
    for key, name in (("s", "skip"), ("?", "keys"), ("i", "rubric")):
        page.keyboard.press(key)
        found += violations(page, name)
        page.keyboard.press("Escape")
    assert "\n".join(found) == ""


def test_axe_finds_nothing_where_single_items_are_scored(page, live_server):
    begin(page, absolute_packet(), live_server.url)
    assert "\n".join(violations(page, "single item")) == ""
