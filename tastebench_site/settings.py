"""All settings, all from the environment, with defaults that are safe on a fresh machine.

Every variable is listed in docs/deployment.md; a test keeps the two in step.
"""

from datetime import timedelta
from pathlib import Path
from typing import Any

import environ
from csp.constants import NONE, SELF
from django.core.exceptions import ImproperlyConfigured

from tastebench_site import sqlite_driver
from tastebench_site.environment import flag, integer, seconds, secret_key, text, words

BASE_DIR = Path(__file__).resolve().parent.parent
env = environ.Env()

VAR_DIR = Path(text("TB_VAR_DIR", str(BASE_DIR / "var"))).resolve()
DEBUG = flag("DEBUG", default=False)
SECRET_KEY = secret_key(text("SECRET_KEY"), VAR_DIR)
DEMO = flag("TB_DEMO", default=False)
ALLOWED_HOSTS = words("ALLOWED_HOSTS", "localhost,127.0.0.1,[::1]")
if DEMO and not set(ALLOWED_HOSTS) <= {"localhost", "127.0.0.1", "[::1]"}:
    raise ImproperlyConfigured(
        "TB_DEMO makes accounts with published passwords, so it serves loopback names only; "
        "remove ALLOWED_HOSTS or TB_DEMO."
    )
CSRF_TRUSTED_ORIGINS = words("CSRF_TRUSTED_ORIGINS")

# --- applications -------------------------------------------------------------------------------
INSTALLED_APPS = [
    "tastebench_site",
    "evaluation",
    "gold",
    "labeling",
    "rest_framework",
    "axes",
    "csp",
    "django.contrib.auth",
    "django.contrib.contenttypes",
    "django.contrib.sessions",
    "django.contrib.messages",
    "django.contrib.staticfiles",
    "django.forms",
]
MIDDLEWARE = [
    # Outermost, so that it also marks what an inner one answers (a refused CSRF token, a redirect to HTTPS).
    "tastebench_site.middleware.NoStoreMiddleware",
    "django.middleware.security.SecurityMiddleware",
    "whitenoise.middleware.WhiteNoiseMiddleware",
    "csp.middleware.CSPMiddleware",
    # Before the check of CSRF tokens, which reads the form.
    "tastebench_site.middleware.UploadLimitMiddleware",
    "tastebench_site.middleware.NoNulMiddleware",
    "django.contrib.sessions.middleware.SessionMiddleware",
    "django.middleware.locale.LocaleMiddleware",
    "django.middleware.common.CommonMiddleware",
    "django.middleware.csrf.CsrfViewMiddleware",
    "django.contrib.auth.middleware.AuthenticationMiddleware",
    "tastebench_site.middleware.TimeZoneMiddleware",
    "django.contrib.messages.middleware.MessageMiddleware",
    "django.middleware.clickjacking.XFrameOptionsMiddleware",
    # Innermost, so that a refused sign-in gets the headers of every answer.
    "axes.middleware.AxesMiddleware",
]
ROOT_URLCONF = "tastebench_site.urls"
WSGI_APPLICATION = "tastebench_site.wsgi.application"
FORM_RENDERER = "django.forms.renderers.TemplatesSetting"
TEMPLATES = [
    {
        "BACKEND": "django.template.backends.django.DjangoTemplates",
        "DIRS": [BASE_DIR / "templates"],
        "APP_DIRS": True,
        "OPTIONS": {
            "context_processors": [
                "django.template.context_processors.request",
                "django.contrib.auth.context_processors.auth",
                "django.contrib.messages.context_processors.messages",
                "tastebench_site.navigation.navigation",
            ],
        },
    },
]

# --- data ---------------------------------------------------------------------------------------
VAR_DIR.mkdir(parents=True, exist_ok=True)
DATABASES: dict[str, dict[str, Any]] = {
    "default": env.db_url("DATABASE_URL")
    if text("DATABASE_URL")
    else {"ENGINE": "django.db.backends.sqlite3", "NAME": str(VAR_DIR / "tastebench.sqlite3")}
}
if DATABASES["default"]["ENGINE"] == "django.db.backends.sqlite3":
    journal_mode = sqlite_driver.install()
    DATABASES["default"]["OPTIONS"] = {
        # IMMEDIATE: a transaction that will write waits for its turn instead of failing half-way.
        "transaction_mode": "IMMEDIATE",
        "timeout": 30,
        "init_command": f"PRAGMA journal_mode={journal_mode}; PRAGMA synchronous=FULL;",
    }
