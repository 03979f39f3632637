"""`tb score`: a predictions file against gold, as metrics JSON and a few lines to read."""

from pathlib import Path
from typing import Any

import click

from tastebench_site.cli.outputs import together

INPUT = click.Path(exists=True, dir_okay=False, readable=True, path_type=Path)


@click.command()
@click.argument("preds", type=INPUT)
@click.option("--pairs", required=True, type=INPUT, help="bench_pairs.")
@click.option("--gold", required=True, type=INPUT, help="bench_gold of one tier.")
@click.option("--items", type=INPUT, help="bench_items; needed for the file-name diagnostic only.")
@click.option(
    "--split",
    type=click.Choice(["test", "dev", "train", "all"]),
    default="test",
    show_default=True,
    help="Which pairs to score on.",
)
@click.option("--release", help="Name of the release that the gold comes from, to record.")
@click.option(
    "--declare",
    multiple=True,
    metavar="KEY=VALUE",
    help="What to record about the model, such as model=NAME or prompt=ID; may be repeated.",
)
@click.option("--out", required=True, type=click.Path(path_type=Path), help="Metrics to write, as JSON.")
def score(
    preds: Path,
    pairs: Path,
    gold: Path,
    items: Path | None,
    split: str,
    release: str | None,
    declare: tuple[str, ...],
    out: Path,
) -> None:
    """Score PREDS, a table of pair_id, pred_preferred_id and perhaps confidence, against gold.

    Missing, abstained and unknown-item predictions count as wrong and are counted by kind. Every table is CSV
    or Parquet. When one of them is faulty, all faults of all files are listed and nothing is written.
    """
    from evaluation.scoring import score_files
    from labeling import strict_json

    declared = _declared(declare)
    with together([out], inputs=[path for path in (preds, pairs, gold, items) if path is not None]) as part:
        metrics = score_files(
            preds, pairs, gold, items=items, split=split, declared=declared, release=release
        )
        strict_json.write(part[out], metrics)
    for warning in metrics["warnings"]:
        click.echo(f"Warning: {warning}", err=True)
    for line in summary(metrics):
        click.echo(line)
    click.echo(f"Wrote {out}.")


def _declared(pairs: tuple[str, ...]) -> dict[str, str]:
    declared = {}
    for each in pairs:
        key, equals, value = each.partition("=")
        if not (key and equals):
            raise click.BadParameter(f"{each!r} is not KEY=VALUE", param_hint="--declare")
        declared[key] = value
    return declared


def summary(metrics: dict[str, Any]) -> list[str]:
    """The lines that a person reads: the score never without its n, interval, floors and warnings."""
    lines = ["SIMULATION: made-up labels, no claim."] if metrics["simulation"] else []
    counts = metrics["target"]
    lines.append(f"Tier {metrics['tier']}, split {metrics['split']}: n = {metrics['n_eval']} pairs")
    left_out = [f"{n} {reason}" for reason, n in counts["excluded"].items() if n]
    if left_out:
        lines.append(f"Left out of {counts['gold_rows']} gold rows: {', '.join(left_out)}")
    if not counts["in_target"] and counts["excluded"]["other_split"]:
        lines.append("These gold rows are of other splits; choose one with --split, or all.")
    if counts["conditioned"]:
        lines.append(f"Figures of their own, not in this n: {counts['conditioned']} pairs under a condition")
    lines.append(f"Accuracy {_figure(metrics['pairwise_acc'])}")
    if metrics["n_eval"]:
        lines += _headline(metrics)
    sensitivity = metrics["condition_sensitivity"]
    if sensitivity["value"] is not None:
        left = f", {sensitivity['n_incomplete']} incomplete left out" if sensitivity["n_incomplete"] else ""
        over = f"complete families: {sensitivity['n_families']}{left}"
        lines.append(f"Condition sensitivity {_plain(sensitivity)} ({over})")
    if counts["predictions_outside_target"]:
        lines.append(f"Predictions for pairs outside the scored set: {counts['predictions_outside_target']}")
    return lines


def _headline(metrics: dict[str, Any]) -> list[str]:
    """What is said of pairs without a cue when there are any; else all of it lacks a value for one reason."""
    lines = [f"  {name}: {_figure(each)}" for name, each in metrics["by_domain"].items()]
    lines.append("Counted wrong: " + ", ".join(f"{n} {kind}" for kind, n in metrics["non_answers"].items()))
    lines.append(f"ECE {_figure(metrics['ece'])}")
    lines.append("Floors: " + ", ".join(f"{name} {_plain(each)}" for name, each in metrics["floors"].items()))
    diagnostics = ", ".join(f"{name} {_plain(each)}" for name, each in metrics["diagnostics"].items())
    lines.append(f"Construction diagnostics, neither floors nor ceilings: {diagnostics}")
    beating = metrics["diagnostics_beating_chance"]
    if beating:
        lines.append(f"Warning: above chance without judging: {', '.join(beating)}")
    if not metrics["harness_check"]["passed"]:
        lines.append(f"Warning: harness check not passed: {_figure(metrics['harness_check']['oracle'])}")
    return lines


def _figure(figure: dict[str, Any]) -> str:
    if figure["value"] is None:
        return _plain(figure)
    interval = figure.get("interval")
    within = f", 95 % interval {interval[0]:.3f} to {interval[1]:.3f}" if interval else ""
    return f"{figure['value']:.3f} (n = {figure['n']}{within})"


def _plain(figure: dict[str, Any]) -> str:
    return f"undefined ({figure['why']})" if figure["value"] is None else f"{figure['value']:.3f}"
