"""Answers are events: appended, never edited. The database refuses UPDATE, DELETE and TRUNCATE."""

from typing import ClassVar, Self

from django.db import models
from django.db.models import Q
from django.utils.translation import gettext_lazy as _

from labeling.models.accounts import Rater
from labeling.models.items import Item, Pair
from labeling.models.packets import Showing
from labeling.models.rounds import Round


class EventKind(models.TextChoices):
    VOTE = "vote", _("vote")
    ABSTAIN = "abstain", _("cannot judge")
    SKIP = "skip", _("skip")
    UNDO = "undo", _("undo")
    VOID = "void", _("void")
    IMPORT = "import", _("import")


class Channel(models.TextChoices):
    BROWSER = "browser", _("browser")
    OFFLINE_PACKET = "offline_packet", _("offline packet")
    IMPORT = "import", _("import")


class Layout(models.TextChoices):
    SIDE_BY_SIDE = "side_by_side", _("side by side")
    STACKED = "stacked", _("stacked")


class JudgmentEventQuerySet(models.QuerySet["JudgmentEvent"]):
    def current(self) -> Self:
        """Events that no later event replaces: at most one per showing."""
        return self.filter(replaced_by__isnull=True)

    def answers(self) -> Self:
        """Current events that settle a showing: a choice, or 'cannot judge'."""
        return self.current().filter(kind__in=[EventKind.VOTE, EventKind.ABSTAIN, EventKind.IMPORT])


class JudgmentEvent(models.Model):
    """One act of a rater. A showing's events form a chain: each replaces one, none is replaced twice."""

    event_id = models.UUIDField(primary_key=True)
    round = models.ForeignKey(Round, on_delete=models.PROTECT, related_name="events")
    rater = models.ForeignKey(Rater, on_delete=models.PROTECT, related_name="events")
    pair = models.ForeignKey(Pair, on_delete=models.PROTECT, null=True, blank=True, related_name="events")
    item = models.ForeignKey(
        Item,
        on_delete=models.PROTECT,
        null=True,
        blank=True,
        related_name="events",
        help_text=_("Absolute rounds."),
    )
    showing = models.ForeignKey(
        Showing, on_delete=models.PROTECT, null=True, blank=True, related_name="events"
    )
    kind = models.CharField(max_length=10, choices=EventKind.choices)
    replaces = models.OneToOneField(
        "self", on_delete=models.PROTECT, null=True, blank=True, related_name="replaced_by"
    )
    preferred = models.ForeignKey(Item, on_delete=models.PROTECT, null=True, blank=True, related_name="+")
    verdict = models.CharField(max_length=20, blank=True)
    score = models.DecimalField(max_digits=4, decimal_places=3, null=True, blank=True)
    confidence = models.DecimalField(max_digits=4, decimal_places=3, null=True, blank=True)
    shown_left = models.ForeignKey(Item, on_delete=models.PROTECT, null=True, blank=True, related_name="+")
    layout = models.CharField(max_length=20, choices=Layout.choices, blank=True)
    channel = models.CharField(max_length=20, choices=Channel.choices)
    judged_at = models.DateTimeField(null=True, blank=True)
    received_at = models.DateTimeField(auto_now_add=True)
    response_ms = models.PositiveIntegerField(null=True, blank=True)
    reason = models.TextField(blank=True)
    note = models.TextField(blank=True)

    objects: ClassVar[JudgmentEventQuerySet] = JudgmentEventQuerySet.as_manager()  # type: ignore[assignment]

    class Meta:
        constraints = [
            models.CheckConstraint(condition=Q(kind__in=EventKind.values), name="event_kind_known"),
            models.CheckConstraint(condition=Q(channel__in=Channel.values), name="event_channel_known"),
            models.CheckConstraint(
                condition=Q(kind="vote", preferred__isnull=False, score__isnull=True, pair__isnull=False)
                | Q(kind="vote", preferred__isnull=True, score__isnull=False, item__isnull=False)
                | Q(kind__in=["abstain", "skip", "undo", "void"], preferred__isnull=True, score__isnull=True)
                | Q(kind="import"),
                name="event_choice_fits_kind",
            ),
            models.CheckConstraint(
                condition=Q(pair__isnull=False, item__isnull=True) | Q(pair__isnull=True, item__isnull=False),
                name="event_of_a_pair_or_of_one_item",
            ),
            models.CheckConstraint(
                condition=Q(score__isnull=True) | Q(score__gte=0, score__lte=1), name="event_score_in_range"
            ),
            models.CheckConstraint(
                condition=Q(showing__isnull=False) | Q(kind__in=["import", "void"]),
                name="event_of_a_showing_or_import",
            ),
            models.CheckConstraint(
                condition=Q(replaces__isnull=False) | Q(kind__in=["vote", "abstain", "skip", "import"]),
                name="event_undo_and_void_replace_something",
            ),
            models.CheckConstraint(
                condition=Q(confidence__isnull=True) | Q(confidence__gte=0, confidence__lte=1),
                name="event_confidence_in_range",
            ),
            # The chain of a showing, and of an imported judgment, has one beginning.
            models.UniqueConstraint(
                fields=["showing"], condition=Q(replaces__isnull=True), name="event_chain_begins_once"
            ),
            models.UniqueConstraint(
                fields=["round", "rater", "pair"],
                condition=Q(replaces__isnull=True, showing__isnull=True),
                name="import_chain_begins_once",
            ),
        ]

    def __str__(self) -> str:
        return f"{self.kind} {self.event_id}"
