"""Each test loads the settings in a process of its own, in the environment it is about."""

import json
import os
import stat
import subprocess
import sys
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import Any

import pytest
from django.core.exceptions import ImproperlyConfigured

from tastebench_site import environment

ROOT = Path(__file__).resolve().parents[2]


def load(folder: Path, *names: str, **variables: str) -> subprocess.CompletedProcess[str]:
    """Print the settings `names` as JSON from a process that sees `variables` and nothing else of ours."""
    code = (
        "import json, sys; from tastebench_site import settings;"
        "print(json.dumps({name: getattr(settings, name) for name in sys.argv[1:]}, default=str))"
    )
    clean = {name: os.environ[name] for name in ("PATH", "HOME", "LANG") if name in os.environ}
    return subprocess.run(
        [sys.executable, "-W", "error", "-c", code, *names],
        env=clean | {"TB_VAR_DIR": str(folder)} | variables,
        cwd=ROOT,
        capture_output=True,
        text=True,
        check=False,
    )


def values(folder: Path, *names: str, **variables: str) -> dict[str, Any]:
    answer = load(folder, *names, **variables)
    assert answer.returncode == 0, answer.stderr
    found: dict[str, Any] = json.loads(answer.stdout)
    return found


def test_a_fresh_machine_gets_safe_defaults(tmp_path):
    found = values(
        tmp_path / "new",
        *("DEBUG", "DEMO", "ALLOWED_HOSTS", "SESSION_COOKIE_HTTPONLY", "X_FRAME_OPTIONS", "PASSWORD_HASHERS"),
        *("SECRET_KEY", "DATABASES", "CELERY_BROKER_TRANSPORT", "CACHES"),
    )
    assert (found["DEBUG"], found["DEMO"]) == (False, False)
    assert found["ALLOWED_HOSTS"] == ["localhost", "127.0.0.1", "[::1]"]
    assert (found["SESSION_COOKIE_HTTPONLY"], found["X_FRAME_OPTIONS"]) == (True, "DENY")
    assert found["PASSWORD_HASHERS"][0].endswith("Argon2PasswordHasher")
    assert len(found["SECRET_KEY"]) >= 32
    database = found["DATABASES"]["default"]
    assert database["NAME"] == str(tmp_path / "new" / "tastebench.sqlite3")
    assert database["OPTIONS"]["transaction_mode"] == "IMMEDIATE"
    assert "synchronous=FULL" in database["OPTIONS"]["init_command"]
    assert found["CELERY_BROKER_TRANSPORT"] == "tastebench_site.queue_folder.Transport"
    assert found["CACHES"]["default"]["LOCATION"] == str(tmp_path / "new" / "cache")


def test_a_folder_whose_name_means_something_in_an_address_is_a_folder(tmp_path):
    odd = tmp_path / "a b#1?100%"
    assert values(odd, "DATABASES")["DATABASES"]["default"]["NAME"] == str(odd / "tastebench.sqlite3")


def test_the_key_is_made_once_for_processes_that_start_together_and_only_its_owner_reads_it(tmp_path):
    with ThreadPoolExecutor(4) as starting:
        keys = list(starting.map(lambda _: values(tmp_path, "SECRET_KEY")["SECRET_KEY"], range(4)))
    assert len(set(keys)) == 1
    kept = tmp_path / "secret_key"
    assert stat.S_IMODE(kept.stat().st_mode) == 0o600
    assert [path.name for path in tmp_path.glob("secret_key*")] == ["secret_key"]


def test_https_makes_cookies_secure_and_redirects(tmp_path):
    names = ("SESSION_COOKIE_SECURE", "CSRF_COOKIE_SECURE", "SECURE_SSL_REDIRECT")
    assert set(values(tmp_path, *names).values()) == {False}
    assert set(values(tmp_path, *names, TB_HTTPS="1").values()) == {True}


def test_servers_come_from_the_environment(tmp_path):
    found = values(
        tmp_path,
        *("DATABASES", "CELERY_BROKER_URL", "CELERY_BROKER_TRANSPORT_OPTIONS", "CELERY_TASK_DEFAULT_QUEUE"),
        "CACHES",
        DATABASE_URL="postgres://taste@db:5433/bench",
        REDIS_URL="redis://cache:6379/3",
        TB_QUEUE="second",
    )
    database = found["DATABASES"]["default"]
    assert (database["HOST"], database["PORT"], database["NAME"]) == ("db", 5433, "bench")
    assert found["CELERY_BROKER_URL"] == "redis://cache:6379/3"
    assert found["CELERY_BROKER_TRANSPORT_OPTIONS"]["global_keyprefix"] == "second:"
    assert found["CELERY_TASK_DEFAULT_QUEUE"] == "second"
    cache = found["CACHES"]["default"]
    assert cache["BACKEND"] == "django.core.cache.backends.redis.RedisCache"
    assert (cache["LOCATION"], cache["KEY_PREFIX"]) == ("redis://cache:6379/3", "second")


def test_files_go_to_a_private_bucket_when_one_is_named(tmp_path):
    storage = values(tmp_path, "STORAGES", TB_PRIVATE_BUCKET="taste")["STORAGES"]["default"]
    assert storage["BACKEND"] == "storages.backends.s3.S3Storage"
    assert storage["OPTIONS"]["default_acl"] == "private"


@pytest.mark.parametrize(
    ("variables", "sentence"),
    [
        ({"SECRET_KEY": "short"}, "SECRET_KEY has fewer than 32 characters"),
        ({"TB_DEMO": "1", "ALLOWED_HOSTS": "taste.example.org"}, "it serves loopback names only"),
        ({"TB_DEMO": "maybe"}, "TB_DEMO is 'maybe'; write 1 for yes or 0 for no."),
        ({"TB_UPLOAD_MAX_BYTES": "100MB"}, "TB_UPLOAD_MAX_BYTES is '100MB'; write a whole number"),
        ({"TB_JOB_STALE_SECONDS": "0"}, "TB_JOB_STALE_SECONDS is '0'; write seconds between"),
        ({"TB_JOB_STALE_SECONDS": "10"}, "at least three times TB_JOB_HEARTBEAT_SECONDS"),
    ],
)
def test_a_value_that_cannot_be_used_stops_with_a_sentence(tmp_path, variables, sentence):
    answer = load(tmp_path, "DEBUG", **variables)
    assert answer.returncode != 0
    assert sentence in answer.stderr.splitlines()[-1]


def test_a_damaged_key_is_named_and_not_replaced(tmp_path):
    (tmp_path / "secret_key").write_text("torn")
    with pytest.raises(ImproperlyConfigured, match="secret_key is damaged"):
        environment.secret_key("", tmp_path)
    assert (tmp_path / "secret_key").read_text() == "torn"


@pytest.mark.parametrize(
    ("written", "expected"),
    [("1", True), (" Yes ", True), ("on", True), ("0", False), ("", False), ("NO", False)],
)
def test_a_flag_reads_what_people_write(monkeypatch, written, expected):
    monkeypatch.setenv("TB_DEMO", written)
    assert environment.flag("TB_DEMO", default=not expected) is expected
