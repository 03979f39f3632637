"""Watching a round while it collects: how far each rater is, never which side wins.

Counts are made by the database; of the events themselves only the middle ones of a rater's times are read.
"""

from collections import Counter, defaultdict
from dataclasses import dataclass, field
from datetime import date, datetime

from django.db.models import Count, F, Max, OuterRef, Q, QuerySet, Subquery, Window
from django.db.models.functions import RowNumber, TruncDate
from django.utils.translation import gettext as _

from labeling.models import EventKind, JudgmentEvent, Round, RoundState
from labeling.stats.intervals import wilson

LEAST_TIMES = 5
LEAST_REPEATS = 5
HASTY_SECONDS = 2
LOW_CONSISTENCY = 0.7
"""A flag wants some answers behind it: so many times or repeats, a median below so many seconds, less than
this share of repeats answered with the same item."""


@dataclass(frozen=True)
class ShareOf:
    """`k` of `n`, for people: with Wilson's 95 % interval, a dash where there is nothing to share."""

    k: int = 0
    n: int = 0

    @property
    def value(self) -> float | None:
        return self.k / self.n if self.n else None

    @property
    def interval(self) -> tuple[float, float] | None:
        return wilson(self.k, self.n)

    @property
    def words(self) -> str:
        interval = self.interval
        if interval is None:
            return "—"
        return f"{self.k / self.n:.0%} ({interval[0]:.0%}–{interval[1]:.0%})"

    @property
    def percent(self) -> str:
        return "—" if self.value is None else f"{self.value:.0%}"

    @property
    def bar(self) -> dict[str, str]:
        """Places of the interval and the value on an axis from 0 to 100, for an SVG."""
        low, high = self.interval or (0.0, 0.0)
        return {
            "x": f"{100 * low:.1f}",
            "width": f"{100 * (high - low):.1f}",
            "at": f"{100 * (self.value or 0):.1f}",
        }


@dataclass(frozen=True)
class RaterRow:
    """One rater's progress. `left` is about the side chosen on the screen, not the item."""

    rater_pk: int
    pseudonym: str
    done: int
    total: int
    skipped: int
    left: ShareOf
    median_seconds: float | None
    consistency: ShareOf
    """Repeats answered with the same item as the first time."""
    agreement: ShareOf | None
    """Comparisons with other raters' votes on the same pair that agree; None while the round collects."""
    last_seen: datetime | None
    days: list[tuple[date, int]] = field(default_factory=list)
    can_sign_in: bool = True

    @property
    def open(self) -> int:
        return self.total - self.done

    @property
    def flags(self) -> list[str]:
        """What an admin may want to look at, each with its reason."""
        found = []
        if not self.can_sign_in and self.open:
            found.append(_("cannot sign in any more; pass on what is open"))
        interval = self.left.interval
        if interval is not None and not interval[0] <= 0.5 <= interval[1]:
            found.append(_("left share: the interval excludes 50 %"))
        if self.median_seconds is not None and self.median_seconds < HASTY_SECONDS:
            found.append(_("median time under %d s") % HASTY_SECONDS)
        share = self.consistency.value
        if share is not None and self.consistency.n >= LEAST_REPEATS and share < LOW_CONSISTENCY:
            found.append(
                _("self-consistency under %(least)s (%(k)d of %(n)d)")
                % {"least": f"{LOW_CONSISTENCY:.0%}", "k": self.consistency.k, "n": self.consistency.n}
            )
        return found

    @property
    def sparkline(self) -> str:
        """Answers a day as points of an SVG polyline, 100 wide and 20 high, oldest first; "" with none."""
        if not self.days:
            return ""
        first, last = self.days[0][0], self.days[-1][0]
        counts = dict(self.days)
        span, most = max((last - first).days, 1), max(counts.values())
        places = sorted({first, last} | {day for day, _n in self.days} | _beside(counts, first, last))
        return " ".join(
            f"{100 * (day - first).days / span:.1f},{20 - 18 * counts.get(day, 0) / most:.1f}"
            for day in places
        )


def _beside(counts: dict[date, int], first: date, last: date) -> set[date]:
    """The empty days next to days with answers, so that a line falls to zero between them."""
    around = {date.fromordinal(day.toordinal() + step) for day in counts for step in (-1, 1)}
    return {day for day in around if first < day < last}


SORTS = {
    "rater": lambda row: row.pseudonym,
    "done": lambda row: row.done / row.total if row.total else 1,
    "left": lambda row: abs((row.left.value if row.left.n else 0.5) - 0.5),
    "time": lambda row: row.median_seconds or 0,
    "consistency": lambda row: -1 if row.consistency.value is None else row.consistency.value,
    "agreement": lambda row: -1 if row.agreement is None or not row.agreement.n else row.agreement.value,
    "seen": lambda row: row.last_seen.timestamp() if row.last_seen else 0,
    "flags": lambda row: len(row.flags),
}


