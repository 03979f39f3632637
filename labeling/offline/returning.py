"""An offline packet's answers coming back: the browser's rules, whole or nothing, nothing stored twice."""

import uuid
from dataclasses import dataclass, field
from datetime import datetime

from django.db import transaction
from django.utils import timezone
from django.utils.translation import gettext as _

from labeling.models import Channel, EventKind, JudgmentEvent, Packet, Round, RoundState, Showing
from labeling.offline.responses import Response, responses_of
from labeling.packet_state import SETTLED, what_of
from labeling.recording import Answer, NotAllowed, RoundNotOpen, record
from labeling.tables import Frame
from labeling.tables.errors import CellError, ErrorLog, show

_NAMESPACE = uuid.UUID("0f0c5a52-6f0c-4f57-9d0b-3a1f6f3f0c6e")


@dataclass
class Returned:
    """What became of the rows: stored, stored before, or left aside since another answer stands.

    `standing` has a sentence for each of the last; `replaced` counts those stored in place of another answer.
    """

    rater: str = ""
    stored: int = 0
    known: int = 0
    replaced: int = 0
    standing: list[str] = field(default_factory=list)


class _Rehearsed(Exception):
    """Undoes what a preview stored."""


def return_packet(
    round_: Round, frame: Frame, *, packet: Packet | None = None, replace: bool = False
) -> Returned:
    """Store the answers of one packet of `round_`, of `packet` if given.

    An answer given elsewhere since stands and is reported, or is superseded with `replace`; a row that an
    admin voided stays void. Raises TableErrors with every fault of the table, RoundNotOpen; nothing is stored
    when it raises.
    """
    with transaction.atomic():
        return _return(round_, frame, packet, replace=replace)


def preview_return(
    round_: Round, frame: Frame, *, packet: Packet | None = None, replace: bool = False
) -> Returned:
    """What `return_packet` would answer or raise, with nothing stored."""
    returned = Returned()
    try:
        with transaction.atomic():
            returned = _return(round_, frame, packet, replace=replace)
            raise _Rehearsed
    except _Rehearsed:
        return returned


def _return(round_: Round, frame: Frame, packet: Packet | None, *, replace: bool) -> Returned:
    log = ErrorLog()
    responses = responses_of(frame, log)
    own = packet or _packet_of(round_, responses)
    if own is not None:
        # The lock that every answer of this rater waits for, so that none comes between check and storing.
        own = Packet.objects.select_for_update().get(pk=own.pk)
    state = Round.objects.values_list("state", flat=True).get(pk=round_.pk)
    if state != RoundState.OPEN:
        raise RoundNotOpen(_("The round “%s” is not open; nothing was stored.") % round_.name)
    showings = _showings(own)
    chains = _chains(own)
    returned = Returned(rater=own.rater.pseudonym if own else "")
    for response in responses:
        showing = showings.get(response.token)
        if showing is None:
            log.add(_foreign(frame, response))
        elif _is_sound(frame, response, showing, log):
            chain = chains.get(showing.pk, [])
            _store(frame, response, showing, chain, returned, log, replace=replace)
    log.raise_if_any()
    return returned


def _packet_of(round_: Round, responses: list[Response]) -> Packet | None:
    """The packet that the first known token belongs to: a file holds the answers of one rater."""
    tokens = [response.token for response in responses]
    found = {
        showing.token: showing.packet
        for start in range(0, len(tokens), 500)
        for showing in Showing.objects.filter(
            packet__round=round_, token__in=tokens[start : start + 500]
        ).select_related("packet")
    }
    return next((found[token] for token in tokens if token in found), None)


def _showings(packet: Packet | None) -> dict[str, Showing]:
    if packet is None:
        return {}
    rows = packet.showings.select_related("packet__round", "packet__rater", "withdrawal")
    return {showing.token: showing for showing in rows}


def _foreign(frame: Frame, response: Response) -> CellError:
    return frame.error(
        response.row,
        "token",
        _("%s is no page of this packet") % show(response.token),
        _("Hand in each packet's file by itself, with its tokens as they were; or leave the row out"),
    )


