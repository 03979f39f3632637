"""The design preview: what opening a round would ask of whom."""

from collections.abc import Hashable
from dataclasses import dataclass

from labeling import assignment
from labeling.models import Rater, Round
from labeling.packets import plan_round

SECONDS_A_PAIR = 30
"""Planning figure for the minutes shown before anybody has answered; stated beside them."""


@dataclass(frozen=True)
class PacketDesign:
    pseudonym: str
    first_showings: int
    repeats: int
    left_percent: str
    minutes: int


@dataclass(frozen=True)
class Design:
    """Figures of a plan. `votes` counts first showings: what gold can rest on."""

    n_pairs: int
    by_domain: list[tuple[str, int]]
    votes: int
    repeats: int
    packets: list[PacketDesign]
    without_repeats: list[str]
    seconds_a_pair: int = SECONDS_A_PAIR


def preview_design(round_: Round) -> Design:
    """Plan the round as opening would, and count. Raises `assignment.AssignmentImpossible`."""
    seen = assignment.preview(plan_round(round_))
    names: dict[Hashable, str] = dict(Rater.objects.filter(rounds=round_).values_list("pk", "pseudonym"))
    packets = []
    for packet in seen.packets:
        share = packet.left_share
        packets.append(
            PacketDesign(
                pseudonym=names[packet.rater],
                first_showings=packet.first_showings,
                repeats=packet.repeats,
                left_percent="—" if share is None else f"{float(share):.1%}",
                minutes=round(packet.showings * SECONDS_A_PAIR / 60),
            )
        )
    return Design(
        n_pairs=seen.pairs,
        by_domain=list(seen.by_domain.items()),
        votes=seen.first_showings,
        repeats=seen.repeats,
        packets=packets,
        without_repeats=[names[rater] for rater in seen.without_repeats],
    )
