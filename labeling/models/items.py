"""Items and pairs, as the contract tables `bench_items` and `bench_pairs` describe them."""

from typing import ClassVar, Self

from django.db import models
from django.db.models.functions import Greatest, Least
from django.utils.translation import gettext_lazy as _

from labeling.models.table_imports import DataOrigin, License, TableImport


class Difficulty(models.TextChoices):
    EASY = "easy", _("easy")
    MEDIUM = "medium", _("medium")
    HARD = "hard", _("hard")
    AMBIGUOUS = "ambiguous", _("ambiguous")


class Split(models.TextChoices):
    TRAIN = "train", _("train")
    DEV = "dev", _("dev")
    TEST = "test", _("test")


class ItemQuerySet(models.QuerySet["Item"]):
    def published(self) -> Self:
        """Items of imports that are complete."""
        return self.filter(table_import__state=TableImport.State.PUBLISHED)

    def ratable(self) -> Self:
        """Published items that have a rendition."""
        return self.published().filter(rendition__isnull=False)


class Item(models.Model):
    item_id = models.CharField(max_length=500, unique=True)
    domain = models.CharField(max_length=100, db_index=True)
    payload_ref = models.TextField()
    era_tag = models.CharField(max_length=200, blank=True)
    circle_tags = models.TextField(blank=True, help_text=_("Separated by semicolons, as in the table."))
    license = models.ForeignKey(License, on_delete=models.PROTECT)
    data_origin = models.ForeignKey(DataOrigin, on_delete=models.PROTECT)
    original = models.FileField(upload_to="originals/", blank=True, max_length=300)
    original_sha256 = models.CharField(max_length=64, blank=True)
    table_import = models.ForeignKey(TableImport, on_delete=models.CASCADE, related_name="items")

    objects: ClassVar[ItemQuerySet] = ItemQuerySet.as_manager()  # type: ignore[assignment]

    def __str__(self) -> str:
        return self.item_id


class ItemRendition(models.Model):
    """What a rater sees of an item: scrubbed, re-encoded, under a random name."""

    class Kind(models.TextChoices):
        IMAGE = "image", _("image")
        TEXT = "text", _("text")
        HTML = "html", _("formatted text")

    item = models.OneToOneField(Item, on_delete=models.CASCADE, related_name="rendition")
    kind = models.CharField(max_length=10, choices=Kind.choices)
    file = models.FileField(upload_to="renditions/", blank=True, max_length=300)
    text = models.TextField(blank=True)
    width = models.PositiveIntegerField(null=True, blank=True)
    height = models.PositiveIntegerField(null=True, blank=True)
    n_bytes = models.PositiveIntegerField()

    class Meta:
        constraints = [
            models.CheckConstraint(
                condition=(models.Q(kind="image") & ~models.Q(file="") & models.Q(text=""))
                | (models.Q(kind__in=["text", "html"]) & models.Q(file="")),
                name="rendition_is_file_or_text",
            )
        ]

    def __str__(self) -> str:
        return f"{self.kind} of {self.item_id}"


class PairQuerySet(models.QuerySet["Pair"]):
    def published(self) -> Self:
        """Pairs of imports that are complete."""
        return self.filter(table_import__state=TableImport.State.PUBLISHED)

    def ratable(self) -> Self:
        """Published pairs whose two items both have a rendition."""
        return self.published().filter(item_a__rendition__isnull=False, item_b__rendition__isnull=False)


class Pair(models.Model):
    pair_id = models.CharField(max_length=500, unique=True)
    domain = models.CharField(max_length=100, db_index=True)
    item_a = models.ForeignKey(Item, on_delete=models.PROTECT, related_name="+")
    item_b = models.ForeignKey(Item, on_delete=models.PROTECT, related_name="+")
    condition_era = models.CharField(max_length=200, blank=True)
    condition_circle = models.CharField(max_length=200, blank=True)
    pair_group_id = models.CharField(max_length=500, blank=True, db_index=True)
    cue_type = models.CharField(max_length=20, blank=True)
    difficulty = models.CharField(max_length=20, choices=Difficulty.choices)
    split = models.CharField(max_length=10, choices=Split.choices)
    agreement = models.CharField(max_length=30, blank=True, help_text=_("Cached figure, as imported."))
    n_raters = models.CharField(max_length=20, blank=True, help_text=_("Cached figure, as imported."))
    data_origin = models.ForeignKey(DataOrigin, on_delete=models.PROTECT)
    brief = models.TextField(blank=True)
    context = models.TextField(
        blank=True, help_text=_("What came before: the trajectory prefix of a fork question.")
    )
    table_import = models.ForeignKey(TableImport, on_delete=models.CASCADE, related_name="pairs")

    objects: ClassVar[PairQuerySet] = PairQuerySet.as_manager()  # type: ignore[assignment]

    class Meta:
        constraints = [
            models.CheckConstraint(
                condition=~models.Q(item_a=models.F("item_b")), name="pair_of_two_different_items"
            ),
            models.UniqueConstraint(
                Least("item_a", "item_b"),
                Greatest("item_a", "item_b"),
                "condition_era",
                "condition_circle",
                name="pair_unique_unordered_with_conditions",
            ),
            models.CheckConstraint(
                condition=models.Q(difficulty__in=Difficulty.values), name="pair_difficulty_known"
            ),
            models.CheckConstraint(condition=models.Q(split__in=Split.values), name="pair_split_known"),
            models.CheckConstraint(
                condition=models.Q(cue_type__in=["", "null", "correct", "misleading"]),
                name="pair_cue_type_known",
            ),
        ]

    def __str__(self) -> str:
        return self.pair_id
