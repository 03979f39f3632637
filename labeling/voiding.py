"""Voiding answers with a reason: an event that replaces them. The answers stay in the log for good."""

from collections.abc import Iterable
from dataclasses import dataclass
from uuid import uuid4

from django.db import transaction
from django.db.models import QuerySet
from django.utils.translation import gettext as _

from labeling.models import EventKind, JudgmentEvent, Packet, Rater, Round, RoundState
from labeling.oversight import lock_packets, log, withdraw
from labeling.rounds import WrongState, locked


@dataclass(frozen=True)
class Voided:
    n_events: int
    n_withdrawn: int


def standing_answers(round_: Round, rater: Rater) -> QuerySet[JudgmentEvent]:
    """The rater's answers in the round that hold now, repeats among them."""
    return JudgmentEvent.objects.answers().filter(round=round_, rater=rater)


@transaction.atomic
def void_rater(round_: Round, rater: Rater, *, actor: str, reason: str) -> Voided:
    """Void all answers of `rater` in the round, and ask them nothing more in it. Raises WrongState."""
    current = _begun(round_)
    voided = _void(standing_answers(current, rater), reason)
    packet = Packet.objects.filter(round=current, rater=rater).first()
    asked = list(packet.showings.asked()) if packet else []
    withdraw(asked, reason=reason, actor=actor)
    log(current, actor=actor, reason=f"Voided {voided} answers of {rater.pseudonym}. {reason}")
    return Voided(voided, len(asked))


@transaction.atomic
def void_answer(round_: Round, event: JudgmentEvent, *, actor: str, reason: str) -> Voided:
    """Void one answer; while the round is open, its showing is asked again. Raises WrongState."""
    current = _begun(round_)
    voided = _void(JudgmentEvent.objects.answers().filter(round=current, pk=event.pk), reason)
    if not voided:
        raise WrongState(_("This answer does not stand any more; nothing was changed."))
    log(current, actor=actor, reason=f"Voided answer {event.pk} of {event.rater.pseudonym}. {reason}")
    return Voided(voided, 0)


def _begun(round_: Round) -> Round:
    """The round, locked with its packets so that no answer comes in between."""
    current = locked(round_)
    if current.state == RoundState.DRAFT:
        raise WrongState(_("The round “%s” is a draft and has no answers yet.") % current.name)
    lock_packets(current)
    return current


def _void(answers: Iterable[JudgmentEvent], reason: str) -> int:
    events = [
        JudgmentEvent(
            event_id=uuid4(),
            round_id=event.round_id,
            rater_id=event.rater_id,
            pair_id=event.pair_id,
            item_id=event.item_id,
            showing_id=event.showing_id,
            kind=EventKind.VOID,
            replaces=event,
            shown_left_id=event.shown_left_id,
            channel=event.channel,
            reason=reason,
        )
        for event in answers
    ]
    return len(JudgmentEvent.objects.bulk_create(events, batch_size=500))