else:
    DATABASES["default"]["CONN_HEALTH_CHECKS"] = True
# On SQLite too: the last connection to close copies the WAL back and deletes it, dear at every request.
DATABASES["default"]["CONN_MAX_AGE"] = 60
DEFAULT_AUTO_FIELD = "django.db.models.BigAutoField"

# Private files: originals, renditions, uploads, releases. Never served by path.
PRIVATE_BUCKET = text("TB_PRIVATE_BUCKET")
STORAGES = {
    "default": {
        "BACKEND": "django.core.files.storage.FileSystemStorage",
        "OPTIONS": {"location": str(VAR_DIR / "files"), "base_url": None},
    },
    "staticfiles": {"BACKEND": "tastebench_site.static_storage.HashedStaticFilesStorage"},
}
if PRIVATE_BUCKET:
    STORAGES["default"] = {
        "BACKEND": "storages.backends.s3.S3Storage",
        "OPTIONS": {
            "bucket_name": PRIVATE_BUCKET,
            "endpoint_url": text("TB_S3_ENDPOINT_URL") or None,
            "default_acl": "private",
            "querystring_auth": True,
            "file_overwrite": False,
        },
    }
DATA_UPLOAD_MAX_MEMORY_SIZE = 1_000_000
FILE_UPLOAD_MAX_MEMORY_SIZE = 1_000_000
UPLOAD_MAX_BYTES = integer("TB_UPLOAD_MAX_BYTES", 100_000_000, minimum=1_000)
# Words by which content tells its source; empty: the list that comes with the product.
SOURCE_WORDS_FILE = text("TB_SOURCE_WORDS_FILE")
if SOURCE_WORDS_FILE and not Path(SOURCE_WORDS_FILE).is_file():
    raise ImproperlyConfigured(f"TB_SOURCE_WORDS_FILE names {SOURCE_WORDS_FILE}, which is no file.")

# --- people -------------------------------------------------------------------------------------
AUTH_USER_MODEL = "labeling.User"
AUTHENTICATION_BACKENDS = [
    "axes.backends.AxesStandaloneBackend",
    "django.contrib.auth.backends.ModelBackend",
]
LOGIN_URL = "login"
LOGIN_REDIRECT_URL = "home"
LOGOUT_REDIRECT_URL = "login"
PASSWORD_HASHERS = [
    "django.contrib.auth.hashers.Argon2PasswordHasher",
    "django.contrib.auth.hashers.PBKDF2PasswordHasher",
]
AUTH_PASSWORD_VALIDATORS = [
    {"NAME": "django.contrib.auth.password_validation.UserAttributeSimilarityValidator"},
    {"NAME": "django.contrib.auth.password_validation.MinimumLengthValidator", "OPTIONS": {"min_length": 12}},
    {"NAME": "django.contrib.auth.password_validation.CommonPasswordValidator"},
]

# Ten wrong passwords for one name from one address shut that name to that address for a while. They are
# counted in the cache under a hash: the tables of axes would be a second place of names, so it gets none.
AXES_HANDLER = "axes.handlers.cache.AxesCacheHandler"
MIGRATION_MODULES = {"axes": None}
AXES_FAILURE_LIMIT = 10
AXES_COOLOFF_TIME = timedelta(minutes=15)
AXES_LOCKOUT_PARAMETERS = [["username", "ip_address"]]
AXES_RESET_ON_SUCCESS = True
AXES_RESET_COOL_OFF_ON_FAILURE_DURING_LOCKOUT = False
AXES_LOCKOUT_CALLABLE = "tastebench_site.accounts.locked_out"
AXES_CLIENT_IP_CALLABLE = "tastebench_site.accounts.client_address"
AXES_SENSITIVE_PARAMETERS = ["username", "ip_address", "user_agent"]
AXES_VERBOSE = False

