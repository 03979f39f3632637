"""Small tables for tests: rows given as what differs from a plain row."""

from collections.abc import Iterable, Mapping

PAIR = {
    "pair_id": "p1",
    "domain": "book",
    "item_a": "a",
    "item_b": "b",
    "condition_era": "",
    "pair_group_id": "",
    "cue_type": "",
    "difficulty": "medium",
    "split": "test",
    "data_origin": "study_human_expert",
}
GOLD = {
    "pair_id": "p1",
    "preferred_id": "a",
    "agreement": "1",
    "n_raters": "3",
    "rubric_id": "rubric_v1",
    "data_origin": "study_human_expert",
    "gold_tier": "primary_human_expert",
    "exclude_primary": "false",
}
PRED = {"pair_id": "p1", "pred_preferred_id": "a", "confidence": ""}
ITEM = {
    "item_id": "a",
    "domain": "book",
    "uri_or_payload_ref": "text:prose",
    "license": "MIT",
    "data_origin": "study_human_expert",
}


def csv(plain: Mapping[str, str], rows: Iterable[Mapping[str, str]]) -> bytes:
    lines = [",".join(plain)] + [",".join((dict(plain) | dict(row)).values()) for row in rows]
    return ("\n".join(lines) + "\n").encode()


def pairs_csv(*rows: Mapping[str, str]) -> bytes:
    return csv(PAIR, rows)


def gold_csv(*rows: Mapping[str, str]) -> bytes:
    return csv(GOLD, rows)


def preds_csv(*rows: Mapping[str, str]) -> bytes:
    return csv(PRED, rows)


def items_csv(*rows: Mapping[str, str]) -> bytes:
    return csv(ITEM, rows)


def ids(*pair_ids: str) -> list[dict[str, str]]:
    """Plain pairs with these ids, each of two items of its own (``p1-a``, ``p1-b``)."""
    return [{"pair_id": each, "item_a": f"{each}-a", "item_b": f"{each}-b"} for each in pair_ids]
