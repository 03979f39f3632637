"""References between tables, by hand-made benches of a few rows."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from labeling.tables import (
    BENCH_ITEMS,
    BENCH_PAIRS,
    BENCH_WEAK,
    JUDGMENTS,
    PREDS,
    Frame,
    TableErrors,
    read_table,
)
from labeling.tables.lookalikes import lookalikes
from labeling.tables.references import check_bench, check_pair_ids, check_weak, choices_of, rows_of


def items(*rows: str) -> Frame:
    raw = "item_id,domain,uri_or_payload_ref,license,data_origin\n"
    raw += "".join(f"{row},text:x,MIT,simulation\n" for row in rows)
    return read_table(raw.encode(), BENCH_ITEMS, name="items.csv")


def pairs(*rows: str) -> Frame:
    """Rows of pair_id, item_a, item_b, then domain, split, era and circle where they are not the usual."""
    raw = "pair_id,item_a,item_b,domain,split,condition_era,condition_circle,difficulty,data_origin\n"
    for row in rows:
        cells = row.split(",")
        cells += ["visual", "test", "", ""][len(cells) - 3 :]
        raw += f"{','.join(cells)},easy,simulation\n"
    return read_table(raw.encode(), BENCH_PAIRS, name="pairs.csv")


def judgments(*rows: str) -> Frame:
    raw = "rater_id,pair_id,preferred_id\n" + "".join(f"{row}\n" for row in rows)
    return read_table(raw.encode(), JUDGMENTS, name="judgments.csv")


def messages(check, *args, **options) -> list[str]:
    try:
        check(*args, **options)
    except TableErrors as error:
        return [str(fault) for fault in error.errors]
    return []


def test_a_sound_bench_passes_with_and_without_items():
    sound = pairs("p,x,y", "q,y,z", "r,x,z")
    assert messages(check_bench, items("x,visual", "y,visual", "z,visual"), sound) == []
    assert messages(check_bench, None, sound) == []
    assert messages(check_bench, items(), pairs()) == []


def test_item_paired_with_itself():
    assert messages(check_bench, None, pairs("p,x,y", "q,x,x")) == [
        "pairs.csv:3: item_b: item “x” is paired with itself. Name two different items."
    ]


def test_same_two_items_in_either_order_are_one_pair():
    assert messages(check_bench, None, pairs("p,x,y", "q,y,x", "r,y,z", "s,x,y")) == [
        "pairs.csv:3: item_a: the same two items under the same conditions as pair “p” on line 2."
        " Keep one of the two, or give them different conditions.",
        "pairs.csv:5: item_a: the same two items under the same conditions as pair “p” on line 2."
        " Keep one of the two, or give them different conditions.",
    ]


def test_family_members_share_items_under_different_conditions():
    family = [
        "n,x,y",
        "c,x,y,visual,test,baroque",
        "m,x,y,visual,test,modern",
        "k,y,x,visual,test,baroque,club",
    ]
    assert messages(check_bench, None, pairs(*family)) == []
    (message,) = messages(check_bench, None, pairs(*family, "z,y,x,visual,test,modern"))
    assert "as pair “m” on line 4" in message


def test_unknown_items_and_foreign_domains_are_named():
    bench = pairs("p,x,y", "q,x,w", "r,v,z")
    assert messages(check_bench, items("x,visual", "y,visual", "z,brand"), bench) == [
        "pairs.csv:3: item_b: “w” is not in items.csv. Add it to items.csv, or correct the id.",
        "pairs.csv:4: item_a: “v” is not in items.csv. Add it to items.csv, or correct the id.",
        "pairs.csv:4: domain: the pair is in domain “visual”, its item_b “z” in “brand”."
        " Correct the domain here or in items.csv.",
    ]


def test_without_any_item_every_reference_is_unknown():
    assert len(messages(check_bench, items(), pairs("p,x,y"))) == 2


def test_choices_are_resolved_to_sides():
    answers = judgments("r1,q,z", "r1,p,x", "r2,p,y", "r2,q,")
    resolved = check_pair_ids(answers, pairs("p,x,y", "q,y,z"), choice="preferred_id")
    # q is row 1 of pairs, p row 0; z is item_b of q, x item_a and y item_b of p, the last abstained.
    assert resolved.pair.tolist() == [1, 0, 0, 1]
    assert resolved.choice is not None
    assert resolved.choice.tolist() == [1, 0, 1, -1]


def test_unknown_pair_and_foreign_choice_are_named():
    answers = judgments("r1,p,x", "r1,w,x", "r1,q,x", "r2,w,")
    assert messages(check_pair_ids, answers, pairs("p,x,y", "q,y,z"), choice="preferred_id") == [
        "judgments.csv:3: pair_id: “w” is not in pairs.csv. Add it to pairs.csv, or correct the id.",
        "judgments.csv:4: preferred_id: “x” is neither item of pair “q” (“y”, “z”)."
        " Name one of the two, or leave the row out.",
        "judgments.csv:5: pair_id: “w” is not in pairs.csv. Add it to pairs.csv, or correct the id.",
    ]


def test_predictions_may_name_an_item_not_of_the_pair_but_not_an_unknown_pair():
    preds = read_table(b"pair_id,pred_preferred_id\nq,nonsense\np,x\n", PREDS, name="preds.csv")
    resolved = check_pair_ids(preds, pairs("p,x,y", "q,y,z"))
    assert resolved.pair.tolist() == [1, 0]
    assert resolved.choice is None
    assert choices_of(preds, "pred_preferred_id", pairs("p,x,y", "q,y,z"), resolved.pair).tolist() == [-2, 0]
    assert messages(check_pair_ids, preds, pairs("p,x,y"))[0].startswith(
        "preds.csv:2: pair_id: “q” is not in"
    )


def test_no_pairs_and_no_rows():
    empty = judgments()
    assert check_pair_ids(empty, pairs("p,x,y"), choice="preferred_id").pair.tolist() == []
    assert check_pair_ids(empty, pairs(), choice="preferred_id").pair.tolist() == []
    assert len(messages(check_pair_ids, judgments("r,p,x"), pairs(), choice="preferred_id")) == 1


@pytest.mark.parametrize(
    ("known", "written", "reason"),
    [
        ("007", "7", "read the id as a number"),
        ("1e5", "100000", "read the id as a number"),
        ("1e5", "1E+05", "read the id as a number"),
        ("7", "7.0", "read the id as a number"),
        ("12345678901234567890", "12345678901234500000", "rounded the long number"),
        ("12345678901234567890", "1.23456789012346E+19", "rounded the long number"),
        ("caf\u00e9", "cafe\u0301", "how an accent is encoded"),
        ("p1", " p1", "spaces"),
        ("p1", "p1\xa0", "spaces"),
        ("p1", "p\u200b1", "spaces"),
        ("p 1", "p\xa01", "spaces"),
        ("Pair1", "pair1", "capitals"),
        ("Pair1", "ｐair１ ", "spaces, capitals or form"),
    ],
)
def test_id_that_a_program_changed_is_recognised(known, written, reason):
    hint = lookalikes([written], ["other", known])[written]
    assert reason in hint
    assert hint.startswith("Did you mean ")


def test_lookalikes_stay_silent_about_strangers():
    assert lookalikes(["zebra", "12", "-"], ["p1", "013", "1e9999999"]) == {}
    # Two ids could be meant: neither is suggested.
    assert lookalikes(["7", "P1"], ["007", "07", "p1", "p1 "]).keys() == {"P1"}


def test_lookalike_reaches_the_message_and_is_not_taken_for_equal():
    quoted = 'rater_id,pair_id,preferred_id\nr,"7",x\n'
    answers = read_table(quoted.encode(), JUDGMENTS, name="judgments.csv")
    (message,) = messages(check_pair_ids, answers, pairs("007,x,y"))
    assert message == (
        "judgments.csv:2: pair_id: “7” is not in pairs.csv. Did you mean “007”?"
        " A spreadsheet seems to have read the id as a number; format the column as text."
    )
    (message,) = messages(check_pair_ids, judgments("r,p,X"), pairs("p,x,y"), choice="preferred_id")
    assert message.endswith("Did you mean “x”? They differ in capitals.")


def test_weak_labels_for_alignment_belong_to_train():
    raw = (
        "pair_id,weak_preferred_id,weak_source,use_as,data_origin\n"
        "p,x,likes,alignment_only,simulation\n"
        "q,y,likes,alignment_only,simulation\n"
        "q,w,saves,analysis_only,simulation\n"
        "r,y,likes,analysis_only,simulation\n"
    )
    weak = read_table(raw.encode(), BENCH_WEAK, name="weak.csv")
    bench = pairs("p,x,y,visual,train", "q,y,z,visual,test")
    assert messages(check_weak, weak, bench) == [
        "weak.csv:3: use_as: pair “q” is in split test, and alignment_only is for train."
        " Write analysis_only, or remove the row.",
        "weak.csv:4: weak_preferred_id: “w” is neither item of pair “q” (“y”, “z”)."
        " Name one of the two, or leave the row out.",
        "weak.csv:5: pair_id: “r” is not in pairs.csv. Add it to pairs.csv, or correct the id.",
    ]


@given(
    st.lists(st.integers(0, 12), unique=True, max_size=8),
    st.lists(st.integers(0, 14), unique=True, max_size=8),
)
def test_rows_of_finds_each_id_where_it_is(known, wanted):
    bench = pairs(*(f"p{number},x{number},y{number}" for number in known))
    preds = "pair_id,pred_preferred_id\n" + "".join(f"p{number},a\n" for number in wanted)
    found = rows_of(read_table(preds.encode(), PREDS), "pair_id", bench, "pair_id")
    assert found.dtype == np.int64
    assert found.tolist() == [known.index(number) if number in known else -1 for number in wanted]


def test_all_are_counted_when_there_are_more_than_200():
    many = judgments("r,p,x", *(f"r,w{number},x" for number in range(500)))
    with pytest.raises(TableErrors) as caught:
        check_pair_ids(many, pairs("p,x,y"))
    assert (caught.value.total, len(caught.value.errors)) == (500, 200)
    assert str(caught.value).endswith("\n... and 300 more.")


def test_a_table_of_another_bench_is_told_in_one_line():
    with pytest.raises(TableErrors) as caught:
        check_pair_ids(judgments(*(f"r,w{number},x" for number in range(20))), pairs("p,x,y"))
    (line,) = str(caught.value).splitlines()
    assert "none of the 20 rows has an id of pairs.csv" in line
