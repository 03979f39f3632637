import numpy as np
import pyarrow as pa
import pytest

from evaluation.leakage import BAD_TOKENS, GOOD_TOKENS, good_token_sides, token_scores


def score_of(item_id, ref="text:"):
    return token_scores(pa.array([item_id]), pa.array([ref])).tolist()[0]


@pytest.mark.parametrize(
    ("item_id", "ref", "score"),
    [
        ("poster_01", "assets/poster_01.png", 0),
        ("poster_01_good", "text:x", 1),
        ("poster_01_weak", "text:x", -1),
        ("poster_01", "assets/GoodPoster2.png", 1),
        ("poster_01", "assets/poster-WEAK.png", -1),
        ("goodwill", "assets/badge.png", 0),  # only whole words are tokens
        ("item", "good/poster.png", 0),  # the folder is not the file name
        ("item", r"good\poster.png", 0),
        ("item", "text:a good poster", 0),  # the text itself is content, not a name
        ("lamp-001_ai_generated", "text:", -2),
        ("lamp-001_human_edited", "assets/lamp-001_human_edited.md", 2),
        ("good.bad", "text:", 0),
        ("best good", "text:", 2),  # neighbours are counted apart
    ],
)
def test_tokens_in_item_id_and_file_name(item_id, ref, score):
    assert score_of(item_id, ref) == score


def test_no_token_is_both_good_and_bad():
    assert not set(GOOD_TOKENS) & set(BAD_TOKENS)


def test_every_listed_token_is_found():
    assert {score_of(f"item_{token}_7") for token in GOOD_TOKENS} == {1}
    assert {score_of(f"item_{token}_7") for token in BAD_TOKENS} == {-1}


def test_equal_or_no_tokens_fall_to_the_coin():
    sides, decided = good_token_sides(
        np.array([1, -1, 0, 1]), np.array([0, 0, 0, 1]), np.array([False, True, True, False])
    )
    assert sides.tolist() == [True, False, True, False]
    assert decided == 2
