"""What may be wrong between the files of a scoring, each fault with its line and a way to mend it."""

from collections import Counter
from collections.abc import Callable

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

from evaluation.columns import Mask, Rows, flat, mask
from evaluation.target import Votes
from gold.provenance import ARCHIVAL_TIER, SIMULATION
from labeling.tables import CellError, Frame, TableErrors
from labeling.tables.errors import SHOWN, show

WhatAndCure = tuple[str, str]


class Faults:
    """Faults over all files: the text of the first 200 of each check, the count of all."""

    def __init__(self) -> None:
        self.errors: list[CellError] = []
        self.total = 0

    def add(self, error: CellError) -> None:
        self.errors.append(error)
        self.total += 1

    def add_rows(
        self, frame: Frame, wrong: Mask, column: str, describe: Callable[[int], WhatAndCure]
    ) -> None:
        """One fault for each marked row; ``describe(row)`` gives what is wrong and the cure."""
        rows = np.flatnonzero(wrong).tolist()
        self.errors.extend(frame.error(row, column, *describe(row)) for row in rows[:SHOWN])
        self.total += len(rows)

    def merge(self, refused: TableErrors) -> None:
        self.errors.extend(refused.errors)
        self.total += refused.total

    def raise_if_any(self) -> None:
        if self.total:
            raise TableErrors(self.errors, self.total)


def check_votes(gold: Frame, votes: Votes, faults: Faults) -> None:
    """The share of agreement stems from a whole number of raters."""
    agreement = flat(gold.column("agreement"))

    def describe(row: int) -> WhatAndCure:
        n, k = int(votes.n_raters[row]), int(votes.modal[row])
        nearest = f"{k / n:.6g} ({k} of {n})" if n else "undefined"
        what = f"{show(agreement[row].as_py())} is no share of {n} raters; the nearest is {nearest}"
        return what, "Write the exact share, with at least three decimals, or correct n_raters"

    faults.add_rows(gold, votes.off, "agreement", describe)


def check_tier(gold: Frame, faults: Faults) -> None:
    """One tier, never the archival one, and simulated rows apart from real ones."""
    if not len(gold):
        cure = "Promote or aggregate judgments first; the report says why pairs did not become gold"
        faults.add(
            CellError(gold.name, None, None, "it has no rows, so there is nothing to score against", cure)
        )
        return
    tiers, origins = flat(gold.column("gold_tier")), flat(gold.column("data_origin"))
    origin_is_simulated = pc.equal(origins, SIMULATION)
    _check_one_value(gold, "gold_tier", tiers, "Score each tier with a gold file of its own", faults)
    kinds = pc.if_else(origin_is_simulated, "simulated", "real")
    cure = "Simulated and real labels never share a release: split the file"
    _check_one_value(gold, "data_origin", kinds, cure, faults)
    if pc.any(pc.equal(tiers, ARCHIVAL_TIER)).as_py():
        row = pc.index(tiers, ARCHIVAL_TIER).as_py()
        what = f"tier {ARCHIVAL_TIER} is archival and never scored"
        faults.add(
            gold.error(row, "gold_tier", what, "Score against gold of human experts that supersedes it")
        )
    disagrees = mask(pc.xor(pc.equal(tiers, SIMULATION), origin_is_simulated))

    def describe(row: int) -> WhatAndCure:
        what = f"data_origin {origins[row].as_py()} does not go with gold_tier {tiers[row].as_py()}"
        return (
            what,
            f"Simulated labels have both data_origin {SIMULATION} and gold_tier {SIMULATION}",
        )

    faults.add_rows(gold, disagrees, "data_origin", describe)


def check_origin(gold: Frame, pair_rows: Rows, pairs: Frame, faults: Faults) -> None:
    """No real label stands on a simulated pair."""
    rows = pa.array(pair_rows, mask=pair_rows < 0)
    pair_simulated = pc.equal(flat(pairs.column("data_origin")).take(rows), SIMULATION)
    label_simulated = pc.equal(flat(gold.column("data_origin")), SIMULATION)
    wrong = mask(pc.and_(pc.fill_null(pair_simulated, False), pc.invert(label_simulated)))
    what = f"the label is not simulated, but its pair is (data_origin in {pairs.name})"
    cure = "Correct the data_origin that is wrong; simulated and real rows never share a release"
    faults.add_rows(gold, wrong, "data_origin", lambda _row: (what, cure))


def _check_one_value(gold: Frame, column: str, values: pa.Array, cure: str, faults: Faults) -> None:
    counts = Counter({each["values"]: each["counts"] for each in pc.value_counts(values).to_pylist()})
    if len(counts) < 2:
        return
    kinds = ", ".join(f"{name} ({n} {'row' if n == 1 else 'rows'})" for name, n in counts.most_common())
    rarest = counts.most_common()[-1][0]
    row = pc.index(values, rarest).as_py()
    faults.add(gold.error(row, column, f"the file mixes {kinds}; here is the first {rarest} one", cure))
