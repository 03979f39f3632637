"""What every page rests on: a strict policy for scripts and styles, readable colours, forms, error pages."""

import hashlib
import re
from pathlib import Path

import pytest
from django import forms
from django.template import engines
from django.template.loader import render_to_string

ROOT = Path(__file__).resolve().parents[2]
# Pages of an offline packet are opened from a disk and carry a policy of their own.
OFFLINE = ROOT / "templates" / "labeling" / "offline"
TEMPLATES = sorted(set((ROOT / "templates").rglob("*.html")) - set(OFFLINE.rglob("*.html")))
ERROR_PAGES = ["400", "403", "403_csrf", "404", "413", "429", "500"]


@pytest.mark.parametrize("path", TEMPLATES, ids=lambda path: str(path.relative_to(ROOT)))
def test_template_holds_nothing_that_the_policy_would_block(path):
    text = path.read_text()
    assert not re.search(r"<style\b|\sstyle=|\son[a-z]+=|javascript:", text)
    assert all("src=" in tag for tag in re.findall(r"<script\b[^>]*>", text))


# --- colours ------------------------------------------------------------------------------------


def colours(theme: int) -> dict[str, str]:
    """Name → #rrggbb of tokens.css; theme 0 = light, 1 = dark."""
    text = (ROOT / "static/css/tokens.css").read_text()
    pairs = re.findall(r"--([\w-]+): light-dark\((#[0-9a-f]{6}), (#[0-9a-f]{6})\)", text)
    same = re.findall(r"--([\w-]+): (#[0-9a-f]{6});", text)
    return {name: (light, dark)[theme] for name, light, dark in pairs} | dict(same)


def luminance(colour: str) -> float:
    """Relative luminance of WCAG 2.2."""
    channels = [int(colour[at : at + 2], 16) / 255 for at in (1, 3, 5)]
    linear = [c / 12.92 if c <= 0.04045 else ((c + 0.055) / 1.055) ** 2.4 for c in channels]
    return 0.2126 * linear[0] + 0.7152 * linear[1] + 0.0722 * linear[2]


def contrast(one: str, other: str) -> float:
    lighter, darker = sorted([luminance(one), luminance(other)], reverse=True)
    return (lighter + 0.05) / (darker + 0.05)


def test_contrast_of_black_on_white_is_21():
    # (1 + 0.05) / (0 + 0.05)
    assert contrast("#000000", "#ffffff") == pytest.approx(21)


@pytest.mark.parametrize("theme", [0, 1], ids=["light", "dark"])
@pytest.mark.parametrize(
    ("ink", "ground"),
    [
        *[(ink, ground) for ink in ("ink", "ink-2", "ink-3") for ground in ("bg", "surface", "sunk")],
        *[(ink, ground) for ink in ("accent", "accent-strong") for ground in ("bg", "surface")],
        ("ok", "ok-soft"),
        ("warn", "warn-soft"),
        ("bad", "bad-soft"),
        ("bad", "surface"),
        ("ok", "surface"),
        ("warn", "surface"),
        ("accent-strong", "accent-soft"),
        ("on-accent", "accent"),
        ("on-bad", "bad-fill"),
        ("on-stage", "stage"),
    ],
)
def test_text_can_be_read_on_its_ground(theme, ink, ground):
    palette = colours(theme)
    assert contrast(palette[ink], palette[ground]) >= 4.5


@pytest.mark.parametrize("theme", [0, 1], ids=["light", "dark"])
@pytest.mark.parametrize(
    ("edge", "ground"),
    [
        ("line-strong", "surface"),
        ("line-strong", "bg"),
        ("focus", "bg"),
        ("focus", "surface"),
        ("stage-mark", "stage"),
    ],
)
def test_edges_of_controls_can_be_seen(theme, edge, ground):
    palette = colours(theme)
    assert contrast(palette[edge], palette[ground]) >= 3


