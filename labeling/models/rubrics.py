"""The written rule under which a pair is judged. Frozen while a round that has opened uses it."""

from django.db import models
from django.utils.translation import gettext_lazy as _


class Rubric(models.Model):
    rubric_id = models.CharField(max_length=100, unique=True, help_text=_("For example rubric_v1."))
    title = models.CharField(max_length=200)
    question = models.TextField()
    pairwise = models.TextField(blank=True, help_text=_("How the bands apply to a choice between two."))
    non_criteria = models.JSONField(default=list, help_text=_("What is explicitly not judged."))
    anchors = models.JSONField(default=list, help_text=_("Bands of the absolute scale: from, to, label."))
    condition_rule = models.TextField(blank=True)
    guidelines = models.TextField(blank=True)
    created_at = models.DateTimeField(auto_now_add=True)

    def __str__(self) -> str:
        return self.rubric_id

    def is_frozen(self) -> bool:
        """A round beyond draft has shown this text to raters, or will."""
        return self.rounds.exclude(state="draft").exists()


class RubricDomain(models.Model):
    """What the rubric means in one domain: cues to look at, and the brief where a pair has none."""

    rubric = models.ForeignKey(Rubric, on_delete=models.CASCADE, related_name="domains")
    domain = models.CharField(max_length=100)
    cues = models.JSONField(default=list)
    default_brief = models.TextField(blank=True)

    class Meta:
        constraints = [models.UniqueConstraint(fields=["rubric", "domain"], name="rubric_domain_once")]

    def __str__(self) -> str:
        return f"{self.rubric_id}: {self.domain}"
