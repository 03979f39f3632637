"""Tables in the browser: an upload is checked, previewed, then imported; rubrics are shown."""

import io
import zipfile

import pytest
from django.core.files.uploadedfile import SimpleUploadedFile
from django.urls import reverse

from labeling.models import Item, Job, Pair, Role
from tests.factories import client_of, make_rubric, make_user
from tests.labeling.folders import ITEMS, PAIRS

pytestmark = [pytest.mark.django_db, pytest.mark.usefixtures("private_files")]


@pytest.fixture
def admin():
    return client_of(make_user(Role.ADMIN, username="demo_admin"))


def body(response):
    assert response.status_code == 200
    return response.content.decode()


def get(client, name, *args, **query):
    return body(client.get(reverse(name, args=args), query))


def said(response):
    """The messages on the page that a redirect led to."""
    return [str(message) for message in response.context["messages"]]


def zipped(pairs=PAIRS, items=ITEMS):
    target = io.BytesIO()
    with zipfile.ZipFile(target, "w") as made:
        made.writestr("bench_items.csv", "\n".join(items) + "\n")
        made.writestr("bench_pairs.csv", "\n".join(pairs) + "\n")
    return SimpleUploadedFile("bench.zip", target.getvalue(), "application/zip")


def test_an_upload_is_checked_previewed_and_then_imported(admin, finish_jobs):
    response = admin.post(reverse("tables_upload"), {"file": zipped()})
    [checking] = finish_jobs()
    assert response.headers["Location"] == reverse("job", args=[checking.pk])
    preview = reverse("table_preview", args=[checking.pk])
    assert preview in body(admin.get(reverse("job", args=[checking.pk])))
    page = body(admin.get(preview))
    assert "4 new" in page
    assert "2 new" in page
    assert not Item.objects.exists()
    response = admin.post(preview)
    [importing] = finish_jobs()
    assert response.headers["Location"] == reverse("job", args=[importing.pk])
    assert (importing.state, Item.objects.count(), Pair.objects.published().count()) == ("succeeded", 4, 2)
    assert "bench.zip" in get(admin, "tables")


def test_faults_are_listed_and_cannot_be_imported(admin, finish_jobs):
    pairs = [PAIRS[0], PAIRS[1].replace("easy", "<b>extreme</b>")]
    admin.post(reverse("tables_upload"), {"file": zipped(pairs)})
    [checking] = finish_jobs()
    preview = reverse("table_preview", args=[checking.pk])
    page = body(admin.get(preview))
    assert "1 fault; nothing can be imported before it is mended." in page
    assert "bench_pairs.csv:2: difficulty:" in page
    assert "<b>extreme" not in page
    assert said(admin.post(preview, follow=True)) == ["These tables have faults; mend them and upload again."]
    assert Job.objects.count() == 1


def test_a_zip_that_cannot_be_read_is_told_on_the_jobs_page(admin, finish_jobs):
    admin.post(reverse("tables_upload"), {"file": SimpleUploadedFile("x.zip", b"no zip")})
    [checking] = finish_jobs()
    assert "This is no zip that can be read" in get(admin, "job", checking.pk)
    assert admin.get(reverse("table_preview", args=[checking.pk])).status_code == 404


def test_domains_of_any_name_are_previewed(admin, finish_jobs):
    items = [line.replace(",visual,", ",items,") for line in ITEMS]
    pairs = [line.replace(",visual,", ",items,") for line in PAIRS]
    admin.post(reverse("tables_upload"), {"file": zipped(pairs, items)})
    [checking] = finish_jobs()
    assert "items 1" in get(admin, "table_preview", checking.pk)


def test_an_upload_over_the_limit_is_413(admin, settings):
    settings.UPLOAD_MAX_BYTES = 100
    response = admin.post(reverse("tables_upload"), {"file": zipped()})
    assert response.status_code == 413
    assert not Job.objects.exists()


def test_nothing_chosen_is_told(admin):
    response = admin.post(reverse("tables_upload"), {"other": "x"})
    assert "file" in response.context["form"].errors


def test_a_rubric_is_shown_as_raters_read_it(admin):
    make_rubric(guidelines="Look at both in full.")
    page = get(admin, "rubric", "rubric_v1")
    for words in ("Which is better crafted?", "composition", "virality", "masterly", "Look at both in full."):
        assert words in page
