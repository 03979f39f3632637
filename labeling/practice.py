"""Practice pairs: chosen and explained by an admin, tried by each rater first, and counted in nothing.

What is better and why reaches a rater only after the choice. Of the choice itself nothing is stored but that
it was made: no event, so no gold, no figure and no report can come to hold it.
"""

from random import Random
from typing import Any

from django.db import transaction
from django.db.models import Max, QuerySet
from django.urls import reverse
from django.utils import timezone

from labeling.models import JudgmentEvent, Packet, Pair, PracticePair, PracticeShowing, Round, User
from labeling.rounds import draft_of
from labeling.serving import instructions_json, sides_json


def candidates(round_: Round) -> QuerySet[Pair]:
    """Pairs to practise on: of the round's domains, with content, and not in the round itself."""
    domains = round_.pairs.values("domain").distinct()
    return (
        Pair.objects.ratable()
        .filter(domain__in=domains)
        .exclude(round_pairs__round=round_)
        .exclude(pk__in=round_.practice_pairs.values("pair"))
        .order_by("pair_id")
    )


@transaction.atomic
def add(round_: Round, pair_pk: int) -> PracticePair | None:
    """Put a candidate at the end of a draft's practice; None when it is no candidate (any more)."""
    draft = draft_of(round_)
    pair = candidates(draft).filter(pk=pair_pk).first()
    if pair is None:
        return None
    last = draft.practice_pairs.aggregate(last=Max("position"))["last"] or 0
    return PracticePair.objects.create(round=draft, pair=pair, position=last + 1)


@transaction.atomic
def explain(practice_pair: PracticePair, *, better: str, explanation: str) -> None:
    """Say which item is better ("a", "b", or "" for neither) and why, while the round is a draft."""
    draft_of(practice_pair.round)
    pair = practice_pair.pair
    practice_pair.better = {"a": pair.item_a, "b": pair.item_b}.get(better)
    practice_pair.explanation = explanation
    practice_pair.save(update_fields=["better", "explanation"])


@transaction.atomic
def remove(practice_pair: PracticePair) -> None:
    """Take a pair out of a draft's practice."""
    draft_of(practice_pair.round)
    practice_pair.delete()


@transaction.atomic
def move_up(practice_pair: PracticePair) -> None:
    """Exchange the pair with the one before it; the first stays."""
    draft = draft_of(practice_pair.round)
    before = draft.practice_pairs.filter(position__lt=practice_pair.position).last()
    if before is None:
        return
    place, earlier = practice_pair.position, before.position
    # Positions are unique in a round, so the one passes through a free number.
    free = draft.practice_pairs.aggregate(last=Max("position"))["last"] + 1
    for pk, position in ((before.pk, free), (practice_pair.pk, earlier), (before.pk, place)):
        PracticePair.objects.filter(pk=pk).update(position=position)


def build_showings(round_: Round) -> None:
    """Fix the sides of practice pairs by the round's seed, for packets that have none yet.

    Called when the round opens, and when a rater joins it later.
    """
    chosen = list(round_.practice_pairs.select_related("pair"))
    for packet in round_.packets.filter(practice_showings__isnull=True).select_related("rater"):
        rng = Random(f"{round_.seed} practice {packet.rater.pseudonym}")  # noqa: S311 - reproducible, no secret
        showings = []
        for place, practice_pair in enumerate(chosen, start=1):
            sides = [practice_pair.pair.item_a_id, practice_pair.pair.item_b_id]
            rng.shuffle(sides)
            showings.append(
                PracticeShowing(
                    packet=packet,
                    practice_pair=practice_pair,
                    position=place,
                    left_item_id=sides[0],
                    right_item_id=sides[1],
                )
            )
        PracticeShowing.objects.bulk_create(showings)


def comes_first(packet: Packet) -> bool:
    """Whether the rater should practise before the first real showing."""
    waits = packet.practice_showings.filter(done_at__isnull=True).exists()
    return waits and not JudgmentEvent.objects.filter(showing__packet=packet).exists()


def next_place(packet: Packet) -> int:
    """The first practice pair not tried yet; 1 when all were, to begin again."""
    waiting = packet.practice_showings.filter(done_at__isnull=True).order_by("position").first()
    return waiting.position if waiting else 1


def own_showing(user: User, packet: Packet, place: int) -> PracticeShowing:
    """The user's practice showing at `place`; PracticeShowing.DoesNotExist for anybody else's."""
    showings = PracticeShowing.objects.filter(packet__in=Packet.objects.ratable_by(user), packet=packet)
    return showings.select_related("practice_pair__pair", "packet__round__rubric").get(position=place)


def mark_done(showing: PracticeShowing) -> None:
    """Remember that the rater tried it; a second time changes nothing."""
    PracticeShowing.objects.filter(pk=showing.pk, done_at__isnull=True).update(done_at=timezone.now())


def practice_json(showing: PracticeShowing) -> dict[str, Any]:
    """What the page shows before the choice: as of any showing, and nothing of the answer."""
    pair = showing.practice_pair.pair
    left, right = sides_json(
        [(showing.left_item_id, showing.left_token), (showing.right_item_id, showing.right_token)]
    )
    instructions = instructions_json(showing.packet.round.rubric, pair.domain, pair)
    return {**instructions, "position": showing.position, "left": left, "right": right}


def admin_sides(practice_pair: PracticePair) -> list[dict[str, Any] | None]:
    """Item A and item B for the admin's own pages, pictures at addresses that admins alone can open."""
    pair = practice_pair.pair
    sides = sides_json([(pair.item_a_id, "a"), (pair.item_b_id, "b")])  # no tokens: the addresses change
    for letter, side in zip("ab", sides, strict=True):
        if side is not None and side["src"]:
            side["src"] = reverse("practice_item", args=[practice_pair.round_id, practice_pair.pk, letter])
    return sides


def answer_of(practice_pair: PracticePair, left_item_id: int, choice: str) -> dict[str, str]:
    """What the page shows after the choice: the side that is better ("" for neither), and why."""
    better = ""
    if practice_pair.better_id is not None:
        better = "left" if practice_pair.better_id == left_item_id else "right"
    return {"choice": choice, "better": better, "explanation": practice_pair.explanation}
