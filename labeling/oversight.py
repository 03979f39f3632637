"""What an admin does to a round that collects: its log, and showings added to its packets.

`passing`, `topping_up` and `voiding` hold the acts; each takes the locks of `collecting` first.
"""

from collections.abc import Iterable, Sequence
from typing import Any

from django.db.models import Count, F, Max, Q, QuerySet
from django.utils.translation import gettext as _

from labeling import assignment, practice
from labeling.models import (
    Item,
    Packet,
    Pair,
    Rater,
    Role,
    Round,
    RoundState,
    RoundTransition,
    Showing,
    ShowingWithdrawal,
    Task,
    VerdictSet,
)
from labeling.rounds import WrongState, locked


def collecting(round_: Round) -> Round:
    """The open round's row, locked with all its packets: no answer comes in meanwhile. Raises WrongState."""
    current = locked(round_)
    if current.state != RoundState.OPEN:
        raise WrongState(
            _("The round “%(name)s” is %(state)s; it must be open for this.")
            % {"name": current.name, "state": current.get_state_display()}
        )
    lock_packets(current)
    return current


def lock_packets(round_: Round) -> None:
    """Wait for answers under way, and let none come in before the end of the transaction."""
    list(Packet.objects.select_for_update().filter(round=round_).order_by("pk").values_list("pk"))


def log(round_: Round, *, actor: str, reason: str) -> None:
    """Add a line to the round's log that changes no state."""
    RoundTransition.objects.create(
        round=round_, from_state=round_.state, to_state=round_.state, actor=actor, reason=reason
    )


def may_join(round_: Round) -> QuerySet[Rater]:
    """Raters with an account and the round's role who have no packet in it yet."""
    role = Role.EXPERT if round_.verdicts == VerdictSet.RATING else Role.REVIEWER
    able = Rater.objects.with_account().filter(user__role_grants__role=role)
    return able.exclude(packets__round=round_).order_by("pseudonym")


def receivers(round_: Round, joining: Iterable[Rater], *, but: Rater | None = None) -> list[Packet]:
    """Packets that can be added to, by pseudonym: raters with an account, and a new packet for who joins.

    `but` is left out: what is passed on does not come back.
    """
    for rater in joining:
        Packet.objects.get_or_create(round=round_, rater=rater)
    practice.build_showings(round_)
    active = Packet.objects.filter(round=round_, rater__in=Rater.objects.with_account())
    return list(active.exclude(rater=but).select_related("rater").order_by("rater__pseudonym", "pk"))


def withdraw(
    showings: Iterable[Showing], *, reason: str, actor: str, passed_to: dict[int, Showing] | None = None
) -> None:
    """Ask `showings` of their rater no more; `passed_to` holds, by thing, what takes their place."""
    takes = passed_to or {}
    ShowingWithdrawal.objects.bulk_create(
        ShowingWithdrawal(
            showing=showing,
            passed_to=None if showing.repeat_of_id else takes.get(thing_of(showing)),
            reason=reason,
            actor=actor,
        )
        for showing in showings
    )


def thing_of(showing: Showing) -> int:
    """What a showing asks about: the key of its pair, or of its item in an absolute round."""
    return showing.pair_id or showing.left_item_id


def first_counts(round_: Round) -> dict[int, tuple[int, int]]:
    """For each pair (or item) the first showings still asked, and those of them with item_a left."""
    key = "left_item_id" if round_.task == Task.ABSOLUTE else "pair_id"
    firsts = Showing.objects.asked().filter(packet__round=round_, repeat_of__isnull=True)
    rows = (
        firsts.order_by()
        .values_list(key)
        .annotate(n=Count("pk"), a=Count("pk", filter=Q(left_item=F("pair__item_a"))))
    )
    return {thing: (n, a) for thing, n, a in rows}


