"""Imports of contract tables, and the vocabularies that an admin can extend."""

from django.db import models
from django.utils.translation import gettext_lazy as _


class License(models.Model):
    """A licence under which items may be redistributed (SPDX identifier, or the stub's placeholder)."""

    spdx = models.CharField(max_length=100, primary_key=True)

    def __str__(self) -> str:
        return self.spdx


class DataOrigin(models.Model):
    """Where rows come from. Simulated and real rows never share a release."""

    code = models.CharField(max_length=100, primary_key=True)
    is_simulation = models.BooleanField(default=False)

    def __str__(self) -> str:
        return self.code


class TableImport(models.Model):
    """One import of a folder of tables, staged in short transactions and visible all at once."""

    class State(models.TextChoices):
        STAGING = "staging", _("staging")
        PUBLISHED = "published", _("published")
        FAILED = "failed", _("failed")

    name = models.CharField(max_length=300)
    state = models.CharField(max_length=20, choices=State.choices, default=State.STAGING)
    created_at = models.DateTimeField(auto_now_add=True)
    created_by = models.ForeignKey(
        "labeling.User", on_delete=models.SET_NULL, null=True, blank=True, related_name="+"
    )
    job = models.ForeignKey(
        "labeling.Job", on_delete=models.SET_NULL, null=True, blank=True, related_name="+"
    )
    touched_at = models.DateTimeField(auto_now=True, help_text=_("Last sign of life while staging."))
    n_items = models.PositiveIntegerField(default=0)
    n_pairs = models.PositiveIntegerField(default=0)

    class Meta:
        constraints = [
            models.CheckConstraint(
                condition=models.Q(state__in=["staging", "published", "failed"]),
                name="table_import_state_known",
            )
        ]

    def __str__(self) -> str:
        return self.name
