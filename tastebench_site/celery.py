"""The Celery app. It only carries "work on job n"; what a job is stands in its row."""

import os

from celery import Celery

os.environ.setdefault("DJANGO_SETTINGS_MODULE", "tastebench_site.settings")
app = Celery("tastebench")
app.config_from_object("django.conf:settings", namespace="CELERY")
app.autodiscover_tasks(["tastebench_site"], related_name="jobs")
