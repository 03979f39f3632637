"""The list of rounds; watching, closing and reopening one. Admins only."""

from typing import Any

from django.contrib import messages
from django.core.paginator import Paginator
from django.http import HttpResponse
from django.shortcuts import get_object_or_404, redirect, render
from django.utils.translation import gettext as _
from django.utils.translation import ngettext
from django.views.decorators.http import require_http_methods, require_safe

from labeling.access import SignedInRequest, role_required
from labeling.actors import actor_of
from labeling.models import Role, Round, RoundState
from labeling.monitor import missing_by_rater
from labeling.notes import unread
from labeling.reports import reports_of
from labeling.round_forms import CloseForm, ReasonForm
from labeling.rounds import RoundNotReady, WrongState, asked_of, close_round, reopen_round
from labeling.views.oversight import monitor_context
from labeling.views.round_setup import content_step


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
@require_safe
def round_page(request: SignedInRequest, pk: int) -> HttpResponse:
    """A draft's next step, or the monitor of a round that collects or has collected."""
    found = get_object_or_404(Round.objects.select_related("rubric"), pk=pk)
    if found.state == RoundState.DRAFT:
        return redirect("round_preview" if found.round_raters.exists() else content_step(found), pk)
    return render(
        request,
        "labeling/round.html",
        {
            **monitor_context(request, found),
            "n_reports": reports_of(found).filter(resolved_at__isnull=True).count(),
            "n_notes": unread(found).count(),
            "n_pairs": asked_of(found).count(),
            "transitions": found.transitions.all(),
        },
    )


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
        facts=[{"name": name, "value": _("%d missing") % n} for name, n in missing_by_rater(found)],
    )


def _what_closing_does(found: Round) -> str:
    if found.state == RoundState.DRAFT:
        return _(
            "Its pairs and rubric are fixed then, no rater is ever asked, and its judgments are imported "
            "from a file. It cannot become a draft again."
        )
    missing = sum(n for _rater, n in missing_by_rater(found))
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


def _confirm(request: SignedInRequest, found: Round, form: Any, **words: Any) -> HttpResponse:
    return render(request, "confirm.html", {**words, "form": form, "cancel_url": found.get_absolute_url()})
