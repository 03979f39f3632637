"""Prediction files that researchers submit against a release, and what they scored."""

from typing import ClassVar, Self

from django.db import models
from django.urls import reverse
from django.utils.translation import gettext_lazy as _

from gold.models import Release
from labeling.models import Job, Split, User

SPLIT_CHOICES = [*Split.choices, ("all", _("all"))]


class SubmissionQuerySet(models.QuerySet["Submission"]):
    def visible_to(self, user: User) -> Self:
        """An admin sees every submission, a researcher their own."""
        if user.has_role("admin"):
            return self.all()
        if user.has_role("researcher"):
            return self.filter(owner=user)
        return self.none()


class Submission(models.Model):
    """One prediction file, scored as a job against one release."""

    release = models.ForeignKey(Release, on_delete=models.PROTECT, related_name="submissions")
    owner = models.ForeignKey(User, on_delete=models.SET_NULL, null=True, related_name="submissions")
    model_label = models.CharField(_("model"), max_length=200, help_text=_("The name shown with the score."))
    split = models.CharField(_("split"), max_length=10, choices=SPLIT_CHOICES, default=Split.TEST)
    file = models.FileField(upload_to="submissions/", max_length=300)
    file_name = models.CharField(max_length=255)
    sha256 = models.CharField(max_length=64)
    job = models.OneToOneField(Job, on_delete=models.PROTECT, null=True, related_name="submission")
    metrics = models.JSONField(null=True, blank=True)
    created_at = models.DateTimeField(auto_now_add=True)

    objects: ClassVar[SubmissionQuerySet] = SubmissionQuerySet.as_manager()  # type: ignore[assignment]

    class Meta:
        ordering = ["-created_at", "-pk"]

    def __str__(self) -> str:
        return self.model_label

    def get_absolute_url(self) -> str:
        return reverse("submission", args=[self.pk])
