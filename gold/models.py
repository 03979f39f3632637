"""Frozen releases, and the log of who read or exported gold."""

from typing import ClassVar, Self

from django.db import models
from django.urls import reverse
from django.utils.translation import gettext
from django.utils.translation import gettext_lazy as _

from labeling.actors import actor_in_words
from labeling.models import GoldTier, Job, Round, User


class ReleaseQuerySet(models.QuerySet["Release"]):
    def published(self) -> Self:
        return self.filter(state=Release.State.PUBLISHED)

    def scorable(self) -> Self:
        """Published releases that predictions are scored against; an archival one never is."""
        return self.published().exclude(gold_tier=GoldTier.PROVISIONAL_AGENT_PANEL)

    def visible_to(self, user: User) -> Self:
        """Admins see every release, researchers the published ones, others none."""
        if user.has_role("admin"):
            return self.all()
        if user.has_role("researcher"):
            return self.published()
        return self.none()


class Release(models.Model):
    """One numbered release of one tier. Once published the row and its files are frozen (migration 0002)."""

    class State(models.TextChoices):
        BUILDING = "building", _("building")
        PUBLISHED = "published", _("published")

    number = models.PositiveIntegerField(unique=True)
    title = models.CharField(_("title"), max_length=200)
    gold_tier = models.CharField(max_length=40, choices=GoldTier.choices)
    is_simulation = models.BooleanField(default=False)
    rounds = models.ManyToManyField(Round, through="ReleaseRound", related_name="releases")
    supersedes = models.OneToOneField(
        "self", on_delete=models.PROTECT, null=True, blank=True, related_name="superseded_by"
    )
    state = models.CharField(max_length=20, choices=State.choices, default=State.BUILDING)
    canary = models.CharField(max_length=100)
    promoted_at = models.DateTimeField(help_text=_("The one moment that stands in the release's files."))
    digest = models.CharField(max_length=64, blank=True, help_text=_("sha256 of RELEASE_MANIFEST.json."))
    n_pairs = models.PositiveIntegerField(default=0)
    n_gold = models.PositiveIntegerField(default=0)
    job = models.OneToOneField(Job, on_delete=models.PROTECT, null=True, blank=True, related_name="release")

    objects: ClassVar[ReleaseQuerySet] = ReleaseQuerySet.as_manager()  # type: ignore[assignment]

    class Meta:
        ordering = ["-number"]
        constraints = [
            models.CheckConstraint(
                condition=models.Q(gold_tier__in=GoldTier.values), name="release_tier_known"
            ),
            models.CheckConstraint(
                condition=models.Q(state="building") | (models.Q(state="published") & ~models.Q(digest="")),
                name="release_published_has_digest",
            ),
            models.CheckConstraint(
                condition=models.Q(is_simulation=True, gold_tier="simulation")
                | (models.Q(is_simulation=False) & ~models.Q(gold_tier="simulation")),
                name="release_simulation_is_its_own_tier",
            ),
        ]

    def __str__(self) -> str:
        return gettext("Release %(number)d: %(title)s") % {"number": self.number, "title": self.title}

    def get_absolute_url(self) -> str:
        return reverse("release", args=[self.number])


class ReleaseRound(models.Model):
    release = models.ForeignKey(Release, on_delete=models.PROTECT, related_name="release_rounds")
    round = models.ForeignKey(Round, on_delete=models.PROTECT, related_name="release_rounds")

    class Meta:
        constraints = [models.UniqueConstraint(fields=["release", "round"], name="round_once_a_release")]


class ReleaseFile(models.Model):
    """One file of a release's folder, as stored, with its digest."""

    release = models.ForeignKey(Release, on_delete=models.PROTECT, related_name="files")
    path = models.CharField(max_length=300, help_text=_("Inside the release's folder."))
    file = models.FileField(max_length=400)
    sha256 = models.CharField(max_length=64)
    n_bytes = models.PositiveBigIntegerField()
    n_rows = models.PositiveBigIntegerField(null=True, blank=True)
    holds_gold = models.BooleanField(default=False)

    class Meta:
        ordering = ["path"]
        constraints = [models.UniqueConstraint(fields=["release", "path"], name="release_path_once")]

    def __str__(self) -> str:
        return self.path


class GoldAccess(models.Model):
    """Append-only: who read or exported gold, what, and when. Outlives the account."""

    actor = models.CharField(max_length=150, help_text=_("Account number, or the command that did it."))
    release_number = models.PositiveIntegerField(null=True, blank=True)
    round_slug = models.CharField(max_length=80, blank=True)
    what = models.CharField(max_length=300)
    at = models.DateTimeField(auto_now_add=True)

    class Meta:
        ordering = ["-at", "-pk"]

    def __str__(self) -> str:
        return f"{self.actor}: {self.what}"

    @property
    def actor_in_words(self) -> str:
        return actor_in_words(self.actor)
