"""The contract tables are what DESIGN and docs/tables.md say."""

from pathlib import Path

import pytest

from labeling.tables import TABLES, VOCABULARY, Column, Table
from labeling.tables.contract import EXTENSIBLE, Kind

DOCS = (Path(__file__).parents[2] / "docs" / "tables.md").read_text(encoding="utf-8")

# The columns as the design lists them; `?` = may be absent or empty.
DESIGN = {
    "bench_items": "item_id domain uri_or_payload_ref era_tag? circle_tags? license data_origin",
    "bench_pairs": (
        "pair_id domain item_a item_b condition_era? condition_circle? pair_group_id? cue_type? difficulty"
        " split agreement? n_raters? data_origin brief?"
    ),
    "bench_gold": "pair_id preferred_id agreement n_raters rubric_id data_origin gold_tier exclude_primary",
    "bench_weak": "pair_id weak_preferred_id weak_source use_as data_origin slice?",
    "label_aggregates": (
        "label_grain label_id preferred_id? mean_score? agreement? n_raters state exclude_primary rubric_id"
        " data_origin"
    ),
    "judgments": "rater_id pair_id preferred_id judged_at? response_ms? shown_left? confidence? note?",
    "judgment_events": (
        "event_id round kind rater_id pair_id showing repeat_of? replaces? preferred_id? verdict? confidence?"
        " shown_left? layout? channel judged_at? response_ms? reason?"
    ),
    "scores": "rater_id item_id score judged_at? note?",
    "preds": "pair_id pred_preferred_id confidence?",
}
KINDS: dict[Kind, str] = {
    "text": "text",
    "share": "number from 0 to 1",
    "count": "whole number",
    "boolean": "`true` or `false`",
    "timestamp": "time with zone",
    "uuid": "UUID",
    "payload": "reference",
}


def needed(column: Column) -> str:
    if column.optional:
        return ""
    return "column" if column.may_be_empty else "yes"


def holds(column: Column) -> str:
    if column.kind != "choice":
        return KINDS[column.kind]
    return (
        "one of the list"
        if column.choices in EXTENSIBLE
        else ", ".join(f"`{c}`" for c in VOCABULARY[column.choices])
    )


def section(table: Table) -> str:
    lines = [
        f"## `{table.name}`",
        "",
        f"{table.meaning} No two rows share {', '.join(f'`{k}`' for k in table.key)}.",
        "",
    ]
    lines += ["| column | needed | holds | meaning |", "|---|---|---|---|"]
    lines += [f"| `{c.name}` | {needed(c)} | {holds(c)} | {c.meaning} |" for c in table.columns]
    return "\n".join(lines) + "\n"


@pytest.mark.parametrize("name", DESIGN)
def test_columns_are_those_of_the_design(name):
    table = TABLES[name]
    assert " ".join(column.name + "?" * column.optional for column in table.columns) == DESIGN[name]
    assert all(column.may_be_empty for column in table.columns if column.optional)


def test_no_table_beside_those_of_the_design():
    assert list(TABLES) == list(DESIGN)


@pytest.mark.parametrize("table", TABLES.values(), ids=lambda table: table.name)
def test_docs_describe_the_table_as_the_code_does(table):
    assert section(table) in DOCS


def test_docs_name_every_table_once_in_order():
    headings = [line.strip("# `") for line in DOCS.splitlines() if line.startswith("## `")]
    assert headings == list(TABLES)


@pytest.mark.parametrize("name", EXTENSIBLE)
def test_docs_list_the_values_of_extensible_lists(name):
    values = ", ".join(f"`{value}`" for value in VOCABULARY[name])
    assert f"* `{name}`: {values}\n" in DOCS


def test_lists_that_the_design_fixes():
    assert VOCABULARY["gold_tier"] == (
        "primary_human_expert",
        "public_reference",
        "crowd_reference",
        "simulation",
        "outcome",
        "provisional_agent_panel",
    )
    assert VOCABULARY["state"] == ("gold", "too_few", "tie", "below_gate")
    assert VOCABULARY["cue_type"] == ("null", "correct", "misleading")
    assert "CC-BY-4.0-placeholder" in VOCABULARY["license"]
    assert not any("-ND-" in name for name in VOCABULARY["license"])


def test_choices_name_lists_that_exist_and_keys_name_columns():
    for table in TABLES.values():
        assert set(table.key) <= set(table.names)
        for column in table.columns:
            assert (column.kind == "choice") == (column.choices in VOCABULARY)
    with pytest.raises(KeyError, match="preds has no column 'mood'"):
        TABLES["preds"]["mood"]
