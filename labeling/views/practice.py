"""Practice: an admin chooses and explains pairs, a rater tries them before the first real showing."""

from typing import Any

from django.core.paginator import Paginator
from django.http import Http404, HttpResponse
from django.http.response import HttpResponseBase
from django.shortcuts import get_object_or_404, redirect, render
from django.urls import reverse
from django.views.decorators.http import require_http_methods, require_safe

from labeling import practice
from labeling.access import SignedInRequest, role_required
from labeling.models import ItemRendition, Packet, PracticePair, PracticeShowing, Role, RoundState
from labeling.practice_forms import CandidateFilter, PracticePairForm
from labeling.rounds import WrongState
from labeling.serving import instructions_json
from labeling.views.frames import framed
from labeling.views.rating import RATERS, picture
from labeling.views.round_setup import content_step, draft_at, refused, steps_of

CHOICES = ("left", "right")
PAGE = 25


@role_required(Role.ADMIN)
@require_http_methods(["GET", "HEAD", "POST"])
def round_practice(request: SignedInRequest, pk: int) -> HttpResponse:
    """The practice pairs of a draft in order, and pairs that could be added."""
    draft = draft_at(pk)
    if draft is None:
        return redirect("round", pk)
    if content_step(draft) != "round_pairs":
        return redirect("round_items", pk)
    if request.method == "POST":
        try:
            return _changed(request, pk)
        except WrongState as refusal:
            return refused(request, draft, refusal)
    asked = CandidateFilter(request.GET, round_=draft)
    context = {
        "round": draft,
        "steps": steps_of(draft, "round_practice"),
        "practice_pairs": draft.practice_pairs.select_related("pair"),
        "filter": asked,
        "page_obj": Paginator(asked.pairs().defer("context"), PAGE).get_page(request.GET.get("page")),
    }
    return render(request, "labeling/round_practice.html", context)


def _changed(request: SignedInRequest, pk: int) -> HttpResponse:
    """Add, move or remove what the pressed button names as "add:7", and say where to go on."""
    draft = draft_at(pk)
    act, _colon, number = request.POST.get("act", "").partition(":")
    if draft is None or not number.isdecimal() or len(number) > 18:
        return redirect("round_practice", pk)
    if act == "add":
        added = practice.add(draft, int(number))
        return redirect("practice_pair", pk, added.pk) if added else redirect("round_practice", pk)
    chosen = draft.practice_pairs.filter(pk=number).first()
    if chosen is not None and act == "up":
        practice.move_up(chosen)
    elif chosen is not None and act == "remove":
        practice.remove(chosen)
    return redirect("round_practice", pk)


@role_required(Role.ADMIN)
@require_http_methods(["GET", "HEAD", "POST"])
def practice_pair(request: SignedInRequest, pk: int, practice_pk: int) -> HttpResponse:
    """Say which item is better and why, with both in view."""
    chosen = _chosen(pk, practice_pk)
    draft = draft_at(pk)
    if draft is None:
        return redirect("round", pk)
    form = PracticePairForm(request.POST or None, practice_pair=chosen)
    if request.method == "POST" and form.is_valid():
        try:
            practice.explain(chosen, **form.cleaned_data)
        except WrongState as refusal:
            return refused(request, draft, refusal)
        return redirect("round_practice", pk)
    a, b = practice.admin_sides(chosen)
    context = {
        "round": draft,
        "steps": steps_of(draft, "round_practice"),
        "chosen": chosen,
        "form": form,
        "items": [("A", a), ("B", b)],
    }
    return render(request, "labeling/practice_pair.html", context)


@role_required(Role.ADMIN)
@require_http_methods(["GET", "HEAD", "POST"])
def practice_preview(request: SignedInRequest, pk: int, practice_pk: int) -> HttpResponse:
    """The practice page as a rater gets it, item A on the left; nothing is stored."""
    chosen = _chosen(pk, practice_pk)
    choice = request.POST.get("choice", "")
    left, right = practice.admin_sides(chosen)
    instructions = instructions_json(chosen.round.rubric, chosen.pair.domain, chosen.pair)
    pairs = list(chosen.round.practice_pairs.values_list("pk", flat=True))
    after = pairs[pairs.index(chosen.pk) + 1 :]
    context = {
        "showing": {**instructions, "position": pairs.index(chosen.pk) + 1, "left": left, "right": right},
        "total": len(pairs),
        "round_name": chosen.round.name,
        "rubric": chosen.round.rubric,
        "answer": practice.answer_of(chosen, chosen.pair.item_a_id, choice) if choice in CHOICES else None,
        "next_url": reverse("practice_preview", args=[pk, after[0]]) if after else "",
        "end_url": reverse("round_practice", args=[pk]),
        "is_preview": True,
    }
    return render(request, "labeling/practice.html", context)


@role_required(Role.ADMIN)
@require_safe
def practice_item(request: SignedInRequest, pk: int, practice_pk: int, side: str) -> HttpResponseBase:
    """One item of a practice pair for the admin's pages: its picture, or the page that its frame shows."""
    pair = _chosen(pk, practice_pk).pair
    items = {"a": pair.item_a_id, "b": pair.item_b_id}
    found = get_object_or_404(ItemRendition, item=items.get(side))
    return picture(found) if found.file else framed(request, found)


def _chosen(pk: int, practice_pk: int) -> PracticePair:
    chosen = PracticePair.objects.select_related("round__rubric", "pair")
    return get_object_or_404(chosen, pk=practice_pk, round=pk)


@role_required(*RATERS)
@require_http_methods(["GET", "HEAD", "POST"])
def practise(request: SignedInRequest, packet_pk: int) -> HttpResponse:
    """One practice pair; POST shows what is better and why, and remembers only that it was tried."""
    packet = get_object_or_404(Packet.objects.of(request.user).select_related("round"), pk=packet_pk)
    total = packet.practice_showings.count()
    if packet.round.state != RoundState.OPEN or not total:
        return redirect("rate", packet_pk)
    try:
        showing = practice.own_showing(request.user, packet, _place(request, packet))
    except PracticeShowing.DoesNotExist:
        raise Http404 from None
    choice = request.POST.get("choice", "")
    answer = None
    if request.method == "POST" and choice in CHOICES:
        practice.mark_done(showing)
        answer = practice.answer_of(showing.practice_pair, showing.left_item_id, choice)
    last = showing.position == total
    context: dict[str, Any] = {
        "showing": practice.practice_json(showing),
        "total": total,
        "round_name": packet.round.name,
        "rubric": packet.round.rubric,
        "answer": answer,
        "next_url": "" if last else f"{reverse('practice', args=[packet_pk])}?place={showing.position + 1}",
        "end_url": reverse("rate", args=[packet_pk]),
        "is_preview": False,
    }
    return render(request, "labeling/practice.html", context)


def _place(request: SignedInRequest, packet: Packet) -> int:
    asked = request.GET.get("place", "")
    return int(asked) if asked.isdecimal() and len(asked) < 6 else practice.next_place(packet)
