"""Deal pairs to raters: k different raters a pair, equal loads, one member of a family a rater."""

from __future__ import annotations

from collections.abc import Sequence
from random import Random


class AssignmentImpossible(Exception):
    """No packets can meet the round's rules; the message says which rule and how to mend it."""


def deal(families: Sequence[Sequence[int]], n_raters: int, k: int, rng: Random) -> dict[int, list[int]]:
    """Give every pair k different raters, in random order.

    `families` holds the pairs (integers) family by family, a pair without a family being a family of one.
    A family of m pairs takes m·k *different* raters, so m·k ≤ n_raters is necessary. It is also sufficient:
    raters are dealt like cards, from a shuffled deck that is renewed when it is empty, and a rater whom the
    family already has stays in the deck for the next family. A rater is thus dealt once from each deck
    before the next is begun, so loads never differ by more than one.

    Raises AssignmentImpossible when a family needs more raters than there are.
    """
    check_feasible(families, n_raters, k)
    raters_of: dict[int, list[int]] = {}
    deck: list[int] = []
    for members in families:
        hand = _draw(deck, len(members) * k, n_raters, rng)
        rng.shuffle(hand)
        for position, pair in enumerate(members):
            raters_of[pair] = hand[position * k : (position + 1) * k]
    return raters_of


def _draw(deck: list[int], size: int, n_raters: int, rng: Random) -> list[int]:
    """Take `size` different raters from the deck, which is changed in place; size ≤ n_raters."""
    hand = [deck.pop() for _ in range(min(size, len(deck)))]
    missing = size - len(hand)
    if missing:
        taken = set(hand)
        renewed = list(range(n_raters))
        rng.shuffle(renewed)
        fresh = [rater for rater in renewed if rater not in taken]
        hand += fresh[:missing]
        deck += [rater for rater in renewed if rater in taken] + fresh[missing:]
        rng.shuffle(deck)
    return hand


def check_feasible(families: Sequence[Sequence[int]], n_raters: int, k: int) -> None:
    """Raise AssignmentImpossible, naming rule and cure, unless `deal` can succeed."""
    if k < 1:
        raise AssignmentImpossible(f"Raters a pair is {k}. Ask for at least 1.")
    if not families:
        raise AssignmentImpossible("The round has no pairs. Add pairs to it first.")
    if n_raters < 1:
        raise AssignmentImpossible("The round has no raters. Add raters to it first.")
    if k > n_raters:
        raise AssignmentImpossible(
            f"Every pair is to be seen by {k} different raters, and the round has {n_raters}. "
            f"Add {k - n_raters} more, or ask for {n_raters} a pair."
        )
    largest = max(len(members) for members in families)
    if largest * k > n_raters:
        too_large = sum(len(members) * k > n_raters for members in families)
        fewer = n_raters // largest
        raise AssignmentImpossible(
            f"No rater may see two members of a family. The largest family has {largest} pairs, which takes "
            f"{largest} × {k} = {largest * k} different raters, and the round has {n_raters} "
            f"(families too large for that: {too_large}). Add {largest * k - n_raters}"
            + (f", ask for {fewer} a pair" if fewer else "")
            + f", or keep at most {n_raters // k} pairs of a family in the round."
        )
