"""Recording what a rater answered: append-only, idempotent by event id, ordered by `replaces`."""

from dataclasses import dataclass
from datetime import datetime, timedelta
from decimal import Decimal
from uuid import UUID

from django.db import IntegrityError, transaction
from django.utils import timezone
from django.utils.translation import gettext as _

from labeling.models import Channel, EventKind, JudgmentEvent, Packet, RoundState, Showing, ShowingWithdrawal


@dataclass(frozen=True)
class Answer:
    """One act at one showing, as the rater's browser sends it. `choice` is "left", "right" or "".

    `score` in [0, 1] answers an absolute round instead of `choice`; `confidence` in [0.5, 1] goes with a
    choice where the round asks for it; `waited_ms` is how long the answer waited to be sent. `judged_at` is
    what a returned file says, and is read for the channel offline_packet only.
    """

    event_id: UUID
    kind: str
    replaces: UUID | None = None
    choice: str = ""
    note: str = ""
    reason: str = ""
    layout: str = ""
    response_ms: int | None = None
    score: Decimal | None = None
    confidence: Decimal | None = None
    waited_ms: int | None = None
    judged_at: datetime | None = None


class RoundNotOpen(Exception):
    """The round has closed; nothing was stored."""


class NotAllowed(Exception):
    """The act makes no sense at this showing; the message says why."""


class OutOfOrder(Exception):
    """`replaces` does not name the showing's current event. `current` is that event, or None."""

    def __init__(self, current: JudgmentEvent | None) -> None:
        super().__init__(_("This pair was answered elsewhere in the meantime."))
        self.current = current


def current_event(showing: Showing) -> JudgmentEvent | None:
    """The event of the showing that no other replaces."""
    return JudgmentEvent.objects.current().filter(showing=showing).first()


def was_skipped(showing: Showing) -> bool:
    """Whether the showing was skipped (and the skip not undone): it has come back, for the last time."""
    return showing.events.filter(kind=EventKind.SKIP).exclude(replaced_by__kind=EventKind.UNDO).exists()


def record(
    showing: Showing, answer: Answer, *, channel: Channel = Channel.BROWSER
) -> tuple[JudgmentEvent, bool]:
    """Store `answer` and return (event, True), or the stored event and False when its id is known.

    On paper there is no second round of skipped pairs, so the channel offline_packet may say "cannot judge"
    at once. Raises RoundNotOpen, NotAllowed, OutOfOrder. Nothing is stored when it raises.
    """
    try:
        with transaction.atomic():
            return _record(showing, answer, channel)
    except IntegrityError:
        # Another request won the race for this id or this place in the chain; its row is committed now.
        repeated = _repeated(showing, answer)
        if repeated is not None:
            return repeated, False
        raise OutOfOrder(current_event(showing)) from None


def _record(showing: Showing, answer: Answer, channel: Channel) -> tuple[JudgmentEvent, bool]:
    # The packet's lock orders answers of one rater, and answers against the closing of the round.
    # The round is read by a query of its own: one joined to the lock would be as old as the wait for it.
    packet = Packet.objects.select_for_update().get(pk=showing.packet_id)
    repeated = _repeated(showing, answer)
    if repeated is not None:
        return repeated, False
    if packet.round.state != RoundState.OPEN:
        raise RoundNotOpen(_("The round “%s” has closed; the answer was not stored.") % packet.round.name)
    current = current_event(showing)
    if answer.replaces != (current.event_id if current else None):
        raise OutOfOrder(current)
    _check_allowed(showing, answer, current, channel)
    event = JudgmentEvent.objects.create(
        event_id=answer.event_id,
        round=packet.round,
        rater_id=packet.rater_id,
        pair_id=showing.pair_id,
        item_id=None if showing.pair_id else showing.left_item_id,
        showing=showing,
        kind=answer.kind,
        replaces=current,
        score=answer.score,
        confidence=answer.confidence,
        preferred_id={"left": showing.left_item_id, "right": showing.right_item_id}.get(answer.choice),
        shown_left_id=showing.left_item_id,
        layout=answer.layout,
        channel=channel,
        judged_at=_judged_at(answer, channel),
        response_ms=answer.response_ms,
        reason=answer.reason,
        note=answer.note,
    )
    return event, True


def _judged_at(answer: Answer, channel: Channel) -> datetime:
    """When the rater answered, as far as is known; a returned file need not say."""
    if channel == Channel.OFFLINE_PACKET and answer.judged_at is not None:
        return answer.judged_at
    return timezone.now() - timedelta(milliseconds=answer.waited_ms or 0)


def _repeated(showing: Showing, answer: Answer) -> JudgmentEvent | None:
    stored = JudgmentEvent.objects.filter(pk=answer.event_id).first()
    if stored is not None and stored.showing_id != showing.pk:
        raise NotAllowed(_("This event id belongs to another pair; make a new one for each answer."))
    return stored


def _check_allowed(showing: Showing, answer: Answer, current: JudgmentEvent | None, channel: Channel) -> None:
    is_vote = answer.kind == EventKind.VOTE
    if is_vote is not bool(answer.choice or answer.score is not None):
        raise NotAllowed(_("A vote names a side or a score, and nothing else does."))
    if is_vote and (showing.pair_id is None) is not (answer.score is not None and not answer.choice):
        raise NotAllowed(_("A pair is answered with a side, a single item with a score."))
    if answer.confidence is not None and not (is_vote and showing.packet.round.asks_confidence):
        raise NotAllowed(_("This round asks for no confidence here."))
    if ShowingWithdrawal.objects.filter(showing=showing).exists():
        raise NotAllowed(_("This pair is asked of you no more; reload the page to go on."))
    if answer.kind == EventKind.UNDO and (
        current is None or current.kind in {EventKind.UNDO, EventKind.VOID}
    ):
        raise NotAllowed(_("There is nothing to undo here."))
    skipped = was_skipped(showing)
    if answer.kind == EventKind.SKIP:
        if skipped:
            raise NotAllowed(_("This pair was skipped before; choose a side or “cannot judge”."))
        if current is not None and current.kind not in {EventKind.UNDO, EventKind.VOID}:
            raise NotAllowed(_("This pair is answered; undo the answer before skipping it."))
    if answer.kind == EventKind.ABSTAIN and not skipped and channel == Channel.BROWSER:
        raise NotAllowed(_("“Cannot judge” is offered when a skipped pair comes back."))
