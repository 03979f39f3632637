"""Contract tables in the database: the list, an upload with preview. Admins only."""

from typing import Any

from django.contrib import messages
from django.core.paginator import Paginator
from django.http import HttpResponse
from django.shortcuts import get_object_or_404, redirect, render
from django.utils.translation import gettext as _
from django.views.decorators.http import require_http_methods, require_safe

from labeling.access import SignedInRequest, role_required
from labeling.importing import uploads
from labeling.models import Job, JobState, Role, TableImport
from labeling.round_forms import TablesUploadForm


@role_required(Role.ADMIN)
@require_safe
def tables(request: SignedInRequest) -> HttpResponse:
    found = TableImport.objects.filter(state=TableImport.State.PUBLISHED).order_by("-created_at", "-pk")
    page = Paginator(found, 25).get_page(request.GET.get("page"))
    return render(request, "labeling/tables.html", {"page_obj": page})


@role_required(Role.ADMIN)
@require_http_methods(["GET", "HEAD", "POST"])
def tables_upload(request: SignedInRequest) -> HttpResponse:
    """Take a zip and check it as a job; nothing is stored in tables before the preview is confirmed."""
    form = TablesUploadForm(request.POST or None, request.FILES or None)
    if request.method == "POST" and form.is_valid():
        upload = form.cleaned_data["file"]
        params = {"upload": uploads.keep(upload), "name": upload.name}
        return redirect(Job.objects.enqueue("preview_tables", params=params, created_by=request.user))
    return render(request, "labeling/tables_upload.html", {"form": form})


@role_required(Role.ADMIN)
@require_http_methods(["GET", "HEAD", "POST"])
def table_preview(request: SignedInRequest, job_pk: int) -> HttpResponse:
    """What the zip holds, or every fault of it; POST imports it."""
    previews = Job.objects.visible_to(request.user).filter(kind="preview_tables", state=JobState.SUCCEEDED)
    job = get_object_or_404(previews, pk=job_pk)
    summary = job.result["summary"]
    if request.method == "POST":
        if summary is None:
            messages.error(request, _("These tables have faults; mend them and upload again."))
            return redirect("table_preview", job_pk)
        return redirect(_import_job(request, job))
    return render(
        request,
        "labeling/table_preview.html",
        {
            "job": job,
            "name": job.params["name"],
            "summary": summary,
            "counts": _counts(summary) if summary else [],
            "errors": job.result["errors"],
            "n_errors": job.result["n_errors"],
        },
    )


def _import_job(request: SignedInRequest, preview: Job) -> Job:
    """The job that imports what was previewed: one, however often the button is pressed."""
    begun = Job.objects.filter(kind="import_tables", params__upload=preview.params["upload"])
    return begun.exclude(state=JobState.FAILED).first() or Job.objects.enqueue(
        "import_tables", params=preview.params, created_by=request.user
    )


def _counts(summary: dict[str, Any]) -> list[tuple[str, list[tuple[str, int]]]]:
    """Each line of the preview with what it counts: lists, as a template reads `dict.items` as a key."""
    labels = {
        "domains": _("Domains"),
        "splits": _("Splits"),
        "difficulties": _("Difficulty"),
        "licenses": _("Licences"),
        "data_origins": _("Origins"),
    }
    return [(label, list(summary[name].items())) for name, label in labels.items()]
