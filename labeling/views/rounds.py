"""Assembling, opening, watching and closing a round. Admins only."""

from collections.abc import Callable
from typing import Any

from django.contrib import messages
from django.core.paginator import Paginator
from django.db import IntegrityError, transaction
from django.db.models import Exists, OuterRef
from django.http import HttpResponse
from django.shortcuts import get_object_or_404, redirect, render
from django.urls import reverse
from django.utils.translation import gettext as _
from django.utils.translation import ngettext
from django.views.decorators.http import require_http_methods, require_safe

from labeling.access import SignedInRequest, role_required
from labeling.actors import actor_of
from labeling.assignment import AssignmentImpossible
from labeling.design import preview_design
from labeling.models import Role, Round, RoundPair, RoundState, Rubric
from labeling.monitor import missing_answers, rows_of
from labeling.packets import open_round
from labeling.round_forms import CloseForm, PairFilter, RatersForm, ReasonForm, RoundForm
from labeling.rounds import (
    RoundNotReady,
    WrongState,
    add_pairs,
    change_settings,
    close_round,
    problems_before_opening,
    remove_pairs,
    reopen_round,
    set_raters,
)


def steps_of(round_: Round, here: str) -> list[dict[str, Any]]:
    """The setup of a draft as steps one can leave and return to."""
    done = {
        "round_settings": True,
        "round_pairs": round_.round_pairs.exists(),
        "round_raters": round_.round_raters.exists(),
        "round_preview": False,
    }
    labels = {
        "round_settings": _("Rubric and rules"),
        "round_pairs": _("Pairs"),
        "round_raters": _("Raters"),
        "round_preview": _("Design and opening"),
    }
    return [
        {"url": reverse(name, args=[round_.pk]), "label": label, "done": done[name], "current": name == here}
        for name, label in labels.items()
    ]


def _draft(pk: int) -> Round | None:
    return Round.objects.filter(pk=pk, state=RoundState.DRAFT).select_related("rubric").first()


def _stored(form: RoundForm, store: Callable[[], Any]) -> bool:
    """Whether `store` kept the form; another round may have taken the short name since it was checked."""
    try:
        with transaction.atomic():
            store()
    except IntegrityError:
        form.add_error("slug", _("Another round has taken this short name; choose another."))
        return False
    return True


def _refused(request: SignedInRequest, round_: Round, refusal: WrongState) -> HttpResponse:
    """Somebody opened or closed the round while this page was being sent: say so where it now stands."""
    messages.error(request, str(refusal))
    return redirect("round", round_.pk)


@role_required(Role.ADMIN)
@require_safe
def rounds(request: SignedInRequest) -> HttpResponse:
    state = request.GET.get("state", "")
    found = Round.objects.with_sizes().select_related("rubric")
    if state in RoundState.values:
        found = found.filter(state=state)
    page = Paginator(found, 25).get_page(request.GET.get("page"))
    context = {"page_obj": page, "state": state, "states": RoundState.choices}
    return render(request, "labeling/rounds.html", context)


@role_required(Role.ADMIN)
@require_http_methods(["GET", "HEAD", "POST"])
def round_new(request: SignedInRequest) -> HttpResponse:
    form = RoundForm(request.POST or None)
    if request.method == "POST" and form.is_valid() and _stored(form, form.save):
        return redirect("round_pairs", form.instance.pk)
    return render(request, "labeling/round_new.html", {"form": form, "has_rubric": Rubric.objects.exists()})


@role_required(Role.ADMIN)
@require_safe
def round_page(request: SignedInRequest, pk: int) -> HttpResponse:
    """A draft's next step, or the monitor of a round that collects or has collected."""
    found = get_object_or_404(Round.objects.select_related("rubric"), pk=pk)
    if found.state == RoundState.DRAFT:
        return redirect("round_preview" if found.round_raters.exists() else "round_pairs", pk)
    return render(
        request,
        "labeling/round.html",
        {
            "round": found,
            "rows": rows_of(found),
            "n_pairs": found.round_pairs.count(),
            "transitions": found.transitions.all(),
        },
    )


@role_required(Role.ADMIN)
@require_http_methods(["GET", "HEAD", "POST"])
def round_settings(request: SignedInRequest, pk: int) -> HttpResponse:
    draft = _draft(pk)
    if draft is None:
        return redirect(get_object_or_404(Round, pk=pk))
    form = RoundForm(request.POST or None, instance=draft)
    if request.method == "POST" and form.is_valid():
        changed = form.save(commit=False)
        try:
            stored = _stored(form, lambda: change_settings(changed, form.Meta.fields))
        except WrongState as refusal:
            return _refused(request, draft, refusal)
        if stored:
            messages.success(request, _("Saved."))
            return redirect("round_pairs", pk)
    return render(
        request,
        "labeling/round_settings.html",
        {"round": draft, "form": form, "steps": steps_of(draft, "round_settings")},
    )


