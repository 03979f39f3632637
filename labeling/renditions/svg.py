"""SVG: take out all that reaches outside the file, then draw it ourselves; raters never get the SVG."""

from __future__ import annotations

import math
import re
import subprocess
import sys
from base64 import b64decode
from binascii import Error as Base64Error
from dataclasses import dataclass, replace
from functools import cache
from io import BytesIO
from pathlib import Path
from urllib.parse import unquote_to_bytes
from xml.etree.ElementTree import Element, ParseError, tostring

from defusedxml import DefusedXmlException
from defusedxml.ElementTree import fromstring
from PIL import Image

from labeling.renditions.images import MAX_SIDE, render_image
from labeling.renditions.result import CannotRender, Refusal, Rendition, SourceFacts

MAX_SVG_BYTES = 8_000_000
MAX_DEPTH = 200
"""Nested elements; real drawings stay under 30, and native code recurses."""
_SECONDS = 20
_MEMORY = 3_000_000_000

_PROLOG = re.compile(
    rb"\s*(?:<\?[^>]*\?>\s*|<!--.*?-->\s*|<!DOCTYPE[^>\[]*(?:\[[^\]]*\]\s*)?>\s*)*<(?:[\w.-]+:)?svg[\s>/]",
    re.S,
)
_DROPPED = {
    "script",
    "foreignObject",
    "iframe",
    "audio",
    "video",
    "metadata",
    "handler",
    "listener",
    "font-face-uri",
}
_URL = re.compile(r"""url\(\s*(?:"([^"]*)"|'([^']*)'|([^)]*))\s*\)""", re.I)
_AT_RULE = re.compile(r"@(?:import|namespace|charset)[^;{}]*;?|@font-face\s*\{[^}]*\}?", re.I)
_DATA_IMAGE = re.compile(r"\s*data:image/(?:png|jpe?g|gif|webp)\s*(;[^,]*)?,", re.I)
_LENGTH = re.compile(r"\s*([+]?(?:\d+\.?\d*|\.\d+)(?:e[+-]?\d+)?)\s*(px|pt|pc|mm|cm|in|em|ex)?\s*", re.I)
_PIXELS = {"px": 1, "pt": 4 / 3, "pc": 16, "mm": 96 / 25.4, "cm": 96 / 2.54, "in": 96, "em": 16, "ex": 8}


def is_svg(data: bytes) -> bool:
    """Whether the root element is `svg`, after an XML declaration, comments and a document type at most."""
    return _PROLOG.match(data[:65536].removeprefix(b"\xef\xbb\xbf")) is not None


def render_svg(data: bytes) -> Rendition:
    """The WebP rendition of a drawing, at twice its declared size and 1600 pixels at most.

    A drawing that declares only a shape (`viewBox`) gets 1600 pixels.
    External references are removed and counted in `notes`. Raises CannotRender for entities, broken XML, no
    size, drawings that take too long, and text on a machine without fonts.
    """
    if len(data) > MAX_SVG_BYTES:
        raise CannotRender(
            Refusal.TOO_LARGE, f"The SVG has {len(data)} bytes. Simplify it to at most {MAX_SVG_BYTES}."
        )
    root = _parse(data)
    cleaning = _Cleaning()
    cleaning.clean(root)
    declared = _declared_size(root)
    box = _box(declared)
    if any(_local(element.tag) == "text" for element in root.iter()) and not _fonts_found():
        raise CannotRender(
            Refusal.NO_FONTS,
            "The SVG has text and this machine has no fonts to draw it with. "
            "Install a font package on the server, or turn the text into paths.",
        )
    png = _rasterise(tostring(root, encoding="utf-8"), box)
    width, height = (round(side) for side in declared) if declared else (None, None)
    return replace(
        render_image(png),
        source=SourceFacts("SVG", len(data), width, height, frames=1),
        notes=cleaning.notes(),
    )


def _parse(data: bytes) -> Element:
    try:
        root: Element = fromstring(data, forbid_dtd=False, forbid_entities=True, forbid_external=True)
    except DefusedXmlException as error:
        raise CannotRender(
            Refusal.UNSAFE,
            "The SVG declares entities, which can read files or grow without end. Save it as plain SVG.",
        ) from error
    except (ParseError, ValueError, LookupError) as error:
        raise CannotRender(
            Refusal.DAMAGED, f"The SVG is not well-formed XML ({error}). Save it again from its editor."
        ) from error
    level, depth = [root], 0
    while level:
        depth += 1
        level = [child for element in level for child in element]
    if depth > MAX_DEPTH:
        raise CannotRender(
            Refusal.TOO_LARGE, f"The SVG nests {depth} elements. Ungroup it to at most {MAX_DEPTH} levels."
        )
    return root


