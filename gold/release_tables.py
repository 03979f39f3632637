"""The derived tables of a release: judgments from events, gold from judgments. Pure; frames in, columns out.

Building a release and verifying it run the same derivation: what `verify` recomputes is what was published.
"""

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from io import BytesIO
from types import MappingProxyType
from typing import Any

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

from gold.aggregation import State, agreement_column
from gold.current import Event, current_pair_by_pair
from gold.labels import Labels, report_document
from gold.provenance import PRIMARY_TIER, STUDY_ORIGIN
from gold.rows import aggregate_rows, gold_rows
from labeling.tables import BENCH_PAIRS, JUDGMENTS, Frame, Table, read_table, write_table

_BATCH = 65_536
Cells = dict[str, Any]
NO_NOTES: Mapping[str, str] = MappingProxyType({})


@dataclass(frozen=True, slots=True)
class Terms:
    """What a release says of all its labels. `rounds` are slugs, earliest first."""

    tier: str
    rubric_id: str
    min_raters: int
    rounds: tuple[str, ...]
    vocabulary: dict[str, tuple[str, ...]]


def judgment_rows(
    holding: Iterable[Event], notes: Mapping[str, str] = NO_NOTES
) -> Iterator[dict[str, str | int | float | None]]:
    """Rows of `judgments` from the events that hold, with those of `notes` (by event id) that are theirs."""
    for event in holding:
        yield {
            "rater_id": event.rater_id,
            "pair_id": event.pair_id,
            "preferred_id": event.preferred_id,
            "judged_at": event.judged_at,
            "response_ms": event.response_ms,
            "shown_left": event.shown_left,
            "confidence": event.confidence,
            "note": notes.get(event.event_id, ""),
        }


def derive_judgments(events: Frame, terms: Terms, notes: Mapping[str, str] = NO_NOTES) -> Frame:
    """`judgments` from `judgment_events`, and from `notes`, which no event holds. Raises BrokenChain."""
    holding = current_pair_by_pair(_events(events), terms.rounds)
    return as_frame(JUDGMENTS, judgment_rows(holding, notes), terms)


def gold_cells(pairs: Frame, labels: Labels, terms: Terms) -> Cells:
    """`bench_gold`: the rows whose state is gold."""
    return gold_rows(
        pairs, labels.aggregates, tier=terms.tier, rubric_id=terms.rubric_id, origin=_origin(terms.tier)
    )


def aggregate_cells(pairs: Frame, labels: Labels, terms: Terms) -> Cells:
    """`label_aggregates`: every pair with its state."""
    return aggregate_rows(
        pairs, labels.aggregates, tier=terms.tier, rubric_id=terms.rubric_id, origin=_origin(terms.tier)
    )


def pair_cells(pairs: Frame, labels: Labels) -> Cells:
    """`bench_pairs` with agreement and n_raters filled in, and `ambiguous` for what is not gold."""
    aggregates = labels.aggregates
    is_gold = pa.array(aggregates.state == State.GOLD)
    cells = {name: pairs.column(name).combine_chunks() for name in BENCH_PAIRS.names}
    return cells | {
        "difficulty": pc.if_else(is_gold, cells["difficulty"], "ambiguous"),
        "agreement": pa.array(agreement_column(aggregates), mask=aggregates.n_raters == 0),
        "n_raters": aggregates.n_raters,
    }


def release_report(pairs: Frame, labels: Labels, terms: Terms) -> dict[str, object]:
    """`report.json` of a release."""
    origin = _origin(terms.tier)
    origins = [origin] if origin else sorted(set(pairs.text("data_origin")))
    return report_document(labels, tier=terms.tier, rubric_id=terms.rubric_id, origins=origins)


def as_frame(table: Table, rows: Any, terms: Terms) -> Frame:
    """Rows or columns as the frame that reading the written table would give."""
    file = BytesIO()
    write_table(file, table, rows, "parquet")
    return read_table(file, table, table.name, vocabulary=terms.vocabulary)


def _origin(tier: str) -> str | None:
    """Where labels come from: a study's experts judge items of any origin, others share the pairs' origin."""
    return STUDY_ORIGIN if tier == PRIMARY_TIER else None


def _events(frame: Frame) -> Iterator[Event]:
    for start in range(0, len(frame), _BATCH):
        columns = [frame.column(name).slice(start, _BATCH).to_pylist() for name in Event._fields]
        yield from map(Event._make, zip(*columns, strict=True))


def state_counts(labels: Labels) -> dict[str, int]:
    """Pairs in each state, gold first."""
    found = np.bincount(labels.aggregates.state, minlength=len(State))
    return {state.label: int(found[state]) for state in sorted(State, key=lambda s: s != State.GOLD)}


def rows_in_state(labels: Labels, state: State, limit: int) -> Sequence[int]:
    """The first `limit` rows of the pairs table that are in `state`."""
    rows: list[int] = np.flatnonzero(labels.aggregates.state == state)[:limit].tolist()
    return rows
