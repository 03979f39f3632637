"""Choose the side of item_a for showings added to a round: the pair is balanced first, then the rater."""

from __future__ import annotations

from collections.abc import Sequence
from random import Random

_FREE = -1
"""Stands for a pair whose count may go up or down by one: a source and sink beside the raters."""


def choose_more_sides(
    raters_of: Sequence[Sequence[int]],
    standing: Sequence[tuple[int, int]],
    leans: Sequence[int],
    rng: Random,
) -> list[set[int]]:
    """For each pair the raters who see item_a on the left.

    `raters_of[pair]` are the raters who get the pair, `standing[pair]` its (first showings, those with item_a
    left) so far, `leans[rater]` showings with item_a left minus right so far. A pair ends at floor or ceil of
    half, or as near as the standing ones allow. Then sides are exchanged along paths of raters until none
    lessens the sum of squared leans: the costs are convex, so no other choice has a smaller one.
    """
    lean = list(leans)
    a_left: list[set[int]] = []
    bounds: list[tuple[int, int]] = []
    for raters, (first, standing_left) in zip(raters_of, standing, strict=True):
        least, most = _count(len(raters), first, standing_left)
        mixed = list(raters)
        rng.shuffle(mixed)
        mixed.sort(key=lambda rater: lean[rater])
        chosen = set(mixed[: rng.randint(least, most)])
        for rater in raters:
            lean[rater] += 1 if rater in chosen else -1
        a_left.append(chosen)
        bounds.append((least, most))
    while _improve(raters_of, a_left, bounds, lean):
        pass
    return a_left


def _count(new: int, first: int, a_left: int) -> tuple[int, int]:
    """The least and the most of `new` showings that can have item_a left, the pair as near half as can be."""
    total = first + new
    low = min(max(total // 2 - a_left, 0), new)
    high = min(max((total + 1) // 2 - a_left, 0), new)
    return low, high


def _improve(
    raters_of: Sequence[Sequence[int]],
    a_left: list[set[int]],
    bounds: Sequence[tuple[int, int]],
    lean: list[int],
) -> bool:
    """Exchange sides along one path that lessens the sum of squared leans; False when there is none."""
    steps = _steps(raters_of, a_left, bounds)
    for start in sorted(steps, key=lambda rater: -_value(lean, rater)):
        path = _path_down(start, steps, lean)
        if path:
            for giver, pair, taker in path:
                if giver != _FREE:
                    a_left[pair].remove(giver)
                if taker != _FREE:
                    a_left[pair].add(taker)
            end = path[-1][2]
            if start != _FREE:
                lean[start] -= 2
            if end != _FREE:
                lean[end] += 2
            return True
    return False


def _value(lean: Sequence[int], rater: int) -> int:
    return 0 if rater == _FREE else lean[rater]


def _steps(
    raters_of: Sequence[Sequence[int]], a_left: Sequence[set[int]], bounds: Sequence[tuple[int, int]]
) -> dict[int, dict[int, int]]:
    """giver → {taker: the pair at which the giver's left can become the taker's}."""
    steps: dict[int, dict[int, int]] = {}
    for pair, raters in enumerate(raters_of):
        least, most = bounds[pair]
        givers = [rater for rater in raters if rater in a_left[pair]]
        takers = [rater for rater in raters if rater not in a_left[pair]]
        if len(givers) > least:
            takers = [*takers, _FREE]
        if len(a_left[pair]) < most:
            givers = [*givers, _FREE]
        for giver in givers:
            for taker in takers:
                if giver != taker:
                    steps.setdefault(giver, {}).setdefault(taker, pair)
    return steps


def _path_down(
    start: int, steps: dict[int, dict[int, int]], lean: Sequence[int]
) -> list[tuple[int, int, int]]:
    """A shortest path from `start` to where one left less here and one more there is a gain, or []."""
    came_from: dict[int, tuple[int, int, int]] = {}
    queue = [start]
    for here in queue:
        for there, pair in steps.get(here, {}).items():
            if there == start or there in came_from:
                continue
            came_from[there] = (here, pair, there)
            if _gain(start, there, lean):
                path = [came_from[there]]
                while path[0][0] != start:
                    path.insert(0, came_from[path[0][0]])
                return path
            queue.append(there)
    return []


def _gain(giver: int, taker: int, lean: Sequence[int]) -> bool:
    """Whether (lean - 2)² + (lean' + 2)² is smaller than before; what is free costs nothing."""
    before = _value(lean, giver) ** 2 + _value(lean, taker) ** 2
    after = (0 if giver == _FREE else (lean[giver] - 2) ** 2) + (
        0 if taker == _FREE else (lean[taker] + 2) ** 2
    )
    return after < before
