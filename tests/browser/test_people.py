"""How people come in and look after themselves: an invitation, consent, the account page, a lost password."""

import os
from pathlib import Path

import pytest
from django.core import mail
from playwright.sync_api import Browser, Page, expect

from labeling.models import Role, User
from tests.browser.small_round import PASSWORD, small_round
from tests.factories import make_user

pytestmark = [pytest.mark.browser, pytest.mark.django_db(transaction=True)]

PICTURES = os.environ.get("TB_TEST_SCREENSHOTS")
NEW = "nine lanterns by the gate"


def picture(page: Page, name: str) -> None:
    """No page is wider than a phone; with TB_TEST_SCREENSHOTS=DIR a picture of it lands there."""
    for size, (width, height) in {"narrow": (360, 740), "wide": (1280, 800)}.items():
        page.set_viewport_size({"width": width, "height": height})
        assert page.evaluate("document.scrollingElement.scrollWidth") <= width, f"{name} at {width} px"
        for theme in ("light", "dark") if PICTURES else ():
            page.emulate_media(color_scheme=theme)
            page.screenshot(path=Path(PICTURES or "") / f"people-{name}-{size}-{theme}.png", full_page=True)


def test_an_invited_expert_makes_an_account_agrees_and_comes_home(window_of, browser: Browser, live_server):
    make_user(Role.ADMIN, username="the_admin")
    admin = window_of("the_admin", PASSWORD)
    admin.get_by_role("link", name="People").click()
    picture(admin, "list")
    admin.get_by_role("link", name="Invite", exact=True).click()
    admin.get_by_label("expert").check()
    admin.get_by_label("Mail address").fill("ada@example.org")
    picture(admin, "invite")
    admin.get_by_role("button", name="Make the invitation").click()
    link = admin.get_by_role("region", name="Link of the invitation").inner_text().strip()
    picture(admin, "invited")
    assert link in mail.outbox[0].body

    context = browser.new_context(base_url=live_server.url, reduced_motion="reduce")
    page = context.new_page()
    page.goto(link)
    assert page.url.endswith("/invitations/join/")
    expect(page.get_by_label("Mail address")).to_have_value("ada@example.org")
    picture(page, "join")
    page.get_by_label("Sign-in name").fill("ada")
    page.get_by_label("Password", exact=True).fill(NEW)
    page.get_by_label("Password, again").fill(NEW)
    page.get_by_role("button", name="Make the account").click()

    expect(page.get_by_role("heading", name="Your consent")).to_be_visible()
    picture(page, "consent")
    page.goto("/")
    expect(page.get_by_role("heading", name="Your consent")).to_be_visible()
    page.get_by_label("I have read this and agree.").check()
    page.get_by_role("button", name="Agree and go on").click()
    expect(page.get_by_role("heading", name="Home")).to_be_visible()
    assert User.objects.get(username="ada").rater.pseudonym == "human_expert_01"

    page.goto(link)
    expect(page.get_by_role("heading", name="This invitation does not work")).to_be_visible()
    picture(page, "gone")
    context.close()

    admin.get_by_role("link", name="To the invitations").click()
    expect(admin.get_by_role("link", name="used by ada")).to_be_visible()
    picture(admin, "invitations")
    admin.get_by_role("link", name="used by ada").click()
    picture(admin, "person")
    admin.get_by_role("link", name="All entries").click()
    picture(admin, "log")
    admin.get_by_role("link", name="Consent text").click()
    picture(admin, "consent-text")


def test_the_account_page_changes_theme_keys_and_zone(window_of):
    small_round()
    page = window_of("demo_expert_1", PASSWORD)
    page.locator("summary", has_text="Menu").click()
    page.get_by_role("link", name="Account").click()
    picture(page, "account")
    page.emulate_media(color_scheme="light")
    page.get_by_role("combobox", name="Theme").select_option("dark")
    page.get_by_role("combobox", name="Time zone").select_option("Asia/Tokyo")
    page.get_by_role("button", name="Save").click()
    expect(page.get_by_text("Saved.")).to_be_visible()
    expect(page.locator("html")).to_have_attribute("data-theme", "dark")
    expect(page.get_by_text("Times in Asia/Tokyo")).to_be_visible()

    # The menu's choice holds for this browser, until the account's changes.
    page.locator("summary", has_text="Menu").click()
    page.locator("[data-theme-switch]").get_by_text("Light").click()
    page.goto("/")
    expect(page.locator("html")).to_have_attribute("data-theme", "light")
    page.goto("/account/keys/")
    page.get_by_label("Left (or first) is better").fill("a")
    page.get_by_label("Right (or second) is better").fill("a")
    page.get_by_role("button", name="Save").click()
    expect(page.get_by_text("“a” would do two things").first).to_be_visible()
    picture(page, "keys")
    page.get_by_label("Right (or second) is better").fill("l")
    page.get_by_role("button", name="Save").click()
    expect(page.get_by_text("Saved.")).to_be_visible()
    assert User.objects.get().keys == {"left": "a", "right": "l"}
    with page.expect_download() as downloading:
        page.goto("/account/")
        page.get_by_role("link", name="Download my data").click()
    assert downloading.value.suggested_filename == "my-tastebench-data.json"
    page.get_by_role("link", name="Change the password").click()
    picture(page, "password")


def test_a_lost_password_is_set_again_by_mail(page: Page):
    make_user(Role.RESEARCHER, username="ada", email="ada@example.org")
    page.goto("/sign-in/")
    page.get_by_role("link", name="Forgotten your password?").click()
    picture(page, "forgotten")
    page.get_by_label("Email").fill("ada@example.org")
    page.get_by_role("button", name="Send the link").click()
    expect(page.get_by_role("heading", name="Look into your mail")).to_be_visible()
    picture(page, "sent")
    link = next(line for line in mail.outbox[0].body.splitlines() if line.startswith("http"))
    page.goto(link)
    page.get_by_label("New password", exact=True).fill(NEW)
    page.get_by_label("New password confirmation").fill(NEW)
    picture(page, "new-password")
    page.get_by_role("button", name="Set the password").click()
    expect(page.get_by_text("The new password holds.")).to_be_visible()
    page.get_by_label("Sign-in name").fill("ada")
    page.get_by_label("Password", exact=True).fill(NEW)
    page.get_by_role("button", name="Sign in").click()
    expect(page.get_by_role("heading", name="Home")).to_be_visible()
