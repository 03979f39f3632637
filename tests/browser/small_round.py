"""An open round of text pairs with one rater, for tests of the rating screen."""

from labeling.models import (
    DataOrigin,
    Item,
    ItemRendition,
    License,
    Packet,
    Pair,
    Rater,
    Role,
    Round,
    Rubric,
    RubricDomain,
    TableImport,
    User,
)
from labeling.packets import open_round
from labeling.rounds import add_pairs, set_raters
from tests.factories import give_consent

PASSWORD = "a password of the tests"


def small_round(n_pairs: int = 4, username: str = "demo_expert_1") -> Packet:
    """Open a round of `n_pairs` book pairs for a new expert `username` (password PASSWORD); their packet."""
    user = give_consent(User.objects.create_user(username, PASSWORD, roles=(Role.EXPERT,)))
    rater = Rater.objects.create(pseudonym="human_expert_01", user=user)
    rubric = Rubric.objects.create(
        rubric_id="rubric_test",
        title="Craft",
        question="Which is better crafted?",
        non_criteria=["virality"],
        anchors=[{"from": 0.85, "to": 1, "label": "masterly"}],
    )
    RubricDomain.objects.create(
        rubric=rubric, domain="book", cues=["voice", "pace"], default_brief="An opening."
    )
    round_ = Round.objects.create(
        slug="small", name="Small round", rubric=rubric, gold_tier="simulation", raters_per_pair=1, seed=1
    )
    add_pairs(round_, [_pair(number).pk for number in range(1, n_pairs + 1)])
    set_raters(round_, [rater])
    open_round(round_, actor="test")
    return Packet.objects.get(round=round_)


def _pair(number: int) -> Pair:
    source, _ = TableImport.objects.get_or_create(name="small", state=TableImport.State.PUBLISHED)
    origin = DataOrigin.objects.get(code="simulation")
    items = []
    for side in "ab":
        text = f"Opening {number}{side}. The lantern went out before she reached the gate."
        item = Item.objects.create(
            item_id=f"book_{number}{side}",
            domain="book",
            payload_ref=f"text:{text}",
            license=License.objects.order_by("spdx")[0],
            data_origin=origin,
            table_import=source,
        )
        ItemRendition.objects.create(item=item, kind="text", text=text, n_bytes=len(text))
        items.append(item)
    return Pair.objects.create(
        pair_id=f"pair_{number}",
        domain="book",
        item_a=items[0],
        item_b=items[1],
        difficulty="easy",
        split="test",
        data_origin=origin,
        table_import=source,
    )
