"""Settings of the tests: ours, on a throw-away folder, deaf to what the shell happens to set.

TB_TEST_DATABASE_URL: a PostgreSQL server to test on, else SQLite. TB_TEST_REDIS_URL: also run job tests on
Redis. TB_TEST_VAR_DIR: the folder of a process that a test starts beside itself.
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
for _name in ("DATABASE_URL", "REDIS_URL", "QUEUE", "JOB_STALE_SECONDS", "JOB_HEARTBEAT_SECONDS"):
    _given = os.environ.get(f"TB_TEST_{_name}")
    if _given:
        os.environ[_name if _name in _OURS else f"TB_{_name}"] = _given
# Playwright's event loop lives in the test's thread; nothing here is asynchronous.
os.environ["DJANGO_ALLOW_ASYNC_UNSAFE"] = "1"

from tastebench_site.settings import *  # noqa: E402, F403
from tastebench_site.settings import DATABASES, JOB_KINDS, STATIC_ROOT, STORAGES, VAR_DIR  # noqa: E402

if DATABASES["default"]["ENGINE"] == "django.db.backends.sqlite3":
    # A file, because a live server and threads look at it too.
    DATABASES["default"]["TEST"] = {"NAME": str(VAR_DIR / "test.sqlite3")}
    # Losing power in a test loses nothing.
    DATABASES["default"]["OPTIONS"]["init_command"] += "PRAGMA synchronous=OFF;"
DATABASES["default"]["CONN_MAX_AGE"] = 0
STORAGES["staticfiles"] = {"BACKEND": "django.contrib.staticfiles.storage.StaticFilesStorage"}
Path(STATIC_ROOT).mkdir(exist_ok=True)
PASSWORD_HASHERS = ["django.contrib.auth.hashers.MD5PasswordHasher"]
EMAIL_BACKEND = "django.core.mail.backends.locmem.EmailBackend"
JOB_KINDS = JOB_KINDS | {
    "test_count": "tests.site.job_samples.count",
    "test_hold": "tests.site.job_samples.hold",
    "test_refuse": "tests.site.job_samples.refuse",
    "test_break": "tests.site.job_samples.break_down",
}
