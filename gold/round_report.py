"""The agreement report of one round, and the rows in which a page shows it."""

from typing import Any, cast

from django.utils.translation import gettext as _

from gold import judgments
from gold.labels import derive_labels
from labeling.models import JudgmentEvent, Round, RoundState

REPORTED = (RoundState.CLOSED, RoundState.PROMOTED)
"""While raters still answer, nobody looks at who wins."""

_AGREEMENT = ("percent_agreement", "percent_agreement_gold", "mean_pairwise_agreement")


def report_of(round_: Round) -> dict[str, Any]:
    """The report of gold/report.py over the round's current judgments. Raises BrokenChain, TableErrors."""
    pairs, holding = judgments.current_frames([round_])
    return cast("dict[str, Any]", derive_labels(pairs, holding, round_.min_raters).report)


def n_scores(round_: Round) -> int:
    """How many scores raters gave in an absolute round, repeats not counted."""
    votes = JudgmentEvent.objects.answers().filter(round=round_, score__isnull=False)
    return votes.filter(showing__repeat_of__isnull=True).count()


def sections(report: dict[str, Any]) -> list[dict[str, Any]]:
    """The report's sections as rows of a table: all pairs, then each domain; `name` is the row's head."""
    domains = [{"name": name} | section for name, section in report["by_domain"].items()]
    return [{"name": _("all domains")} | report["overall"], *domains]


def agreement_rows(report: dict[str, Any]) -> list[dict[str, Any]]:
    """The figures of agreement over all pairs: `{name, figure, role}`."""
    overall = report["overall"]
    names = {
        "percent_agreement": (_("Percent agreement"), _("the gate looks at this, pair by pair")),
        "percent_agreement_gold": (_("Percent agreement of gold pairs"), ""),
        "mean_pairwise_agreement": (_("Mean pairwise agreement"), _("two raters drawn from one pair")),
    }
    rows = [{"name": names[key][0], "figure": overall[key], "role": names[key][1]} for key in _AGREEMENT]
    alphas = overall["alpha_nominal"]
    rows.append(
        {
            "name": _("Krippendorff's alpha, orientation-free"),
            "figure": alphas["orientation_free"],
            "role": _("secondary: gates nothing; each pair entered as it is and mirrored"),
        }
    )
    rows.append(
        {
            "name": _("Krippendorff's alpha, as coded"),
            "figure": alphas["as_coded"],
            "role": _("secondary: depends on which item a pair lists first"),
        }
    )
    return rows
