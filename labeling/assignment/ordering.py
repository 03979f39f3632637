"""Put one rater's pairs and repeats in order."""

from __future__ import annotations

from collections.abc import Collection, Sequence
from fractions import Fraction
from random import Random

REPEAT_GAP = 20
"""A repeat comes at least this many showings after its first showing."""

_SEAT_TRIALS = 8
"""Places tried for a repeat before one beside a pair with the same item is accepted."""


def repeats_in(n_first: int, share: float) -> int:
    """How many of a packet's `n_first` pairs are repeated: the nearest integer to the share, half upwards.

    A packet of fewer than `REPEAT_GAP` pairs has none. A longer one has room for any number: all repeats
    at the end, in the order of their first showings, are `n_first` showings away.
    """
    if n_first < REPEAT_GAP:
        return 0
    return int(Fraction(str(share)) * n_first + Fraction(1, 2))


def order_packet(
    repeated: Collection[int], others: Collection[int], items: Sequence[Sequence[str]], rng: Random
) -> list[tuple[int, bool]]:
    """The packet's showings in order as (pair, is it the repeat); `items[pair]` are the pair's items.

    Shuffled. As far as a few exchanges can do it, no two showings that share an item are neighbours.
    """
    firsts = _seat_firsts(list(repeated), list(others), rng)
    _part_neighbours(firsts, set(repeated), items, rng)
    seat = {pair: position for position, pair in enumerate(firsts)}
    by_seat = sorted(repeated, key=seat.__getitem__)
    if len(repeated) > len(firsts) - REPEAT_GAP + 1:  # too many to seat all of them early
        return [(pair, False) for pair in firsts] + [(pair, True) for pair in by_seat]
    after: dict[int, list[int]] = {}
    for pair in by_seat:
        after.setdefault(_place_repeat(pair, seat[pair], firsts, after, items, rng), []).append(pair)
    order: list[tuple[int, bool]] = []
    for position, pair in enumerate(firsts):
        order.append((pair, False))
        order += [(again, True) for again in after.get(position, ())]
    return order


def _seat_firsts(repeated: list[int], others: list[int], rng: Random) -> list[int]:
    """Shuffle, with those to be repeated early enough that the gap fits behind them."""
    rng.shuffle(repeated)
    rng.shuffle(others)
    n = len(repeated) + len(others)
    n_early = max(n - REPEAT_GAP + 1, 0)
    early = rng.sample(range(n_early), len(repeated)) if len(repeated) <= n_early else range(len(repeated))
    seats = set(early)
    return [repeated.pop() if position in seats else others.pop() for position in range(n)]


def _part_neighbours(
    firsts: list[int], repeated: set[int], items: Sequence[Sequence[str]], rng: Random
) -> None:
    """Exchange pairs, each only with one of its own kind, so that neighbours share no item (best effort)."""

    def clashes(position: int, pair: int) -> bool:
        around = firsts[max(position - 1, 0) : position] + firsts[position + 1 : position + 2]
        return any(not set(items[pair]).isdisjoint(items[near]) for near in around)

    for here, pair in enumerate(firsts):
        if not clashes(here, pair):
            continue
        for _ in range(_SEAT_TRIALS * 4):
            there = rng.randrange(len(firsts))
            other = firsts[there]
            if abs(there - here) < 2 or (other in repeated) != (pair in repeated):
                continue
            if not clashes(here, other) and not clashes(there, pair):
                firsts[here], firsts[there] = other, pair
                break


def _place_repeat(
    pair: int,
    seat: int,
    firsts: Sequence[int],
    after: Collection[int],
    items: Sequence[Sequence[str]],
    rng: Random,
) -> int:
    """The position in `firsts` behind which the repeat comes, at least the gap away from `seat`."""
    first_choice = place = rng.randrange(seat + REPEAT_GAP - 1, len(firsts))
    for _ in range(_SEAT_TRIALS):
        around = firsts[place : place + 2]
        if place not in after and all(set(items[pair]).isdisjoint(items[near]) for near in around):
            return place
        place = rng.randrange(seat + REPEAT_GAP - 1, len(firsts))
    return first_choice
