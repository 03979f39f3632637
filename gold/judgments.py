"""Rows of closed rounds as contract tables, streamed from the database.

This is the only door from the database to gold. Every query names its rounds and their one tier, and reads
nothing but events, pairs and items: no weak label and no model's vote can come through.
"""

from collections.abc import Iterator, Sequence
from datetime import UTC, datetime
from decimal import Decimal
from io import BytesIO
from itertools import starmap
from typing import Any

from django.db import connection
from django.db.models import Case, F, Q, QuerySet, When
from django.db.models.functions import Collate

from gold.current import Event, current_pair_by_pair
from gold.release_tables import judgment_rows
from labeling.models import DataOrigin, EventKind, Item, JudgmentEvent, License, Pair, Round
from labeling.tables import BENCH_PAIRS, JUDGMENTS, Frame, read_table, write_table

Row = dict[str, str | int | float | None]
_CHUNK = 5_000


class MixedTiers(ValueError):
    """Rounds of different tiers were asked for together; one release holds one tier."""


def one_tier(rounds: Sequence[Round]) -> str:
    """The tier that all `rounds` share. Raises MixedTiers."""
    tiers = sorted({round_.gold_tier for round_ in rounds})
    if len(tiers) != 1:
        raise MixedTiers(f"a release holds one tier, these rounds have {', '.join(tiers) or 'none'}")
    return tiers[0]


def events_of(rounds: Sequence[Round]) -> QuerySet[JudgmentEvent]:
    """The judgment events of `rounds` on pairs, and nothing else; scores of single items are no votes."""
    return JudgmentEvent.objects.filter(
        round__in=[round_.pk for round_ in rounds], round__gold_tier=one_tier(rounds), pair__isnull=False
    )


def pairs_of(rounds: Sequence[Round]) -> QuerySet[Pair]:
    """The pairs that `rounds` ask about, each once."""
    asked = Round.objects.filter(pk__in=[r.pk for r in rounds], gold_tier=one_tier(rounds))
    return Pair.objects.filter(pk__in=asked.values("pairs"))


def items_of(rounds: Sequence[Round]) -> QuerySet[Item]:
    """The items of these pairs, each once."""
    pairs = pairs_of(rounds)
    return Item.objects.filter(Q(pk__in=pairs.values("item_a")) | Q(pk__in=pairs.values("item_b")))


def event_rows(rounds: Sequence[Round]) -> Iterator[Row]:
    """Rows of `judgment_events` by pair, rater and time. Notes stay inside, unreleased confidences too."""
    return starmap(_event_row, _event_values(rounds))


def released_notes(rounds: Sequence[Round]) -> dict[str, str]:
    """The notes that an admin has read and released, by event id."""
    told = events_of(rounds).filter(note_review__is_released=True).exclude(note="")
    return {str(event): note for event, note in told.values_list("event_id", "note")}


def pair_rows(rounds: Sequence[Round]) -> Iterator[Row]:
    """Rows of `bench_pairs` as declared, by pair_id."""
    columns = {
        name: name
        for name in ("pair_id", "domain", "condition_era", "condition_circle", "pair_group_id", "cue_type")
    } | {
        "difficulty": "difficulty",
        "split": "split",
        "brief": "brief",
        "item_a": "item_a__item_id",
        "item_b": "item_b__item_id",
        "data_origin": "data_origin_id",
    }
    return _rows(pairs_of(rounds), "pair_id", columns)


def item_rows(rounds: Sequence[Round]) -> Iterator[Row]:
    """Rows of `bench_items`, by item_id. References only, no content."""
    columns = {name: name for name in ("item_id", "domain", "era_tag", "circle_tags")} | {
        "uri_or_payload_ref": "payload_ref",
        "license": "license_id",
        "data_origin": "data_origin_id",
    }
    return _rows(items_of(rounds), "item_id", columns)


def vocabulary() -> dict[str, tuple[str, ...]]:
    """Licences and origins that the tables may name: those an admin added are among them."""
    return {
        "license": tuple(License.objects.order_by("pk").values_list("pk", flat=True)),
        "data_origin": tuple(DataOrigin.objects.order_by("pk").values_list("pk", flat=True)),
    }


