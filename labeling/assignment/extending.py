"""Further showings for a round that collects: pairs passed on to other raters, pairs topped up.

Pure. Both ask the same: each pair wants some more raters who have seen neither it nor a member of its family.
"""

from __future__ import annotations

from collections.abc import Hashable, Sequence
from dataclasses import dataclass
from random import Random

from labeling.assignment.dealing import AssignmentImpossible
from labeling.assignment.more_sides import choose_more_sides
from labeling.assignment.ordering import order_packet
from labeling.assignment.planning import PlanPair


@dataclass(frozen=True, slots=True)
class Standing:
    """What a rater holds already, of the showings still asked.

    `load` counts first showings; `lean` is how many more showings have item_a on the left than on the right;
    `seen` and `families` hold every pair and family that was ever put before the rater.
    """

    rater: Hashable
    load: int
    lean: int
    seen: frozenset[Hashable]
    families: frozenset[str]


@dataclass(frozen=True, slots=True)
class WantedPair:
    """A pair that wants `more` raters, beside `first` first showings, `a_left` of them with item_a left."""

    pair: PlanPair
    more: int
    first: int
    a_left: int


@dataclass(frozen=True, slots=True)
class AddedShowing:
    """`pair` indexes the wanted pairs."""

    pair: int
    a_left: bool


def extend(
    wanted: Sequence[WantedPair], standings: Sequence[Standing], *, seed: int | str
) -> list[list[AddedShowing]]:
    """For each of `standings` the showings to append to that packet, in order.

    * Nobody gets a pair twice, nor two members of a family.
    * Loads are as even as these rules allow (the sum of their squares is least).
    * Of a pair's first showings, old and new, item_a is left in floor or ceil of half, or as near as can be.
    * Given that, each rater is as near half as possible (the sum of squared leans is least).

    The same arguments in the same order give the same result.
    Raises AssignmentImpossible when no rater is left for a pair.
    """
    rng = Random(seed)  # noqa: S311 - a design that can be reproduced, not a secret
    raters_of = _match(wanted, standings, rng)
    a_left = choose_more_sides(
        raters_of,
        [(want.first, want.a_left) for want in wanted],
        [standing.lean for standing in standings],
        rng,
    )
    mine: list[list[int]] = [[] for _ in standings]
    for pair, raters in enumerate(raters_of):
        for rater in raters:
            mine[rater].append(pair)
    items = [want.pair.items for want in wanted]
    return [
        [AddedShowing(pair, rater in a_left[pair]) for pair, _ in order_packet((), pairs, items, rng)]
        for rater, pairs in enumerate(mine)
    ]


class _Matching:
    """Pairs given to raters one by one, each along a path that ends at the least loaded rater in reach.

    That is the successive shortest path method for a flow whose only costs are convex in the raters' loads,
    so the loads are as even as can be (compare Harvey, Ladner, Lovász, Tamir: "Semi-matchings for bipartite
    graphs and load balancing", 2003).
    """

    def __init__(self, families: list[Hashable], eligible: list[list[int]], loads: list[int]) -> None:
        self.families = families
        self.eligible = eligible
        self.loads = loads
        self.held: list[dict[Hashable, int]] = [{} for _ in loads]
        """For each rater: family → the new pair that takes its place. A pair alone is its own family."""

    def place(self, pair: int) -> bool:
        """Give `pair` one more rater, moving others where needed; False when there is none."""
        came_from: dict[tuple[int, int], tuple[int, int] | None] = {}
        """(rater, pair that would come to it) → the step before; a chain of displacements."""
        tried = {pair}
        opened: set[int] = set()
        queue: list[tuple[int, tuple[int, int] | None]] = [(pair, None)]
        best: tuple[int, int] | None = None
        least = min(self.loads)
        for moving, before in queue:
            for rater in self.eligible[moving]:
                family = self.families[moving]
                in_place = self.held[rater].get(family)
                if in_place == moving or (rater in opened and in_place is None):
                    continue
                step = (rater, moving)
                if in_place is None:
                    opened.add(rater)
                    came_from[step] = before
                    if best is None or self.loads[rater] < self.loads[best[0]]:
                        best = step
                    if self.loads[rater] == least:
                        return self._take(step, came_from)
                    displaced = list(self.held[rater].values())
                else:
                    displaced = [in_place]
                for other in displaced:
                    if other not in tried:
                        tried.add(other)
                        came_from[step] = before
                        queue.append((other, step))
        return best is not None and self._take(best, came_from)

    def _take(self, end: tuple[int, int], came_from: dict[tuple[int, int], tuple[int, int] | None]) -> bool:
        """Carry the displacements out, from the last to the first."""
        self.loads[end[0]] += 1
        step: tuple[int, int] | None = end
        while step is not None:
            rater, moving = step
            before = came_from[step]
            if before is not None:  # `moving` leaves the rater to which `before` brings another pair
                del self.held[before[0]][self.families[moving]]
            self.held[rater][self.families[moving]] = moving
            step = before
        return True


def _match(wanted: Sequence[WantedPair], standings: Sequence[Standing], rng: Random) -> list[list[int]]:
    """For each wanted pair the raters who get it."""
    families: list[Hashable] = [
        ("family", want.pair.family) if want.pair.family else index for index, want in enumerate(wanted)
    ]
    eligible: list[list[int]] = []
    for want in wanted:
        able = [
            rater
            for rater, standing in enumerate(standings)
            if want.pair.key not in standing.seen and (want.pair.family or "") not in standing.families
        ]
        rng.shuffle(able)
        eligible.append(able)
    demand = [index for index, want in enumerate(wanted) for _ in range(want.more)]
    rng.shuffle(demand)
    matching = _Matching(families, eligible, [standing.load for standing in standings])
    left_over = sum(not matching.place(pair) for pair in demand) if standings else len(demand)
    if left_over:
        raise AssignmentImpossible(
            f"{left_over} of {len(demand)} showings find no rater who has seen neither the pair nor a member "
            "of its family. Add raters, or ask for fewer."
        )
    raters_of: list[list[int]] = [[] for _ in wanted]
    for rater, held in enumerate(matching.held):
        for pair in held.values():
            raters_of[pair].append(rater)
    return raters_of
