"""The rating screen and its protocol. Every object is looked up through the signed-in rater."""

from typing import Any
from uuid import uuid4

from django.contrib import messages
from django.http import Http404, HttpResponse, JsonResponse
from django.shortcuts import get_object_or_404, redirect, render
from django.urls import reverse
from django.utils.translation import gettext as _
from django.views.decorators.http import require_http_methods, require_POST, require_safe

from labeling import strict_json
from labeling.access import SignedInRequest, role_required
from labeling.browser_key import browser_key
from labeling.forms import AnswerForm, first_errors
from labeling.models import ItemRendition, JudgmentEvent, Packet, Role, RoundState, Showing, ShowingReport
from labeling.own_figures import own_figures
from labeling.packet_state import answers_of, next_showing, progress_of
from labeling.practice import comes_first
from labeling.recording import NotAllowed, OutOfOrder, RoundNotOpen, record
from labeling.reports import report
from labeling.serving import (
    course_json,
    event_json,
    rendition_of,
    showing_of,
)

RATERS = (Role.EXPERT, Role.REVIEWER)


@role_required(*RATERS)
@require_http_methods(["GET", "HEAD", "POST"])
def rate(request: SignedInRequest, packet_pk: int) -> HttpResponse:
    """The rating page at the next open showing, or at the one named by `?showing=`."""
    packet = get_object_or_404(Packet.objects.of(request.user).select_related("round"), pk=packet_pk)
    if request.method == "POST":
        return _answer_without_javascript(request, packet)
    if packet.round.state != RoundState.OPEN:
        return redirect("finish", packet.pk)
    asked = request.GET.get("showing")
    if not asked and comes_first(packet):
        return redirect("practice", packet.pk)
    showing = _own_showing(request, asked) if asked else next_showing(packet)
    if showing is not None and showing.packet_id != packet.pk:
        raise Http404
    if showing is None:
        return redirect("finish", packet.pk)
    told, upcoming = course_json(packet, showing)
    return render(
        request,
        "labeling/rate.html",
        {
            "packet": {
                "id": packet.pk,
                "round_name": packet.round.name,
                "has_practice": packet.practice_showings.exists(),
            },
            "progress": progress_of(packet).as_json(),
            "rubric": packet.round.rubric,
            "showing": told,
            "upcoming": upcoming,
            "user_key": browser_key(request.user),
            "showing_json_url": reverse("showing", args=[showing.token]),
            "event_id": uuid4(),
        },
    )


@role_required(*RATERS)
@require_safe
def showing(request: SignedInRequest, token: str) -> JsonResponse:
    own = _own_showing(request, token)
    told, upcoming = course_json(own.packet, own)
    return JsonResponse({**(told or {}), "upcoming": upcoming})


@role_required(*RATERS)
@require_POST
def showing_events(request: SignedInRequest, token: str) -> JsonResponse:
    """Record one event: 201 stored, 200 known already, 400 malformed, 404 not yours, 409 superseded."""
    own = _own_showing(request, token, closed_too=True)
    try:
        sent = strict_json.read_object(request.body)
    except strict_json.NotStrict:
        return JsonResponse({"error": _("The body is no JSON object.")}, status=400)
    form = AnswerForm(sent)
    if not form.is_valid():
        return JsonResponse(
            {"error": _("The answer is malformed."), "fields": first_errors(form)}, status=400
        )
    try:
        event, created = record(own, form.answer())
    except NotAllowed as refusal:
        return JsonResponse({"error": str(refusal)}, status=400)
    except RoundNotOpen as refusal:
        return JsonResponse({"error": str(refusal), "closed": True}, status=409)
    except OutOfOrder as conflict:
        current = event_json(conflict.current) if conflict.current else None
        return JsonResponse({"error": str(conflict), "current": current}, status=409)
    return JsonResponse(_after(own, event), status=201 if created else 200)


@role_required(*RATERS)
@require_safe
def rendition(request: SignedInRequest, token: str) -> HttpResponse:
    """One side's image. No name, no ETag, no Last-Modified: nothing but the picture."""
    try:
        stored = rendition_of(request.user, token)
    except ItemRendition.DoesNotExist:
        raise Http404 from None
    return picture(stored)


def picture(stored: ItemRendition) -> HttpResponse:
    """The picture of an item. Who may see it is for the caller to know."""
    with stored.file.open("rb") as opened:
        response = HttpResponse(opened.read(), content_type="image/webp")
    response["Cache-Control"] = "private, max-age=3600"
    return response


@role_required(*RATERS)
@require_safe
def answers(request: SignedInRequest, packet_pk: int) -> HttpResponse:
    """My answers: what was chosen at each showing, and a way back to it while the round is open."""
    packet = get_object_or_404(Packet.objects.of(request.user).select_related("round"), pk=packet_pk)
    return render(
        request,
        "labeling/answers.html",
        {"packet": packet, "answers": answers_of(packet), "progress": progress_of(packet)},
    )


@role_required(*RATERS)
@require_safe
def finish(request: SignedInRequest, packet_pk: int) -> HttpResponse:
    """What happens next, once nothing is left to answer or the round has closed."""
    packet = get_object_or_404(Packet.objects.of(request.user).select_related("round"), pk=packet_pk)
    progress = progress_of(packet)
    ended = progress.done == progress.total or packet.round.state != RoundState.OPEN
    context = {"packet": packet, "progress": progress, "own": own_figures(packet) if ended else None}
    return render(request, "labeling/finish.html", context)


def _own_showing(request: SignedInRequest, token: str, *, closed_too: bool = False) -> Showing:
    try:
        return showing_of(request.user, token, closed_too=closed_too)
    except Showing.DoesNotExist:
        raise Http404 from None


def _after(own: Showing, event: JudgmentEvent) -> dict[str, Any]:
    """What the browser shows after an event: the reopened showing after an undo, else the next open one."""
    told, upcoming = course_json(own.packet, own if event.kind == "undo" else None)
    return {
        "event": event_json(event),
        "progress": progress_of(own.packet).as_json(),
        "next": told,
        "upcoming": upcoming,
        "finished_url": None if told else reverse("finish", args=[own.packet_id]),
    }


def _answer_without_javascript(request: SignedInRequest, packet: Packet) -> HttpResponse:
    """Record the posted form and go on; a refusal is told beside the same showing, or on the finish page."""
    own = _own_showing(request, request.POST.get("token", ""), closed_too=True)
    form = AnswerForm(request.POST)
    again = f"{reverse('rate', args=[packet.pk])}?showing={own.token}"
    if not form.is_valid():
        for sentences in first_errors(form).values():
            messages.error(request, " ".join(sentences))
        return redirect(again)
    try:
        event, _created = record(own, form.answer())
    except RoundNotOpen as refusal:
        messages.error(request, str(refusal))
        return redirect("finish", packet.pk)
    except (NotAllowed, OutOfOrder) as refusal:
        messages.error(request, str(refusal))
        return redirect(again)
    if event.reason in ShowingReport.Reason.values:  # rate.js sends its report by itself
        report(own, event_id=event.event_id, reason=event.reason, note="")
    return redirect(again if event.kind == "undo" else reverse("rate", args=[packet.pk]))
