"""The Celery app. It only carries "work on job n"; what a job is stands in its row."""

import os

from celery import Celery
from celery.signals import setup_logging

os.environ.setdefault("DJANGO_SETTINGS_MODULE", "tastebench_site.settings")
app = Celery("tastebench")
# `current_app` is kept per thread; the default is what web server threads find.
app.set_default()
app.config_from_object("django.conf:settings", namespace="CELERY")
app.autodiscover_tasks(["tastebench_site"], related_name="jobs")
app.autodiscover_tasks(["tastebench_site"], related_name="sweeper")


@setup_logging.connect
def keep_logging(**_: object) -> None:
    """Being here keeps Celery from setting a level of its own over TB_LOG_LEVEL."""
