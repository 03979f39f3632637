"""Opening a round: the plan of `labeling.assignment` becomes packets and showings."""

from django.db import transaction
from django.utils.translation import gettext as _

from labeling import assignment
from labeling.models import Packet, Pair, Round, RoundState, Showing
from labeling.rounds import RoundNotReady, WrongState, locked, move, problems_before_opening


def plan_round(round_: Round) -> assignment.RoundPlan:
    """The packets that opening would build: the same pairs, raters and seed give the same plan.

    The plan's pairs and raters stand in the order of `_pairs` and `_rater_pks`.
    Raises `assignment.AssignmentImpossible` with what to change.
    """
    pairs = [
        assignment.PlanPair(
            key=pair.pk,
            domain=pair.domain,
            items=(str(pair.item_a_id), str(pair.item_b_id)),
            family=pair.pair_group_id or None,
        )
        for pair in _pairs(round_)
    ]
    return assignment.plan(
        pairs,
        _rater_pks(round_),
        k=round_.raters_per_pair,
        repeat_share=float(round_.repeat_share),
        seed=round_.seed,
    )


def _pairs(round_: Round) -> list[Pair]:
    """The round's pairs in byte order of pair_id, without their texts, on every database alike."""
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
    pairs = _pairs(draft)
    move(draft, RoundState.OPEN, actor=actor)
    for rater_pk, planned in zip(_rater_pks(draft), plan.packets, strict=True):
        packet = Packet.objects.create(round=draft, rater_id=rater_pk)
        _build_showings(packet, pairs, planned)


def _build_showings(
    packet: Packet, pairs: list[Pair], planned: tuple[assignment.PlannedShowing, ...]
) -> None:
    """Store first showings, then the repeats that refer to them."""
    stored: dict[int, Showing] = {}
    for repeats in (False, True):
        batch = {}
        for place, showing in enumerate(planned):
            if (showing.repeat_of is not None) is not repeats:
                continue
            pair = pairs[showing.pair]
            left, right = pair.item_a_id, pair.item_b_id
            if not showing.a_left:
                left, right = right, left
            batch[place] = Showing(
                packet=packet,
                position=place + 1,
                pair=pair,
                left_item_id=left,
                right_item_id=right,
                repeat_of=stored[showing.repeat_of] if showing.repeat_of is not None else None,
            )
        Showing.objects.bulk_create(batch.values(), batch_size=500)
        stored.update(batch)
