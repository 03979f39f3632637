"""From the text of two tables to gold, aggregates and report."""

import csv
import io
from itertools import pairwise
from random import Random
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from gold.build import build
from gold.provenance import ProvenanceError
from labeling import strict_json
from labeling.tables import (
    BENCH_GOLD,
    BENCH_PAIRS,
    JUDGMENTS,
    LABEL_AGGREGATES,
    Frame,
    TableErrors,
    read_table,
    write_table,
)
from tests.shared_data import DATA, needs_data

Pair = tuple[str, str, str]
"""pair_id, item_a, item_b."""


def pairs_table(rows: list[Pair], origins: list[str] | None = None) -> Frame:
    origins = origins or ["simulation"] * len(rows)
    lines = ["pair_id,domain,item_a,item_b,difficulty,split,data_origin"]
    lines += [f"{p},book,{a},{b},easy,test,{origin}" for (p, a, b), origin in zip(rows, origins, strict=True)]
    return read_table("\n".join([*lines, ""]).encode(), BENCH_PAIRS, "bench_pairs.csv")


def judgments_table(rows: list[tuple[str, str, str]]) -> Frame:
    lines = ["rater_id,pair_id,preferred_id", *(",".join(row) for row in rows), ""]
    return read_table("\n".join(lines).encode(), JUDGMENTS, "judgments.csv")


def made(
    pairs: Frame, judgments: Frame, **options: Any
) -> tuple[list[dict[str, str]], list[dict[str, str]], dict[str, Any]]:
    """Gold rows and aggregate rows as written to CSV, and the report."""
    result = build(pairs, judgments, **({"tier": None, "rubric_id": "rubric_v1", "origin": None} | options))
    tables = []
    for table, columns in ((BENCH_GOLD, result.gold()), (LABEL_AGGREGATES, result.label_aggregates())):
        target = io.BytesIO()
        write_table(target, table, columns)
        tables.append(list(csv.DictReader(io.StringIO(target.getvalue().decode()))))
        read_table(target.getvalue(), table)  # what we write, our own reader accepts
    return tables[0], tables[1], result.report


PAIRS: list[Pair] = [("p3", "x", "y"), ("p1", "y", "z"), ("p2", "z", "x")]
VOTES = [
    ("r1", "p1", "z"), ("r2", "p1", "z"), ("r3", "p1", "y"),
    ("r1", "p2", "z"), ("r2", "p2", "x"), ("r3", "p2", "x"), ("r4", "p2", "z"),
    ("r1", "p3", "y"), ("r2", "p3", ""),
]  # fmt: skip


def test_rows_of_both_tables() -> None:
    gold, aggregates, report = made(pairs_table(PAIRS), judgments_table(VOTES))
    assert gold == [
        {
            "pair_id": "p1",
            "preferred_id": "z",
            "agreement": "0.666667",
            "n_raters": "3",
            "rubric_id": "rubric_v1",
            "data_origin": "simulation",
            "gold_tier": "simulation",
            "exclude_primary": "false",
        }
    ]
    columns = (
        "label_grain",
        "label_id",
        "preferred_id",
        "mean_score",
        "agreement",
        "n_raters",
        "state",
        "exclude_primary",
    )
    assert [tuple(row[name] for name in columns) for row in aggregates] == [
        ("pair", "p1", "z", "", "0.666667", "3", "gold", "false"),
        ("pair", "p2", "", "", "0.5", "4", "tie", "true"),
        ("pair", "p3", "y", "", "1", "1", "too_few", "true"),
    ]
    assert report["judgments"] == {"votes": 8, "abstentions": 1, "raters": 4}
    assert (report["gold_tier"], report["data_origin"], report["simulation"]) == (
        "simulation",
        ["simulation"],
        True,
    )
    assert next(iter(report)) == "summary"


def test_archival_rows_never_enter_a_headline() -> None:
    pairs = pairs_table(PAIRS, ["public_crowd"] * 3)
    gold, aggregates, _ = made(pairs, judgments_table(VOTES), tier="provisional_agent_panel")
    assert [(row["pair_id"], row["exclude_primary"]) for row in gold] == [("p1", "true")]
    assert {row["exclude_primary"] for row in aggregates} == {"true"}


