"""What a rater is told about their own answers at the end of a packet, and nobody else's."""

from dataclasses import dataclass

from django.utils.translation import gettext as _
from django.utils.translation import ngettext

from labeling.models import JudgmentEvent, Packet, Task
from labeling.packet_state import SETTLED


@dataclass(frozen=True)
class OwnFigures:
    """`consistency` and `time` are sentences; `time` is "" where nothing was measured."""

    n_answers: int
    consistency: str
    time: str


def own_figures(packet: Packet) -> OwnFigures:
    """Count the packet's current answers, compare those to showings that came twice, and add up the time."""
    current = JudgmentEvent.objects.current().filter(showing__packet=packet, kind__in=SETTLED)
    answers = {event.showing_id: event for event in current}
    repeats = dict(packet.showings.asked().filter(repeat_of__isnull=False).values_list("pk", "repeat_of"))
    twice = [
        (answers[first], answers[again])
        for again, first in repeats.items()
        if first in answers and again in answers
    ]
    spent = [event.response_ms for event in answers.values() if event.response_ms is not None]
    compare = _scores_twice if packet.round.task == Task.ABSOLUTE else _choices_twice
    return OwnFigures(
        n_answers=len(answers),
        consistency=compare(twice) or _none_twice(packet, bool(repeats)),
        time=_time(spent),
    )


def _choices_twice(twice: list[tuple[JudgmentEvent, JudgmentEvent]]) -> str:
    """How often the same item was chosen, "" where no pair was chosen in twice."""
    chosen = [(a.preferred_id, b.preferred_id) for a, b in twice if a.preferred_id and b.preferred_id]
    if not chosen:
        return ""
    same = sum(first == again for first, again in chosen)
    words = ngettext(
        "One pair came twice, with sides exchanged; you chose the same item in %(k)d of %(n)d (%(share)s).",
        "%(n)d pairs came twice, with sides exchanged; you chose the same item in %(k)d of them (%(share)s).",
        len(chosen),
    )
    return words % {"k": same, "n": len(chosen), "share": f"{same / len(chosen):.0%}"}


def _scores_twice(twice: list[tuple[JudgmentEvent, JudgmentEvent]]) -> str:
    """How far apart the two scores of an item are on average, "" where none was scored twice."""
    apart = [abs(a.score - b.score) for a, b in twice if a.score is not None and b.score is not None]
    if not apart:
        return ""
    words = ngettext(
        "One item came twice; your two scores lie %(apart).2f apart.",
        "%(n)d items came twice; your two scores lie %(apart).2f apart on average.",
        len(apart),
    )
    return words % {"n": len(apart), "apart": sum(apart) / len(apart)}


def _none_twice(packet: Packet, has_repeats: bool) -> str:
    """Why self-consistency is undefined."""
    if has_repeats:
        return _("Your self-consistency is undefined: nothing that came twice has two answers of yours yet.")
    if packet.round.repeat_share:
        return _("Your self-consistency is undefined: the packet was too short to show anything twice.")
    return _("Your self-consistency is undefined: nothing in this round came twice.")


def _time(spent: list[int]) -> str:
    if not spent:
        return ""
    minutes = max(1, round(sum(spent) / 60_000))
    return (
        ngettext(
            "You spent about %d minute looking and choosing.",
            "You spent about %d minutes looking and choosing.",
            minutes,
        )
        % minutes
    )
