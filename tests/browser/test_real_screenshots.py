"""Real screenshots of websites, imported and rated: both are seen, and nothing says which site is which."""

import io

import pytest
from django.core.management import call_command
from playwright.sync_api import expect

from labeling.models import JudgmentEvent, Packet, Pair, Round, Rubric
from labeling.packets import open_round
from labeling.rounds import add_pairs, set_raters
from tastebench_site import demo
from tests.factories import PASSWORD, make_rater
from tests.shared_data import DATA, needs_data

pytestmark = [pytest.mark.browser, pytest.mark.django_db(transaction=True), needs_data]

N_PAIRS = 6


@pytest.fixture
def packet(transactional_db) -> Packet:
    """The first expert's packet in an open round of three experts on the first pairs of `calista`."""
    call_command("import_rubric", demo.STUB / "rubric_v1.json", stdout=io.StringIO())
    call_command("import_tables", DATA / "calista", stdout=io.StringIO())
    raters = [make_rater(username=f"expert-{number}") for number in (1, 2, 3)]
    round_ = Round.objects.create(
        slug="sites",
        name="Websites",
        rubric=Rubric.objects.get(),
        gold_tier="crowd_reference",
        raters_per_pair=3,
        seed=1,
    )
    add_pairs(round_, Pair.objects.order_by("pair_id").values_list("pk", flat=True)[:N_PAIRS])
    set_raters(round_, raters)
    open_round(round_, actor="test")
    return Packet.objects.get(round=round_, rater=raters[0])


def test_two_screenshots_are_shown_without_their_names(packet, window_of):
    page = window_of("expert-1", PASSWORD)
    page.get_by_role("link", name="Begin").click()
    for position in range(1, 3):
        page.wait_for_selector("#stage[data-accepting]")
        images = page.locator("#stage img")
        expect(images).to_have_count(2)
        widths = images.evaluate_all("images => images.map(image => image.naturalWidth)")
        assert all(200 < width <= 1600 for width in widths)
        for side, image in zip(("Left", "Right"), images.all(), strict=True):
            assert (image.get_attribute("src") or "").startswith("/renditions/")
            assert image.get_attribute("alt") == f"{side} item"
        shown = page.content()
        assert "Which website looks better?" in shown
        assert not [name for name in ("site_", "cal-", ".png", "crowd") if name in shown]
        page.keyboard.press("1")
        expect(page.locator("[data-progress-label]")).to_have_text(f"{position} of {N_PAIRS}")
    votes = JudgmentEvent.objects.filter(kind="vote").order_by("received_at")
    left = packet.showings.order_by("position").values_list("left_item", flat=True)[:2]
    assert list(votes.values_list("preferred", flat=True)) == list(left)
