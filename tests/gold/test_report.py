"""The agreement report: its sentence, its counts, and what may and may not change it."""

from random import Random
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from gold.aggregation import aggregate
from gold.report import Grouping, agreement_report
from labeling import strict_json

DOMAINS = ("visual", "book")
SPLITS = ("test", "dev")


def report(rows: list[tuple[str, str, str]], *, raters: int = 3, abstentions: int = 0) -> dict[str, Any]:
    """A report on rows of (votes such as "aab", domain, split)."""
    pair = [number for number, (ballot, _, _) in enumerate(rows) for _ in ballot]
    choice = ["ab".index(vote) for ballot, _, _ in rows for vote in ballot]
    document: dict[str, Any] = agreement_report(
        aggregate(np.array(pair, np.int64), np.array(choice, np.int8), len(rows)),
        domains=Grouping(np.array([DOMAINS.index(row[1]) for row in rows], np.int64), DOMAINS),
        splits=Grouping(np.array([SPLITS.index(row[2]) for row in rows], np.int64), SPLITS),
        raters=raters,
        abstentions=abstentions,
    )
    strict_json.dumps(document)  # every report must be writable
    return document


def test_the_stub_in_one_sentence() -> None:
    rows = [("aaa", "visual", "test")] * 19 + [("ab", "visual", "test")] * 8
    rows += [("aabb", "visual", "test")] * 2 + [("aaaabbb", "visual", "test")]
    assert report(rows)["summary"] == "19 of 30 test pairs are gold; 8 have too few raters, 3 are split."


@pytest.mark.parametrize(
    ("rows", "sentence"),
    [
        ([], "There are no pairs, so there is nothing to report."),
        ([("aaa", "book", "test")], "1 of 1 test pairs is gold."),
        (
            [("aaa", "book", "test"), ("a", "book", "test"), ("aabb", "book", "test")],
            "1 of 3 test pairs is gold; 1 has too few raters, 1 is split.",
        ),
        (
            [("aaa", "book", "test"), ("", "book", "dev")],
            "1 of 1 test pairs is gold. Over all splits 1 of 2 is gold.",
        ),
        (
            [("aaa", "book", "dev"), ("aab", "book", "dev")],
            "2 of 2 pairs are gold. No pair is in the test split.",
        ),
    ],
)
def test_summaries(rows: list[tuple[str, str, str]], sentence: str) -> None:
    assert report(rows)["summary"] == sentence


def test_what_is_counted() -> None:
    rows = [
        ("aaa", "visual", "test"),
        ("abb", "visual", "dev"),
        ("aabb", "book", "test"),
        ("aaaabbb", "book", "test"),
        ("a", "book", "dev"),
        ("", "book", "dev"),
    ]
    document = report(rows, raters=7, abstentions=4)
    assert document["judgments"] == {"votes": 18, "abstentions": 4, "raters": 7}
    assert document["gate"]["min_raters"] == 3
    assert document["gate"]["min_agreement"] == 0.6
    overall = document["overall"]
    assert overall["pairs"] == 6
    assert overall["states"] == {"gold": 2, "too_few": 2, "tie": 1, "below_gate": 1}
    assert overall["used_for_agreement"] == {"used": 4, "total": 6, "left_out": {"no_vote": 1, "one_vote": 1}}
    # (1 + 2/3 + 1/2 + 4/7) / 4
    assert overall["percent_agreement"] == {"value": pytest.approx(115 / 168), "n": 4}
    assert overall["percent_agreement_gold"] == {"value": pytest.approx(5 / 6), "n": 2}
    # (1 + 1/3 + 2/6 + (6 + 3)/21) / 4
    assert overall["mean_pairwise_agreement"] == {"value": pytest.approx(11 / 21), "n": 4}
    assert overall["unanimous"]["k"] == 1
    assert overall["unanimous"]["n"] == 2
    assert overall["preferred_in_a"]["value"] == 0.5
    assert overall["preferred_in_a"]["p_two_sided"] == 1.0
    assert list(document["by_domain"]) == ["book", "visual"]
    assert document["by_domain"]["book"]["states"] == {"gold": 0, "too_few": 2, "tie": 1, "below_gate": 1}
    assert document["by_domain"]["book"]["preferred_in_a"]["why"] == "No pair is gold."
    assert document["by_split"]["dev"] == {
        "pairs": 3,
        "states": {"gold": 1, "too_few": 2, "tie": 0, "below_gate": 0},
    }
    assert next(iter(document)) == "summary"


def test_coin_flips_are_named() -> None:
    rows = (
        [("aaa", "book", "test")] * 3
        + [("aaab", "book", "test")] * 2
        + [("aaaaaab", "book", "test"), ("a", "book", "test")]
    )
    flips = report(rows)["coin_flips"]
    assert flips["by_n_raters"] == [
        {"n_raters": 1, "pairs": 1, "pass_probability": 0.0},
        {"n_raters": 3, "pairs": 3, "pass_probability": 1.0},
        {"n_raters": 4, "pairs": 2, "pass_probability": 0.625},
        {"n_raters": 7, "pairs": 1, "pass_probability": 0.453125},
    ]
    assert flips["expected_gold"] == 4.703125  # 3 + 1.25 + 0.453125
    assert flips["note"].startswith(
        "If every vote were a coin flip, 4.7 of 7 pairs would be expected to pass"
    )


def test_nothing_judged_says_why_everywhere() -> None:
    overall = report([("", "book", "test")], raters=0)["overall"]
    for figure in (
        overall["percent_agreement"],
        overall["percent_agreement_gold"],
        overall["mean_pairwise_agreement"],
        overall["alpha_nominal"]["as_coded"],
        overall["alpha_nominal"]["orientation_free"],
        overall["unanimous"],
        overall["preferred_in_a"],
    ):
        assert figure["value"] is None
        assert figure["n"] == 0
        assert len(figure["why"]) > 10


ROWS = st.lists(
    st.tuples(st.text("ab", max_size=7), st.sampled_from(DOMAINS), st.sampled_from(SPLITS)), max_size=12
)
CODED = {"as_coded", "preferred_in_a"}
"""The figures that depend on which item is listed first."""


def without_coded(value: Any) -> Any:
    if isinstance(value, dict):
        return {key: without_coded(inner) for key, inner in value.items() if key not in CODED}
    return value


@given(ROWS, st.lists(st.booleans(), min_size=12, max_size=12))
def test_exchanging_a_and_b_changes_only_what_is_coded(
    rows: list[tuple[str, str, str]], exchange: list[bool]
) -> None:
    mirror = str.maketrans("ab", "ba")
    exchanged = [
        (ballot.translate(mirror) if flip else ballot, domain, split)
        for (ballot, domain, split), flip in zip(rows, exchange, strict=False)
    ]
    assert without_coded(report(exchanged)) == without_coded(report(rows))


@given(ROWS, st.randoms(use_true_random=False))
def test_order_of_rows_and_raters_changes_nothing(rows: list[tuple[str, str, str]], random: Random) -> None:
    shuffled = [
        ("".join(random.sample(ballot, len(ballot))), domain, split) for ballot, domain, split in rows
    ]
    random.shuffle(shuffled)
    assert strict_json.dumps(report(shuffled)) == strict_json.dumps(report(rows))


@given(ROWS, st.integers(1, 5))
def test_an_abstention_changes_only_its_count(rows: list[tuple[str, str, str]], more: int) -> None:
    plain, with_more = report(rows), report(rows, abstentions=more)
    assert with_more["judgments"].pop("abstentions") == more
    assert plain["judgments"].pop("abstentions") == 0
    assert with_more == plain