@role_required(Role.ADMIN)
@require_http_methods(["GET", "HEAD", "POST"])
def round_pairs(request: SignedInRequest, pk: int) -> HttpResponse:
    """Choose pairs: the ticked ones, or everything that matches the filter."""
    draft = _draft(pk)
    if draft is None:
        return redirect(get_object_or_404(Round, pk=pk))
    asked = PairFilter(request.GET, round_=draft)
    if request.method == "POST":
        try:
            _change_pairs(request, draft, asked)
        except WrongState as refusal:
            return _refused(request, draft, refusal)
        return redirect(request.get_full_path())
    found = asked.pairs().select_related("table_import").defer("brief", "context")
    chosen = RoundPair.objects.filter(round=draft, pair=OuterRef("pk"))
    page = Paginator(found.annotate(chosen=Exists(chosen)), 50).get_page(request.GET.get("page"))
    return render(
        request,
        "labeling/round_pairs.html",
        {
            "round": draft,
            "steps": steps_of(draft, "round_pairs"),
            "filter": asked,
            "page_obj": page,
            "n_chosen": draft.round_pairs.count(),
        },
    )


def _change_pairs(request: SignedInRequest, draft: Round, asked: PairFilter) -> None:
    act = request.POST.get("act")
    if act in {"add_all", "remove_all"}:
        pks = list(asked.pairs().values_list("pk", flat=True))
    else:
        ticked = [int(pk) for pk in request.POST.getlist("pair") if pk.isdecimal() and len(pk) < 19]
        pks = list(asked.pairs().filter(pk__in=ticked).values_list("pk", flat=True))
    if act in {"add", "add_all"}:
        n = add_pairs(draft, pks)
        messages.success(request, ngettext("%d pair added.", "%d pairs added.", n) % n)
    elif act in {"remove", "remove_all"}:
        n = remove_pairs(draft, pks)
        messages.success(request, ngettext("%d pair removed.", "%d pairs removed.", n) % n)


@role_required(Role.ADMIN)
@require_http_methods(["GET", "HEAD", "POST"])
def round_raters(request: SignedInRequest, pk: int) -> HttpResponse:
    draft = _draft(pk)
    if draft is None:
        return redirect(get_object_or_404(Round, pk=pk))
    form = RatersForm(request.POST or None, round_=draft)
    if request.method == "POST" and form.is_valid():
        try:
            set_raters(draft, form.cleaned_data["raters"])
        except WrongState as refusal:
            return _refused(request, draft, refusal)
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
    draft = _draft(pk)
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
    }
    return render(request, "labeling/round_preview.html", context)


@role_required(Role.ADMIN)
@require_http_methods(["GET", "HEAD", "POST"])
def round_close(request: SignedInRequest, pk: int) -> HttpResponse:
    found = get_object_or_404(Round, pk=pk)
    form = CloseForm(request.POST or None)
    if request.method == "POST" and form.is_valid():
        return _moved(request, found, close_round, form.cleaned_data["reason"], _("The round is closed."))
    return _confirm(
        request,
        found,
        form,
        title=_("Close “%s”?") % found.name,
        sentence=_what_closing_does(found),
        submit=_("Close the round"),
    )


def _what_closing_does(found: Round) -> str:
    if found.state == RoundState.DRAFT:
        return _(
            "Its pairs and rubric are fixed then, no rater is ever asked, and its judgments are imported "
            "from a file. It cannot become a draft again."
        )
    missing = missing_answers(found)
    if not missing:
        return _("Every answer is in. Raters will see that the round has closed.")
    return (
        ngettext(
            "%d answer is still missing. Raters cannot answer any more; you can reopen the round later.",
            "%d answers are still missing. Raters cannot answer any more; you can reopen the round later.",
            missing,
        )
        % missing
    )


@role_required(Role.ADMIN)
@require_http_methods(["GET", "HEAD", "POST"])
def round_reopen(request: SignedInRequest, pk: int) -> HttpResponse:
    found = get_object_or_404(Round, pk=pk)
    form = ReasonForm(request.POST or None)
    if request.method == "POST" and form.is_valid():
        return _moved(
            request, found, reopen_round, form.cleaned_data["reason"], _("The round is open again.")
        )
    sentence = _("Its raters can answer what is open and change their answers until you close it again.")
    return _confirm(
        request, found, form, title=_("Reopen “%s”?") % found.name, sentence=sentence, submit=_("Reopen")
    )


def _moved(request: SignedInRequest, found: Round, act: Any, reason: str, success: str) -> HttpResponse:
    try:
        act(found, actor=actor_of(request.user), reason=reason)
    except (WrongState, RoundNotReady) as refusal:
        messages.error(request, str(refusal))
    else:
        messages.success(request, success)
    return redirect(found)


def _confirm(request: SignedInRequest, found: Round, form: Any, **words: str) -> HttpResponse:
    return render(request, "confirm.html", {**words, "form": form, "cancel_url": found.get_absolute_url()})
