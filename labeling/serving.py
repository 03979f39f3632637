"""What a rater receives: a whitelist, read from the stored showing and nowhere else.

Nothing here reads item_a, item_b, gold, names or other raters. tests/labeling/test_blindness.py
reads every byte that leaves.
"""

from collections.abc import Iterable, Sequence
from typing import Any

from django.db.models import Q, prefetch_related_objects
from django.urls import reverse
from django.utils.translation import gettext as _

from labeling.models import (
    EventKind,
    ItemRendition,
    JudgmentEvent,
    Packet,
    Pair,
    PracticeShowing,
    Rubric,
    Showing,
    User,
)
from labeling.packet_state import SETTLED, choice_of, next_showings, what_of

PREFETCHED = 3
"""How many showings a browser holds ahead: enough to go on answering through a short loss of connection."""


def showing_of(user: User, token: str, *, closed_too: bool = False) -> Showing:
    """The user's showing behind `token`; Showing.DoesNotExist for anybody else's.

    With `closed_too` also in closed rounds, so that an answer sent again is recognised there.
    """
    if "\0" in token:  # PostgreSQL would refuse to look for it
        raise Showing.DoesNotExist
    packets = Packet.objects.of(user) if closed_too else Packet.objects.ratable_by(user)
    return Showing.objects.select_related("packet__round__rubric", "pair").get(
        packet__in=packets, token=token
    )


def rendition_of(
    user: User, token: str, kind: ItemRendition.Kind = ItemRendition.Kind.IMAGE
) -> ItemRendition:
    """What one side's token stands for; ItemRendition.DoesNotExist for another kind, or anybody else's."""
    mine = Q(left_token=token) | Q(right_token=token), Q(packet__in=Packet.objects.ratable_by(user))
    showing = Showing.objects.filter(*mine).first() or PracticeShowing.objects.filter(*mine).first()
    if showing is None:
        raise ItemRendition.DoesNotExist
    item = showing.left_item if showing.left_token == token else showing.right_item
    return ItemRendition.objects.get(item=item, kind=kind)


def showing_json(showing: Showing) -> dict[str, Any]:
    """Everything the rating page knows about a showing. An absolute round has one item, on the "left"."""
    return showings_json([showing])[0]


def showings_json(showings: Sequence[Showing]) -> list[dict[str, Any]]:
    """As `showing_json` for several showings of one packet, with the same number of queries as for one."""
    if not showings:
        return []
    round_ = showings[0].packet.round
    prefetch_related_objects([round_.rubric], "domains")
    sides = sides_json(
        (item, token)
        for showing in showings
        for item, token in [
            (showing.left_item_id, showing.left_token),
            (showing.right_item_id, showing.right_token),
        ]
    )
    told = []
    for showing, left, right, (current, returned) in zip(
        showings, sides[::2], sides[1::2], _standing(showings), strict=True
    ):
        pair = showing.pair
        told.append(
            {
                "token": showing.token,
                "task": round_.task,
                "position": showing.position,
                **instructions_json(round_.rubric, pair.domain if pair else showing.left_item.domain, pair),
                "asks_confidence": round_.asks_confidence,
                "left": left,
                "right": right,
                "current": event_json(current) if current else None,
                "returned": returned,
            }
        )
    return told


def _standing(showings: Sequence[Showing]) -> list[tuple[JudgmentEvent | None, bool]]:
    """For each showing the event that no other replaces, and whether it was skipped (see `was_skipped`)."""
    chains: dict[int | None, list[JudgmentEvent]] = {showing.pk: [] for showing in showings}
    for event in JudgmentEvent.objects.filter(showing__in=showings):
        chains[event.showing_id].append(event)
    standing = []
    for showing in showings:
        chain = chains[showing.pk]
        replacing = {event.replaces_id: event for event in chain}
        current = next((event for event in chain if event.pk not in replacing), None)
        skips = [replacing.get(event.pk) for event in chain if event.kind == EventKind.SKIP]
        returned = any(by is None or by.kind != EventKind.UNDO for by in skips)
        standing.append((current, returned))
    return standing


def instructions_json(rubric: Rubric, domain_name: str, pair: Pair | None) -> dict[str, Any]:
    """What to judge and how: the rubric in words, with the pair's brief and condition where it has them."""
    domain = next((domain for domain in rubric.domains.all() if domain.domain == domain_name), None)
    brief = pair.brief if pair else ""
    return {
        "question": rubric.question,
        "cues": list(domain.cues) if domain else [],
        "brief": brief or (domain.default_brief if domain else ""),
        "condition": ", ".join(filter(None, [pair.condition_era, pair.condition_circle])) if pair else "",
        "non_criteria": list(rubric.non_criteria),
        "anchors": [
            {
                "range": f"{anchor['from']}–{anchor['to']}",
                "from": anchor["from"],
                "to": anchor["to"],
                "label": anchor["label"],
            }
            for anchor in rubric.anchors
        ],
    }


def sides_json(sides: Iterable[tuple[int | None, str]]) -> list[dict[str, Any] | None]:
    """What is shown at each (item key, token); None where the item is None."""
    asked = list(sides)
    renditions = {
        rendition.item_id: rendition
        for rendition in ItemRendition.objects.filter(item_id__in=[pk for pk, _ in asked if pk is not None])
    }
    return [_side_json(renditions[pk], token) if pk else None for pk, token in asked]


def course_json(packet: Packet, first: Showing | None = None) -> tuple[dict[str, Any] | None, list[Any]]:
    """(the showing to ask now: `first`, else the next; those after it, for the browser to hold ready).

    What is held ahead counts as shown when it is seen.
    """
    n_more = PREFETCHED if first else 1 + PREFETCHED
    ahead = next_showings(packet, n_more, but=first.pk if first else None)
    told = showings_json([first, *ahead] if first else ahead)
    return ({**told[0], "undo": undo_json(packet)}, told[1:]) if told else (None, [])


def event_json(event: JudgmentEvent) -> dict[str, Any]:
    """A rater's own event, in terms of the sides they saw."""
    return {
        "event_id": str(event.event_id),
        "kind": event.kind,
        "choice": choice_of(event) or None,
        "score": None if event.score is None else float(event.score),
        "confidence": None if event.confidence is None else float(event.confidence),
        "note": event.note,
    }


def _side_json(rendition: ItemRendition, token: str) -> dict[str, Any]:
    addresses = {
        ItemRendition.Kind.IMAGE: ("image", "rendition"),
        ItemRendition.Kind.HTML: ("frame", "frame"),
    }
    if rendition.kind in addresses:
        kind, route = addresses[ItemRendition.Kind(rendition.kind)]
        return {
            "kind": kind,
            "src": reverse(route, args=[token]),
            "text": None,
            "width": rendition.width,
            "height": rendition.height,
        }
    return {"kind": "text", "src": None, "text": rendition.text, "width": None, "height": None}


def undo_json(packet: Packet) -> dict[str, Any] | None:
    """What "undo" would take back: the packet's latest answer that still stands."""
    last = (
        JudgmentEvent.objects.current()
        .filter(showing__packet=packet, kind__in=[*SETTLED, EventKind.SKIP])
        .select_related("showing")
        .order_by("-received_at")
        .first()
    )
    if last is None or last.showing is None:
        return None
    label = _("pair %(position)d, %(what)s") % {"position": last.showing.position, "what": what_of(last)}
    return {
        "token": last.showing.token,
        "event_id": str(last.event_id),
        "label": label,
        "note": last.note,
    }
