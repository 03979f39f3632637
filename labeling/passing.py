"""Passing on what a rater has not answered, to others who have not seen it."""

from collections.abc import Sequence
from dataclasses import dataclass

from django.db import transaction
from django.db.models import Exists, OuterRef, QuerySet

from labeling.models import JudgmentEvent, Packet, Rater, Round, Showing
from labeling.oversight import add_showings, collecting, log, receivers, thing_of, withdraw


@dataclass(frozen=True)
class Passed:
    """`n_passed` showings are asked of others now; `n_dropped` repeats are asked of nobody."""

    n_passed: int
    n_dropped: int


def unanswered(packet: Packet) -> QuerySet[Showing]:
    """Showings still asked that have neither a choice nor "cannot judge"; a skipped one is among them."""
    answer = JudgmentEvent.objects.answers().filter(showing=OuterRef("pk"))
    return packet.showings.asked().filter(~Exists(answer)).order_by("position")


@transaction.atomic
def pass_on(round_: Round, rater: Rater, *, joining: Sequence[Rater], actor: str, reason: str) -> Passed:
    """Withdraw what `rater` has not answered and ask it of others of the round, or of raters `joining` it.

    Repeats are withdrawn and passed to nobody: they would compare one rater with another.
    Raises WrongState, `assignment.AssignmentImpossible`, Packet.DoesNotExist; then nothing has changed.
    """
    current = collecting(round_)
    packet = Packet.objects.get(round=current, rater=rater)
    leaving = list(unanswered(packet))
    firsts = [showing for showing in leaving if showing.repeat_of_id is None]
    added = add_showings(
        current,
        {thing_of(showing): 1 for showing in firsts},
        receivers(current, joining, but=rater),
        leaving=firsts,
    )
    withdraw(leaving, reason=reason, actor=actor, passed_to={thing_of(new): new for new in added})
    passed = Passed(len(firsts), len(leaving) - len(firsts))
    log(
        current,
        actor=actor,
        reason=f"Passed on {passed.n_passed} showings of {rater.pseudonym}, "
        f"withdrew {passed.n_dropped} repeats. {reason}",
    )
    return passed
