"""Choosing what a draft round asks about: pairs, or the items of an absolute round. Admins only."""

from collections.abc import Callable, Iterable
from typing import Any

from django.contrib import messages
from django.core.paginator import Paginator
from django.db.models import Count, Exists, OuterRef, Q
from django.http import HttpResponse
from django.shortcuts import get_object_or_404, redirect, render
from django.utils.translation import ngettext
from django.views.decorators.http import require_http_methods

from labeling.access import SignedInRequest, role_required
from labeling.models import Role, Round, RoundItem, RoundPair
from labeling.round_forms import ItemFilter, PairFilter
from labeling.rounds import WrongState, add_items, add_pairs, remove_items, remove_pairs
from labeling.views.round_setup import content_step, draft_at, refused, steps_of

PAGE = 50
Change = Callable[[Round, Iterable[int]], int]


@role_required(Role.ADMIN)
@require_http_methods(["GET", "HEAD", "POST"])
def round_pairs(request: SignedInRequest, pk: int) -> HttpResponse:
    """Choose pairs: the ticked ones, or everything that matches the filter."""
    draft = draft_at(pk)
    if draft is None:
        return redirect(get_object_or_404(Round, pk=pk))
    if content_step(draft) != "round_pairs":
        return redirect("round_items", pk)
    asked = PairFilter(request.GET, round_=draft)
    if request.method == "POST":
        try:
            act, pks = _wanted(request, asked.pairs(), "pair")
            n = _changed(draft, act, pks, add_pairs, remove_pairs)
        except WrongState as refusal:
            return refused(request, draft, refusal)
        if act.startswith("add"):
            messages.success(request, ngettext("%d pair added.", "%d pairs added.", n) % n)
        elif act:
            messages.success(request, ngettext("%d pair removed.", "%d pairs removed.", n) % n)
        return redirect(request.get_full_path())
    found = asked.pairs().select_related("table_import").defer("context")
    chosen = RoundPair.objects.filter(round=draft, pair=OuterRef("pk"))
    page = Paginator(found.annotate(chosen=Exists(chosen)), PAGE).get_page(request.GET.get("page"))
    return render(
        request,
        "labeling/round_pairs.html",
        {
            "round": draft,
            "steps": steps_of(draft, "round_pairs"),
            "filter": asked,
            "page_obj": page,
            "n_chosen": draft.round_pairs.count(),
            "briefs": briefs_of(draft),
        },
    )


@role_required(Role.ADMIN)
@require_http_methods(["GET", "HEAD", "POST"])
def round_items(request: SignedInRequest, pk: int) -> HttpResponse:
    """Choose the items of an absolute round; only those that can be shown are offered."""
    draft = draft_at(pk)
    if draft is None:
        return redirect(get_object_or_404(Round, pk=pk))
    if content_step(draft) != "round_items":
        return redirect("round_pairs", pk)
    asked = ItemFilter(request.GET, round_=draft)
    if request.method == "POST":
        try:
            act, pks = _wanted(request, asked.items(), "item")
            n = _changed(draft, act, pks, add_items, remove_items)
        except WrongState as refusal:
            return refused(request, draft, refusal)
        if act.startswith("add"):
            messages.success(request, ngettext("%d item added.", "%d items added.", n) % n)
        elif act:
            messages.success(request, ngettext("%d item removed.", "%d items removed.", n) % n)
        return redirect(request.get_full_path())
    chosen = RoundItem.objects.filter(round=draft, item=OuterRef("pk"))
    found = asked.items().select_related("table_import").defer("payload_ref").annotate(chosen=Exists(chosen))
    return render(
        request,
        "labeling/round_items.html",
        {
            "round": draft,
            "steps": steps_of(draft, "round_items"),
            "filter": asked,
            "page_obj": Paginator(found, PAGE).get_page(request.GET.get("page")),
            "n_chosen": draft.round_items.count(),
        },
    )


def briefs_of(round_: Round) -> list[dict[str, Any]]:
    """By domain of the round: pairs, how many have no brief of their own, and the default these get."""
    defaults = dict(round_.rubric.domains.values_list("domain", "default_brief"))
    counts = (
        round_.pairs.order_by("domain")
        .values_list("domain")
        .annotate(n=Count("pk"), without=Count("pk", filter=Q(brief="")))
    )
    return [
        {"domain": domain, "n": n, "without": without, "default": defaults.get(domain, "")}
        for domain, n, without in counts
    ]


def _wanted(request: SignedInRequest, found: Any, name: str) -> tuple[str, list[int]]:
    """The act that was asked for ("" for none that is known), and the rows it is meant for."""
    act = request.POST.get("act", "")
    if act in {"add_all", "remove_all"}:
        return act, list(found.values_list("pk", flat=True))
    if act not in {"add", "remove"}:
        return "", []
    ticked = [int(pk) for pk in request.POST.getlist(name) if pk.isdecimal() and len(pk) < 19]
    return act, list(found.filter(pk__in=ticked).values_list("pk", flat=True))


def _changed(draft: Round, act: str, pks: list[int], add: Change, remove: Change) -> int:
    if not act:
        return 0
    return add(draft, pks) if act.startswith("add") else remove(draft, pks)
