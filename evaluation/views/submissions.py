"""Submitting predictions and reading their score."""

from typing import Any

from django.core.paginator import Paginator
from django.http import HttpResponse
from django.shortcuts import get_object_or_404, redirect, render
from django.urls import reverse
from django.views.decorators.http import require_http_methods, require_safe

from evaluation.forms import SubmissionForm
from evaluation.models import Submission
from evaluation.score_page import score_page
from evaluation.submissions import submit as store
from gold.models import Release
from labeling import strict_json
from labeling.access import SignedInRequest, role_required
from labeling.job_cards import card_of
from labeling.models import Role


@role_required(Role.RESEARCHER, Role.ADMIN)
@require_http_methods(["GET", "HEAD", "POST"])
def submit(request: SignedInRequest, number: int) -> HttpResponse:
    release = get_object_or_404(Release.objects.visible_to(request.user).scorable(), number=number)
    form = SubmissionForm(request.POST or None, request.FILES or None)
    if request.method == "POST" and form.is_valid():
        sent = form.cleaned_data
        submission = store(
            release=release,
            owner=request.user,
            model_label=sent["model_label"],
            split=sent["split"],
            upload=sent["file"],
        )
        return redirect(submission)
    return render(request, "evaluation/submit.html", {"release": release, "form": form})


@role_required(Role.RESEARCHER, Role.ADMIN)
@require_safe
def submissions(request: SignedInRequest) -> HttpResponse:
    found = Submission.objects.visible_to(request.user).select_related("release", "job", "owner")
    page = Paginator(found, 25).get_page(request.GET.get("page"))
    return render(request, "evaluation/submissions.html", {"page_obj": page, "submissions": page.object_list})


@role_required(Role.RESEARCHER, Role.ADMIN)
@require_safe
def submission(request: SignedInRequest, pk: int) -> HttpResponse:
    """The score in full, or how far its scoring is."""
    found = get_object_or_404(
        Submission.objects.visible_to(request.user).select_related("release", "job"), pk=pk
    )
    context: dict[str, Any] = {"submission": found, "release": found.release}
    if found.metrics is not None:
        context["score"] = score_page(found.metrics)
    elif found.job is not None:
        context |= {"job": card_of(found.job), "job_url": reverse("job", args=[found.job.pk])}
    return render(request, "evaluation/submission.html", context)


@role_required(Role.RESEARCHER, Role.ADMIN)
@require_safe
def submission_metrics(request: SignedInRequest, pk: int) -> HttpResponse:
    """The metrics JSON, as `tb score` writes it."""
    found = get_object_or_404(
        Submission.objects.visible_to(request.user).filter(metrics__isnull=False), pk=pk
    )
    response = HttpResponse(strict_json.dumps(found.metrics), content_type="application/json")
    response["Content-Disposition"] = f'attachment; filename="metrics-{found.pk}.json"'
    return response
