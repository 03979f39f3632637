import importlib
import io
from collections.abc import Callable, Iterator

import pytest
from django.apps import apps
from django.core.cache import cache
from django.db import connection
from django.test import TransactionTestCase
from hypothesis import HealthCheck, settings
from playwright.sync_api import Browser, Page, sync_playwright

from labeling import append_only
from labeling.models import Job
from labeling.progress import PrintProgress
from tastebench_site import jobs
from tests import chromium

settings.register_profile(
    "default", deadline=None, derandomize=True, suppress_health_check=[HealthCheck.too_slow]
)
settings.load_profile("default")

FLUSH = "_fixture_teardown"  # Django's name for it; its stubs do not have it
GUARDS = (
    append_only.LABELING_GUARDS
    + append_only.COLLECTING_GUARDS
    + append_only.PEOPLE_GUARDS
    + append_only.GOLD_GUARDS
)
seed_vocabularies = importlib.import_module("labeling.migrations.0002_guards_and_vocabularies").seed
publish_first_text = importlib.import_module("labeling.migrations.0004_people").publish_first_text


@pytest.fixture(autouse=True, scope="session")
def _flush_passes_the_guards() -> Iterator[None]:
    """Tests that commit end with a flush, which the guards refuse as they must: lift them for its time.

    The flush also takes what migrations put in, vocabularies and the consent text: they are put in again.
    """
    flush: Callable[[TransactionTestCase], None] = getattr(TransactionTestCase, FLUSH)

    def lift_flush_restore(case: TransactionTestCase) -> None:
        append_only.remove(connection, GUARDS)
        flush(case)
        append_only.install(connection, GUARDS)
        seed_vocabularies(apps, connection.schema_editor())
        publish_first_text(apps, connection.schema_editor())

    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(TransactionTestCase, FLUSH, lift_flush_restore)
        yield


@pytest.fixture(autouse=True)
def _wrong_passwords_are_forgotten() -> Iterator[None]:
    """Each test's accounts have the same names."""
    yield
    cache.clear()


@pytest.fixture
def finish_jobs() -> Callable[[], list[Job]]:
    """A function that works on every waiting job here and now, and returns them as they ended.

    Without the heartbeat's thread, so that it also works inside a test's transaction.
    """

    def finish_all() -> list[Job]:
        ended = []
        for waiting in Job.objects.filter(state="queued").order_by("pk"):
            job = jobs.claim(waiting.pk)
            assert job is not None
            jobs.finish(job, jobs.attempt(job, PrintProgress(io.StringIO())))
            job.refresh_from_db()
            ended.append(job)
        return ended

    return finish_all


@pytest.fixture(scope="session")
def browser() -> Iterator[Browser]:
    path = chromium.find()
    if path is None:
        pytest.fail("No Chromium: run `make browser`, or set TB_TEST_CHROMIUM to the path of one.")
    with sync_playwright() as playwright:
        # Inside a container Chromium has no sandbox of its own and a small /dev/shm.
        browser = playwright.chromium.launch(
            executable_path=path, args=["--no-sandbox", "--disable-dev-shm-usage"]
        )
        yield browser
        browser.close()


@pytest.fixture
def page(browser: Browser, live_server) -> Iterator[Page]:
    """A fresh browser window on the live server. What the page reports as an error fails the test."""
    context = browser.new_context(base_url=live_server.url)
    context.set_default_timeout(10_000)
    page = context.new_page()
    errors: list[str] = []
    page.on("pageerror", lambda error: errors.append(str(error)))
    yield page
    context.close()
    assert errors == []