def rows_of(round_: Round, sort: str = "rater") -> list[RaterRow]:
    """A row a packet, by pseudonym or by a key of SORTS, with "-" before it from the largest down."""
    current = JudgmentEvent.objects.current().filter(round=round_, showing__isnull=False)
    counted = _counts(current)
    medians = _medians(current)
    consistent = _consistency(current)
    agreements = None if round_.state == RoundState.OPEN else _agreement(round_)
    days = _days(round_)
    seen = dict(
        JudgmentEvent.objects.filter(round=round_, showing__isnull=False)
        .exclude(kind=EventKind.VOID)
        .values_list("rater_id")
        .annotate(last=Max("received_at"))
    )
    rows = []
    for packet in round_.packets.with_progress().select_related("rater__user"):
        mine = counted.get(packet.rater_id, {})
        user = packet.rater.user
        rows.append(
            RaterRow(
                rater_pk=packet.rater_id,
                pseudonym=packet.rater.pseudonym,
                done=packet.n_done,
                total=packet.n_showings,
                skipped=mine.get("skipped", 0),
                left=ShareOf(mine.get("left", 0), mine.get("chosen", 0)),
                median_seconds=medians.get(packet.rater_id),
                consistency=consistent.get(packet.rater_id, ShareOf()),
                agreement=None if agreements is None else agreements.get(packet.rater_id, ShareOf()),
                last_seen=seen.get(packet.rater_id),
                days=days.get(packet.rater_id, []),
                can_sign_in=user is not None and user.is_active,
            )
        )
    rows.sort(key=lambda row: row.pseudonym)
    key = SORTS.get(sort.removeprefix("-"), SORTS["rater"])
    return sorted(rows, key=key, reverse=sort.startswith("-"))


def _counts(current: QuerySet[JudgmentEvent]) -> dict[int, dict[str, int]]:
    """For each rater how many showings stand skipped, chosen, and chosen on the left."""
    votes = Q(kind=EventKind.VOTE, preferred__isnull=False)
    rows = (
        current.order_by()
        .values("rater")
        .annotate(
            skipped=Count("pk", filter=Q(kind=EventKind.SKIP)),
            chosen=Count("pk", filter=votes),
            left=Count("pk", filter=votes & Q(preferred=F("shown_left"))),
        )
    )
    return {row["rater"]: {name: row[name] for name in ("skipped", "chosen", "left")} for row in rows}


def _medians(current: QuerySet[JudgmentEvent]) -> dict[int, float]:
    """Each rater's median seconds a vote, from the one or two times in the middle."""
    middle = (
        current.filter(kind=EventKind.VOTE, response_ms__isnull=False)
        .annotate(
            place=Window(RowNumber(), partition_by="rater", order_by=["response_ms", "event_id"]),
            n=Window(Count("*"), partition_by="rater"),
        )
        .annotate(twice=F("place") * 2)
        .filter(twice__gte=F("n"), twice__lte=F("n") + 2)
    )
    times: dict[int, list[int]] = defaultdict(list)
    for rater, spent in middle.values_list("rater_id", "response_ms"):
        times[rater].append(spent or 0)
    return {rater: sum(spent) / len(spent) / 1000 for rater, spent in times.items()}


def _consistency(current: QuerySet[JudgmentEvent]) -> dict[int, ShareOf]:
    """Repeats whose item is the one chosen the first time, of those where both were votes."""
    votes = current.filter(kind=EventKind.VOTE, preferred__isnull=False)
    first_choice = votes.filter(showing=OuterRef("showing__repeat_of")).values("preferred")[:1]
    repeats = votes.filter(showing__repeat_of__isnull=False).annotate(before=Subquery(first_choice))
    rows = (
        repeats.filter(before__isnull=False)
        .order_by()
        .values_list("rater")
        .annotate(same=Count("pk", filter=Q(preferred=F("before"))), n=Count("pk"))
    )
    return {rater: ShareOf(same, n) for rater, same, n in rows}


def _agreement(round_: Round) -> dict[int, ShareOf]:
    """Each rater's votes against each vote of another on the same pair. Never asked of an open round."""
    votes = list(
        JudgmentEvent.objects.answers()
        .filter(round=round_, showing__repeat_of__isnull=True, preferred__isnull=False)
        .values_list("rater_id", "pair_id", "preferred_id")
    )
    on_pair = Counter(pair for _rater, pair, _item in votes)
    for_item = Counter((pair, item) for _rater, pair, item in votes)
    agree: Counter[int] = Counter()
    total: Counter[int] = Counter()
    for rater, pair, item in votes:
        agree[rater] += for_item[pair, item] - 1
        total[rater] += on_pair[pair] - 1
    return {rater: ShareOf(agree[rater], total[rater]) for rater in total}


def _days(round_: Round) -> dict[int, list[tuple[date, int]]]:
    """Answers stored on each day by each rater, in order of days."""
    rows = (
        JudgmentEvent.objects.filter(round=round_, kind__in=[EventKind.VOTE, EventKind.ABSTAIN])
        .annotate(day=TruncDate("received_at"))
        .order_by("day")
        .values_list("rater", "day")
        .annotate(n=Count("pk"))
    )
    found: dict[int, list[tuple[date, int]]] = defaultdict(list)
    for rater, day, n in rows:
        found[rater].append((day, n))
    return found


def missing_by_rater(round_: Round) -> list[tuple[str, int]]:
    """(pseudonym, open showings) of the raters of the round who have some, by pseudonym."""
    packets = round_.packets.with_progress().select_related("rater")
    missing = ((packet.rater.pseudonym, packet.n_showings - packet.n_done) for packet in packets)
    return sorted((name, n) for name, n in missing if n)
