"""Watching a round while it collects: how far each rater is, never which side wins."""

from dataclasses import dataclass
from datetime import datetime
from statistics import median

from django.db.models import Max

from labeling.models import EventKind, JudgmentEvent, Round
from labeling.stats.intervals import wilson


@dataclass(frozen=True)
class RaterRow:
    """One rater's progress. `left_*` describe the side chosen on screen, not the item."""

    pseudonym: str
    done: int
    total: int
    skipped: int
    left: int
    chosen: int
    median_seconds: float | None
    last_seen: datetime | None

    @property
    def left_percent(self) -> str:
        """Share of choices on the left with its 95 % interval; a dash before the first choice."""
        interval = wilson(self.left, self.chosen)
        if interval is None:
            return "—"
        low, high = interval
        return f"{self.left / self.chosen:.0%} ({low:.0%}–{high:.0%})"


def rows_of(round_: Round) -> list[RaterRow]:
    """A row a packet, by pseudonym, from one read of the round's current events."""
    events: dict[int, list[tuple[str, bool, int | None]]] = {}
    current = JudgmentEvent.objects.current().filter(round=round_, showing__isnull=False)
    for rater, kind, preferred, shown_left, spent in current.values_list(
        "rater_id", "kind", "preferred_id", "shown_left_id", "response_ms"
    ):
        events.setdefault(rater, []).append((kind, preferred == shown_left, spent))
    seen = dict(
        JudgmentEvent.objects.filter(round=round_, showing__isnull=False)
        .values_list("rater_id")
        .annotate(last=Max("received_at"))
    )
    rows = []
    for packet in round_.packets.with_progress().select_related("rater"):
        mine = events.get(packet.rater_id, [])
        votes = [event for event in mine if event[0] == EventKind.VOTE]
        times = [event[2] for event in votes if event[2] is not None]
        rows.append(
            RaterRow(
                pseudonym=packet.rater.pseudonym,
                done=packet.n_done,
                total=packet.n_showings,
                skipped=sum(kind == EventKind.SKIP for kind, _, _ in mine),
                left=sum(is_left for _, is_left, _ in votes),
                chosen=len(votes),
                median_seconds=median(times) / 1000 if times else None,
                last_seen=seen.get(packet.rater_id),
            )
        )
    return sorted(rows, key=lambda row: row.pseudonym)


def missing_answers(round_: Round) -> int:
    """How many showings of the round have neither a choice nor "cannot judge"."""
    return sum(packet.n_showings - packet.n_done for packet in round_.packets.with_progress())
