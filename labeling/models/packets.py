"""What one rater is given in one round: a packet of showings, built when the round opens."""

import secrets
from typing import ClassVar, Self

from django.db import models

from labeling.models.accounts import Rater, User
from labeling.models.items import Item, Pair
from labeling.models.rounds import Round, RoundState


def new_token() -> str:
    """128 unguessable bits. Tokens are the exception to seeding: they come from the system's randomness."""
    return secrets.token_urlsafe(16)


class PacketQuerySet(models.QuerySet["Packet"]):
    def of(self, user: User) -> Self:
        """Packets of the user's rater, in open and in closed rounds."""
        return self.filter(rater__user=user)

    def ratable_by(self, user: User) -> Self:
        """The user's packets in open rounds."""
        return self.of(user).filter(round__state=RoundState.OPEN)

    def with_progress(self) -> Self:
        """Each packet with `n_showings` and `n_done`: how many now have a choice or "cannot judge"."""
        settled = models.Q(
            showings__events__kind__in=["vote", "abstain"], showings__events__replaced_by__isnull=True
        )
        return self.annotate(
            n_showings=models.Count(
                "showings", filter=models.Q(showings__withdrawal__isnull=True), distinct=True
            ),
            n_done=models.Count("showings__events", filter=settled, distinct=True),
        )


class Packet(models.Model):
    round = models.ForeignKey(Round, on_delete=models.PROTECT, related_name="packets")
    rater = models.ForeignKey(Rater, on_delete=models.PROTECT, related_name="packets")
    created_at = models.DateTimeField(auto_now_add=True)
    # Read by `with_progress`.
    n_showings: int
    n_done: int

    objects: ClassVar[PacketQuerySet] = PacketQuerySet.as_manager()  # type: ignore[assignment]

    class Meta:
        constraints = [models.UniqueConstraint(fields=["round", "rater"], name="packet_once_a_rater_a_round")]

    def __str__(self) -> str:
        return f"{self.round} for {self.rater}"


class ShowingQuerySet(models.QuerySet["Showing"]):
    def asked(self) -> Self:
        """Showings that were not withdrawn: passed on to somebody else, or taken out."""
        return self.filter(withdrawal__isnull=True)


class Showing(models.Model):
    """One pair on fixed sides at one place of a packet. Sides are stored here and read from nowhere else.

    In an absolute round a showing has one item, in `left_item`, and neither pair nor right item.
    """

    packet = models.ForeignKey(Packet, on_delete=models.PROTECT, related_name="showings")
    position = models.PositiveIntegerField()
    pair = models.ForeignKey(Pair, on_delete=models.PROTECT, null=True, blank=True, related_name="showings")
    left_item = models.ForeignKey(Item, on_delete=models.PROTECT, related_name="+")
    right_item = models.ForeignKey(Item, on_delete=models.PROTECT, null=True, blank=True, related_name="+")
    repeat_of = models.OneToOneField(
        "self", on_delete=models.PROTECT, null=True, blank=True, related_name="repeat"
    )
    token = models.CharField(max_length=30, unique=True, default=new_token)
    left_token = models.CharField(max_length=30, unique=True, default=new_token)
    right_token = models.CharField(max_length=30, unique=True, default=new_token)

    objects: ClassVar[ShowingQuerySet] = ShowingQuerySet.as_manager()  # type: ignore[assignment]

    class Meta:
        ordering = ["packet", "position"]
        constraints = [
            models.UniqueConstraint(fields=["packet", "position"], name="showing_position_once"),
            models.UniqueConstraint(
                fields=["packet", "pair"],
                condition=models.Q(repeat_of__isnull=True),
                name="pair_first_shown_once_a_packet",
            ),
            models.UniqueConstraint(
                fields=["packet", "left_item"],
                condition=models.Q(pair__isnull=True, repeat_of__isnull=True),
                name="item_first_shown_once_a_packet",
            ),
            models.CheckConstraint(
                condition=models.Q(pair__isnull=False, right_item__isnull=False)
                | models.Q(pair__isnull=True, right_item__isnull=True),
                name="showing_of_a_pair_or_of_one_item",
            ),
            models.CheckConstraint(
                condition=models.Q(right_item__isnull=True) | ~models.Q(left_item=models.F("right_item")),
                name="showing_of_two_different_items",
            ),
        ]

    def __str__(self) -> str:
        return f"{self.packet}, {self.position}"
