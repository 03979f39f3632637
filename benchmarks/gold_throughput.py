"""Gold from a million pairs: `tb gold` from CSV, and the aggregation core beside crowd-kit's MajorityVote.

    python -m benchmarks.gold_throughput [--pairs 1000000] [--votes 3] [--repeats 3]

Needs requirements/bench.txt (see benchmarks/README.md). Prints figures; it passes or fails nothing.
"""

from __future__ import annotations

import argparse
import tempfile
import time
from collections.abc import Callable
from pathlib import Path

import numpy as np

from benchmarks.generate import Bench
from benchmarks.measure import tb
from gold.aggregation import aggregate


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--pairs", type=int, default=1_000_000)
    parser.add_argument("--votes", type=int, default=3)
    parser.add_argument("--repeats", type=int, default=3)
    options = parser.parse_args()
    bench = Bench(options.pairs, options.votes)
    print(f"{options.pairs:,} pairs x {options.votes} votes; best of {options.repeats}")
    command_line(bench, options.repeats)
    core(bench, options.repeats)


def command_line(bench: Bench, repeats: int) -> None:
    """`tb gold` from CSV to CSV, in a process of its own."""
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        bench.write_pairs(folder / "pairs.csv")
        bench.write_judgments(folder / "judgments.csv")
        runs = [
            tb(
                "gold", folder / "pairs.csv", folder / "judgments.csv",
                "--out", folder / "gold.csv", "--report", folder / "report.json",
            )
            for _ in range(repeats)
        ]  # fmt: skip
    print(f"tb gold                    {min(runs, key=lambda usage: usage.wall)}")


def core(bench: Bench, repeats: int) -> None:
    """Arrays in, arrays out, in one process; the peer gets whole-number ids, which suit it best."""
    import pandas as pd
    from crowdkit.aggregation import MajorityVote

    order = np.random.default_rng(bench.seed).permutation(bench.n_pairs * bench.votes)
    pair = np.repeat(np.arange(bench.n_pairs), bench.votes)[order]
    choice = bench.choices.ravel()[order].astype(np.int8)
    worker = np.tile(np.arange(bench.votes), bench.n_pairs)[order]
    frame = pd.DataFrame({"task": pair, "worker": worker, "label": choice})

    ours, result = best(lambda: aggregate(pair, choice, bench.n_pairs), repeats)
    theirs, labels = best(lambda: MajorityVote().fit_predict(frame), repeats)
    clear = result.preferred >= 0
    assert (labels.sort_index().to_numpy()[clear] == result.preferred[clear]).all()
    print(f"aggregation core           {ours:6.3f} s")
    print(f"crowd-kit MajorityVote     {theirs:6.3f} s")
    print(f"ratio                      {theirs / ours:6.1f} x faster than crowd-kit, same labels")


def best(work: Callable[[], object], repeats: int) -> tuple[float, object]:
    """The shortest time in seconds, and the last result."""
    times = []
    result: object = None
    for _ in range(repeats):
        start = time.perf_counter()
        result = work()
        times.append(time.perf_counter() - start)
    return min(times), result


if __name__ == "__main__":
    main()
