"""A round: which pairs are judged by whom, under which rubric, for which tier of gold."""

import secrets
from typing import ClassVar, Self

from django.core.validators import MaxValueValidator, MinValueValidator
from django.db import models
from django.db.models.functions import Coalesce
from django.urls import reverse
from django.utils.translation import gettext_lazy as _

from labeling.actors import actor_in_words
from labeling.models.accounts import Rater
from labeling.models.items import Item, Pair
from labeling.models.rubrics import Rubric


class GoldTier(models.TextChoices):
    PRIMARY_HUMAN_EXPERT = "primary_human_expert", _("primary human expert")
    PUBLIC_REFERENCE = "public_reference", _("public reference")
    CROWD_REFERENCE = "crowd_reference", _("crowd reference")
    SIMULATION = "simulation", _("simulation")
    OUTCOME = "outcome", _("outcome")
    PROVISIONAL_AGENT_PANEL = "provisional_agent_panel", _("provisional agent panel")


class RoundState(models.TextChoices):
    DRAFT = "draft", _("draft")
    OPEN = "open", _("open")
    CLOSED = "closed", _("closed")
    PROMOTED = "promoted", _("promoted")


class Task(models.TextChoices):
    PAIRWISE = "pairwise", _("pairwise")
    ABSOLUTE = "absolute", _("absolute")


class VerdictSet(models.TextChoices):
    RATING = "left_right", _("left, right")
    REVIEW = "a_b_neither_cannot", _("A, B, neither, cannot judge")


def new_seed() -> int:
    """A seed drawn once and stored with the round, so that its packets can be built again."""
    return secrets.randbelow(2**31)


def _number_of(model: "type[RoundPair | RoundItem | RoundRater]") -> Coalesce:
    rows = model.objects.filter(round=models.OuterRef("pk")).order_by().values("round")
    return Coalesce(models.Subquery(rows.annotate(n=models.Count("pk")).values("n")), 0)


class RoundQuerySet(models.QuerySet["Round"]):
    def with_sizes(self) -> Self:
        """Each round with `n_pairs`, `n_items`, `n_raters`: counted apart, as joined they would multiply."""
        return self.annotate(
            n_pairs=_number_of(RoundPair), n_items=_number_of(RoundItem), n_raters=_number_of(RoundRater)
        )


class Round(models.Model):
    slug = models.SlugField(max_length=80, unique=True)
    name = models.CharField(_("name"), max_length=200)
    rubric = models.ForeignKey(Rubric, on_delete=models.PROTECT, related_name="rounds")
    task = models.CharField(max_length=20, choices=Task.choices, default=Task.PAIRWISE)
    verdicts = models.CharField(max_length=30, choices=VerdictSet.choices, default=VerdictSet.RATING)
    gold_tier = models.CharField(_("gold tier"), max_length=40, choices=GoldTier.choices)
    raters_per_pair = models.PositiveSmallIntegerField(
        _("raters a pair"), default=3, validators=[MinValueValidator(1), MaxValueValidator(99)]
    )
    min_raters = models.PositiveSmallIntegerField(
        _("minimum of raters"), default=3, validators=[MinValueValidator(1), MaxValueValidator(99)]
    )
    repeat_share = models.DecimalField(
        _("share of repeats"),
        max_digits=4,
        decimal_places=3,
        default=0,
        validators=[MinValueValidator(0), MaxValueValidator(0.5)],
    )
    seed = models.BigIntegerField(_("seed"), default=new_seed)
    asks_confidence = models.BooleanField(_("ask for confidence"), default=False)
    seconds_a_pair = models.PositiveSmallIntegerField(
        _("seconds a pair"), default=30, validators=[MinValueValidator(1), MaxValueValidator(3600)]
    )
    cost_per_hour = models.DecimalField(
        _("cost of an hour"),
        max_digits=8,
        decimal_places=2,
        null=True,
        blank=True,
        validators=[MinValueValidator(0)],
    )
    deadline = models.DateTimeField(_("deadline"), null=True, blank=True)
    state = models.CharField(max_length=20, choices=RoundState.choices, default=RoundState.DRAFT)
    created_at = models.DateTimeField(auto_now_add=True)
    pairs = models.ManyToManyField(Pair, through="RoundPair", related_name="rounds")
    items = models.ManyToManyField(Item, through="RoundItem", related_name="rounds")
    raters = models.ManyToManyField(Rater, through="RoundRater", related_name="rounds")
    # Read by `with_sizes`.
    n_pairs: int
    n_items: int
    n_raters: int

    objects: ClassVar[RoundQuerySet] = RoundQuerySet.as_manager()  # type: ignore[assignment]

    class Meta:
        ordering = ["-created_at", "-pk"]
        constraints = [
            models.CheckConstraint(condition=models.Q(state__in=RoundState.values), name="round_state_known"),
            models.CheckConstraint(
                condition=models.Q(gold_tier__in=GoldTier.values), name="round_tier_known"
            ),
            models.CheckConstraint(
                condition=models.Q(raters_per_pair__gte=1, min_raters__gte=1),
                name="round_has_raters_per_pair",
            ),
            models.CheckConstraint(
                condition=models.Q(repeat_share__gte=0, repeat_share__lte=0.5),
                name="round_repeat_share_in_range",
            ),
            models.CheckConstraint(
                condition=models.Q(verdicts="left_right", min_raters__gte=3)
                | models.Q(verdicts="a_b_neither_cannot", min_raters__gte=2),
                name="round_min_raters_fits_verdicts",
            ),
        ]

    def __str__(self) -> str:
        return self.name

    def get_absolute_url(self) -> str:
        return reverse("round", args=[self.pk])


class RoundPair(models.Model):
    round = models.ForeignKey(Round, on_delete=models.CASCADE, related_name="round_pairs")
    pair = models.ForeignKey(Pair, on_delete=models.PROTECT, related_name="round_pairs")

    class Meta:
        constraints = [models.UniqueConstraint(fields=["round", "pair"], name="pair_once_a_round")]


class RoundItem(models.Model):
    """An item of an absolute round."""

    round = models.ForeignKey(Round, on_delete=models.CASCADE, related_name="round_items")
    item = models.ForeignKey(Item, on_delete=models.PROTECT, related_name="round_items")

    class Meta:
        constraints = [models.UniqueConstraint(fields=["round", "item"], name="item_once_a_round")]


class RoundRater(models.Model):
    round = models.ForeignKey(Round, on_delete=models.CASCADE, related_name="round_raters")
    rater = models.ForeignKey(Rater, on_delete=models.PROTECT, related_name="round_raters")

    class Meta:
        constraints = [models.UniqueConstraint(fields=["round", "rater"], name="rater_once_a_round")]


class RoundTransition(models.Model):
    """Append-only log of a round's life."""

    round = models.ForeignKey(Round, on_delete=models.PROTECT, related_name="transitions")
    from_state = models.CharField(max_length=20, choices=RoundState.choices)
    to_state = models.CharField(max_length=20, choices=RoundState.choices)
    reason = models.TextField(blank=True)
    actor = models.CharField(
        max_length=150, blank=True, help_text=_("Account number, or the command that did it.")
    )
    at = models.DateTimeField(auto_now_add=True)

    class Meta:
        ordering = ["at", "pk"]

    def __str__(self) -> str:
        return f"{self.from_state} → {self.to_state}"

    @property
    def actor_in_words(self) -> str:
        return actor_in_words(self.actor)
