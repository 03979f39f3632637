"""Tables of pairs and judgments into gold, every pair's aggregate, and the report: what `tb gold` does."""

from dataclasses import dataclass
from typing import Any

from gold.aggregation import Aggregates
from gold.labels import derive_labels, report_document
from gold.provenance import declared
from gold.rows import aggregate_rows, gold_rows
from labeling.tables import Frame
from labeling.tables.references import check_bench


@dataclass(frozen=True, slots=True, eq=False)
class Build:
    """What was made: aggregates of `pairs`, how their rows are labelled, and the report (JSON-ready)."""

    pairs: Frame
    aggregates: Aggregates
    tier: str
    rubric_id: str
    origin: str | None
    report: dict[str, object]

    def gold(self) -> dict[str, Any]:
        """Columns of `bench_gold`, for `labeling.tables.write_table`."""
        return gold_rows(
            self.pairs, self.aggregates, tier=self.tier, rubric_id=self.rubric_id, origin=self.origin
        )

    def label_aggregates(self) -> dict[str, Any]:
        """Columns of `label_aggregates`: every pair, gold or not."""
        return aggregate_rows(
            self.pairs, self.aggregates, tier=self.tier, rubric_id=self.rubric_id, origin=self.origin
        )


def build(pairs: Frame, judgments: Frame, *, tier: str | None, rubric_id: str, origin: str | None) -> Build:
    """Aggregate `judgments` (one current answer a rater and pair) on `pairs`.

    `tier` may be None for simulated pairs only; `origin` None keeps each pair's own.
    Raises TableErrors when the tables do not fit each other, gold.provenance.ProvenanceError when tier or
    origin do not fit the pairs.
    """
    check_bench(None, pairs)
    tier, origins = declared(pairs, tier, origin)
    labels = derive_labels(pairs, judgments)
    report = report_document(labels, tier=tier, rubric_id=rubric_id, origins=origins)
    return Build(pairs, labels.aggregates, tier, rubric_id, origin, report)
