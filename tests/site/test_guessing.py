"""Guessing passwords: ten wrong ones for a name from an address, and the two are parted for a while."""

import json
import logging
import time
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from types import SimpleNamespace

import pytest
from axes.models import AccessAttempt, AccessFailureLog, AccessLog
from django.core.cache.backends import filebased
from django.db.migrations.loader import MigrationLoader
from django.test import Client
from django.urls import reverse

from tastebench_site.file_cache import CountingFileCache
from tests.factories import PASSWORD, make_user, opened_packet

pytestmark = pytest.mark.django_db

LIMIT, MINUTES = 10, 15


def sign_in(username, password, *, address="192.0.2.1", **headers):
    return Client(REMOTE_ADDR=address, headers=headers).post(
        reverse("login"), {"username": username, "password": password}
    )


def guess(username, times=LIMIT, **more):
    return [sign_in(username, f"wrong {number}", **more).status_code for number in range(times)]


def inline(packet, password, address="192.0.2.1"):
    sent = {"username": packet.rater.user.username, "password": password, "packet": packet.pk}
    return Client(REMOTE_ADDR=address).post(
        reverse("sign_in_inline"), json.dumps(sent), content_type="application/json"
    )


@pytest.fixture
def later(monkeypatch):
    """later(minutes): let the cache believe that it is so much later."""

    def at(minutes):
        monkeypatch.setattr(filebased, "time", SimpleNamespace(time=lambda: time.time() + 60 * minutes))

    return at


def test_after_ten_wrong_passwords_the_right_one_is_refused_too():
    user = make_user()
    assert guess(user.username) == [200] * 9 + [429]
    refused = sign_in(user.username, PASSWORD)
    assert refused.status_code == 429
    assert refused.headers["Retry-After"] == str(60 * MINUTES)
    assert "no-store" in refused.headers["Cache-Control"]
    assert "429.html" in [template.name for template in refused.templates]
    assert f"Wait {MINUTES} minutes" in refused.content.decode()
    assert "sessionid" not in refused.cookies


def test_after_its_time_the_name_is_open_again(later):
    """Trying meanwhile does not prolong it."""
    user = make_user()
    guess(user.username)
    later(MINUTES - 1)
    assert sign_in(user.username, PASSWORD).status_code == 429
    later(MINUTES + 0.1)
    assert sign_in(user.username, PASSWORD).status_code == 302


def test_in_place_the_refusal_is_json_that_the_dialog_shows():
    packet = opened_packet()
    assert [inline(packet, "wrong").status_code for _ in range(LIMIT)] == [400] * 9 + [429]
    refused = inline(packet, PASSWORD)
    assert refused.status_code == 429
    assert refused.json() == {"error": "Too many wrong passwords. Wait 15 minutes, then try again."}
    assert refused.headers["Retry-After"] == "900"
    assert inline(packet, PASSWORD, address="192.0.2.2").status_code == 200


def test_page_and_dialog_count_together():
    packet = opened_packet()
    guess(packet.rater.user.username, times=9)
    assert inline(packet, "wrong").status_code == 429
    assert sign_in(packet.rater.user.username, PASSWORD).status_code == 429


def test_other_names_and_other_addresses_are_not_concerned():
    user, other = make_user(), make_user()
    guess(user.username)
    assert sign_in(other.username, PASSWORD).status_code == 302
    assert sign_in(user.username, PASSWORD, address="192.0.2.2").status_code == 302


def test_the_right_password_begins_the_count_anew():
    user = make_user()
    for _ in range(2):
        assert guess(user.username, times=LIMIT - 1) == [200] * 9
        assert sign_in(user.username, PASSWORD).status_code == 302


def test_unknown_names_are_shut_like_known_ones():
    """Else the tenth try would tell which names exist."""
    assert guess("nobody")[-1] == 429


def test_behind_the_proxy_the_address_it_wrote_counts_and_not_what_the_client_says(settings):
    settings.HTTPS = True
    user, proxy = make_user(), "127.0.0.1"
    for number in range(LIMIT):
        said = f"203.0.113.{number}, 192.0.2.1"
        last = sign_in(user.username, "wrong", address=proxy, X_Forwarded_For=said).status_code
    assert last == 429
    other = sign_in(user.username, PASSWORD, address=proxy, X_Forwarded_For="203.0.113.1, 192.0.2.2")
    assert other.status_code == 302


def test_without_a_proxy_a_client_cannot_name_its_address():
    user = make_user()
    for number in range(LIMIT):
        last = sign_in(user.username, "wrong", X_Forwarded_For=f"203.0.113.{number}").status_code
    assert last == 429


def test_neither_log_nor_database_nor_cache_keeps_a_name_a_password_or_an_address(caplog, settings):
    caplog.set_level(logging.DEBUG)
    user = make_user(username="someone.known")
    for password in ["hunter2"] * LIMIT + [PASSWORD]:
        sign_in(user.username, password, User_Agent="a browser")
    sign_in(user.username, PASSWORD, address="192.0.2.2", User_Agent="a browser")
    ours = "\n".join(record.getMessage() for record in caplog.records if record.name.startswith("axes"))
    assert "Locking out" in ours
    for secret in (user.username, "hunter2", PASSWORD, "192.0.2", "a browser"):
        assert secret not in ours
    assert not any(model.objects.exists() for model in (AccessAttempt, AccessFailureLog, AccessLog))
    [count] = Path(settings.CACHES["default"]["LOCATION"]).glob("*.djcache")
    assert "someone" not in count.name + str(count.read_bytes())


def test_the_package_has_no_tables_where_migrations_make_them():
    assert "axes" in MigrationLoader(None).unmigrated_apps


def test_counts_that_meet_are_all_kept(tmp_path):
    """Sixteen threads, each with its own view of the folder as processes have it."""

    def count(_):
        cache = CountingFileCache(str(tmp_path / "cache"), {})
        for _ in range(5):
            if not cache.add("key", 1):
                cache.incr("key")

    with ThreadPoolExecutor(16) as pool:
        list(pool.map(count, range(16)))
    assert CountingFileCache(str(tmp_path / "cache"), {}).get("key") == 80
