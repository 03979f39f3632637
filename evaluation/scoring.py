"""Scoring a model's predictions against gold: the metrics JSON that `tb score` and the web job share.

docs/metrics.md defines each figure; a figure without a value says why (``{"value": null, "why": ...}``).
"""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

import numpy as np

from evaluation.answers import Answers, Key, answers_to, key_of
from evaluation.baselines import baselines
from evaluation.calibration import calibration_error
from evaluation.columns import Mask, encode
from evaluation.conditions import by_cue_type, by_pair_group, condition_sensitivity
from evaluation.disclosures import policy_text
from evaluation.figures import Figure, accuracy, accuracy_by, spread, undefined
from evaluation.intake import Bench, Predictions, Reading, Source, Vocabulary
from evaluation.target import SPLITS, Target, choose_target
from gold.provenance import SIMULATION
from labeling.tables import Frame

SCHEMA_VERSION = "tastebench.metrics/1"


def score_files(
    preds: Source,
    pairs: Source,
    gold: Source,
    items: Source | None = None,
    split: str = "test",
    declared: Mapping[str, str] | None = None,
    release: str | None = None,
    names: Mapping[str, str] | None = None,
    vocabulary: Vocabulary | None = None,
) -> dict[str, Any]:
    """Score a predictions file; returns the metrics, ready for ``labeling.strict_json.dumps``.

    ``preds``, ``pairs``, ``gold``, ``items``: path or bytes of a CSV or Parquet table; ``items`` is needed
    for the lexical diagnostic only. ``split`` is one of ``SPLITS``. ``declared`` (what the submitter says
    about the model) and ``release`` are passed on as given. ``names`` are the files' names for messages and
    digests; ``vocabulary`` extends lists as in ``read_table``.
    Raises TableErrors with every fault of all files; ValueError for an unknown split.
    """
    if split not in SPLITS:
        raise ValueError(f"unknown split {split!r}: choose one of {', '.join(SPLITS)}")
    sources = {"preds": preds, "pairs": pairs, "gold": gold} | ({} if items is None else {"items": items})
    with Reading(sources, names, vocabulary) as reading:
        bench = reading.bench()
        ground = None if bench is None else lay_ground(bench, split)
        predictions = reading.predictions()
    assert ground is not None
    return {
        "schema_version": SCHEMA_VERSION,
        "release": release,
        "split": split,
        "declared": dict(declared or {}),
        "digests": predictions.digests,
        **score(ground, predictions),
        "warnings": predictions.warnings,
    }


@dataclass(frozen=True)
class Ground:
    """All that is known before a prediction is looked at: T and what trivial policies score on it.

    ``key`` holds all of T, ``headline`` its pairs without a cue, on which ``baselines`` are computed.
    """

    bench: Bench
    target: Target
    key: Key
    headline: Key
    baselines: dict[str, Any]


def lay_ground(bench: Bench, split: str) -> Ground:
    """Choose T and compute its floors, diagnostics and harness check."""
    target = choose_target(bench.pairs, bench.gold, bench.pair_of_gold, bench.votes, split)
    key = key_of(target, bench)
    headline = key.subset(target.unconditioned)
    return Ground(bench, target, key, headline, baselines(headline, bench.items))


def score(ground: Ground, predictions: Predictions) -> dict[str, Any]:
    """The figures of the metrics."""
    target, gold = ground.target, ground.bench.gold
    answers = answers_to(ground.key, predictions, len(ground.bench.pairs))
    tier = gold.column("gold_tier")[0].as_py()
    origins = _distinct(gold, "data_origin")
    return {
        "tier": tier,
        "simulation": tier == SIMULATION,
        "data_origins": origins,
        "rubric_ids": _distinct(gold, "rubric_id"),
        "target": _target_counts(ground, predictions),
        **_headline(ground.headline, answers.subset(target.unconditioned), _why_empty(target)),
        **_conditions(ground.key, answers.correct),
        **ground.baselines,
        "policy": policy_text(tier, origins, ground.baselines["diagnostics_beating_chance"]),
    }


def _target_counts(ground: Ground, predictions: Predictions) -> dict[str, Any]:
    """How gold rows became T and what the predictions cover; parts add up to the rows of each file."""
    target = ground.target
    in_target = np.zeros(len(ground.bench.pairs), dtype=bool)
    in_target[target.pair_rows] = True
    on_target = int(in_target[predictions.pair_rows].sum())
    n_headline = int(target.unconditioned.sum())
    return {
        "gold_rows": len(ground.bench.gold),
        "excluded": target.excluded,
        "in_target": len(target.pair_rows),
        "headline": n_headline,
        "conditioned": len(target.pair_rows) - n_headline,
        "predictions": len(predictions.frame),
        "predictions_in_target": on_target,
        "predictions_outside_target": len(predictions.frame) - on_target,
    }


def _headline(key: Key, answers: Answers, why_empty: str) -> dict[str, Any]:
    """Figures over pairs without a cue."""
    n = len(answers.correct)
    answered = int((answers.correct | answers.wrong_item).sum())
    by_domain = accuracy_by(answers.correct, *encode(key.domain))
    coverage: Figure = {"value": answered / n} if n else undefined(why_empty)
    return {
        "n_eval": n,
        "pairwise_acc": accuracy(int(answers.correct.sum()), n, why_empty),
        "by_domain": by_domain,
        "spread": spread(by_domain),
        "coverage": coverage | {"answered": answered, "n": n},
        "non_answers": {
            "missing": int(answers.missing.sum()),
            "abstained": int(answers.abstained.sum()),
            "unknown_item": int(answers.unknown_item.sum()),
        },
        "ece": calibration_error(answers.confidence, answers.chose, answers.correct),
        "by_origin": accuracy_by(answers.correct, *encode(key.origin)),
    }


def _conditions(key: Key, correct: Mask) -> dict[str, Any]:
    """Figures over all of T, conditioned pairs included."""
    families = by_pair_group(key.pair_group_id, key.cue_type, correct)
    return {
        "by_cue_type": by_cue_type(key.cue_type, correct),
        "by_pair_group_id": families,
        "condition_sensitivity": condition_sensitivity(families),
    }


def _why_empty(target: Target) -> str:
    left_out = ", ".join(f"{n} {reason}" for reason, n in target.excluded.items() if n)
    conditioned = f"{len(target.pair_rows)} conditioned" if len(target.pair_rows) else ""
    return f"no gold row is left to score ({', '.join(filter(None, [left_out, conditioned]))})"


def _distinct(frame: Frame, column: str) -> list[str]:
    return sorted(frame.column(column).unique().to_pylist())
