"""What rendering an item gives: a rendition, or the reason why there is none."""

from __future__ import annotations

from dataclasses import dataclass
from enum import StrEnum
from typing import Literal


class Refusal(StrEnum):
    """Why an item cannot be shown."""

    EMPTY = "empty"
    UNKNOWN = "unknown"  # neither an image that can be decoded nor text
    DAMAGED = "damaged"
    TRUNCATED = "truncated"
    TOO_LARGE = "too_large"
    UNSAFE = "unsafe"  # an SVG with entities
    NOT_TEXT = "not_text"  # not UTF-8, or with NUL
    MISNAMED = "misnamed"  # text under an image's name
    NO_FONTS = "no_fonts"


class CannotRender(Exception):
    """An item cannot be shown; `reason` says what is wrong and how to mend it."""

    def __init__(self, refusal: Refusal, reason: str) -> None:
        super().__init__(reason)
        self.refusal = refusal
        self.reason = reason


@dataclass(frozen=True, slots=True)
class SourceFacts:
    """The original, for audits of what could give a side away. Raters never see any of it.

    `format` is Pillow's name for an image, else SVG, TEXT, MARKDOWN or HTML. Images have `width`, `height`
    (pixels as stored, for an SVG its declared size or None) and `frames`; documents `length` in characters.
    """

    format: str
    n_bytes: int
    width: int | None = None
    height: int | None = None
    frames: int | None = None
    length: int | None = None


@dataclass(frozen=True, slots=True)
class Rendition:
    """What a rater is sent. `notes` tell an admin what was left out; `frames` counts those after encoding."""

    kind: Literal["image", "text", "html"]
    media_type: str
    body: bytes
    source: SourceFacts
    width: int | None = None
    height: int | None = None
    frames: int | None = None
    notes: tuple[str, ...] = ()
