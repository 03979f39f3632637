"""The demo behind a live server, windows of several people on it, and a real worker beside it."""

import os
from collections.abc import Callable, Iterator

import pytest
from django.conf import settings as django_settings
from playwright.sync_api import Browser, BrowserContext, Page

from labeling.models import User
from tastebench_site import demo
from tests import workers
from tests.factories import give_consent, silent

SIGN_IN = "/sign-in/"


@pytest.fixture
def loaded_demo(transactional_db, settings) -> None:
    """What `make run` shows: accounts, the open round of ten pairs, a release; consent is given."""
    settings.DEMO = True
    demo.load(silent())
    for user in User.objects.all():
        give_consent(user)


@pytest.fixture
def worker(transactional_db) -> Iterator[None]:
    """A worker in a process of its own, on the same database, files and queue as the live server."""
    # What a message fails to tell, its sweeper finds soon.
    times = {"TB_TEST_JOB_STALE_SECONDS": "3", "TB_TEST_JOB_HEARTBEAT_SECONDS": "0.5"}
    shared = {
        "DJANGO_SETTINGS_MODULE": "tests.settings",
        "TB_TEST_VAR_DIR": str(django_settings.VAR_DIR),
        "TB_TEST_DATABASE_URL": workers.database_url(),
    }
    process = workers.start(os.environ | shared | times)
    yield
    workers.kill(process)


@pytest.fixture
def window_of(browser: Browser, live_server) -> Iterator[Callable[..., Page]]:
    """A function that opens a window in which an account, of the demo if no password is given, signs in.

    What any of these windows reports as an error, a broken content policy included, fails the test.
    """
    contexts: list[BrowserContext] = []
    errors: list[str] = []

    def open_window(username: str, password: str = demo.PASSWORD) -> Page:
        context = browser.new_context(base_url=live_server.url, reduced_motion="reduce")
        context.set_default_timeout(15_000)
        contexts.append(context)
        page = context.new_page()
        page.on("pageerror", lambda error: errors.append(f"{page.url}: {error}"))
        page.on(
            "console",
            lambda said: errors.append(f"{page.url}: {said.text}") if said.type == "error" else None,
        )
        page.goto(SIGN_IN)
        page.get_by_label("Sign-in name").fill(username)
        page.get_by_label("Password").fill(password)
        page.get_by_role("button", name="Sign in").click()
        page.wait_for_url("/")
        return page

    yield open_window
    for context in contexts:
        context.close()
    assert errors == []
