"""Settings of the tests: ours, on a throw-away folder, deaf to what the shell happens to set.

TB_TEST_DATABASE_URL names a PostgreSQL server to test on, else it is SQLite. A process that a test starts
beside itself is told folder, database, broker and times by the other TB_TEST_ variables here.
"""

import atexit
import os
import shutil
import tempfile
from pathlib import Path

_OURS = (
    "ALLOWED_HOSTS",
    "CSRF_TRUSTED_ORIGINS",
    "DATABASE_URL",
    "DEBUG",
    "EMAIL_URL",
    "REDIS_URL",
    "SECRET_KEY",
)
for _name in list(os.environ):
    if _name in _OURS or (_name.startswith("TB_") and not _name.startswith("TB_TEST_")):
        del os.environ[_name]

if "TB_TEST_VAR_DIR" in os.environ:
    os.environ["TB_VAR_DIR"] = os.environ["TB_TEST_VAR_DIR"]
else:
    os.environ["TB_VAR_DIR"] = tempfile.mkdtemp(prefix="tastebench-test-")
    atexit.register(shutil.rmtree, os.environ["TB_VAR_DIR"], ignore_errors=True)
_TOLD = {
    "DATABASE_URL": "TB_TEST_DATABASE_URL",
    "REDIS_URL": "TB_TEST_BROKER_URL",
    "TB_QUEUE": "TB_TEST_QUEUE",
    "TB_JOB_STALE_SECONDS": "TB_TEST_JOB_STALE_SECONDS",
    "TB_JOB_HEARTBEAT_SECONDS": "TB_TEST_JOB_HEARTBEAT_SECONDS",
}
os.environ |= {_name: os.environ[_told] for _name, _told in _TOLD.items() if os.environ.get(_told)}
# Playwright's event loop lives in the test's thread; nothing here is asynchronous.
os.environ["DJANGO_ALLOW_ASYNC_UNSAFE"] = "1"

from tastebench_site.settings import *  # noqa: E402, F403
from tastebench_site.settings import DATABASES, JOB_KINDS, STATIC_ROOT, STORAGES, VAR_DIR  # noqa: E402

# A program that a test runs with other settings begins without them.
for _name in _TOLD:
    os.environ.pop(_name, None)

if DATABASES["default"]["ENGINE"] == "django.db.backends.sqlite3":
    # A file, because a live server and threads look at it too.
    DATABASES["default"]["TEST"] = {"NAME": str(VAR_DIR / "test.sqlite3")}
    # Losing power in a test loses nothing.
    DATABASES["default"]["OPTIONS"]["init_command"] += "PRAGMA synchronous=OFF;"
DATABASES["default"]["CONN_MAX_AGE"] = 0
STORAGES["staticfiles"] = {"BACKEND": "django.contrib.staticfiles.storage.StaticFilesStorage"}
Path(STATIC_ROOT).mkdir(exist_ok=True)
PASSWORD_HASHERS = ["django.contrib.auth.hashers.MD5PasswordHasher"]
# Emptied after each test: never Redis, which would be emptied whole, messages on their way to workers too.
CACHES = {
    "default": {
        "BACKEND": "tastebench_site.file_cache.CountingFileCache",
        "LOCATION": str(VAR_DIR / "cache"),
    }
}
EMAIL_BACKEND = "django.core.mail.backends.locmem.EmailBackend"
JOB_KINDS = JOB_KINDS | {
    "test_count": "tests.site.job_samples.count",
    "test_hold": "tests.site.job_samples.hold",
    "test_refuse": "tests.site.job_samples.refuse",
    "test_break": "tests.site.job_samples.break_down",
}
