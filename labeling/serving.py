"""What a rater receives: a whitelist, read from the stored showing and nowhere else.

Nothing here reads item_a, item_b, gold, names or other raters. tests/labeling/test_blindness.py
reads every byte that leaves.
"""

from dataclasses import dataclass
from datetime import datetime
from statistics import median
from typing import Any

from django.db.models import Exists, OuterRef, Q, QuerySet
from django.urls import reverse
from django.utils.translation import gettext as _
from django.utils.translation import ngettext, pgettext

from labeling.models import EventKind, ItemRendition, JudgmentEvent, Packet, RoundState, Showing, User
from labeling.recording import current_event, was_skipped

_SETTLED = (EventKind.VOTE, EventKind.ABSTAIN)


@dataclass(frozen=True)
class Progress:
    """The one count of a packet, shown alike everywhere: showings with a choice or "cannot judge"."""

    done: int
    total: int

    @property
    def label(self) -> str:
        return _("%(done)d of %(total)d") % {"done": self.done, "total": self.total}

    def as_json(self) -> dict[str, Any]:
        return {"done": self.done, "total": self.total, "label": self.label}


def progress_of(packet: Packet) -> Progress:
    counted = Packet.objects.with_progress().get(pk=packet.pk)
    return Progress(done=counted.n_done, total=counted.n_showings)


def next_showing(packet: Packet) -> Showing | None:
    """The first showing not yet answered; skipped ones come back after all others; None when all is done."""
    current = JudgmentEvent.objects.current().filter(showing=OuterRef("pk"))
    showings = packet.showings.select_related("pair").order_by("position")
    answered = Exists(current.filter(kind__in=[*_SETTLED, EventKind.SKIP]))
    return (
        showings.filter(~answered).first()
        or showings.filter(Exists(current.filter(kind=EventKind.SKIP))).first()
    )


def showing_of(user: User, token: str, *, closed_too: bool = False) -> Showing:
    """The user's showing behind `token`; Showing.DoesNotExist for anybody else's.

    With `closed_too` also in closed rounds, so that an answer sent again is recognised there.
    """
    if "\0" in token:  # PostgreSQL would refuse to look for it
        raise Showing.DoesNotExist
    packets = Packet.objects.of(user) if closed_too else Packet.objects.ratable_by(user)
    return Showing.objects.select_related("packet__round__rubric", "pair").get(
        packet__in=packets, token=token
    )


def rendition_of(user: User, token: str) -> ItemRendition:
    """The image behind one side's token; ItemRendition.DoesNotExist for anybody else's."""
    showing = (
        Showing.objects.filter(Q(left_token=token) | Q(right_token=token))
        .filter(packet__in=Packet.objects.ratable_by(user))
        .first()
    )
    if showing is None:
        raise ItemRendition.DoesNotExist
    item_pk = showing.left_item_id if showing.left_token == token else showing.right_item_id
    return ItemRendition.objects.get(item_id=item_pk, kind=ItemRendition.Kind.IMAGE)


def showing_json(showing: Showing) -> dict[str, Any]:
    """Everything the rating page knows about a showing."""
    rubric = showing.packet.round.rubric
    domain = rubric.domains.filter(domain=showing.pair.domain).first()
    renditions = {
        rendition.item_id: rendition
        for rendition in ItemRendition.objects.filter(
            item_id__in=[showing.left_item_id, showing.right_item_id]
        )
    }
    current = current_event(showing)
    return {
        "token": showing.token,
        "position": showing.position,
        "question": rubric.question,
        "cues": list(domain.cues) if domain else [],
        "brief": showing.pair.brief or (domain.default_brief if domain else ""),
        "condition": ", ".join(filter(None, [showing.pair.condition_era, showing.pair.condition_circle])),
        "non_criteria": list(rubric.non_criteria),
        "anchors": [
            {"range": f"{anchor['from']}–{anchor['to']}", "label": anchor["label"]}
            for anchor in rubric.anchors
        ],
        "left": _side_json(renditions[showing.left_item_id], showing.left_token),
        "right": _side_json(renditions[showing.right_item_id], showing.right_token),
        "current": event_json(current) if current else None,
        "returned": was_skipped(showing),
        "undo": _undo_json(showing.packet),
    }


@dataclass(frozen=True)
class GivenAnswer:
    """One line of "my answers"."""

    token: str
    position: int
    kind: str
    what: str
    note: str


