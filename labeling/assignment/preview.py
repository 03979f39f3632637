"""What a plan means, in the figures an admin sees before opening a round."""

from __future__ import annotations

from collections import Counter
from collections.abc import Hashable
from dataclasses import dataclass
from fractions import Fraction

from labeling.assignment.planning import RoundPlan


@dataclass(frozen=True, slots=True)
class PacketPreview:
    """One rater's packet. `by_domain` maps a domain to (showings with item_a left, showings)."""

    rater: Hashable
    first_showings: int
    repeats: int
    a_left: int
    by_domain: dict[str, tuple[int, int]]

    @property
    def showings(self) -> int:
        return self.first_showings + self.repeats

    @property
    def left_share(self) -> Fraction | None:
        """Share of showings with item_a on the left; None for an empty packet."""
        return Fraction(self.a_left, self.showings) if self.showings else None


@dataclass(frozen=True, slots=True)
class RoundPreview:
    """The whole round. `without_repeats` are raters whose packet is too short for the repeats asked for."""

    pairs: int
    by_domain: dict[str, int]
    first_showings: int
    repeats: int
    a_left_first: int
    packets: tuple[PacketPreview, ...]
    without_repeats: tuple[Hashable, ...]

    @property
    def load(self) -> tuple[int, int]:
        """Smallest and largest number of first showings of a rater; they differ by at most one."""
        loads = [packet.first_showings for packet in self.packets]
        return min(loads), max(loads)


def preview(planned: RoundPlan) -> RoundPreview:
    """Count loads, sides and repeats of a plan."""
    packets = []
    for rater, showings in zip(planned.raters, planned.packets, strict=True):
        total = Counter(planned.pairs[showing.pair].domain for showing in showings)
        left = Counter(planned.pairs[showing.pair].domain for showing in showings if showing.a_left)
        repeats = sum(showing.repeat_of is not None for showing in showings)
        packets.append(
            PacketPreview(
                rater=rater,
                first_showings=len(showings) - repeats,
                repeats=repeats,
                a_left=left.total(),
                by_domain={domain: (left[domain], total[domain]) for domain in sorted(total)},
            )
        )
    firsts = [showing for packet in planned.packets for showing in packet if showing.repeat_of is None]
    return RoundPreview(
        pairs=len(planned.pairs),
        by_domain=dict(sorted(Counter(pair.domain for pair in planned.pairs).items())),
        first_showings=len(firsts),
        repeats=sum(packet.repeats for packet in packets),
        a_left_first=sum(showing.a_left for showing in firsts),
        packets=tuple(packets),
        without_repeats=tuple(p.rater for p in packets if planned.repeat_share and not p.repeats),
    )