def _chains(packet: Packet | None) -> dict[int, list[JudgmentEvent]]:
    """The events of each showing of the packet, by the showing's key."""
    chains: dict[int, list[JudgmentEvent]] = {}
    if packet is not None:
        for event in JudgmentEvent.objects.filter(showing__packet=packet).order_by("received_at"):
            if event.showing_id is not None:
                chains.setdefault(event.showing_id, []).append(event)
    return chains


def _is_sound(frame: Frame, response: Response, showing: Showing, log: ErrorLog) -> bool:
    """Whether the answer makes sense at its showing; faults go to `log`."""
    round_ = showing.packet.round
    faults = []
    if hasattr(showing, "withdrawal"):
        faults.append(("token", _("this page is asked of the rater no more"), _("Leave the row out")))
    if showing.pair_id is None and response.choice in {"left", "right"}:
        cure = _("Write a number from 0 to 1 into score, or cannot judge into choice")
        faults.append(("choice", _("the page shows a single item, which has no sides"), cure))
    if showing.pair_id is not None and response.score is not None:
        cure = _("Write left, right or cannot judge into choice, and empty score")
        faults.append(("score", _("the page shows a pair, which has no score"), cure))
    if response.confidence is not None and not round_.asks_confidence:
        faults.append(("confidence", _("this round asks for no confidence"), _("Empty the cell")))
    if response.confidence is not None and response.choice == "cannot judge":
        cure = _("Empty the cell, or choose a side")
        faults.append(("confidence", _("“cannot judge” has no confidence"), cure))
    moment = datetime.fromisoformat(response.judged_at) if response.judged_at else None
    if moment is not None and not showing.packet.created_at <= moment <= timezone.now():
        what = _("%s is before the packet was made, or still to come") % show(response.judged_at)
        faults.append(("judged_at", what, _("Correct the time and its zone, or empty the cell")))
    for column, what, cure in faults:
        log.add(frame.error(response.row, column, what, cure))
    return not faults


def _store(
    frame: Frame,
    response: Response,
    showing: Showing,
    chain: list[JudgmentEvent],
    returned: Returned,
    log: ErrorLog,
    *,
    replace: bool,
) -> None:
    replaced = {event.replaces_id for event in chain}
    current = next((event for event in chain if event.pk not in replaced), None)
    # An id tells the row and what it superseded, so the events that this row once made are recognised.
    came_before = [event for event in chain if event.pk == _event_id(response, event.replaces_id)]
    if current is not None and current in came_before:
        returned.known += 1
        return
    is_answered = current is not None and current.kind in SETTLED
    # A voided showing is asked again, but not to be answered by the very row that was voided.
    is_final = not replace or (current is not None and current.kind == EventKind.VOID)
    if current is not None and (came_before or is_answered) and is_final:
        returned.standing.append(
            _("%(file)s:%(line)d: page %(position)d says “%(what)s” since; that stands.")
            % {
                "file": frame.name,
                "line": frame.line(response.row),
                "position": showing.position,
                "what": what_of(current),
            }
        )
        return
    try:
        record(showing, _answer(response, current), channel=Channel.OFFLINE_PACKET)
    except NotAllowed as refusal:
        log.add(frame.error(response.row, None, str(refusal), _("Leave the row out")))
        return
    returned.stored += 1
    returned.replaced += is_answered


def _answer(response: Response, current: JudgmentEvent | None) -> Answer:
    replaces = current.pk if current else None
    return Answer(
        event_id=_event_id(response, replaces),
        kind=EventKind.ABSTAIN if response.choice == "cannot judge" else EventKind.VOTE,
        replaces=replaces,
        choice=response.choice if response.choice in {"left", "right"} else "",
        score=response.score,
        confidence=response.confidence,
        note=response.note,
        judged_at=datetime.fromisoformat(response.judged_at) if response.judged_at else None,
    )


def _event_id(response: Response, replaces: uuid.UUID | None) -> uuid.UUID:
    return uuid.uuid5(_NAMESPACE, f"{response.content()}\0{replaces or ''}")
