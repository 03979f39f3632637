"""Reading what is scored: all files at once, every fault of all of them named, nothing half-scored.

`tb score` and the web job read through here, so both refuse the same files with the same words.
"""

from collections.abc import Iterable, Mapping
from concurrent.futures import Future, ThreadPoolExecutor
from dataclasses import dataclass
from hashlib import sha256
from pathlib import Path
from types import TracebackType
from typing import Any, Self, TypeVar

from evaluation import intake_checks
from evaluation.columns import Rows
from evaluation.target import Votes, gold_votes
from labeling.tables import BENCH_GOLD, BENCH_ITEMS, BENCH_PAIRS, PREDS, Frame, TableErrors, read_table
from labeling.tables.references import check_bench, check_pair_ids, rows_of

Source = Path | bytes
Vocabulary = Mapping[str, Iterable[str]]
_TABLES = {"pairs": BENCH_PAIRS, "gold": BENCH_GOLD, "items": BENCH_ITEMS, "preds": PREDS}
_Value = TypeVar("_Value")


@dataclass(frozen=True)
class Bench:
    """What predictions are scored against.

    ``pair_of_gold`` (int64[n_gold]) points into ``pairs``; ``items`` is None when no items file was given.
    """

    pairs: Frame
    gold: Frame
    items: Frame | None
    pair_of_gold: Rows
    votes: Votes


@dataclass(frozen=True)
class Predictions:
    """A predictions file; ``pair_rows`` (int64[n_preds]) points into the bench's pairs.

    ``digests`` holds file name, sha256 and rows of every file read, ``warnings`` what readers noticed without
    refusing, such as columns that the contract does not know.
    """

    frame: Frame
    pair_rows: Rows
    digests: dict[str, dict[str, Any]]
    warnings: list[str]


class Reading:
    """The files of one scoring, being read and checked in background threads.

    A context manager: ``bench()`` is there as soon as gold can be used, so that floors are computed while the
    predictions are still being read; ``predictions()`` then raises TableErrors with the faults of all files.

    A source is a path or the bytes of a CSV or Parquet file. ``sources`` has ``preds``, ``pairs``, ``gold``
    and perhaps ``items``; ``names`` the names that messages use for them (default: the path's file name,
    else the table's name); ``vocabulary`` extends lists as in ``read_table``.
    """

    def __init__(
        self,
        sources: Mapping[str, Source],
        names: Mapping[str, str] | None = None,
        vocabulary: Vocabulary | None = None,
    ) -> None:
        # A thread for each file and each of the three tasks that wait for files, so that none waits for ever.
        self._pool = ThreadPoolExecutor(max_workers=len(sources) + 3)
        self._loads = {
            role: self._pool.submit(_load, role, sources[role], (names or {}).get(role), vocabulary)
            for role in _TABLES
            if role in sources
        }
        self._bench = self._pool.submit(self._read_bench)
        self._pairs_checked = self._pool.submit(self._check_pairs)
        self._predictions = self._pool.submit(self._read_predictions)

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self._pool.shutdown()

    def bench(self) -> Bench | None:
        """Pairs and gold joined, or None when they are faulty (``predictions`` then raises the faults)."""
        return _value(self._bench)

    def predictions(self) -> Predictions:
        """The predictions, if every file is sound. Raises TableErrors with the faults of all files."""
        faults = intake_checks.Faults()
        tasks: list[Future[Any]] = [
            *self._loads.values(),
            self._pairs_checked,
            self._bench,
            self._predictions,
        ]
        for task in tasks:
            try:
                task.result()
            except TableErrors as refused:
                faults.merge(refused)
        faults.raise_if_any()
        frame, pair_rows = self._predictions.result()
        loaded = {role: load.result() for role, load in self._loads.items()}
        return Predictions(
            frame=frame,
            pair_rows=pair_rows,
            digests={role: digest for role, (_, digest) in loaded.items()},
            warnings=[warning for each, _ in loaded.values() for warning in each.warnings],
        )

    def _frame(self, role: str) -> Frame | None:
        """A file's table; None when it was not given or is faulty."""
        loaded = _value(self._loads[role]) if role in self._loads else None
        return None if loaded is None else loaded[0]

    def _read_bench(self) -> Bench | None:
        gold, pairs, items = self._frame("gold"), self._frame("pairs"), self._frame("items")
        if gold is None:
            return None
        faults = intake_checks.Faults()
        votes = gold_votes(gold)
        intake_checks.check_votes(gold, votes, faults)
        intake_checks.check_tier(gold, faults)
        if pairs is not None:
            try:
                check_pair_ids(gold, pairs, choice="preferred_id")
            except TableErrors as refused:
                faults.merge(refused)
            pair_of_gold = rows_of(gold, "pair_id", pairs, "pair_id")
            intake_checks.check_origin(gold, pair_of_gold, pairs, faults)
        faults.raise_if_any()
        return None if pairs is None else Bench(pairs, gold, items, pair_of_gold, votes)

    def _check_pairs(self) -> None:
        pairs = self._frame("pairs")
        if pairs is not None:
            check_bench(self._frame("items"), pairs)

    def _read_predictions(self) -> Any:
        preds, pairs = self._frame("preds"), self._frame("pairs")
        if preds is None or pairs is None:
            return None
        return preds, check_pair_ids(preds, pairs).pair


def _load(
    role: str, source: Source, name: str | None, vocabulary: Vocabulary | None
) -> tuple[Frame, dict[str, Any]]:
    # Digest and table come from one reading, so that the digest is of the very bytes that were scored.
    data = source.read_bytes() if isinstance(source, Path) else source
    table = _TABLES[role]
    name = name or (source.name if isinstance(source, Path) else f"{table.name}.csv")
    frame = read_table(data, table, name=name, vocabulary=vocabulary)
    return frame, {"file": name, "sha256": sha256(data).hexdigest(), "rows": len(frame)}


def _value(task: Future[_Value]) -> _Value | None:
    """A task's result, None when it met faults; those are reported from the task itself, once."""
    try:
        return task.result()
    except TableErrors:
        return None