# --- what the browser is told -------------------------------------------------------------------
HTTPS = flag("TB_HTTPS", default=False)
SESSION_COOKIE_HTTPONLY = True
SESSION_COOKIE_SAMESITE = "Lax"
SESSION_COOKIE_SECURE = HTTPS
CSRF_COOKIE_SECURE = HTTPS
CSRF_COOKIE_SAMESITE = "Lax"
SECURE_SSL_REDIRECT = HTTPS
SECURE_HSTS_SECONDS = 31_536_000 if HTTPS else 0
SECURE_PROXY_SSL_HEADER = ("HTTP_X_FORWARDED_PROTO", "https") if HTTPS else None
SECURE_CONTENT_TYPE_NOSNIFF = True
SECURE_REFERRER_POLICY = "same-origin"
X_FRAME_OPTIONS = "DENY"
CONTENT_SECURITY_POLICY = {
    "DIRECTIVES": {
        "default-src": [NONE],
        "script-src": [SELF],
        "style-src": [SELF],
        # data: for pictures inside formatted items; the sanitiser lets through only those we encoded again.
        "img-src": [SELF, "data:"],
        "font-src": [SELF],
        "connect-src": [SELF],
        "frame-src": [SELF],
        "form-action": [SELF],
        "frame-ancestors": [NONE],
        "base-uri": [NONE],
    }
}

# --- language and time --------------------------------------------------------------------------
LANGUAGE_CODE = "en"
LANGUAGES = [("en", "English")]
LOCALE_PATHS = [BASE_DIR / "locale"]
USE_I18N = True
USE_TZ = True
TIME_ZONE = text("TB_TIME_ZONE", "UTC")

STATIC_URL = "/static/"
STATICFILES_DIRS = [BASE_DIR / "static"]
STATIC_ROOT = VAR_DIR / "static"

# --- long work ----------------------------------------------------------------------------------
REDIS_URL = text("REDIS_URL")
QUEUE = text("TB_QUEUE", "tastebench")
if REDIS_URL:
    CELERY_BROKER_URL = REDIS_URL
    CELERY_BROKER_TRANSPORT_OPTIONS = {
        # Everything of ours in Redis begins with it, so that two deployments can share a server.
        "global_keyprefix": f"{QUEUE}:",
        # A page that starts a job answers even when Redis does not; the sweeper sends the job later.
        "socket_connect_timeout": 3,
        "socket_timeout": 10,
    }
else:
    QUEUE_DIR = VAR_DIR / "queue"
    CELERY_BROKER_URL = "localhost"
    CELERY_BROKER_TRANSPORT = "tastebench_site.queue_folder.Transport"
    CELERY_BROKER_TRANSPORT_OPTIONS = {
        "data_folder_in": str(QUEUE_DIR / "messages"),
        "data_folder_out": str(QUEUE_DIR / "messages"),
        "processed_folder": str(QUEUE_DIR / "read"),
        "control_folder": str(QUEUE_DIR / "control"),
        "polling_interval": 0.1,
    }
    for folder in ("messages", "read", "control"):
        (QUEUE_DIR / folder).mkdir(parents=True, exist_ok=True)
