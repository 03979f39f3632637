"""From what happened to what holds: the current judgment of each rater on each pair.

Pure. Events form chains: each may replace one earlier event, none is replaced twice. What holds is the end of
a chain, unless it took the answer back (undo, skip, void) or belongs to a mirrored repeat.
"""

from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from datetime import UTC, datetime
from itertools import groupby
from operator import attrgetter
from typing import NamedTuple

ANSWERS = frozenset({"vote", "abstain", "import"})
"""Kinds of events that settle a pair. An abstention, and an import without a choice, prefer nothing."""

_NO_TIME = datetime.min.replace(tzinfo=UTC)


class Event(NamedTuple):
    """A row of `judgment_events`, in the columns that decide what holds or travel into `judgments`.

    Cells are text as in the table, "" when empty.
    """

    event_id: str
    round: str
    kind: str
    rater_id: str
    pair_id: str
    repeat_of: str = ""
    replaces: str = ""
    preferred_id: str = ""
    shown_left: str = ""
    judged_at: str = ""
    response_ms: int | str | None = None
    confidence: float | str | None = None

    @property
    def abstained(self) -> bool:
        """Whether the rater preferred neither item."""
        return not self.preferred_id


class BrokenChain(ValueError):
    """Events that cannot have happened: an id with two contents, or a `replaces` that leads nowhere."""


def current_judgments(events: Iterable[Event], rounds: Sequence[str] = ()) -> list[Event]:
    """The events that hold: at most one a rater and pair, sorted by pair and rater.

    Chains must be complete. Order of rows and repetition of rows change nothing. Where a rater judged a pair
    in several rounds the latest answer holds: by time, then (also where times are missing) by the place of
    the round in `rounds`, then by event id. A time is later than none.
    Raises BrokenChain.
    """
    by_id = _unique(events)
    latest: dict[tuple[str, str], Event] = {}
    for event in _ends(by_id):
        if event.kind not in ANSWERS or event.repeat_of:
            continue
        key = (event.pair_id, event.rater_id)
        other = latest.get(key)
        if other is None or _moment(event, rounds) > _moment(other, rounds):
            latest[key] = event
    return [latest[key] for key in sorted(latest)]


def current_pair_by_pair(events: Iterable[Event], rounds: Sequence[str] = ()) -> Iterator[Event]:
    """`current_judgments` of events that come pair by pair in rising pair id, holding one pair at a time."""
    before = ""
    for pair_id, group in groupby(events, key=attrgetter("pair_id")):
        if pair_id <= before:
            raise BrokenChain(f"events of pair {pair_id!r} come after those of {before!r}; sort by pair_id")
        before = pair_id
        yield from current_judgments(group, rounds)


def _unique(events: Iterable[Event]) -> dict[str, Event]:
    by_id: dict[str, Event] = {}
    for event in events:
        if by_id.setdefault(event.event_id, event) != event:
            raise BrokenChain(f"event {event.event_id} occurs twice with different content")
    return by_id


def _ends(by_id: dict[str, Event]) -> list[Event]:
    """The last event of each chain, after checking that chains are chains."""
    replaced = Counter(event.replaces for event in by_id.values() if event.replaces)
    for event_id, times in replaced.items():
        if times > 1:
            raise BrokenChain(f"event {event_id} is replaced {times} times; an event is replaced once")
    ends = [event for event in by_id.values() if event.event_id not in replaced]
    reached = sum(_length(event, by_id) for event in ends)
    if reached != len(by_id):
        raise BrokenChain(f"{len(by_id) - reached} events replace one another in a circle")
    return ends


def _length(end: Event, by_id: dict[str, Event]) -> int:
    length, event = 1, end
    while event.replaces:
        earlier = by_id.get(event.replaces)
        if earlier is None:
            raise BrokenChain(f"event {event.event_id} replaces {event.replaces}, which is not there")
        if (earlier.pair_id, earlier.rater_id) != (end.pair_id, end.rater_id):
            raise BrokenChain(f"event {event.event_id} replaces {event.replaces} of another rater or pair")
        length, event = length + 1, earlier
    return length


def _moment(event: Event, rounds: Sequence[str]) -> tuple[datetime, int, str]:
    time = datetime.fromisoformat(event.judged_at) if event.judged_at else _NO_TIME
    place = rounds.index(event.round) if event.round in rounds else -1
    return time, place, event.event_id
