"""Practice pairs: shown first, with an explanation after the choice, and counted in nothing."""

from django.db import models
from django.utils.translation import gettext_lazy as _

from labeling.models.items import Item, Pair
from labeling.models.packets import Packet, new_token
from labeling.models.rounds import Round


class PracticePair(models.Model):
    """A pair every rater of the round practises on. `better` and `explanation` are shown after the choice."""

    round = models.ForeignKey(Round, on_delete=models.CASCADE, related_name="practice_pairs")
    position = models.PositiveIntegerField()
    pair = models.ForeignKey(Pair, on_delete=models.PROTECT, related_name="+")
    better = models.ForeignKey(Item, on_delete=models.PROTECT, null=True, blank=True, related_name="+")
    explanation = models.TextField(_("explanation"))

    class Meta:
        ordering = ["position"]
        constraints = [
            models.UniqueConstraint(fields=["round", "pair"], name="practice_pair_once_a_round"),
            models.UniqueConstraint(fields=["round", "position"], name="practice_position_once"),
        ]

    def __str__(self) -> str:
        return f"{self.position} of {self.round}"


class PracticeShowing(models.Model):
    """A practice pair as one rater sees it. `done_at` is all that is kept of the answer."""

    packet = models.ForeignKey(Packet, on_delete=models.PROTECT, related_name="practice_showings")
    practice_pair = models.ForeignKey(PracticePair, on_delete=models.PROTECT, related_name="showings")
    position = models.PositiveIntegerField()
    left_item = models.ForeignKey(Item, on_delete=models.PROTECT, related_name="+")
    right_item = models.ForeignKey(Item, on_delete=models.PROTECT, related_name="+")
    token = models.CharField(max_length=30, unique=True, default=new_token)
    left_token = models.CharField(max_length=30, unique=True, default=new_token)
    right_token = models.CharField(max_length=30, unique=True, default=new_token)
    done_at = models.DateTimeField(null=True, blank=True)

    class Meta:
        ordering = ["packet", "position"]
        constraints = [
            models.UniqueConstraint(fields=["packet", "practice_pair"], name="practice_shown_once_a_packet"),
            models.UniqueConstraint(fields=["packet", "position"], name="practice_showing_position_once"),
        ]
