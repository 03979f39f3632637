"""What a rater meets around the pairs: a new consent text meanwhile, practice with keys of their own."""

import pytest
from playwright.sync_api import expect

from labeling import practice
from labeling.models import ConsentText, JudgmentEvent, User
from labeling.packets import open_round
from tests.browser.small_round import small_round
from tests.browser.test_rating_screen import begin, progress
from tests.factories import PASSWORD as OWN_PASSWORD
from tests.factories import give_consent, make_pair, make_rater, make_round

pytestmark = [pytest.mark.browser, pytest.mark.django_db(transaction=True)]


def test_an_answer_waits_for_a_new_consent_text_and_is_sent_once_that_is_given(page):
    begin(page, small_round())
    latest = ConsentText.objects.latest("version")
    ConsentText.objects.create(version=latest.version + 1, text="A new paragraph.")
    page.keyboard.press("1")
    expect(page.get_by_role("alert").filter(has_text="the consent text has a new version")).to_be_visible()
    assert not JudgmentEvent.objects.exists()
    give_consent(User.objects.get(username="demo_expert_1"))
    page.get_by_role("button", name="Try again").click()
    progress(page, "1 of 4")
    expect(page.locator("#save-state")).to_contain_text("saved")
    assert JudgmentEvent.objects.get().kind == "vote"


def test_practice_obeys_the_keys_that_the_rater_chose(page):
    rater = make_rater(username="own_keys", keys={"left": "f", "right": "j"})
    draft = make_round(2, [rater], raters_per_pair=1)
    added = practice.add(draft, make_pair().pk)
    assert added is not None
    practice.explain(added, better="a", explanation="It is calmer.")
    open_round(draft, actor="test")
    packet = draft.packets.get()
    page.goto(f"/sign-in/?next=/packets/{packet.pk}/practice/")
    page.get_by_label("Sign-in name").fill("own_keys")
    page.get_by_label("Password").fill(OWN_PASSWORD)
    page.get_by_role("button", name="Sign in").click()
    page.wait_for_url("**/practice/")
    page.wait_for_selector("body[data-takes-keys]")
    page.keyboard.press("j")
    expect(page.get_by_text("It is calmer.")).to_be_visible()
    page.keyboard.press("Enter")
    page.wait_for_url(f"**/packets/{packet.pk}/rate/")