# Holds counts of wrong passwords, and nothing that must last.
CACHES: dict[str, dict[str, Any]] = {
    "default": {
        "BACKEND": "django.core.cache.backends.redis.RedisCache",
        "LOCATION": REDIS_URL,
        "KEY_PREFIX": QUEUE,
        "OPTIONS": {"socket_connect_timeout": 3, "socket_timeout": 10},
    }
    if REDIS_URL
    else {
        "BACKEND": "tastebench_site.file_cache.CountingFileCache",
        "LOCATION": str(VAR_DIR / "cache"),
        # Beyond it entries are dropped at random, so not a number that guessing for many names reaches soon.
        "OPTIONS": {"MAX_ENTRIES": 10_000},
    }
}
CELERY_TASK_IGNORE_RESULT = True
CELERY_TASK_DEFAULT_QUEUE = QUEUE
CELERY_TASK_SERIALIZER = "json"
CELERY_ACCEPT_CONTENT = ["json"]
CELERY_TASK_PUBLISH_RETRY = False
# A worker holds no message beyond the jobs it works on, so that another, idle worker gets it.
CELERY_TASK_ACKS_LATE = True
CELERY_WORKER_PREFETCH_MULTIPLIER = 1
CELERY_WORKER_ENABLE_REMOTE_CONTROL = False
CELERY_WORKER_HIJACK_ROOT_LOGGER = False
CELERY_BROKER_CONNECTION_RETRY_ON_STARTUP = True
CELERY_WORKER_CANCEL_LONG_RUNNING_TASKS_ON_CONNECTION_LOSS = False
JOB_STALE_SECONDS = seconds("TB_JOB_STALE_SECONDS", 30)
JOB_HEARTBEAT_SECONDS = seconds("TB_JOB_HEARTBEAT_SECONDS", 5)
if JOB_HEARTBEAT_SECONDS * 3 > JOB_STALE_SECONDS:
    raise ImproperlyConfigured(
        "TB_JOB_STALE_SECONDS must be at least three times TB_JOB_HEARTBEAT_SECONDS, or living workers "
        "lose their jobs; raise the one or lower the other."
    )
# What a job of each kind runs: `run_job(job, progress) -> dict`, stored as the job's result.
JOB_KINDS = {
    "preview_tables": "labeling.importing.jobs.preview_tables",
    "import_tables": "labeling.importing.jobs.import_tables",
    "promote": "gold.promotion.run_job",
    "score": "evaluation.submissions.run_job",
}
# Exceptions whose message is written for the person who waits for the job, named where they are defined.
JOB_EXPECTED_ERRORS = [
    "labeling.tables.errors.TableErrors",
    "labeling.importing.archive.ArchiveRefused",
    "labeling.importing.folder.FolderIncomplete",
    "labeling.importing.staging.ImportCollided",
    "labeling.importing.uploads.UploadGone",
    "gold.promotion.CannotPromote",
]

# --- API ----------------------------------------------------------------------------------------
REST_FRAMEWORK = {
    "DEFAULT_AUTHENTICATION_CLASSES": ["rest_framework.authentication.SessionAuthentication"],
    "DEFAULT_PERMISSION_CLASSES": ["rest_framework.permissions.IsAuthenticated"],
    "DEFAULT_RENDERER_CLASSES": ["rest_framework.renderers.JSONRenderer"],
    "DEFAULT_PAGINATION_CLASS": "rest_framework.pagination.PageNumberPagination",
    "PAGE_SIZE": 50,
    "STRICT_JSON": True,
}

# --- mail and logs ------------------------------------------------------------------------------
EMAIL_CONFIG = env.email_url("EMAIL_URL", default="consolemail://")
EMAIL_BACKEND = EMAIL_CONFIG["EMAIL_BACKEND"]
EMAIL_HOST = EMAIL_CONFIG["EMAIL_HOST"]
EMAIL_PORT = EMAIL_CONFIG["EMAIL_PORT"]
EMAIL_HOST_USER = EMAIL_CONFIG["EMAIL_HOST_USER"]
EMAIL_HOST_PASSWORD = EMAIL_CONFIG["EMAIL_HOST_PASSWORD"]
EMAIL_USE_TLS = EMAIL_CONFIG.get("EMAIL_USE_TLS", False)
EMAIL_USE_SSL = EMAIL_CONFIG.get("EMAIL_USE_SSL", False)
DEFAULT_FROM_EMAIL = text("TB_MAIL_FROM", "tastebench@localhost")
LOGGING = {
    "version": 1,
    "disable_existing_loggers": False,
    "formatters": {"line": {"format": "{asctime} {levelname} {name}: {message}", "style": "{"}},
    "filters": {"hide_links": {"()": "tastebench_site.log_filters.HideLinks"}},
    "handlers": {
        "stderr": {"class": "logging.StreamHandler", "formatter": "line", "filters": ["hide_links"]}
    },
    "root": {"handlers": ["stderr"], "level": text("TB_LOG_LEVEL", "INFO").upper()},
    # A page refused or not found is everyday work; what breaks is an error.
    "loggers": {"django.request": {"level": "ERROR"}},
}
