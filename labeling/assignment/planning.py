"""The plan of a round: dealing, then repeats, then sides, then order, all from one seed."""

from __future__ import annotations

from collections.abc import Hashable, Sequence
from dataclasses import dataclass
from random import Random

from labeling.assignment.dealing import deal
from labeling.assignment.ordering import order_packet, repeats_in
from labeling.assignment.sides import choose_sides


@dataclass(frozen=True, slots=True)
class PlanPair:
    """What planning must know of a pair. `family` is None or "" for a pair that stands alone."""

    key: Hashable
    domain: str
    items: tuple[str, str]
    family: str | None = None


@dataclass(frozen=True, slots=True)
class PlannedShowing:
    """A showing: `pair` indexes the plan's pairs, `repeat_of` an earlier place in the packet."""

    pair: int
    a_left: bool
    repeat_of: int | None = None


@dataclass(frozen=True, slots=True)
class RoundPlan:
    """`packets[i]` are the showings of `raters[i]`, in order."""

    pairs: tuple[PlanPair, ...]
    raters: tuple[Hashable, ...]
    k: int
    repeat_share: float
    seed: int
    packets: tuple[tuple[PlannedShowing, ...], ...]


def plan(
    pairs: Sequence[PlanPair], raters: Sequence[Hashable], *, k: int, repeat_share: float = 0.0, seed: int
) -> RoundPlan:
    """Plan the packets of a round; the same arguments in the same order give the same plan.

    `raters` are any distinct ids; `k` is the number of raters a pair; `repeat_share` in [0, 1] is the
    share of a rater's pairs that are shown again, with the sides exchanged.

    Raises AssignmentImpossible when the rules cannot be met, ValueError when an argument makes no sense.
    """
    if not 0 <= repeat_share <= 1:
        raise ValueError(f"repeat_share is {repeat_share}. Give a share from 0 to 1.")
    if len(set(raters)) < len(raters):
        raise ValueError("A rater is listed twice. List each rater once.")
    if len({pair.key for pair in pairs}) < len(pairs):
        raise ValueError("A pair is listed twice. List each pair once.")
    rng = Random(seed)  # noqa: S311 - a design that can be reproduced, not a secret
    raters_of = deal(_families(pairs, rng), len(raters), k, rng)
    pairs_of: list[list[int]] = [[] for _ in raters]
    for index in range(len(pairs)):
        for rater in raters_of[index]:
            pairs_of[rater].append(index)
    repeated_by = [set(rng.sample(mine, repeats_in(len(mine), repeat_share))) for mine in pairs_of]

    first = [(index, rater) for index in range(len(pairs)) for rater in raters_of[index]]
    sides = choose_sides(
        [index for index, _ in first],
        [rater for _, rater in first],
        [pairs[index].domain for index, _ in first],
        [index in repeated_by[rater] for index, rater in first],
        rng,
    )
    a_left: list[dict[int, bool]] = [{} for _ in raters]
    for (index, rater), side in zip(first, sides, strict=True):
        a_left[rater][index] = side

    items = [pair.items for pair in pairs]
    packets = tuple(
        _packet(mine, repeated, left, items, rng)
        for mine, repeated, left in zip(pairs_of, repeated_by, a_left, strict=True)
    )
    return RoundPlan(tuple(pairs), tuple(raters), k, repeat_share, seed, packets)


def _families(pairs: Sequence[PlanPair], rng: Random) -> list[list[int]]:
    """Pair indexes by family, in random order inside each domain.

    Domain after domain, because raters are dealt in turn: so each domain too is spread evenly over them.
    """
    families: dict[Hashable, list[int]] = {}
    for index, pair in enumerate(pairs):
        families.setdefault(("family", pair.family) if pair.family else index, []).append(index)
    by_domain: dict[str, list[list[int]]] = {}
    for members in families.values():
        by_domain.setdefault(pairs[members[0]].domain, []).append(members)
    dealt: list[list[int]] = []
    for group in by_domain.values():
        rng.shuffle(group)
        dealt += group
    return dealt


def _packet(
    mine: Sequence[int],
    repeated: set[int],
    a_left: dict[int, bool],
    items: Sequence[Sequence[str]],
    rng: Random,
) -> tuple[PlannedShowing, ...]:
    again = [pair for pair in mine if pair in repeated]
    once = [pair for pair in mine if pair not in repeated]
    place_of_first: dict[int, int] = {}
    showings: list[PlannedShowing] = []
    for place, (pair, is_repeat) in enumerate(order_packet(again, once, items, rng)):
        if is_repeat:
            showings.append(PlannedShowing(pair, not a_left[pair], place_of_first[pair]))
        else:
            place_of_first[pair] = place
            showings.append(PlannedShowing(pair, a_left[pair]))
    return tuple(showings)
