"""Raters say that a pair is broken or offensive; an admin looks at it and says what came of it."""

import logging
from typing import Any
from uuid import UUID

from django.db import transaction
from django.db.models import QuerySet
from django.urls import reverse
from django.utils import timezone
from django.utils.translation import gettext as _

from labeling.models import ItemRendition, Round, Showing, ShowingReport
from labeling.recording import NotAllowed
from labeling.serving import instructions_json, sides_json

logger = logging.getLogger(__name__)
SIDES = ("left", "right")


def report(showing: Showing, *, event_id: UUID, reason: str, note: str) -> tuple[ShowingReport, bool]:
    """Keep the rater's report: (report, True), or the stored one and False when its id is known.

    The skip that goes with it is an event of its own. Raises NotAllowed for the id of another showing.
    """
    stored, is_new = ShowingReport.objects.get_or_create(
        event_id=event_id, defaults={"showing": showing, "reason": reason, "note": note}
    )
    if stored.showing_id != showing.pk:
        raise NotAllowed(_("This report id belongs to another pair; make a new one for each report."))
    return stored, is_new


def reports_of(round_: Round) -> QuerySet[ShowingReport]:
    """The round's reports, the newest first."""
    reports = ShowingReport.objects.filter(showing__packet__round=round_)
    return reports.select_related("showing__packet__rater", "showing__packet__round__rubric", "showing__pair")


def preview(shown: ShowingReport, actor: str) -> dict[str, Any]:
    """The showing as its rater sees it, its pictures at addresses for admins. Looking is logged."""
    logger.info("%s looked at the pair of report %d", actor, shown.pk)
    showing = shown.showing
    domain = showing.pair.domain if showing.pair else showing.left_item.domain
    sides = sides_json(
        [(showing.left_item_id, showing.left_token), (showing.right_item_id, showing.right_token)]
    )
    for side, item in zip(SIDES, sides, strict=True):
        if item is not None and item["src"]:
            item["src"] = reverse("report_rendition", args=[shown.pk, side])
    instructions = instructions_json(showing.packet.round.rubric, domain, showing.pair)
    return {**instructions, "left": sides[0], "right": sides[1]}


def rendition_of(shown: ShowingReport, side: str, actor: str) -> ItemRendition:
    """What stands on one side of a reported showing. Looking is logged.

    Raises ItemRendition.DoesNotExist, also for a side that a single item does not have.
    """
    logger.info("%s fetched the %s side of report %d", actor, side, shown.pk)
    showing = shown.showing
    return ItemRendition.objects.get(item=showing.left_item_id if side == "left" else showing.right_item_id)


@transaction.atomic
def resolve(shown: ShowingReport, *, resolution: str, actor: str) -> bool:
    """Say what came of a report; False when somebody has said it already."""
    waiting = ShowingReport.objects.filter(pk=shown.pk, resolved_at__isnull=True)
    return bool(waiting.update(resolved_at=timezone.now(), resolution=resolution, resolved_by=actor))