def add_showings(
    round_: Round, more: dict[int, int], packets: list[Packet], *, leaving: Sequence[Showing] = ()
) -> list[Showing]:
    """Ask `more[thing]` further raters about each thing, at the end of their packets; the new showings.

    `leaving` are showings about to be withdrawn, which the balance of sides counts no more.
    Seeded by the round's seed and the number of showings it has so far, which only grows.
    Raises `assignment.AssignmentImpossible`.
    """
    things = _things(round_, list(more))
    counts = first_counts(round_)
    item_a = {thing.pk: thing.item_a_id for thing in things if isinstance(thing, Pair)}
    for showing in leaving:
        n, a = counts[thing_of(showing)]
        counts[thing_of(showing)] = (n - 1, a - (item_a.get(thing_of(showing)) == showing.left_item_id))
    wanted = [
        assignment.WantedPair(_planned(thing), more[thing.pk], *counts.get(thing.pk, (0, 0)))
        for thing in things
    ]
    n_so_far = Showing.objects.filter(packet__round=round_).count()
    added = assignment.extend(wanted, _standings(packets), seed=f"{round_.seed}:{n_so_far}")
    last = dict(
        Showing.objects.filter(packet__in=packets)
        .order_by()
        .values_list("packet")
        .annotate(last=Max("position"))
    )
    made: list[Showing] = []
    for packet, showings in zip(packets, added, strict=True):
        for place, new in enumerate(showings, start=last.get(packet.pk, 0) + 1):
            made.append(Showing(packet=packet, position=place, **_sides(things[new.pair], new.a_left)))
    return Showing.objects.bulk_create(made, batch_size=500)


def _things(round_: Round, keys: list[int]) -> list[Pair] | list[Item]:
    """In byte order of their ids, on every database alike."""
    if round_.task == Task.ABSOLUTE:
        items = Item.objects.in_bulk(keys)
        return sorted(items.values(), key=lambda item: item.item_id)
    pairs = Pair.objects.defer("brief", "context").in_bulk(keys)
    return sorted(pairs.values(), key=lambda pair: pair.pair_id)


def _planned(thing: Pair | Item) -> assignment.PlanPair:
    if isinstance(thing, Item):
        return assignment.PlanPair(thing.pk, thing.domain, (str(thing.pk), str(thing.pk)))
    return assignment.PlanPair(
        thing.pk, thing.domain, (str(thing.item_a_id), str(thing.item_b_id)), thing.pair_group_id or None
    )


def _sides(thing: Pair | Item, a_left: bool) -> dict[str, Any]:
    if isinstance(thing, Item):
        return {"left_item_id": thing.pk}
    left, right = (thing.item_a_id, thing.item_b_id) if a_left else (thing.item_b_id, thing.item_a_id)
    return {"pair_id": thing.pk, "left_item_id": left, "right_item_id": right}


def _standings(packets: list[Packet]) -> list[assignment.Standing]:
    """What each packet holds. A pair withdrawn from a packet may have been seen there: it counts as seen."""
    load = dict.fromkeys((packet.pk for packet in packets), 0)
    lean = dict(load)
    seen: dict[int, set[int]] = {pk: set() for pk in load}
    families: dict[int, set[str]] = {pk: set() for pk in load}
    mine = Showing.objects.filter(packet__in=packets)
    rows = mine.annotate(is_asked=Q(withdrawal__isnull=True)).values_list(
        "packet_id",
        "pair_id",
        "left_item_id",
        "pair__item_a_id",
        "pair__pair_group_id",
        "repeat_of_id",
        "is_asked",
    )
    for packet, pair, left, item_a, family, repeat_of, is_asked in rows.iterator(chunk_size=5000):
        seen[packet].add(pair or left)
        if family:
            families[packet].add(family)
        if is_asked:
            load[packet] += repeat_of is None
            lean[packet] += (1 if left == item_a else -1) if pair else 0
    return [
        assignment.Standing(
            packet.pk,
            load[packet.pk],
            lean[packet.pk],
            frozenset(seen[packet.pk]),
            frozenset(families[packet.pk]),
        )
        for packet in packets
    ]
