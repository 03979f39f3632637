"""A million predictions scored: `tb score` from CSV beside a plain pandas merge of the same files.

    python -m benchmarks.score_throughput [--pairs 1000000] [--repeats 3]

Needs requirements/bench.txt (see benchmarks/README.md). Prints figures; it passes or fails nothing. The merge
computes the accuracy alone, where `tb score` also checks every cell and writes all figures.
"""

from __future__ import annotations

import argparse
import json
import tempfile
from pathlib import Path

from benchmarks.generate import Bench
from benchmarks.measure import Usage, run, tb

PANDAS_MERGE = """
import json, sys
import pandas as pd
preds, pairs, gold = (pd.read_csv(path, dtype=str) for path in sys.argv[1:4])
rows = gold.merge(pairs, on="pair_id").merge(preds, on="pair_id", how="left")
n, agreement = rows.n_raters.astype(int), rows.agreement.astype(float)
kept = rows[(rows.split == "test") & (n >= 3) & (agreement >= 0.6) & (rows.exclude_primary == "false")]
correct = int((kept.pred_preferred_id == kept.preferred_id).sum())
json.dump({"correct": correct, "n": len(kept)}, open(sys.argv[4], "w"))
"""


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--pairs", type=int, default=1_000_000)
    parser.add_argument("--repeats", type=int, default=3)
    options = parser.parse_args()
    print(f"{options.pairs:,} pairs, gold rows and predictions; best of {options.repeats}")
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        bench = Bench(options.pairs)
        preds, pairs, gold = (folder / f"{table}.csv" for table in ("preds", "pairs", "gold"))
        bench.write_preds(preds)
        bench.write_pairs(pairs)
        bench.write_gold(gold)
        ours, theirs = folder / "metrics.json", folder / "merge.json"
        scored, merged = [], []
        # By turns, so that whatever else the machine does meets both.
        for _ in range(options.repeats):
            scored.append(tb("score", preds, "--pairs", pairs, "--gold", gold, "--out", ours))
            merged.append(run(["-c", PANDAS_MERGE, preds, pairs, gold, theirs]))
        accuracy, plain = json.loads(ours.read_text())["pairwise_acc"], json.loads(theirs.read_text())
        assert (accuracy["correct"], accuracy["n"]) == (plain["correct"], plain["n"])
    report(min(scored, key=wall), min(merged, key=wall))


def report(score: Usage, merge: Usage) -> None:
    print(f"tb score                   {score}")
    print(f"plain pandas merge         {merge}")
    print(f"the merge takes            {merge.wall / score.wall:6.1f} x the time, for the accuracy alone")


def wall(usage: Usage) -> float:
    return usage.wall


if __name__ == "__main__":
    main()
