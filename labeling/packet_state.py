"""Where a rater stands in a packet: progress, what comes next, what was answered."""

from dataclasses import dataclass
from datetime import datetime
from statistics import median
from typing import Any

from django.db.models import Exists, OuterRef, Q, QuerySet
from django.utils.translation import gettext as _
from django.utils.translation import ngettext, pgettext

from labeling.models import EventKind, JudgmentEvent, Packet, RoundState, Showing

SETTLED = (EventKind.VOTE, EventKind.ABSTAIN)


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
    """As `with_progress`, by two counts that each follow one index: asked after every answer."""
    settled = JudgmentEvent.objects.current().filter(showing__packet=packet, kind__in=SETTLED)
    return Progress(done=settled.count(), total=packet.showings.asked().count())


def next_showings(packet: Packet, n: int, *, but: int | None = None) -> list[Showing]:
    """Up to `n` showings that still want an answer, in the order they will be asked.

    First those not answered yet by position, then the skipped ones. `but` leaves out the showing with that
    key: the one on the screen.
    """
    current = JudgmentEvent.objects.current().filter(showing=OuterRef("pk"))
    # All are of one packet, whose own round is meant for all of them.
    showings = packet.showings.asked().select_related("pair", "left_item")
    showings = showings.exclude(pk=but or 0).order_by("position")
    answered = Exists(current.filter(kind__in=[*SETTLED, EventKind.SKIP]))
    found = list(showings.filter(~answered)[:n])
    if len(found) < n:
        found += showings.filter(Exists(current.filter(kind=EventKind.SKIP)))[: n - len(found)]
    return found


def next_showing(packet: Packet) -> Showing | None:
    """The showing to ask now; None when all is done."""
    return next(iter(next_showings(packet, 1)), None)


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
        .filter(showing__packet=packet, kind__in=[*SETTLED, EventKind.SKIP])
        .select_related("showing")
        .order_by("showing__position")
    )
    return [
        GivenAnswer(
            token=event.showing.token,
            position=event.showing.position,
            kind=event.kind,
            what=what_of(event),
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


def choice_of(event: JudgmentEvent) -> str:
    """ "left", "right", or "" when the event chooses nothing."""
    if event.preferred_id is None:
        return ""
    return "left" if event.preferred_id == event.shown_left_id else "right"


def what_of(event: JudgmentEvent) -> str:
    """The answer in a word, for its rater."""
    if event.score is not None:
        return f"{event.score:.2f}"
    sides = {"left": pgettext("choice", "left"), "right": pgettext("choice", "right")}
    return sides.get(choice_of(event)) or str(EventKind(event.kind).label)
