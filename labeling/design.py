"""The design preview: what opening a round would ask of whom, how long it takes and what it costs."""

from collections import Counter
from collections.abc import Hashable
from dataclasses import dataclass
from decimal import Decimal

from labeling import assignment
from labeling.models import Rater, Round, Task
from labeling.packets import plan_round

USUAL_K = (3, 5, 7)
"""Numbers of raters whose price stands beside the one asked for, as far as there are raters."""


@dataclass(frozen=True)
class PacketDesign:
    pseudonym: str
    first_showings: int
    repeats: int
    left_percent: str
    minutes: int


@dataclass(frozen=True)
class Price:
    """What k raters each would take. `cost` is None without a cost of an hour."""

    k: int
    asked: bool
    votes: int
    repeats: int
    hours: float
    cost: Decimal | None


@dataclass(frozen=True)
class Design:
    """Figures of a plan. `votes` counts first showings: what gold can rest on.

    `n` pairs or items; minutes, hours and costs rest on the round's planning figures and on nothing else.
    """

    n: int
    by_domain: list[tuple[str, int]]
    votes: int
    repeats: int
    packets: list[PacketDesign]
    without_repeats: list[str]
    prices: list[Price]


def preview_design(round_: Round) -> Design:
    """Plan the round as opening would, and count. Raises `assignment.AssignmentImpossible`."""
    plan = plan_round(round_)
    seen = assignment.preview(plan)
    names: dict[Hashable, str] = dict(Rater.objects.filter(rounds=round_).values_list("pk", "pseudonym"))
    has_sides = round_.task == Task.PAIRWISE
    packets = []
    for packet in seen.packets:
        share = packet.left_share if has_sides else None
        packets.append(
            PacketDesign(
                pseudonym=names[packet.rater],
                first_showings=packet.first_showings,
                repeats=packet.repeats,
                left_percent="—" if share is None else f"{float(share):.1%}",
                minutes=round(packet.showings * round_.seconds_a_pair / 60),
            )
        )
    return Design(
        n=seen.pairs,
        by_domain=list(seen.by_domain.items()),
        votes=seen.first_showings,
        repeats=seen.repeats,
        packets=packets,
        without_repeats=[names[rater] for rater in seen.without_repeats],
        prices=_prices(round_, plan),
    )


def _prices(round_: Round, plan: assignment.RoundPlan) -> list[Price]:
    """A price for the k asked for and the usual ones that these raters can serve.

    A family of m pairs takes m·k raters; loads differ by at most one, which fixes the number of repeats.
    """
    families = Counter(pair.family for pair in plan.pairs if pair.family)
    largest = max(families.values(), default=1)
    n, n_raters = len(plan.pairs), len(plan.raters)
    prices = []
    for k in sorted({round_.raters_per_pair, *USUAL_K}):
        if largest * k > n_raters:
            continue
        load, one_more = divmod(n * k, n_raters)
        repeats = one_more * assignment.repeats_in(load + 1, plan.repeat_share)
        repeats += (n_raters - one_more) * assignment.repeats_in(load, plan.repeat_share)
        seconds = (n * k + repeats) * round_.seconds_a_pair
        hourly = round_.cost_per_hour
        prices.append(
            Price(
                k=k,
                asked=k == round_.raters_per_pair,
                votes=n * k,
                repeats=repeats,
                hours=seconds / 3600,
                cost=None if hourly is None else hourly * seconds / 3600,
            )
        )
    return prices
