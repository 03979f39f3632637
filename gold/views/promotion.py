"""Promoting a round: what would be released, then one confirmation."""

from typing import Any

from django.http import HttpResponse
from django.shortcuts import get_object_or_404, redirect, render
from django.urls import reverse
from django.utils.translation import gettext as _
from django.views.decorators.http import require_http_methods

from gold.access_log import log_access
from gold.forms import PromotionForm
from gold.models import Release
from gold.promotion import CannotPromote, promote
from gold.promotion_preview import Preview, preview_promotion
from labeling.access import SignedInRequest, role_required
from labeling.actors import actor_of
from labeling.models import Role, Round


@role_required(Role.ADMIN)
@require_http_methods(["GET", "HEAD", "POST"])
def promote_round(request: SignedInRequest, pk: int) -> HttpResponse:
    """Show the preview of the chosen rounds; `act=promote` begins the release and leads to its job."""
    round_ = get_object_or_404(Round.objects.select_related("rubric"), pk=pk)
    if request.method != "POST":
        form = PromotionForm(round_, _initial(round_))
    else:
        form = PromotionForm(round_, request.POST)
    if form.is_valid() and request.POST.get("act") == "promote":
        try:
            release = promote(
                form.rounds,
                title=form.cleaned_data["title"],
                actor=actor_of(request.user),
                supersedes=form.superseded,
                created_by=request.user,
            )
        except CannotPromote as refused:
            return _page(request, round_, form, Preview(refused.problems))
        return redirect("job", release.job_id)
    log_access(request.user, "read the promotion preview", round_=round_)
    preview = preview_promotion(form.rounds, form.superseded) if form.selects else Preview([])
    return _page(request, round_, form, preview)


def _page(request: SignedInRequest, round_: Round, form: PromotionForm, preview: Preview) -> HttpResponse:
    context = {
        "round": round_,
        "form": form,
        "preview": preview,
        "can_promote": not preview.problems and bool(preview.states),
        "crumbs": [
            {"url": reverse("rounds"), "label": _("Rounds")},
            {"url": round_.get_absolute_url(), "label": round_.name},
        ],
    }
    return render(request, "gold/promote.html", context)


def _initial(round_: Round) -> dict[str, Any]:
    """The round's own name, and the newest release that holds the round, which a further one replaces."""
    holding = Release.objects.published().filter(rounds=round_, superseded_by__isnull=True).first()
    return {"title": round_.name, "supersedes": holding.pk if holding else ""}
