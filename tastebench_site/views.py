"""The pages that belong to no app alone: home by role, help, jobs, health."""

from django.core.paginator import Paginator
from django.db import connection
from django.http import HttpRequest, HttpResponse, JsonResponse
from django.shortcuts import get_object_or_404, render
from django.urls import reverse
from django.views.decorators.http import require_safe

from evaluation.models import Submission
from gold.models import Release
from labeling.access import SignedInRequest, role_required
from labeling.browser_key import browser_key
from labeling.job_cards import card_of
from labeling.models import Job, Packet, Role, Round, RoundState
from labeling.packet_state import packet_cards

EVERY_ROLE = tuple(Role.values)


@role_required(*EVERY_ROLE)
@require_safe
def home(request: SignedInRequest) -> HttpResponse:
    """What waits for this person, by role; a person with several roles sees each part."""
    user = request.user
    is_rater = user.has_role(Role.EXPERT, Role.REVIEWER)
    packets = Packet.objects.of(user) if is_rater else Packet.objects.none()
    cards = packet_cards(packets)
    return render(
        request,
        "home.html",
        {
            "is_rater": is_rater,
            "user_key": browser_key(user) if is_rater else "",
            "cards": cards,
            "n_older": packets.count() - len(cards),
            "is_admin": user.has_role(Role.ADMIN),
            "rounds": Round.objects.exclude(state=RoundState.PROMOTED)[:5]
            if user.has_role(Role.ADMIN)
            else [],
            "is_researcher": user.has_role(Role.RESEARCHER),
            "releases": Release.objects.visible_to(user).scorable()[:5],
            "submissions": Submission.objects.visible_to(user).select_related("release", "job")[:5],
        },
    )


@require_safe
def help_page(request: HttpRequest) -> HttpResponse:
    return render(request, "help.html")


@require_safe
def health(request: HttpRequest) -> JsonResponse:
    """200 when the database answers: for load balancers, says nothing else."""
    connection.ensure_connection()
    return JsonResponse({"ok": True})


@role_required(Role.ADMIN)
@require_safe
def jobs(request: SignedInRequest) -> HttpResponse:
    page = Paginator(Job.objects.select_related("created_by"), 25).get_page(request.GET.get("page"))
    rows = [(job, card_of(job)) for job in page.object_list]
    return render(request, "jobs.html", {"page_obj": page, "rows": rows})


@role_required(*EVERY_ROLE)
@require_safe
def job(request: SignedInRequest, pk: int) -> HttpResponse:
    """A job's page; asked by htmx, its card alone."""
    found = get_object_or_404(Job.objects.visible_to(request.user), pk=pk)
    template = "partials/job.html" if request.headers.get("HX-Request") else "job.html"
    return render(request, template, {"job": card_of(found), "job_url": reverse("job", args=[pk])})
