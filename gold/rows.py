"""Aggregates as columns of `bench_gold` and `label_aggregates`, ready for `labeling.tables.write_table`.

Rows stand in order of pair_id, whatever order the pairs came in. `origin` None keeps each pair's own.
"""

from typing import Any

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc
from numpy.typing import NDArray

from gold.aggregation import Aggregates, State, agreement_column
from gold.provenance import ARCHIVAL_TIER
from labeling.tables import Frame

Rows = NDArray[np.int64]


def gold_rows(
    pairs: Frame, aggregates: Aggregates, *, tier: str, rubric_id: str, origin: str | None
) -> dict[str, Any]:
    """`bench_gold`: the pairs whose state is gold; of the archival tier, kept out of headline figures."""
    order = _by_pair_id(pairs)
    rows = order[aggregates.state[order] == State.GOLD]
    return _shared(pairs, aggregates, rows, rubric_id, origin) | {
        "pair_id": _take(pairs, "pair_id", rows),
        "gold_tier": pa.repeat(tier, len(rows)),
        "exclude_primary": pa.repeat("true" if tier == ARCHIVAL_TIER else "false", len(rows)),
    }


def aggregate_rows(
    pairs: Frame, aggregates: Aggregates, *, tier: str, rubric_id: str, origin: str | None
) -> dict[str, Any]:
    """`label_aggregates`: every pair with its state. preferred_id is empty at a tie and without votes."""
    rows = _by_pair_id(pairs)
    state = aggregates.state[rows]
    in_headline = (state == State.GOLD) & (tier != ARCHIVAL_TIER)
    return _shared(pairs, aggregates, rows, rubric_id, origin) | {
        "label_grain": pa.repeat("pair", len(rows)),
        "label_id": _take(pairs, "pair_id", rows),
        "state": pa.array([known.label for known in State]).take(pa.array(state)),
        "exclude_primary": pa.array(["true", "false"]).take(pa.array(in_headline.astype(np.int8))),
    }


def _shared(
    pairs: Frame, aggregates: Aggregates, rows: Rows, rubric_id: str, origin: str | None
) -> dict[str, Any]:
    chosen = aggregates.subset(rows)
    for_a = pa.array(chosen.preferred == 0)
    preferred = pc.if_else(for_a, _take(pairs, "item_a", rows), _take(pairs, "item_b", rows))
    return {
        "preferred_id": pc.if_else(pa.array(chosen.preferred >= 0), preferred, ""),
        "agreement": pa.array(agreement_column(chosen), mask=chosen.n_raters == 0),
        "n_raters": chosen.n_raters,
        "rubric_id": pa.repeat(rubric_id, len(rows)),
        "data_origin": _take(pairs, "data_origin", rows) if origin is None else pa.repeat(origin, len(rows)),
    }


def _by_pair_id(pairs: Frame) -> Rows:
    """Row numbers in order of pair_id; files are often written so, and that is quick to see."""
    ids = pairs.column("pair_id")
    if len(pairs) < 2 or pc.all(pc.less(ids.slice(0, len(pairs) - 1), ids.slice(1))).as_py():
        return np.arange(len(pairs), dtype=np.int64)
    return np.asarray(pc.sort_indices(ids).to_numpy(), np.int64)


def _take(pairs: Frame, column: str, rows: Rows) -> Any:
    return pc.take(pairs.column(column), pa.array(rows))
