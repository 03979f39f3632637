"""The lexical leak: can the better item be told from its id or file name alone?

The policy ``leak_prefer_good_token`` takes the item whose names carry more good tokens than bad ones. This is
the one place where the tokens are listed. Tokens are runs of ASCII letters, split at a change from lower to
upper case ("GoodPoster_v2" is good, poster, v), compared in lower case; "human" against "ai" counts because
provenance in a name tells as much as quality does.
"""

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

from evaluation.columns import Mask, Rows

GOOD_TOKENS = (
    "good", "great", "strong", "better", "best", "win", "wins", "won", "winner", "gold", "human", "expert",
    "pro", "original", "preferred", "chosen", "positive", "pos", "clean", "polished", "refined",
)  # fmt: skip
BAD_TOKENS = (
    "bad", "weak", "weaker", "worse", "worst", "poor", "lose", "loses", "lost", "loser", "ai", "generated",
    "novice", "amateur", "degraded", "rejected", "negative", "neg", "broken", "distorted", "flawed", "sloppy",
)  # fmt: skip


def token_scores(item_ids: pa.Array, refs: pa.Array) -> Rows:
    """Good minus bad tokens in each item id and file name (last part of a path; text payloads have none)."""
    is_text = pc.starts_with(refs, "text:")
    file_names = pc.if_else(is_text, "", pc.replace_substring_regex(refs, r".*[/\\]", ""))
    names = pc.binary_join_element_wise(item_ids, file_names, " ")
    split_case = pc.replace_substring_regex(names, r"([a-z])([A-Z])", r"\1 \2")
    words = pc.replace_substring_regex(pc.ascii_lower(split_case), "[^a-z]+", " ")
    return _count(words, GOOD_TOKENS) - _count(words, BAD_TOKENS)


def _count(words: pa.Array, tokens: tuple[str, ...]) -> Rows:
    pattern = rf"\b({'|'.join(tokens)})\b"
    counts: Rows = pc.count_substring_regex(words, pattern).to_numpy(zero_copy_only=False).astype(np.int64)
    return counts


def good_token_sides(score_a: Rows, score_b: Rows, coin: Mask) -> tuple[Mask, int]:
    """item_a where its token score is higher, item_b where lower, the coin's side where equal or no token.

    Also returns on how many pairs the tokens decided.
    """
    decided = score_a != score_b
    return np.where(decided, score_a > score_b, coin), int(decided.sum())
