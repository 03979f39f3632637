"""The zip of a packet: pages that open from a disk without server or script, and a table for the answers.

Blind as the rating screen is: words come from the whitelist of `labeling.serving`, content from renditions,
and every name is one of a showing's random tokens. The same packet gives the same bytes.
"""

import io
import zipfile
from collections.abc import Iterator
from typing import Any, BinaryIO

from django.template.loader import render_to_string

from labeling.models import ItemRendition, JudgmentEvent, Packet, Showing, Task
from labeling.offline.responses import RESPONSES
from labeling.packet_state import SETTLED
from labeling.serving import showing_json
from labeling.tables import write_table

_TIME = (1980, 1, 1, 0, 0, 0)
"""The first moment a zip can name: when a packet was made tells nothing about its pairs."""
_UNIX = 3
_READABLE = 0o644 << 16


def write_packet(target: BinaryIO, packet: Packet) -> int:
    """Write the zip of the packet's showings that still want an answer; their number."""
    showings = list(open_showings(packet))
    asked = {
        "is_absolute": packet.round.task == Task.ABSOLUTE,
        "asks_confidence": packet.round.asks_confidence,
    }
    listed = [{"token": showing.token, "position": showing.position} for showing in showings]
    with zipfile.ZipFile(target, "w") as made:
        _add_text(made, "README.txt", _page("readme.txt", asked | {"n": len(showings)}))
        _add_text(made, "index.html", _page("index.html", asked | {"showings": listed}))
        _add(made, "responses.csv", _responses(showings, **asked), zipfile.ZIP_DEFLATED)
        for number, showing in enumerate(showings):
            around = {
                "before": showings[number - 1].token if number else None,
                "after": showings[number + 1].token if number + 1 < len(showings) else None,
            }
            _add_showing(made, showing, around)
    return len(showings)


def open_showings(packet: Packet) -> Iterator[Showing]:
    """The packet's showings that are asked and have neither a choice nor "cannot judge", in its order."""
    settled = JudgmentEvent.objects.current().filter(showing__packet=packet, kind__in=SETTLED)
    showings = packet.showings.asked().exclude(pk__in=settled.values("showing"))
    yield from showings.select_related("packet__round__rubric", "pair", "left_item").order_by("position")


def _add_showing(made: zipfile.ZipFile, showing: Showing, around: dict[str, str | None]) -> None:
    told = showing_json(showing)
    words = {
        name: told[name]
        for name in ("position", "token", "question", "brief", "condition", "cues", "non_criteria", "anchors")
    }
    sides = [_side(made, showing.left_item_id, showing.left_token)]
    if showing.right_item_id is not None:
        sides.append(_side(made, showing.right_item_id, showing.right_token))
    _add_text(made, f"pages/{showing.token}.html", _page("showing.html", {**words, **around, "sides": sides}))


def _side(made: zipfile.ZipFile, item: int, token: str) -> dict[str, Any]:
    """What the page shows of one item; a picture goes into the zip."""
    rendition = ItemRendition.objects.get(item_id=item)
    if rendition.kind != ItemRendition.Kind.IMAGE:
        return {"kind": rendition.kind, "text": rendition.text}
    name = f"pictures/{token}.webp"
    with rendition.file.open("rb") as stored:
        _add(made, name, stored.read(), zipfile.ZIP_STORED)  # WebP is compressed already
    return {"kind": "image", "src": f"../{name}", "width": rendition.width, "height": rendition.height}


def _responses(showings: list[Showing], *, is_absolute: bool, asks_confidence: bool) -> bytes:
    absent = set()
    if not is_absolute:
        absent.add("score")
    if not asks_confidence:
        absent.add("confidence")
    target = io.BytesIO()
    rows = (dict.fromkeys(RESPONSES.names, "") | {"token": showing.token} for showing in showings)
    write_table(target, RESPONSES, rows, columns=[name for name in RESPONSES.names if name not in absent])
    return target.getvalue()


def _page(template: str, context: dict[str, Any]) -> str:
    return render_to_string(f"labeling/offline/{template}", context)


def _add_text(made: zipfile.ZipFile, name: str, text: str) -> None:
    _add(made, name, text.encode(), zipfile.ZIP_DEFLATED)


def _add(made: zipfile.ZipFile, name: str, data: bytes, compression: int) -> None:
    entry = zipfile.ZipInfo(name, _TIME)
    entry.create_system = _UNIX
    entry.external_attr = _READABLE
    entry.compress_type = compression
    made.writestr(entry, data)
