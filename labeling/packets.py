"""Opening a round: the plan of `labeling.assignment` becomes packets and showings."""

from collections.abc import Sequence

from django.db import transaction
from django.utils.translation import gettext as _

from labeling import assignment, practice
from labeling.models import Item, Packet, Pair, Round, RoundState, Showing, Task
from labeling.rounds import RoundNotReady, WrongState, locked, move, problems_before_opening


def plan_round(round_: Round) -> assignment.RoundPlan:
    """The packets that opening would build: the same pairs (or items), raters and seed give the same plan.

    The plan's pairs and raters stand in the order of `_asked` and `_rater_pks`. An item of an absolute round
    is planned as a pair of itself: dealt, repeated and ordered by the same rules; its side means nothing.
    Raises `assignment.AssignmentImpossible` with what to change.
    """
    return assignment.plan(
        [_planned(thing) for thing in _asked(round_)],
        _rater_pks(round_),
        k=round_.raters_per_pair,
        repeat_share=float(round_.repeat_share),
        seed=round_.seed,
    )


def _planned(thing: Pair | Item) -> assignment.PlanPair:
    if isinstance(thing, Item):
        return assignment.PlanPair(thing.pk, thing.domain, (str(thing.pk), str(thing.pk)))
    return assignment.PlanPair(
        key=thing.pk,
        domain=thing.domain,
        items=(str(thing.item_a_id), str(thing.item_b_id)),
        family=thing.pair_group_id or None,
    )


def _asked(round_: Round) -> Sequence[Pair | Item]:
    """What the round asks about, in byte order of ids, without texts, on every database alike."""
    if round_.task == Task.ABSOLUTE:
        return sorted(round_.items.only("item_id", "domain"), key=lambda item: item.item_id)
    pairs = round_.pairs.only("pair_id", "domain", "item_a_id", "item_b_id", "pair_group_id")
    return sorted(pairs, key=lambda pair: pair.pair_id)


def _rater_pks(round_: Round) -> list[int]:
    raters = sorted(round_.raters.values_list("pseudonym", "pk"))
    return [pk for _pseudonym, pk in raters]


@transaction.atomic
def open_round(round_: Round, *, actor: str) -> None:
    """Freeze the round's design, build one packet a rater and let raters begin."""
    draft = locked(round_)
    if draft.state != RoundState.DRAFT:
        raise WrongState(_("The round “%s” has been opened before; reopen it instead.") % draft.name)
    problems = problems_before_opening(draft)
    if problems:
        raise RoundNotReady(problems)
    plan = plan_round(draft)
    asked = _asked(draft)
    move(draft, RoundState.OPEN, actor=actor)
    for rater_pk, planned in zip(_rater_pks(draft), plan.packets, strict=True):
        packet = Packet.objects.create(round=draft, rater_id=rater_pk)
        _build_showings(packet, asked, planned)
    practice.build_showings(draft)


def _build_showings(
    packet: Packet, asked: Sequence[Pair | Item], planned: tuple[assignment.PlannedShowing, ...]
) -> None:
    """Store first showings, then the repeats that refer to them."""
    stored: dict[int, Showing] = {}
    for repeats in (False, True):
        batch = {}
        for place, showing in enumerate(planned):
            if (showing.repeat_of is not None) is not repeats:
                continue
            batch[place] = Showing(
                packet=packet,
                position=place + 1,
                repeat_of=stored[showing.repeat_of] if showing.repeat_of is not None else None,
                **_content(asked[showing.pair], a_left=showing.a_left),
            )
        Showing.objects.bulk_create(batch.values(), batch_size=500)
        stored.update(batch)


def _content(thing: Pair | Item, *, a_left: bool) -> dict[str, int]:
    if isinstance(thing, Item):
        return {"left_item_id": thing.pk}
    left, right = thing.item_a_id, thing.item_b_id
    if not a_left:
        left, right = right, left
    return {"pair_id": thing.pk, "left_item_id": left, "right_item_id": right}
