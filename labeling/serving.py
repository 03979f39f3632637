"""What a rater receives: a whitelist, read from the stored showing and nowhere else.

Nothing here reads item_a, item_b, gold, names or other raters. tests/labeling/test_blindness.py
reads every byte that leaves.
"""

from collections.abc import Iterable
from typing import Any

from django.db.models import Q
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
from labeling.recording import current_event, was_skipped

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
    round_ = showing.packet.round
    pair = showing.pair
    domain = pair.domain if pair else showing.left_item.domain
    sides = [(showing.left_item_id, showing.left_token), (showing.right_item_id, showing.right_token)]
    left, right = sides_json(sides)
    current = current_event(showing)
    return {
        "token": showing.token,
        "task": round_.task,
        "position": showing.position,
        **instructions_json(round_.rubric, domain, pair),
        "asks_confidence": round_.asks_confidence,
        "left": left,
        "right": right,
        "current": event_json(current) if current else None,
        "returned": was_skipped(showing),
    }


def instructions_json(rubric: Rubric, domain_name: str, pair: Pair | None) -> dict[str, Any]:
    """What to judge and how: the rubric in words, with the pair's brief and condition where it has them."""
    domain = rubric.domains.filter(domain=domain_name).first()
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


def upcoming_json(showing: Showing) -> list[dict[str, Any]]:
    """The showings after this one, for the browser to hold ready. They count as shown when they are seen."""
    return [showing_json(ahead) for ahead in next_showings(showing.packet, PREFETCHED, but=showing.pk)]


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
    return {"token": last.showing.token, "event_id": str(last.event_id), "label": label}
