"""`tb gold`: judgments into gold."""

from pathlib import Path

import click

from tastebench_site.cli import Refusal
from tastebench_site.cli.outputs import table_format, together

INPUT = click.Path(exists=True, dir_okay=False, readable=True, path_type=Path)
OUTPUT = click.Path(path_type=Path)


@click.command()
@click.argument("pairs", type=INPUT)
@click.argument("judgments", type=INPUT)
@click.option("--out", type=OUTPUT, required=True, help="bench_gold to write: .csv or .parquet.")
@click.option("--report", type=OUTPUT, required=True, help="Agreement report to write, as JSON.")
@click.option(
    "--aggregates", type=OUTPUT, help="label_aggregates to write as well: every pair and its state."
)
@click.option(
    "--tier",
    help="What kind of gold this is: primary_human_expert, public_reference, crowd_reference, outcome, "
    "provisional_agent_panel or simulation. Must be said, because no table tells who its raters were; "
    "only where every pair is simulated it is simulation without being asked.",
)
@click.option("--rubric-id", default="rubric_v1", show_default=True, help="The rubric raters judged under.")
@click.option(
    "--origin",
    help="data_origin of the labels, where it is not that of the pairs: say study_human_expert when this "
    "study's experts judged public pairs. Simulated pairs stay simulated.",
)
def gold(
    pairs: Path,
    judgments: Path,
    out: Path,
    report: Path,
    aggregates: Path | None,
    tier: str | None,
    rubric_id: str,
    origin: str | None,
) -> None:
    """Aggregate JUDGMENTS on PAIRS into gold, and report how far raters agree.

    A pair is gold when at least 3 raters chose and at least 3/5 of them chose the same item. Empty answers
    are abstentions: counted, but no votes. All files are written together, and none when anything is refused.
    """
    from gold.build import build
    from gold.provenance import ProvenanceError
    from labeling import strict_json
    from labeling.tables import BENCH_GOLD, BENCH_PAIRS, JUDGMENTS, LABEL_AGGREGATES, read_table, write_table

    targets = [path for path in (out, report, aggregates) if path is not None]
    formats = {path: table_format(path) for path in targets if path != report}
    if not rubric_id:
        raise click.UsageError("--rubric-id is empty; every label names the rubric it was made under.")
    with together(targets, inputs=[pairs, judgments]) as part:
        tables = [read_table(pairs, BENCH_PAIRS), read_table(judgments, JUDGMENTS)]
        try:
            made = build(*tables, tier=tier, rubric_id=rubric_id, origin=origin)
        except ProvenanceError as error:
            raise Refusal(str(error)) from error
        warnings = [warning for table in tables for warning in table.warnings]
        write_table(part[out], BENCH_GOLD, made.gold(), formats[out])
        if aggregates is not None:
            write_table(part[aggregates], LABEL_AGGREGATES, made.label_aggregates(), formats[aggregates])
        strict_json.write(part[report], made.report | {"warnings": warnings})
    for warning in warnings:
        click.echo(f"Warning: {warning}", err=True)
    click.echo(made.report["summary"])
    click.echo(f"Wrote {', '.join(str(path) for path in targets)}.")