def current_frames(rounds: Sequence[Round]) -> tuple[Frame, Frame]:
    """`bench_pairs` as declared and the current `judgments` of `rounds`, as they stand now."""
    words = vocabulary()
    pairs, judgments = BytesIO(), BytesIO()
    write_table(pairs, BENCH_PAIRS, pair_rows(rounds), "parquet")
    events = (_event(row) for row in event_rows(rounds))
    holding = current_pair_by_pair(events, round_order(rounds))
    write_table(judgments, JUDGMENTS, judgment_rows(holding), "parquet")
    return (
        read_table(pairs, BENCH_PAIRS, "bench_pairs", vocabulary=words),
        read_table(judgments, JUDGMENTS, "judgments", vocabulary=words),
    )


def round_order(rounds: Sequence[Round]) -> list[str]:
    """Slugs from the earliest round to the latest: without times, the later round's answer holds."""
    return [round_.slug for round_ in sorted(rounds, key=lambda r: (r.created_at, r.pk))]


def _event_values(rounds: Sequence[Round]) -> Iterator[tuple[Any, ...]]:
    return (
        events_of(rounds)
        .order_by(
            _bytewise("pair__pair_id"), _bytewise("rater__pseudonym"), "round_id", "received_at", "event_id"
        )
        .values_list(
            "event_id",
            "round__slug",
            "kind",
            "rater__pseudonym",
            "pair__pair_id",
            "showing__position",
            "showing__repeat_of__position",
            "replaces_id",
            "preferred__item_id",
            "verdict",
            "shown_left__item_id",
            "layout",
            "channel",
            "judged_at",
            "response_ms",
            "reason",
            Case(When(note_review__is_released=True, then=F("confidence"))),
        )
        .iterator(chunk_size=_CHUNK)
    )


def _event_row(
    event_id: object,
    round_slug: str,
    kind: str,
    rater: str,
    pair_id: str,
    position: int | None,
    repeated: int | None,
    replaces: object,
    preferred: str | None,
    verdict: str,
    shown_left: str | None,
    layout: str,
    channel: str,
    judged_at: datetime | None,
    response_ms: int | None,
    reason: str,
    released_confidence: Decimal | None,
) -> Row:
    # A showing is named by its place: its token is a rater's key and stays inside.
    packet = f"{round_slug}/{rater}"
    return {
        "event_id": str(event_id),
        "round": round_slug,
        "kind": kind,
        "rater_id": rater,
        "pair_id": pair_id,
        "showing": "" if position is None else f"{packet}/{position}",
        "repeat_of": "" if repeated is None else f"{packet}/{repeated}",
        "replaces": "" if replaces is None else str(replaces),
        "preferred_id": preferred or "",
        "verdict": verdict,
        "shown_left": shown_left or "",
        "layout": layout,
        "channel": channel,
        "judged_at": "" if judged_at is None else _instant(judged_at),
        "response_ms": response_ms,
        "confidence": None if released_confidence is None else float(released_confidence),
        # A rater's words are a note; only an admin's reason for voiding belongs to the record.
        "reason": reason if kind == EventKind.VOID else "",
    }


def _event(row: Row) -> Event:
    return Event(**{name: row[name] for name in Event._fields})  # type: ignore[arg-type]


def _instant(moment: datetime) -> str:
    return moment.astimezone(UTC).isoformat(timespec="microseconds").replace("+00:00", "Z")


def _rows(queryset: QuerySet[Any], key: str, columns: dict[str, str]) -> Iterator[Row]:
    values = queryset.order_by(_bytewise(key)).values_list(*columns.values()).iterator(chunk_size=_CHUNK)
    return (dict(zip(columns, row, strict=True)) for row in values)


def _bytewise(field: str) -> Collate:
    """Order as Python orders text, whatever the database's language is."""
    return Collate(F(field), "C" if connection.vendor == "postgresql" else "BINARY")
