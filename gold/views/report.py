"""The report of one round."""

from django.http import HttpResponse
from django.shortcuts import get_object_or_404, render
from django.urls import reverse
from django.utils.translation import gettext as _
from django.views.decorators.http import require_safe

from gold.access_log import log_access
from gold.round_report import REPORTED, agreement_rows, n_scores, report_of, sections
from labeling.access import SignedInRequest, role_required
from labeling.models import Role, Round, Task


@role_required(Role.ADMIN)
@require_safe
def round_report(request: SignedInRequest, pk: int) -> HttpResponse:
    """What is gold and why not, how far raters agree; 404 while raters still answer."""
    round_ = get_object_or_404(Round.objects.select_related("rubric"), pk=pk, state__in=REPORTED)
    if round_.task == Task.ABSOLUTE:
        return _scores_only(request, round_)
    log_access(request.user, "read the round report", round_=round_)
    report = report_of(round_)
    context = {
        "round": round_,
        "report": report,
        "sections": sections(report),
        "agreement_rows": agreement_rows(report),
        "crumbs": _crumbs(round_),
    }
    return render(request, "gold/round_report.html", context)


def _scores_only(request: SignedInRequest, round_: Round) -> HttpResponse:
    """An absolute round has scores and no votes: how many there are, and that no label is made of them."""
    context = {"round": round_, "n_scores": n_scores(round_), "crumbs": _crumbs(round_)}
    return render(request, "gold/round_scores.html", context)


def _crumbs(round_: Round) -> list[dict[str, str]]:
    return [
        {"url": reverse("rounds"), "label": _("Rounds")},
        {"url": round_.get_absolute_url(), "label": round_.name},
    ]
