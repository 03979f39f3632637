"""What an admin does about a round that collects: reports, notes read, showings withdrawn, reminders."""

from django.db import models
from django.utils.translation import gettext_lazy as _

from labeling.models.accounts import Rater
from labeling.models.events import JudgmentEvent
from labeling.models.packets import Showing
from labeling.models.rounds import Round


class ShowingReport(models.Model):
    """A rater says that a pair is broken or offensive. The showing is skipped beside it."""

    class Reason(models.TextChoices):
        BROKEN = "broken", _("broken")
        OFFENSIVE = "offensive", _("offensive")

    showing = models.ForeignKey(Showing, on_delete=models.PROTECT, related_name="reports")
    event_id = models.UUIDField(
        unique=True, help_text=_("Made by the browser; the same again is one report.")
    )
    reason = models.CharField(max_length=20, choices=Reason.choices)
    note = models.TextField(blank=True)
    created_at = models.DateTimeField(auto_now_add=True)
    resolved_at = models.DateTimeField(null=True, blank=True)
    resolution = models.TextField(blank=True)
    resolved_by = models.CharField(max_length=150, blank=True)

    class Meta:
        ordering = ["-created_at", "-pk"]


class ShowingWithdrawal(models.Model):
    """Append-only: an unanswered showing is asked of this rater no more (passed on, or taken out)."""

    showing = models.OneToOneField(Showing, on_delete=models.PROTECT, related_name="withdrawal")
    passed_to = models.OneToOneField(
        Showing, on_delete=models.PROTECT, null=True, blank=True, related_name="passed_from"
    )
    reason = models.TextField()
    actor = models.CharField(max_length=150)
    at = models.DateTimeField(auto_now_add=True)


class NoteReview(models.Model):
    """An admin read a note or a confidence and released it, or kept it inside."""

    event = models.OneToOneField(JudgmentEvent, on_delete=models.PROTECT, related_name="note_review")
    is_released = models.BooleanField()
    actor = models.CharField(max_length=150)
    at = models.DateTimeField(auto_now=True)


class Reminder(models.Model):
    """That a rater was reminded of a round by mail."""

    round = models.ForeignKey(Round, on_delete=models.PROTECT, related_name="reminders")
    rater = models.ForeignKey(Rater, on_delete=models.PROTECT, related_name="reminders")
    actor = models.CharField(max_length=150)
    sent_at = models.DateTimeField(auto_now_add=True)

    class Meta:
        ordering = ["-sent_at"]