def test_a_rater_who_only_abstains_is_no_rater() -> None:
    _, _, report = made(pairs_table(PAIRS), judgments_table([("r1", "p1", ""), ("r1", "p2", "")]))
    assert report["judgments"] == {"votes": 0, "abstentions": 2, "raters": 0}


def test_no_judgments_at_all() -> None:
    gold, aggregates, report = made(pairs_table(PAIRS), judgments_table([]))
    assert gold == []
    assert [(row["agreement"], row["n_raters"], row["state"]) for row in aggregates] == [
        ("", "0", "too_few")
    ] * 3
    assert report["summary"] == "0 of 3 test pairs are gold; 3 have too few raters."


def test_no_pairs_at_all() -> None:
    gold, aggregates, report = made(pairs_table([]), judgments_table([]), tier="primary_human_expert")
    assert (gold, aggregates) == ([], [])
    assert report["summary"] == "There are no pairs, so there is nothing to report."


@pytest.mark.parametrize(
    ("vote", "line", "word"),
    [(("r9", "p9", "x"), 3, "p9"), (("r9", "p1", "x"), 3, "x")],
)
def test_votes_that_do_not_fit_the_pairs_are_refused(
    vote: tuple[str, str, str], line: int, word: str
) -> None:
    with pytest.raises(TableErrors) as refused:
        made(pairs_table(PAIRS), judgments_table([("r1", "p1", "z"), vote]))
    assert refused.value.errors[0].file == "judgments.csv"
    assert refused.value.errors[0].line == line
    assert word in refused.value.errors[0].what


def test_two_answers_of_one_rater_are_refused() -> None:
    with pytest.raises(TableErrors, match=r"judgments.csv:3: .*r1.*p1"):
        judgments_table([("r1", "p1", "z"), ("r1", "p1", "y")])


def test_simulated_and_real_pairs_never_share_an_output() -> None:
    pairs = pairs_table(PAIRS, ["public_crowd", "simulation", "public_crowd"])
    with pytest.raises(
        TableErrors, match=r"bench_pairs.csv:3: data_origin: simulated and real pairs share"
    ) as refused:
        made(pairs, judgments_table(VOTES), tier="crowd_reference")
    assert "1 of 3 are simulated" in str(refused.value)


@pytest.mark.parametrize(
    ("origin_of_pairs", "options", "message"),
    [
        ("public_crowd", {}, "Say with --tier"),
        ("public_crowd", {"tier": "best"}, "--tier best is unknown"),
        ("public_crowd", {"tier": "crowd_reference", "origin": "moon"}, "--origin moon is unknown"),
        ("public_crowd", {"tier": "simulation"}, "add --origin simulation"),
        ("public_crowd", {"tier": "primary_human_expert"}, "add --origin study_human_expert"),
        (
            "public_crowd",
            {"tier": "crowd_reference", "origin": "simulation"},
            "tier is simulation, not crowd",
        ),
        ("simulation", {"tier": "public_reference"}, "tier is simulation, not public_reference"),
        ("simulation", {"origin": "study_human_expert"}, "cannot be of origin study_human_expert"),
    ],
)
def test_tiers_that_the_pairs_contradict(origin_of_pairs: str, options: dict[str, str], message: str) -> None:
    with pytest.raises(ProvenanceError, match=message):
        made(pairs_table(PAIRS, [origin_of_pairs] * 3), judgments_table(VOTES), **options)


@pytest.mark.parametrize(
    ("origin_of_pairs", "options", "tier", "origin"),
    [
        ("public_crowd", {"tier": "crowd_reference"}, "crowd_reference", "public_crowd"),
        ("public_crowd", {"origin": "simulation"}, "simulation", "simulation"),
        (
            "public_crowd",
            {"tier": "primary_human_expert", "origin": "study_human_expert"},
            "primary_human_expert",
            "study_human_expert",
        ),
        (
            "study_human_expert",
            {"tier": "primary_human_expert"},
            "primary_human_expert",
            "study_human_expert",
        ),
    ],
)
def test_tier_and_origin_are_written(
    origin_of_pairs: str, options: dict[str, str], tier: str, origin: str
) -> None:
    gold, aggregates, report = made(
        pairs_table(PAIRS, [origin_of_pairs] * 3), judgments_table(VOTES), **options
    )
    assert [(row["gold_tier"], row["data_origin"]) for row in gold] == [(tier, origin)]
    assert {row["data_origin"] for row in aggregates} == {origin}
    assert (report["gold_tier"], report["data_origin"]) == (tier, [origin])


