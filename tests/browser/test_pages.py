"""Every page that a role can reach by its links: nothing in the console, one heading, room at any width.

With TB_TEST_SCREENSHOTS=DIR a picture of each lands there, to be looked at: wide and narrow, light and dark.
"""

import os
from collections.abc import Callable
from pathlib import Path
from urllib.parse import urlsplit

import pytest
from django.urls import Resolver404, resolve
from playwright.sync_api import Page

pytestmark = [
    pytest.mark.browser,
    pytest.mark.django_db(transaction=True),
    pytest.mark.usefixtures("loaded_demo"),
]

PICTURES = os.environ.get("TB_TEST_SCREENSHOTS")
SIZES = {"wide": (1440, 900), "narrow": (360, 740)}
# Links that download instead of leading to a page.
FILES = {"release_file", "release_zip", "submission_metrics"}

EVERYONE = {"home", "help"}
RESEARCH = EVERYONE | {"releases", "release", "submit", "submissions"}
REACHED = {
    "demo-expert-1": EVERYONE | {"rate", "answers"},
    "demo-reviewer": EVERYONE,
    "demo-researcher": RESEARCH,
    "demo-admin": RESEARCH
    | {"rounds", "round", "round_new", "round_close", "round_report", "promote"}
    | {"tables", "tables_upload", "rubric", "jobs", "gold_access"},
}


@pytest.mark.parametrize("username", REACHED)
def test_pages_of(username, window_of):
    page = window_of(username)
    faults: list[str] = []
    reached = walk(page, lambda name: faults.extend(faults_of(page, f"{username}-{name}")))
    assert reached >= REACHED[username]
    assert faults == []


def walk(page: Page, look: Callable[[str], None]) -> set[str]:
    """Follow links from the start page, once a route and state of a round, and look at each; their names."""
    waiting, seen = ["/"], {"/"}
    names: dict[str, int] = {}
    while waiting:
        path = waiting.pop(0)
        page.goto(path)
        page.wait_for_load_state("networkidle")
        name = route_of(page.url)
        names[name] = names.get(name, 0) + 1
        look(f"{name}-{names[name]}")
        for link in page.eval_on_selector_all("a[href]", "links => links.map(link => link.href)"):
            target = urlsplit(link)
            if target.netloc != urlsplit(page.url).netloc or target.path in seen:
                continue
            seen.add(target.path)
            if route_of(link) not in FILES:
                waiting.append(target.path)
    return set(names)


def route_of(url: str) -> str:
    try:
        return resolve(urlsplit(url).path).url_name or url
    except Resolver404:
        pytest.fail(f"a link leads to {url}, which is no page of ours")


def faults_of(page: Page, name: str) -> list[str]:
    """What is wrong with the page that is open, in sentences."""
    faults = []
    if page.locator("h1").count() != 1:
        faults.append(f"{name}: {page.locator('h1').count()} headings of the first level")
    if not page.title().removesuffix("TasteBench").strip(" ·"):
        faults.append(f"{name}: no title of its own")
    for size, (width, height) in SIZES.items():
        page.set_viewport_size({"width": width, "height": height})
        wide = page.evaluate("document.scrollingElement.scrollWidth")
        if wide > width:
            faults.append(f"{name}: {wide} px wide in a window of {width}")
        for theme in ("light", "dark") if PICTURES else ():
            page.emulate_media(color_scheme=theme)
            page.screenshot(path=Path(PICTURES or "") / f"{name}-{size}-{theme}.png", full_page=True)
    return faults
