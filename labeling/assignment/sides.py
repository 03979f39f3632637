"""Choose the side of item_a for all first showings of a round at once."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Hashable, Iterable, Sequence
from random import Random


def choose_sides(
    pair: Sequence[int], rater: Sequence[int], domain: Sequence[str], repeated: Sequence[bool], rng: Random
) -> list[bool]:
    """True where item_a is on the left; the arguments describe the same first showings, one entry each.

    Showings are matched two by two, once among those of a pair and once among those of a rater, and two
    that are matched get opposite sides. Each showing has at most one partner of either kind, so the matches
    form paths and cycles in which the two kinds alternate; such a cycle is even, and all can be coloured
    alternately. One coin decides each path or cycle.

    At a pair at most one showing stays unmatched, hence floor or ceil of k/2. At a rater, showings that
    will be repeated are matched apart from the others: a repeat mirrors its first showing, so those two
    cancel and only the others move the packet's balance.
    """
    matched_at_pair, _ = _match(_groups(pair), rng)
    at_pair = _partners(matched_at_pair, len(pair))
    at_rater = _partners(_match_at_raters(rater, domain, repeated, rng), len(pair))
    return _colour(at_pair, at_rater, rng)


def _groups(keys: Iterable[Hashable]) -> list[list[int]]:
    """Positions of equal keys, in order of first appearance."""
    members: dict[Hashable, list[int]] = defaultdict(list)
    for position, key in enumerate(keys):
        members[key].append(position)
    return list(members.values())


def _match(groups: Iterable[list[int]], rng: Random) -> tuple[list[tuple[int, int]], list[int]]:
    """Match at random inside each group; the second list holds the one left over of each odd group."""
    matched: list[tuple[int, int]] = []
    left_over: list[int] = []
    for group in groups:
        rng.shuffle(group)
        matched += zip(group[::2], group[1::2], strict=False)
        if len(group) % 2:
            left_over.append(group[-1])
    return matched, left_over


def _match_at_raters(
    rater: Sequence[int], domain: Sequence[str], repeated: Sequence[bool], rng: Random
) -> list[tuple[int, int]]:
    """Match inside rater × repeated × domain, then what is left over across domains, then the last two."""
    matched, left_over = _match(_groups(zip(rater, repeated, domain, strict=True)), rng)
    across_domains = _groups((rater[showing], repeated[showing]) for showing in left_over)
    more, last = _match([[left_over[i] for i in group] for group in across_domains], rng)
    final, _ = _match([[last[i] for i in group] for group in _groups(rater[s] for s in last)], rng)
    return matched + more + final


def _partners(matched: Iterable[tuple[int, int]], n: int) -> list[int]:
    """The partner of each showing, or -1."""
    partner = [-1] * n
    for one, other in matched:
        partner[one], partner[other] = other, one
    return partner


def _colour(at_pair: Sequence[int], at_rater: Sequence[int], rng: Random) -> list[bool]:
    side: list[bool | None] = [None] * len(at_pair)
    for start in range(len(side)):
        if side[start] is not None:
            continue
        side[start] = rng.random() < 0.5
        open_ends = [start]
        while open_ends:
            here = open_ends.pop()
            for partner in (at_pair[here], at_rater[here]):
                if partner >= 0 and side[partner] is None:
                    side[partner] = not side[here]
                    open_ends.append(partner)
    return [bool(value) for value in side]
