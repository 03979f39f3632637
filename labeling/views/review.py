"""Reports of raters, and their notes and confidences. What a rater sends, and what an admin reads."""

from django.contrib import messages
from django.core.paginator import Paginator
from django.http import Http404, HttpResponse, JsonResponse
from django.http.response import HttpResponseBase
from django.shortcuts import get_object_or_404, redirect, render
from django.utils.translation import gettext as _
from django.utils.translation import ngettext
from django.views.decorators.http import require_http_methods, require_POST, require_safe

from labeling import strict_json
from labeling.access import SignedInRequest, role_required
from labeling.actors import actor_of
from labeling.forms import first_errors
from labeling.models import ItemRendition, Role, Round, RoundState, Showing, ShowingReport
from labeling.notes import confidences_alone, notes_of, review, unread
from labeling.oversight_forms import ReportForm, ResolutionForm
from labeling.recording import NotAllowed
from labeling.reports import SIDES, preview, rendition_of, report, reports_of, resolve
from labeling.serving import showing_of
from labeling.views.frames import framed


@role_required(Role.EXPERT, Role.REVIEWER)
@require_POST
def showing_reports(request: SignedInRequest, token: str) -> JsonResponse:
    """Keep a rater's report: 201 stored, 200 known already, 400 malformed, 404 not yours."""
    try:
        own = showing_of(request.user, token, closed_too=True)
    except Showing.DoesNotExist:
        raise Http404 from None
    try:
        form = ReportForm(strict_json.read_object(request.body))
    except strict_json.NotStrict:
        return JsonResponse({"error": _("The body is no JSON object.")}, status=400)
    if not form.is_valid():
        return JsonResponse(
            {"error": _("The report is malformed."), "fields": first_errors(form)}, status=400
        )
    try:
        _stored, is_new = report(own, **form.cleaned_data)
    except NotAllowed as refusal:
        return JsonResponse({"error": str(refusal)}, status=400)
    return JsonResponse({"reported": True}, status=201 if is_new else 200)


@role_required(Role.ADMIN)
@require_safe
def round_reports(request: SignedInRequest, pk: int) -> HttpResponse:
    """The round's reports: the open ones, or with `?all=1` all."""
    found = get_object_or_404(Round.objects.exclude(state=RoundState.DRAFT), pk=pk)
    show_all = bool(request.GET.get("all"))
    reports = reports_of(found) if show_all else reports_of(found).filter(resolved_at__isnull=True)
    page = Paginator(reports, 50).get_page(request.GET.get("page"))
    context = {"round": found, "page_obj": page, "show_all": show_all}
    return render(request, "labeling/round_reports.html", context)


@role_required(Role.ADMIN)
@require_http_methods(["GET", "HEAD", "POST"])
def report_page(request: SignedInRequest, report_pk: int) -> HttpResponse:
    """A reported pair as its rater sees it, and what came of the report."""
    shown = _report(report_pk)
    round_ = shown.showing.packet.round
    form = ResolutionForm(request.POST or None)
    if request.method == "POST" and form.is_valid():
        if resolve(shown, resolution=form.cleaned_data["resolution"], actor=actor_of(request.user)):
            messages.success(request, _("The report is settled."))
        else:
            messages.info(request, _("Somebody has settled this report before."))
        return redirect("round_reports", round_.pk)
    context = {
        "report": shown,
        "round": round_,
        "form": form,
        "shown": preview(shown, actor_of(request.user)),
    }
    return render(request, "labeling/report.html", context)


@role_required(Role.ADMIN)
@require_safe
def report_rendition(request: SignedInRequest, report_pk: int, side: str) -> HttpResponseBase:
    """What stands on one side of a reported showing."""
    shown = _report(report_pk)
    if side not in SIDES:
        raise Http404
    try:
        stored = rendition_of(shown, side, actor_of(request.user))
    except ItemRendition.DoesNotExist:
        raise Http404 from None
    if stored.kind != ItemRendition.Kind.IMAGE:
        return framed(request, stored)
    with stored.file.open("rb") as opened:
        response = HttpResponse(opened.read(), content_type="image/webp")
    response["Cache-Control"] = "private, no-store"
    return response


@role_required(Role.ADMIN)
@require_http_methods(["GET", "HEAD", "POST"])
def round_notes(request: SignedInRequest, pk: int) -> HttpResponse:
    """Notes and confidences that nobody has decided on, or with `?all=1` all; POST decides."""
    found = get_object_or_404(Round.objects.exclude(state=RoundState.DRAFT), pk=pk)
    if request.method == "POST":
        _decide(request, found)
        return redirect(request.get_full_path())
    show_all = bool(request.GET.get("all"))
    page = Paginator(notes_of(found) if show_all else unread(found), 50).get_page(request.GET.get("page"))
    context = {
        "round": found,
        "page_obj": page,
        "show_all": show_all,
        "n_alone": confidences_alone(found).count(),
    }
    return render(request, "labeling/round_notes.html", context)


def _decide(request: SignedInRequest, found: Round) -> None:
    """Release or keep the ticked ones, or all confidences that come without a note."""
    act = request.POST.get("act", "")
    if act not in {"release", "keep", "release_alone", "keep_alone"}:
        messages.error(request, _("Choose whether to release or to keep."))
        return
    if act.endswith("_alone"):
        chosen = list(confidences_alone(found))
    else:
        ticked = set(request.POST.getlist("event"))
        chosen = [event for event in notes_of(found) if str(event.pk) in ticked]
    is_release = act.startswith("release")
    n = review(chosen, release=is_release, actor=actor_of(request.user))
    words = (
        ngettext("%d answer released.", "%d answers released.", n)
        if is_release
        else ngettext("%d answer kept inside.", "%d answers kept inside.", n)
    )
    messages.success(request, words % n)


def _report(pk: int) -> ShowingReport:
    related = ("showing__packet__round__rubric", "showing__packet__rater", "showing__pair")
    return get_object_or_404(ShowingReport.objects.select_related(*related), pk=pk)