def test_stage_is_one_middle_grey_for_both_themes():
    # CIE L* = 116 · Y^(1/3) − 16; 50 is halfway between black and white.
    stage = colours(0)["stage"]
    assert stage == colours(1)["stage"]
    assert 116 * luminance(stage) ** (1 / 3) - 16 == pytest.approx(50, abs=0.5)


# --- what is served -----------------------------------------------------------------------------


def test_vendored_files_are_the_ones_listed():
    folder = ROOT / "static/vendor"
    listed = dict(
        re.findall(r"^\| `([^`]+)` .*`([0-9a-f]{64})` \|$", (folder / "README.md").read_text(), re.M)
    )
    stored = {
        path.name: hashlib.sha256(path.read_bytes()).hexdigest()
        for path in folder.iterdir()
        if path.name != "README.md"
    }
    assert stored == listed


@pytest.mark.parametrize("name", ERROR_PAGES)
def test_error_page_needs_neither_request_nor_manifest_nor_database(name, settings):
    settings.STORAGES = settings.STORAGES | {
        "staticfiles": {"BACKEND": "whitenoise.storage.CompressedManifestStaticFilesStorage"}
    }
    settings.STATIC_ROOT = "/nowhere"
    page = render_to_string(f"{name}.html")
    assert name[:3] in page
    assert "TasteBench" in page
    assert "/static/css/base.css" in page


def test_too_large_and_too_many_say_how_much():
    assert "95.4" in render_to_string("413.html", {"limit": 100_000_000})
    assert "Wait 15 minutes" in render_to_string("429.html", {"minutes": 15})


def test_pages_say_once_in_which_zone_their_times_are(client, db, settings):
    for zone in ("UTC", "Europe/Vienna"):
        settings.TIME_ZONE = zone
        assert client.get("/help/").content.decode().count(f"Times in {zone}") == 1


# --- forms and partials -------------------------------------------------------------------------


class Sample(forms.Form):
    name = forms.CharField(help_text="A word that gives nothing away.")
    note = forms.CharField(required=False)


def test_form_joins_field_help_and_error():
    html = str(Sample({"name": ""}))
    assert 'aria-describedby="id_name_helptext id_name_error"' in html
    assert 'id="id_name_helptext"' in html
    assert 'id="id_name_error"' in html
    assert 'aria-invalid="true"' in html


def test_form_with_errors_begins_with_links_to_them():
    summary = str(Sample({"name": ""})).split("</ul>")[0]
    assert 'role="alert"' in summary
    assert '<a href="#id_name">Name</a>: This field is required.' in summary


def test_form_without_errors_has_no_summary_and_says_what_is_optional():
    html = str(Sample())
    assert 'role="alert"' not in html
    assert html.count("(optional)") == 1


def render(source: str, **context: object) -> str:
    return engines["django"].from_string(source).render(context)


@pytest.mark.parametrize(
    ("state", "word"),
    [
        ("draft", "Draft"),
        ("open", "Open"),
        ("closed", "Closed"),
        ("promoted", "Promoted"),
        ("gold", "Gold"),
        ("too_few", "Too few raters"),
        ("tie", "Tie"),
        ("below_gate", "Below the gate"),
        ("failed", "Failed"),
    ],
)
def test_state_has_a_mark_and_a_word(state, word):
    html = render('{% include "partials/state.html" %}', state=state)
    assert word in html
    assert "<svg" in html


@pytest.mark.parametrize(
    ("state", "asks_again"), [("queued", True), ("running", True), ("done", False), ("failed", False)]
)
def test_job_asks_again_only_until_it_has_ended(state, asks_again):
    job = {"id": 7, "state": state, "title": "Scoring", "step": "Reading", "error": "line 3: no such pair"}
    html = render('{% include "partials/job.html" %}', job=job, job_url="/jobs/7/")
    assert ('hx-get="/jobs/7/"' in html) is asks_again
    assert ("line 3: no such pair" in html) is (state == "failed")
