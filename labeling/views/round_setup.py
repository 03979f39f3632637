"""Assembling a round, one step a page: rules, raters, design and opening. Admins only."""

from collections.abc import Callable
from typing import Any

from django.contrib import messages
from django.db import IntegrityError, transaction
from django.http import HttpResponse
from django.shortcuts import get_object_or_404, redirect, render
from django.urls import reverse
from django.utils.translation import gettext as _
from django.views.decorators.http import require_http_methods

from labeling.access import SignedInRequest, role_required
from labeling.actors import actor_of
from labeling.assignment import AssignmentImpossible
from labeling.design import preview_design
from labeling.models import Role, Round, RoundState, Rubric, Task
from labeling.packets import open_round
from labeling.round_forms import RatersForm, RoundForm
from labeling.rounds import (
    RoundNotReady,
    WrongState,
    asked_of,
    change_settings,
    problems_before_opening,
    set_raters,
)


def content_step(round_: Round) -> str:
    """The page on which one chooses what the round asks about."""
    return "round_items" if round_.task == Task.ABSOLUTE else "round_pairs"


def steps_of(round_: Round, here: str) -> list[dict[str, Any]]:
    """The setup of a draft as steps one can leave and return to. Practice is for pairs, and optional."""
    absolute = round_.task == Task.ABSOLUTE
    steps = [
        ("round_settings", _("Rubric and rules"), True),
        (content_step(round_), _("Items") if absolute else _("Pairs"), asked_of(round_).exists()),
        ("round_practice", _("Practice"), round_.practice_pairs.exists()),
        ("round_raters", _("Raters"), round_.round_raters.exists()),
        ("round_preview", _("Design and opening"), False),
    ]
    return [
        {"url": reverse(name, args=[round_.pk]), "label": label, "done": done, "current": name == here}
        for name, label, done in steps
        if not (absolute and name == "round_practice")
    ]


def draft_at(pk: int) -> Round | None:
    """The draft with that number, None for a round that has begun."""
    return Round.objects.filter(pk=pk, state=RoundState.DRAFT).select_related("rubric").first()


def refused(request: SignedInRequest, round_: Round, refusal: WrongState) -> HttpResponse:
    """Somebody opened or closed the round while this page was being sent: say so where it now stands."""
    messages.error(request, str(refusal))
    return redirect("round", round_.pk)


def _stored(form: RoundForm, store: Callable[[], Any]) -> bool:
    """Whether `store` kept the form; another round may have taken the short name since it was checked."""
    try:
        with transaction.atomic():
            store()
    except IntegrityError:
        form.add_error("slug", _("Another round has taken this short name; choose another."))
        return False
    return True


@role_required(Role.ADMIN)
@require_http_methods(["GET", "HEAD", "POST"])
def round_new(request: SignedInRequest) -> HttpResponse:
    form = RoundForm(request.POST or None)
    if request.method == "POST" and form.is_valid() and _stored(form, form.save):
        return redirect(content_step(form.instance), form.instance.pk)
    return render(request, "labeling/round_new.html", {"form": form, "has_rubric": Rubric.objects.exists()})


@role_required(Role.ADMIN)
@require_http_methods(["GET", "HEAD", "POST"])
def round_settings(request: SignedInRequest, pk: int) -> HttpResponse:
    draft = draft_at(pk)
    if draft is None:
        return redirect(get_object_or_404(Round, pk=pk))
    form = RoundForm(request.POST or None, instance=draft)
    if request.method == "POST" and form.is_valid():
        changed = form.save(commit=False)
        try:
            stored = _stored(form, lambda: change_settings(changed, form.Meta.fields))
        except WrongState as refusal:
            return refused(request, draft, refusal)
        if stored:
            messages.success(request, _("Saved."))
            return redirect(content_step(changed), pk)
    return render(
        request,
        "labeling/round_settings.html",
        {"round": draft, "form": form, "steps": steps_of(draft, "round_settings")},
    )


@role_required(Role.ADMIN)
@require_http_methods(["GET", "HEAD", "POST"])
def round_raters(request: SignedInRequest, pk: int) -> HttpResponse:
    draft = draft_at(pk)
    if draft is None:
        return redirect(get_object_or_404(Round, pk=pk))
    form = RatersForm(request.POST or None, round_=draft)
    if request.method == "POST" and form.is_valid():
        try:
            set_raters(draft, form.cleaned_data["raters"])
        except WrongState as refusal:
            return refused(request, draft, refusal)
        return redirect("round_preview", pk)
    return render(
        request,
        "labeling/round_raters.html",
        {"round": draft, "form": form, "steps": steps_of(draft, "round_raters")},
    )


@role_required(Role.ADMIN)
@require_http_methods(["GET", "HEAD", "POST"])
def round_preview(request: SignedInRequest, pk: int) -> HttpResponse:
    """What opening would build, in figures; POST opens."""
    draft = draft_at(pk)
    if draft is None:
        return redirect(get_object_or_404(Round, pk=pk))
    problems = problems_before_opening(draft)
    design = None
    if not problems:
        try:
            if request.method == "POST":
                open_round(draft, actor=actor_of(request.user))
                messages.success(request, _("The round is open; its raters see their packets now."))
                return redirect(draft)
            design = preview_design(draft)
        except (AssignmentImpossible, WrongState) as impossible:
            problems = [str(impossible)]
        except RoundNotReady as refusal:
            problems = refusal.problems
    context = {
        "round": draft,
        "steps": steps_of(draft, "round_preview"),
        "problems": problems,
        "design": design,
        "n_practice": draft.practice_pairs.count(),
        "is_absolute": draft.task == Task.ABSOLUTE,
    }
    return render(request, "labeling/round_preview.html", context)
