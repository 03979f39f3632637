"""Small databases for tests of releases: rounds with pairs and the votes on them."""

import io
import uuid
from datetime import UTC, datetime, timedelta

from labeling.models import (
    Channel,
    DataOrigin,
    EventKind,
    Item,
    JudgmentEvent,
    License,
    Packet,
    Pair,
    Rater,
    Round,
    RoundPair,
    Rubric,
    RubricDomain,
    Showing,
    TableImport,
)
from labeling.progress import PrintProgress

NOW = datetime(2026, 3, 1, 12, 0, tzinfo=UTC)


def silent():
    return PrintProgress(io.StringIO())


def make_rubric(rubric_id="rubric_v1"):
    rubric, new = Rubric.objects.get_or_create(
        rubric_id=rubric_id, defaults={"title": "Craft", "question": "Which is better crafted?"}
    )
    if new:
        RubricDomain.objects.create(rubric=rubric, domain="visual", cues=["composition"])
    return rubric


def make_round(
    slug="round-1",
    votes=("aaa", "aab"),
    *,
    tier="simulation",
    origin="simulation",
    state="closed",
    prefix=None,
    rubric="rubric_v1",
    pairs=None,
    **more,
):
    """A round with one pair for each string of `votes`: rater 1's choice, rater 2's, … (a, b, - abstains).

    Pairs are named p1, p2, … behind `prefix` (by default the slug); `pairs` takes existing ones instead.
    """
    prefix = f"{slug}-" if prefix is None else prefix
    round_ = Round.objects.create(
        slug=slug, name=slug.title(), rubric=make_rubric(rubric), gold_tier=tier, seed=7, **more
    )
    if pairs is None:
        pairs = [make_pair(f"{prefix}p{number}", origin) for number in range(1, len(votes) + 1)]
    RoundPair.objects.bulk_create(RoundPair(round=round_, pair=pair) for pair in pairs)
    round_.state = state
    round_.save()
    for pair, choices in zip(pairs, votes, strict=True):
        for number, choice in enumerate(choices, start=1):
            imported(round_, pair, f"human_expert_{number:02}", choice)
    return round_


def make_pair(pair_id, origin="simulation", **more):
    table_import, _ = TableImport.objects.get_or_create(name="tables", state="published")
    items = [
        Item.objects.create(
            item_id=f"{pair_id}-{side}",
            domain="visual",
            payload_ref=f"assets/{pair_id}-{side}.png",
            license=License.objects.get(pk="CC-BY-4.0"),
            data_origin=DataOrigin.objects.get(pk=origin),
            table_import=table_import,
        )
        for side in "ab"
    ]
    return Pair.objects.create(
        pair_id=pair_id,
        domain="visual",
        item_a=items[0],
        item_b=items[1],
        difficulty="medium",
        split="test",
        data_origin=DataOrigin.objects.get(pk=origin),
        table_import=table_import,
        **more,
    )


def imported(round_, pair, pseudonym, choice):
    """A judgment collected elsewhere: one event of kind import."""
    rater, _ = Rater.objects.get_or_create(pseudonym=pseudonym)
    return JudgmentEvent.objects.create(
        event_id=uuid.uuid5(uuid.NAMESPACE_URL, f"{round_.slug} {pair.pair_id} {pseudonym}"),
        round=round_,
        rater=rater,
        pair=pair,
        kind=EventKind.IMPORT,
        preferred={"a": pair.item_a, "b": pair.item_b, "-": None}[choice],
        channel=Channel.IMPORT,
        note="a private note",
        confidence="0.250",
    )


def shown(round_, pair, pseudonym, acts, *, position=1, repeat_of=None):
    """A showing with item_a left, and a chain of acts: l, r vote, - abstains, u undoes, s skips, v voids."""
    rater, _ = Rater.objects.get_or_create(pseudonym=pseudonym)
    packet, _ = Packet.objects.get_or_create(round=round_, rater=rater)
    showing = Showing.objects.create(
        packet=packet,
        position=position,
        pair=pair,
        left_item=pair.item_a,
        right_item=pair.item_b,
        repeat_of=repeat_of,
    )
    event = None
    kinds = {"l": "vote", "r": "vote", "-": "abstain", "u": "undo", "s": "skip", "v": "void"}
    for number, act in enumerate(acts):
        event = JudgmentEvent.objects.create(
            event_id=uuid.uuid5(uuid.NAMESPACE_URL, f"{showing.pk} {number}"),
            round=round_,
            rater=rater,
            pair=pair,
            showing=showing,
            kind=kinds[act],
            replaces=event,
            preferred={"l": pair.item_a, "r": pair.item_b}.get(act),
            shown_left=pair.item_a,
            channel=Channel.BROWSER,
            judged_at=NOW + timedelta(minutes=position, seconds=number),
            response_ms=2500,
            reason="a reason",
            note="a private note",
        )
    return showing
