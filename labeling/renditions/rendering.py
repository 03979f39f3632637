"""Tell what an item is, and render it."""

from __future__ import annotations

from pathlib import PurePosixPath

from labeling.renditions.documents import Kind, decode_text, render_document
from labeling.renditions.images import is_image_name, render_image, signature
from labeling.renditions.result import CannotRender, Refusal, Rendition
from labeling.renditions.svg import is_svg, render_svg

_DOCUMENTS: dict[str, Kind] = {
    "": "text",
    ".txt": "text",
    ".text": "text",
    ".md": "markdown",
    ".markdown": "markdown",
    ".html": "html",
    ".htm": "html",
    ".xhtml": "html",
}


def render(data: bytes, *, filename: str) -> Rendition:
    """The rendition of an item's bytes.

    Images and SVG are told by their content, whatever the name. Plain text, Markdown and HTML cannot be told
    apart by content, so there the extension decides, and any other is plain text. Text under one of their
    names, or none (as a `text:` payload has none), stays text even if it is the source of an SVG.

    Raises CannotRender with a reason for people when the item cannot be shown.
    """
    suffix = PurePosixPath(filename).suffix.lower()
    kind = _DOCUMENTS.get(suffix) if suffix or not filename else None
    image_name = is_image_name(suffix) or suffix in {".svg", ".svgz"}
    if not data and image_name:
        raise CannotRender(Refusal.EMPTY, "The file is empty. Copy it again from its source.")
    text = _text(data)
    if kind and text is not None:
        return render_document(decode_text(data), kind, len(data))
    if is_svg(data):
        return render_svg(data)
    if signature(data) or (text is None and suffix not in _DOCUMENTS):
        try:
            return render_image(data)
        except CannotRender:
            if signature(data) and (text is None or image_name):
                raise
            if text is None:
                raise _unknown() from None
    if image_name and text is not None:
        raise CannotRender(
            Refusal.MISNAMED,
            f"The file is named like an image ({suffix}) and holds text. "
            "Replace it, or give it the right name.",
        )
    return render_document(decode_text(data), "text", len(data))


def _text(data: bytes) -> str | None:
    """The text, or None where the bytes are not text."""
    if b"\0" in data:
        return None
    try:
        return data.decode("utf-8-sig")
    except UnicodeDecodeError:
        return None


def _unknown() -> CannotRender:
    return CannotRender(
        Refusal.UNKNOWN,
        "The file is neither an image that can be decoded nor UTF-8 text. "
        "Save it as PNG, JPEG, WebP, SVG, or as UTF-8 text.",
    )