def answers_of(packet: Packet) -> list[GivenAnswer]:
    """The rater's own current answers in order of the packet."""
    events = (
        JudgmentEvent.objects.current()
        .filter(showing__packet=packet, kind__in=[*_SETTLED, EventKind.SKIP])
        .select_related("showing")
        .order_by("showing__position")
    )
    return [
        GivenAnswer(
            token=event.showing.token,
            position=event.showing.position,
            kind=event.kind,
            what=_what(event),
            note=event.note,
        )
        for event in events
        if event.showing is not None
    ]


CLOSED_SHOWN = 10
"""Cards of closed packets on a rater's home page."""


@dataclass(frozen=True)
class PacketCard:
    """A packet as the rater's home page shows it."""

    pk: int
    round_name: str
    question: str
    state: str
    deadline: datetime | None
    progress: Progress
    time_left: str
    can_rate: bool


def packet_cards(packets: QuerySet[Packet]) -> list[PacketCard]:
    """All packets of open rounds, then the CLOSED_SHOWN latest of closed ones."""
    open_ones = packets.filter(round__state=RoundState.OPEN).values("pk")
    latest = packets.exclude(round__state=RoundState.OPEN).order_by("-pk").values("pk")[:CLOSED_SHOWN]
    shown = Packet.objects.filter(Q(pk__in=open_ones) | Q(pk__in=latest))
    listed = list(shown.with_progress().select_related("round__rubric"))
    seconds = _median_seconds([packet.pk for packet in listed if packet.round.state == RoundState.OPEN])
    cards = []
    for packet in sorted(listed, key=lambda packet: (packet.round.state != RoundState.OPEN, -packet.pk)):
        progress = Progress(done=packet.n_done, total=packet.n_showings)
        is_open = packet.round.state == RoundState.OPEN
        cards.append(
            PacketCard(
                pk=packet.pk,
                round_name=packet.round.name,
                question=packet.round.rubric.question,
                state="open" if is_open else "closed",
                deadline=packet.round.deadline,
                progress=progress,
                time_left=_time_left(progress, seconds.get(packet.pk)),
                can_rate=is_open and progress.done < progress.total,
            )
        )
    return cards


def _median_seconds(packets: list[int]) -> dict[int, float]:
    """The rater's median time an answer in each packet; nothing is guessed from fewer than five."""
    times: dict[int, list[int]] = {}
    answers = JudgmentEvent.objects.answers().filter(showing__packet__in=packets)
    for packet, spent in answers.values_list("showing__packet", "response_ms"):
        if spent is not None:
            times.setdefault(packet, []).append(spent)
    return {packet: median(spent) / 1000 for packet, spent in times.items() if len(spent) >= 5}


def _time_left(progress: Progress, seconds: float | None) -> str:
    left = progress.total - progress.done
    if seconds is None or not left:
        return ""
    minutes = max(1, round(seconds * left / 60))
    return ngettext("about %d minute left", "about %d minutes left", minutes) % minutes


def event_json(event: JudgmentEvent) -> dict[str, Any]:
    """A rater's own event, in terms of the sides they saw."""
    return {
        "event_id": str(event.event_id),
        "kind": event.kind,
        "choice": choice_of(event) or None,
        "note": event.note,
    }


def choice_of(event: JudgmentEvent) -> str:
    """ "left", "right", or "" when the event chooses nothing."""
    if event.preferred_id is None:
        return ""
    return "left" if event.preferred_id == event.shown_left_id else "right"


def _side_json(rendition: ItemRendition, token: str) -> dict[str, Any]:
    if rendition.kind == ItemRendition.Kind.IMAGE:
        return {
            "kind": "image",
            "src": reverse("rendition", args=[token]),
            "html": None,
            "text": None,
            "width": rendition.width,
            "height": rendition.height,
        }
    formatted = rendition.kind == ItemRendition.Kind.HTML
    return {
        "kind": "html" if formatted else "text",
        "src": None,
        "html": rendition.text if formatted else None,
        "text": None if formatted else rendition.text,
        "width": None,
        "height": None,
    }


def _undo_json(packet: Packet) -> dict[str, Any] | None:
    """What "undo" would take back: the packet's latest answer that still stands."""
    last = (
        JudgmentEvent.objects.current()
        .filter(showing__packet=packet, kind__in=[*_SETTLED, EventKind.SKIP])
        .select_related("showing")
        .order_by("-received_at")
        .first()
    )
    if last is None or last.showing is None:
        return None
    label = _("pair %(position)d, %(what)s") % {"position": last.showing.position, "what": _what(last)}
    return {"token": last.showing.token, "event_id": str(last.event_id), "label": label}


def _what(event: JudgmentEvent) -> str:
    sides = {"left": pgettext("choice", "left"), "right": pgettext("choice", "right")}
    return sides.get(choice_of(event)) or str(EventKind(event.kind).label)
