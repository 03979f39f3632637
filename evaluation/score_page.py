"""A metrics JSON in the words and rows of its page: nothing is computed here, only written out."""

import re
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from django.utils.translation import gettext as _


@dataclass(frozen=True)
class FigureRow:
    """A figure as text. `value` is "undefined" where there is none; `note` then says why."""

    name: str
    value: str
    interval: str = ""
    n: str = ""
    note: str = ""
    beats_chance: bool = False


@dataclass(frozen=True)
class ScorePage:
    headline: FigureRow
    ece: FigureRow
    spread: FigureRow
    coverage: FigureRow
    sensitivity: FigureRow
    by_domain: list[FigureRow]
    by_cue_type: list[FigureRow]
    by_origin: list[FigureRow]
    floors: list[FigureRow]
    diagnostics: list[FigureRow]
    harness: FigureRow
    non_answers: list[tuple[str, int]]
    excluded: list[tuple[str, int]]
    target: Mapping[str, Any]
    policy: list[str]
    simulation: bool
    tier: str
    digests: list[tuple[str, str]]
    warnings: list[str]


def score_page(metrics: Mapping[str, Any]) -> ScorePage:
    """Rows for templates/evaluation/submission.html from the JSON of `evaluation.scoring.score_files`."""
    beating = set(metrics["diagnostics_beating_chance"])
    return ScorePage(
        headline=_row(_("Pairwise accuracy"), metrics["pairwise_acc"]),
        ece=_row(_("Expected calibration error"), metrics["ece"]),
        spread=_row(_("Spread over domains"), metrics["spread"]),
        coverage=_row(_("Coverage"), metrics["coverage"]),
        sensitivity=_row(_("Condition sensitivity"), metrics["condition_sensitivity"]),
        by_domain=_rows(metrics["by_domain"]),
        by_cue_type=_rows(metrics["by_cue_type"]),
        by_origin=_rows(metrics["by_origin"]),
        floors=_rows(metrics["floors"]),
        diagnostics=[_row(name, figure, name in beating) for name, figure in metrics["diagnostics"].items()],
        harness=_row("oracle", metrics["harness_check"]["oracle"]),
        non_answers=_counts(metrics["non_answers"]),
        excluded=_counts(metrics["target"]["excluded"]),
        target=metrics["target"],
        policy=re.split(r"(?<=\.) (?=[A-Z])", metrics["policy"]),
        simulation=metrics["simulation"],
        tier=metrics["tier"],
        digests=[(digest["file"], digest["sha256"]) for digest in metrics["digests"].values()],
        warnings=list(metrics["warnings"]),
    )


def _rows(figures: Mapping[str, Mapping[str, Any]]) -> list[FigureRow]:
    return [_row(name, figure) for name, figure in figures.items()]


def _row(name: str, figure: Mapping[str, Any], beats_chance: bool = False) -> FigureRow:
    value = figure["value"]
    interval = figure.get("interval")
    return FigureRow(
        name=name,
        value=_("undefined") if value is None else f"{value:.3f}",
        interval=f"{interval[0]:.3f}–{interval[1]:.3f}" if interval else "",
        n=str(figure["n"]) if figure.get("n") is not None else "",
        note=figure.get("why") or figure.get("sentence") or _extremes(figure),
        beats_chance=beats_chance,
    )


def _extremes(figure: Mapping[str, Any]) -> str:
    """Between which domains a spread lies."""
    if "highest" not in figure:
        return ""
    if figure["value"] == 0:
        return _("all domains alike")
    return _("%(highest)s highest, %(lowest)s lowest") % {
        "highest": ", ".join(figure["highest"]),
        "lowest": ", ".join(figure["lowest"]),
    }


def _counts(counts: Mapping[str, int]) -> list[tuple[str, int]]:
    return [(name.replace("_", " "), n) for name, n in counts.items()]