@dataclass
class _Cleaning:
    """Removes whatever could reach outside the drawing, and counts it."""

    references: int = 0
    elements: int = 0

    def notes(self) -> tuple[str, ...]:
        found = []
        if self.references:
            found.append(f"References to something outside the SVG were removed: {self.references}.")
        if self.elements:
            found.append(f"Scripts and embedded documents were removed: {self.elements}.")
        return tuple(found)

    def clean(self, element: Element) -> None:
        for child in list(element):
            name = _local(child.tag)
            if name in _DROPPED:
                self.elements += name != "metadata"
                element.remove(child)
            else:
                self.clean(child)
        if _local(element.tag) == "style":
            element.text = self._css(element.text or "")
        for name in list(element.attrib):
            local = _local(name)
            value = element.attrib[name]
            if local.lower().startswith("on") or local in {"base", "src"}:
                del element.attrib[name]
            elif local == "href" and not self._stays_inside(value):
                # A link's target is never drawn, so losing it is not worth a note.
                self.references += _local(element.tag) != "a"
                del element.attrib[name]
            elif "url(" in value.lower():
                element.attrib[name] = self._css(value)

    def _css(self, text: str) -> str:
        text, removed = _AT_RULE.subn("", text)
        self.references += removed
        return _URL.sub(self._keep_inside, text)

    def _keep_inside(self, match: re.Match[str]) -> str:
        target = next((group for group in match.groups() if group is not None), "").strip()
        if target.startswith("#"):
            return match.group(0)
        self.references += 1
        return "none"

    def _stays_inside(self, value: str) -> bool:
        if value.strip().startswith("#"):
            return True
        match = _DATA_IMAGE.match(value)
        if match is None:
            return False
        encoded = value[match.end() :]
        try:
            base64 = "base64" in (match.group(1) or "").lower()
            content = b64decode(encoded) if base64 else unquote_to_bytes(encoded)
        except (Base64Error, ValueError):
            return False
        render_image(content)  # raises when the picture inside is damaged or too large to decode
        return True


def _local(name: object) -> str:
    """An XML name without its namespace; comments have no name."""
    return name.rsplit("}", 1)[-1] if isinstance(name, str) else ""


def _declared_size(root: Element) -> tuple[float, float] | None:
    """Width and height in CSS pixels, or None when the drawing only has a shape (`viewBox`)."""
    width, height = (_pixels(root.get(side)) for side in ("width", "height"))
    view = [
        float(n)
        for n in re.findall(r"[+-]?(?:\d+\.?\d*|\.\d+)(?:e[+-]?\d+)?", root.get("viewBox") or "", re.I)
    ]
    shape = view[2] / view[3] if len(view) == 4 and min(view[2:]) > 0 else None
    if width is not None and height is None and shape:
        height = width / shape
    if height is not None and width is None and shape:
        width = height * shape
    if width is not None and height is not None:
        if not (0 < width < math.inf and 0 < height < math.inf):
            raise CannotRender(
                Refusal.DAMAGED, "The SVG has no area. Give it a width and a height above zero."
            )
        return width, height
    if shape is None:
        raise CannotRender(
            Refusal.DAMAGED,
            "The SVG declares no size. Give its root element a width and a height, or a viewBox.",
        )
    return None


def _pixels(length: str | None) -> float | None:
    match = _LENGTH.fullmatch(length or "")
    return float(match.group(1)) * _PIXELS[(match.group(2) or "px").lower()] if match else None


def _box(declared: tuple[float, float] | None) -> int:
    """The side of the square the drawing is fitted into, in pixels."""
    return MAX_SIDE if declared is None else max(1, min(MAX_SIDE, round(2 * max(declared))))


@cache
def _fonts_found() -> bool:
    """Whether a letter leaves any mark; without fonts text is silently left out."""
    letter = b'<svg xmlns="http://www.w3.org/2000/svg" width="40" height="40"><text y="30">M</text></svg>'
    return Image.open(BytesIO(_rasterise(letter, 40))).getbbox() is not None


def _rasterise(svg: bytes, box: int) -> bytes:
    program = Path(__file__).with_name("rasterise.py")
    arguments = [box, box, _SECONDS, _MEMORY]
    fonts = "fonts" if b"text" in svg else "no-fonts"  # reading all fonts takes longer than most drawings
    try:
        done = subprocess.run(  # noqa: S603 - our own program and numbers; the drawing goes in by standard input
            [sys.executable, "-I", str(program), *map(str, arguments), fonts],
            input=svg,
            capture_output=True,
            timeout=2 * _SECONDS,
            check=False,
        )
    except subprocess.TimeoutExpired as error:
        raise _too_costly() from error
    if done.returncode == 3:
        reason = done.stderr.decode("utf-8", "replace").strip()
        raise CannotRender(
            Refusal.DAMAGED, f"The SVG cannot be drawn ({reason}). Save it as plain SVG, or export it as PNG."
        )
    if done.returncode != 0 or not done.stdout:
        raise _too_costly()
    return done.stdout


def _too_costly() -> CannotRender:
    return CannotRender(
        Refusal.TOO_LARGE,
        "Drawing the SVG takes more time or memory than allowed. Simplify its filters, or export it as PNG.",
    )
