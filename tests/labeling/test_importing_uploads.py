"""Uploaded zips: kept for a day, then removed by the next upload."""

import os
from datetime import timedelta

import pytest
from django.core.files.storage import default_storage
from django.core.files.uploadedfile import SimpleUploadedFile
from django.urls import reverse
from django.utils import timezone

from labeling import private_folders
from labeling.importing import uploads
from labeling.models import Job, TableImport
from tests.factories import client_of, make_user
from tests.labeling.test_importing_jobs import tables

pytestmark = [pytest.mark.django_db, pytest.mark.usefixtures("private_files")]


def kept(*, age):
    """An upload that came `age` ago."""
    path = uploads.keep(SimpleUploadedFile("bench.zip", tables()))
    came = (timezone.now() - age).timestamp()
    os.utime(default_storage.path(path), (came, came))
    return path


@pytest.fixture
def admin():
    return client_of(make_user("admin"))


@pytest.fixture
def previewed(admin, finish_jobs):
    """The page of a zip that was uploaded and checked."""
    admin.post(reverse("tables_upload"), {"file": SimpleUploadedFile("bench.zip", tables())})
    [job] = finish_jobs()
    return reverse("table_preview", args=[job.pk])


def test_the_next_upload_removes_those_older_than_a_day(previewed, admin, finish_jobs):
    old, young = kept(age=timedelta(hours=25)), kept(age=timedelta(hours=23))
    admin.post(reverse("tables_upload"), {"file": SimpleUploadedFile("next.zip", tables())})
    finish_jobs()
    assert not default_storage.exists(old)
    assert default_storage.exists(young)


@pytest.mark.parametrize(("state", "stays"), [("queued", True), ("running", True), ("failed", False)])
def test_an_upload_that_a_job_is_still_to_read_stays(state, stays):
    path = kept(age=timedelta(days=3))
    Job.objects.create(kind="import_tables", params={"upload": path, "name": "bench.zip"}, state=state)
    uploads.remove_old()
    assert default_storage.exists(path) is stays


def test_there_may_be_no_upload_at_all():
    uploads.remove_old()
    assert private_folders.files_of(uploads.FOLDER) == []


def test_importing_an_upload_that_is_gone_says_to_send_it_again(previewed, admin, finish_jobs):
    default_storage.delete(Job.objects.get().params["upload"])
    admin.post(previewed)
    [job] = finish_jobs()
    assert job.state == "failed"
    assert job.error == "Uploads are kept for a day and this one is gone; upload the zip again."
    assert not TableImport.objects.exists()


def test_pressing_import_twice_imports_once(previewed, admin, finish_jobs):
    first, second = (admin.post(previewed).headers["Location"] for _ in range(2))
    assert first == second
    finish_jobs()
    assert admin.post(previewed).headers["Location"] == first
    assert TableImport.objects.count() == 1


def test_after_a_failed_import_it_can_be_tried_again(previewed, admin, finish_jobs):
    first = admin.post(previewed).headers["Location"]
    Job.objects.filter(kind="import_tables").update(state="failed")
    assert admin.post(previewed).headers["Location"] != first


def test_tables_that_hold_nothing_new_are_not_offered(previewed, admin, finish_jobs):
    admin.post(previewed)
    finish_jobs()
    admin.post(reverse("tables_upload"), {"file": SimpleUploadedFile("again.zip", tables())})
    [job] = finish_jobs()
    page = admin.get(reverse("table_preview", args=[job.pk])).content.decode()
    assert "there is nothing to import" in page
    assert 'type="submit" class="button button--primary"' not in page