IDS = ["007", "7", "1e5", "NA", "null", " x", "x", "-0", "0", "12345678901234567890", "é", "e\u0301"]


def ballots() -> st.SearchStrategy[list[tuple[str, str, str]]]:
    """At most one answer a rater and pair, over pairs between neighbouring ids."""
    answers = st.tuples(st.integers(0, 4), st.integers(0, len(IDS) - 2), st.sampled_from(["a", "b", ""]))
    unique = st.lists(answers, max_size=40, unique_by=lambda answer: answer[:2])
    return unique.map(
        lambda rows: [
            (f"r{rater}", f"pair {IDS[i]}", {"a": IDS[i], "b": IDS[i + 1], "": ""}[side])
            for rater, i, side in rows
        ]
    )


CHAIN: list[Pair] = [(f"pair {a}", a, b) for a, b in pairwise(IDS)]


def without_coded(value: Any) -> Any:
    if isinstance(value, dict):
        return {k: without_coded(v) for k, v in value.items() if k not in ("as_coded", "preferred_in_a")}
    return value


@given(ballots(), st.lists(st.booleans(), min_size=len(CHAIN), max_size=len(CHAIN)))
def test_exchanging_a_and_b_changes_no_label(rows: list[tuple[str, str, str]], exchange: list[bool]) -> None:
    exchanged = [(p, b, a) if flip else (p, a, b) for (p, a, b), flip in zip(CHAIN, exchange, strict=True)]
    plain = made(pairs_table(CHAIN), judgments_table(rows))
    other = made(pairs_table(exchanged), judgments_table(rows))
    assert plain[:2] == other[:2]
    assert without_coded(plain[2]) == without_coded(other[2])


@given(ballots(), st.randoms(use_true_random=False))
def test_order_of_both_tables_changes_nothing(rows: list[tuple[str, str, str]], random: Random) -> None:
    plain = made(pairs_table(CHAIN), judgments_table(rows))
    other = made(
        pairs_table(random.sample(CHAIN, len(CHAIN))), judgments_table(random.sample(rows, len(rows)))
    )
    assert plain[:2] == other[:2]
    assert strict_json.dumps(plain[2]) == strict_json.dumps(other[2])


@given(ballots())
def test_abstentions_change_only_their_count(rows: list[tuple[str, str, str]]) -> None:
    chosen = [row for row in rows if row[2]]
    plain = made(pairs_table(CHAIN), judgments_table(chosen))
    other = made(pairs_table(CHAIN), judgments_table(rows))
    assert plain[:2] == other[:2]
    assert other[2]["judgments"].pop("abstentions") == len(rows) - len(chosen)
    assert plain[2]["judgments"].pop("abstentions") == 0
    assert plain[2] == other[2]


@needs_data
@pytest.mark.parametrize(
    ("name", "tier", "gold", "unanimous", "in_a"),
    [
        ("lamp", "public_reference", 600, 428, 0.405),
        ("pandalm", "public_reference", 863, 794, 0.4647),
        ("calista", "crowd_reference", 110, 47, 0.5455),
    ],
)
def test_real_judgments(name: str, tier: str, gold: int, unanimous: int, in_a: float) -> None:
    pairs = read_table(DATA / name / "bench_pairs.csv", BENCH_PAIRS)
    judgments = read_table(DATA / name / "judgments.csv", JUDGMENTS)
    rows, aggregates, report = made(pairs, judgments, tier=tier)
    assert len(rows) == gold
    assert len(aggregates) == len(pairs)
    overall = report["overall"]
    assert overall["states"]["gold"] == gold
    assert overall["unanimous"]["k"] == unanimous
    assert overall["preferred_in_a"]["value"] == pytest.approx(in_a, abs=5e-5)
    assert sum(overall["states"].values()) == len(pairs)
