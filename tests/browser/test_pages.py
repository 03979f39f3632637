"""Every page that a role can reach by its links: nothing in the console, one heading, room at any width.

With TB_TEST_SCREENSHOTS=DIR a picture of each lands there, to be looked at: wide and narrow, light and dark.
"""

import io
import os
import zipfile
from collections.abc import Callable
from pathlib import Path
from urllib.parse import urlsplit

import pytest
from django.core.files.uploadedfile import SimpleUploadedFile
from django.urls import Resolver404, resolve
from playwright.sync_api import Page

from evaluation.submissions import submit
from fixtures.generate import FIXTURES
from gold.models import Release
from labeling.models import Packet, Pair, Rater, User
from labeling.rounds import add_pairs, set_raters
from tests.factories import client_of, make_round, showings_of, vote

pytestmark = [
    pytest.mark.browser,
    pytest.mark.django_db(transaction=True),
    pytest.mark.usefixtures("lived_in"),
]

PICTURES = os.environ.get("TB_TEST_SCREENSHOTS")
SIZES = {"wide": (1440, 900), "narrow": (360, 740)}
# Links that download instead of leading to a page.
FILES = {"release_file", "release_zip", "submission_metrics", "account_data", "rubric_export", "offline_zip"}

EVERYONE = {"home", "help", "account", "account_password"}
RESEARCH = EVERYONE | {"releases", "release", "submit", "submissions", "submission"}
REACHED = {
    "demo-expert-1": EVERYONE | {"rate", "answers", "practice"},
    "demo-expert-2": EVERYONE | {"answers", "finish"},
    "demo-reviewer": EVERYONE | {"account_keys", "consent"},
    "demo-researcher": RESEARCH,
    "demo-admin": RESEARCH
    | {"rounds", "round", "round_new", "round_close", "round_report", "promote"}
    | {"round_settings", "round_pairs", "round_practice", "round_raters", "round_preview"}
    | {"rubrics", "rubric_new", "rubric_import", "rubric_preview"}
    | {"people", "person", "person_active", "invitation_list", "invitation_new"}
    | {"consent_text", "account_log"}
    | {"tables", "tables_upload", "table_preview", "rubric", "jobs", "job", "gold_access"},
}
STUB = FIXTURES / "stub"


@pytest.fixture
def lived_in(loaded_demo, finish_jobs) -> None:
    """The demo after some use: half a packet and a whole one, a draft, scores, tables that were looked at."""
    packets = Packet.objects.filter(round__slug="demo").order_by("rater__pseudonym")
    first, second = packets[0], packets[1]
    for showing in showings_of(first)[:5]:
        vote(showing, "left", note="The longer one, and it earns it." if showing.position == 2 else "")
    for showing in showings_of(second):
        vote(showing, "right")
    draft = make_round(pairs=[], raters=0, slug="draft", rubric=first.round.rubric, raters_per_pair=3, seed=5)
    add_pairs(draft, Pair.objects.order_by("pair_id").values_list("pk", flat=True)[:6])
    set_raters(draft, Rater.objects.filter(packets__round=first.round))
    researcher = User.objects.get(username="demo-researcher")
    for name, content in (("preds_chance.csv", None), ("faulty.csv", b"pair_id,pred_preferred_id\nnone,x\n")):
        submit(
            release=Release.objects.get(),
            owner=researcher,
            model_label=name.removesuffix(".csv").replace("_", " "),
            split="test",
            upload=SimpleUploadedFile(name, content or (STUB / name).read_bytes()),
        )
    admin = client_of(User.objects.get(username="demo-admin"))
    for faulty in (False, True):
        admin.post("/tables/upload/", {"file": zip_of_cues(faulty)})
    finish_jobs()


def zip_of_cues(faulty: bool) -> io.BytesIO:
    """The bench of cue families as a zip, without its pictures when `faulty`."""
    target = io.BytesIO()
    with zipfile.ZipFile(target, "w") as archive:
        for path in sorted((FIXTURES / "cue_families").rglob("*.*")):
            if not (faulty and path.parent.name == "assets"):
                archive.write(path, path.relative_to(FIXTURES))
    target.seek(0)
    target.name = "cue families.zip"
    return target


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
