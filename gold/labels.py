"""What judgments on pairs amount to, and the report on them: for `tb gold` and for releases alike. Pure."""

from collections.abc import Iterable
from dataclasses import dataclass

import numpy as np

from gold.aggregation import MIN_RATERS, Aggregates, aggregate
from gold.provenance import SIMULATION
from gold.report import Grouping, agreement_report
from gold.votes import votes
from labeling.tables import Frame


@dataclass(frozen=True, slots=True, eq=False)
class Labels:
    """`aggregates` of each pair in the order of the pairs, and the agreement report over all of them."""

    aggregates: Aggregates
    report: dict[str, object]


def derive_labels(pairs: Frame, judgments: Frame, min_raters: int = MIN_RATERS) -> Labels:
    """Count, gate and report. `judgments` hold one current answer a rater and pair.

    Raises TableErrors for a judgment that fits no pair.
    """
    counted = votes(pairs, judgments)
    aggregates = aggregate(counted.pair, counted.choice, len(pairs), min_raters)
    report = agreement_report(
        aggregates,
        domains=_grouping(pairs, "domain"),
        splits=_grouping(pairs, "split"),
        raters=counted.raters,
        abstentions=counted.abstentions,
    )
    return Labels(aggregates, report)


def report_document(
    labels: Labels, *, tier: str, rubric_id: str, origins: Iterable[str]
) -> dict[str, object]:
    """The report with what kind of gold it is about, since a file is read on its own."""
    return {
        "summary": labels.report["summary"],  # stays the first line
        "gold_tier": tier,
        "rubric_id": rubric_id,
        "data_origin": list(origins),
        "simulation": tier == SIMULATION,
    } | labels.report


def _grouping(pairs: Frame, column: str) -> Grouping:
    codes, names = pairs.encoded(column)
    return Grouping(codes.astype(np.int64), names.to_pylist())
