"""Asking more raters about pairs on which the votes so far are split."""

from collections.abc import Collection, Sequence
from dataclasses import dataclass

from django.db import models, transaction
from django.db.models import Count, F, Q
from django.utils.translation import gettext_lazy as _

from labeling.models import EventKind, JudgmentEvent, Rater, Round, RoundState, Task
from labeling.oversight import add_showings, collecting, first_counts, log, receivers
from labeling.rounds import WrongState, reopen_round

TARGETS = (5, 7)
"""Raters a pair that a top-up can lead to: odd, so that a vote of all is no tie."""


class Split(models.TextChoices):
    """Why a pair is contested; each pair is of one kind at most."""

    TOO_FEW = "too_few", _("too few votes")
    TIE = "tie", _("tie")
    BELOW_GATE = "below_gate", _("below the gate (less than 60 %)")
    TWO_TO_ONE = "two_to_one", _("two against one")


@dataclass(frozen=True)
class Votes:
    """Current votes on a pair, repeats left out; `abstained` are raters who cannot judge it."""

    a: int = 0
    b: int = 0
    abstained: int = 0

    def split(self, min_raters: int) -> Split | None:
        """How the pair is contested, in the order of the states of gold; None where it is not."""
        n, k = self.a + self.b, max(self.a, self.b)
        if n < min_raters:
            return Split.TOO_FEW
        if 2 * k == n:
            return Split.TIE
        if 5 * k < 3 * n:
            return Split.BELOW_GATE
        return Split.TWO_TO_ONE if (n, k) == (3, 2) else None


def votes_of(round_: Round) -> dict[int, Votes]:
    """The current votes on each pair of the round, by key of the pair; from one query."""
    answers = JudgmentEvent.objects.answers().filter(round=round_, showing__repeat_of__isnull=True)
    rows = (
        answers.order_by()
        .values_list("pair")
        .annotate(
            a=Count("pk", filter=Q(preferred=F("pair__item_a"))),
            b=Count("pk", filter=Q(preferred=F("pair__item_b"))),
            abstained=Count("pk", filter=Q(preferred__isnull=True) & ~Q(kind=EventKind.VOTE)),
        )
    )
    found = {pair: Votes(a, b, abstained) for pair, a, b, abstained in rows}
    return {pair: found.get(pair, Votes()) for pair in round_.round_pairs.values_list("pair_id", flat=True)}


def contested(round_: Round) -> dict[Split, list[int]]:
    """Keys of the round's contested pairs by how they are split. It is not said for which item."""
    pairs: dict[Split, list[int]] = {split: [] for split in Split}
    for pair, votes in votes_of(round_).items():
        split = votes.split(round_.min_raters)
        if split is not None:
            pairs[split].append(pair)
    return pairs


@dataclass(frozen=True)
class ToppedUp:
    n_pairs: int
    n_showings: int


def wanted_showings(round_: Round, splits: Collection[str], target: int) -> dict[int, int]:
    """How many more raters each contested pair needs so that `target` can choose; who abstained cannot."""
    asked = first_counts(round_)
    votes = votes_of(round_)
    more: dict[int, int] = {}
    for split, pairs in contested(round_).items():
        for pair in pairs if split in splits else ():
            missing = target - (asked.get(pair, (0, 0))[0] - votes[pair].abstained)
            if missing > 0:
                more[pair] = missing
    return more


@transaction.atomic
def top_up(
    round_: Round,
    *,
    splits: Collection[str],
    target: int,
    joining: Sequence[Rater] = (),
    actor: str,
    reason: str,
) -> ToppedUp:
    """Ask `target` raters about each contested pair of the given kinds; a closed round is reopened for it.

    Raises WrongState, `assignment.AssignmentImpossible`; then nothing has changed.
    """
    if round_.task == Task.ABSOLUTE:
        raise WrongState(_("Single items have no sides to be split over; only pairs are topped up."))
    if Round.objects.get(pk=round_.pk).state == RoundState.CLOSED:
        reopen_round(round_, actor=actor, reason=reason)
    current = collecting(round_)
    more = wanted_showings(current, splits, target)
    if not more:
        raise WrongState(_("No pair of these kinds needs more raters; nothing was changed."))
    added = add_showings(current, more, receivers(current, joining))
    log(
        current,
        actor=actor,
        reason=f"Topped up {len(more)} pairs to {target} raters, {len(added)} showings. {reason}",
    )
    return ToppedUp(len(more), len(added))
