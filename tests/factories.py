"""Small databases for tests: one plain function a thing.

Ids count up from 1 within a test database and stand for nothing; a test that needs a value gives it.
"""

import io
import json
import uuid

from django.core.files.base import ContentFile
from django.test import Client
from django.urls import reverse
from PIL import Image

from labeling.models import (
    Consent,
    ConsentText,
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
    Showing,
    TableImport,
    User,
)
from labeling.packets import open_round
from labeling.progress import PrintProgress
from labeling.recording import Answer, record
from labeling.rounds import add_pairs, set_raters

PASSWORD = "a password of the tests"


def silent():
    """Progress that nobody reads."""
    return PrintProgress(io.StringIO())


def make_user(*roles, username=None, **more):
    """An account with `roles` (expert if none), password PASSWORD, that gave its consent."""
    username = username or f"user_{User.objects.count() + 1}"
    return give_consent(User.objects.create_user(username, PASSWORD, roles=roles or (Role.EXPERT,), **more))


def give_consent(user):
    """The account, which agreed to the present consent text: raters are shown nothing before."""
    Consent.objects.get_or_create(user=user, text=ConsentText.objects.latest("version"))
    return user


def make_rater(pseudonym=None, *, role=Role.EXPERT, **user):
    """A rater with an account."""
    pseudonym = pseudonym or f"human_expert_{Rater.objects.count() + 1:02}"
    return Rater.objects.create(pseudonym=pseudonym, user=make_user(role, **user))


def client_of(person):
    """A browser in which `person`, a user or a rater with an account, is signed in."""
    user = person.user if isinstance(person, Rater) else person
    assert user is not None
    client = Client()
    client.force_login(user)
    return client


def tables(name="tables", **more):
    """The published import that rows belong to."""
    return TableImport.objects.get_or_create(
        name=name, defaults={"state": TableImport.State.PUBLISHED, **more}
    )[0]


def make_item(
    item_id=None, *, domain="visual", text=None, image=None, rendition=True, origin="simulation", **more
):
    """An item and what raters see of it: `text`, or the WebP bytes of `image`."""
    item_id = item_id or f"item_{Item.objects.count() + 1}"
    text = f"Content of thing {Item.objects.count() + 1}." if text is None else text
    item = Item.objects.create(
        item_id=item_id,
        domain=domain,
        **{
            "payload_ref": f"text:{text}",
            "license": License.objects.get(pk="CC-BY-4.0"),
            "data_origin": DataOrigin.objects.get(pk=origin),
            "table_import": tables(),
            **more,
        },
    )
    if image is not None:
        stored = ItemRendition(item=item, kind="image", width=8, height=6, n_bytes=len(image))
        stored.file.save(f"{uuid.uuid4().hex}.webp", ContentFile(image))
    elif rendition:
        ItemRendition.objects.create(item=item, kind="text", text=text, n_bytes=len(text.encode()))
    return item


def webp(colour=(200, 60, 40)):
    """A WebP picture of one colour."""
    target = io.BytesIO()
    Image.new("RGB", (8, 6), colour).save(target, "WEBP")
    return target.getvalue()


def make_pair(pair_id=None, *, domain="visual", items=None, origin="simulation", **more):
    """A pair of two new items, or of `items` (item_a, item_b)."""
    pair_id = pair_id or f"pair_{Pair.objects.count() + 1}"
    item_a, item_b = items or (
        make_item(domain=domain, origin=origin),
        make_item(domain=domain, origin=origin),
    )
    return Pair.objects.create(
        pair_id=pair_id,
        domain=domain,
        item_a=item_a,
        item_b=item_b,
        **{
            "difficulty": "medium",
            "split": "test",
            "data_origin": DataOrigin.objects.get(pk=origin),
            "table_import": tables(),
            **more,
        },
    )


def make_rubric(rubric_id="rubric_v1", domains=("visual",), **more):
    """A rubric with cues for `domains`; the stored one when the id is known."""
    rubric, new = Rubric.objects.get_or_create(
        rubric_id=rubric_id,
        defaults={
            "title": "Craft",
            "question": "Which is better crafted?",
            "non_criteria": ["virality"],
            "anchors": [{"from": 0.85, "to": 1, "label": "masterly"}],
            **more,
        },
    )
    if new:
        for domain in domains:
            RubricDomain.objects.create(
                rubric=rubric, domain=domain, cues=["composition"], default_brief=f"Some {domain} work."
            )
    return rubric


def make_round(pairs=2, raters=1, *, slug=None, **more):
    """A draft round of `pairs` and `raters` (numbers make new ones, lists are taken as they are).

    Every rater gets every pair unless `raters_per_pair` says otherwise.
    """
    pairs = [make_pair() for _ in range(pairs)] if isinstance(pairs, int) else pairs
    raters = [make_rater() for _ in range(raters)] if isinstance(raters, int) else raters
    slug = slug or f"round-{Round.objects.count() + 1}"
    round_ = Round.objects.create(
        slug=slug,
        **{
            "name": slug.replace("-", " ").capitalize(),
            "rubric": more.pop("rubric", None) or make_rubric(),
            "gold_tier": "simulation",
            "raters_per_pair": max(1, len(raters)),
            "seed": 1,
            **more,
        },
    )
    add_pairs(round_, [pair.pk for pair in pairs])
    set_raters(round_, raters)
    return round_


def opened_round(pairs=2, raters=1, **more):
    """As `make_round`, and open."""
    round_ = make_round(pairs, raters, **more)
    open_round(round_, actor="test")
    round_.refresh_from_db()
    return round_


def opened_packet(pairs=2, **more):
    """The packet of the one rater of a new open round."""
    return Packet.objects.get(round=opened_round(pairs, 1, **more))


def showings_of(packet):
    return list(Showing.objects.filter(packet=packet).order_by("position"))


def act(showing, kind="vote", choice="", *, replaces="current", event_id=None, **more):
    """Record an act at `showing`, replacing what is current there; the stored event."""
    if replaces == "current":
        replaces = current_id(showing)
    answer = Answer(event_id or uuid.uuid4(), kind, replaces, choice, **more)
    return record(showing, answer)[0]


def vote(showing, choice="left", **more):
    """Choose a side at `showing`."""
    return act(showing, "vote", choice, **more)


def current_id(showing):
    """The id of the showing's current event, or None."""
    current = showing.events.filter(replaced_by__isnull=True).first()
    return current.event_id if current else None


def post_event(client, showing, *, body=None, **answer):
    """Send an event as the page does; `body` replaces the whole body."""
    answer = {"event_id": str(uuid.uuid4()), "replaces": None, "kind": "vote", "choice": "left"} | answer
    return client.post(
        reverse("showing_events", args=[showing.token]),
        json.dumps(answer) if body is None else body,
        content_type="application/json",
    )
