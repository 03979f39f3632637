"""What an admin should know before importing: content that names its source, columns told apart at a glance.

Nothing here refuses anything. Raters are shown renditions under random names, but models may be given ids,
names and original files, and what a text says of itself stays in it.
"""

import re
import warnings as python_warnings
from collections import defaultdict
from dataclasses import dataclass, field
from pathlib import Path, PurePosixPath

import numpy as np
import numpy.typing as npt
from django.conf import settings
from django.utils.translation import gettext as _
from django.utils.translation import ngettext
from PIL import Image

from labeling.importing.folder import Folder
from labeling.renditions.images import is_image_name, opened_formats
from labeling.surface import Separation, SourceWords, by_number, by_values, name_words, read_source_words
from labeling.tables import Frame
from labeling.tables.payload import PayloadError, parse_payload, resolve_inside

DEFAULT_WORDS = Path(__file__).with_name("source_words.txt")
MAX_TEXT_BYTES = 2_000_000
"""Longer texts are refused when they are prepared, so nobody reads them here."""
NAMED = 3
"""Items that a warning names."""
SHOWN_WORDS = 5
"""Words of names that are told to separate the columns."""

_GENERATOR = re.compile(r"<meta\b[^>]*\bname\s*=\s*[\"']?generator\b|<!--\s*generator\b", re.I)
_ALT = re.compile(r"<img\b[^>]*\balt\s*=\s*(?:\"\s*[^\"\s]|'\s*[^'\s]|[^\"'\s>])", re.I)


@dataclass
class Surface:
    """What can be seen of an item without looking at it. Numbers are NaN where the item has none."""

    words: frozenset[str] = frozenset()
    extension: frozenset[str] = frozenset()
    format: frozenset[str] = frozenset()
    n_bytes: float = np.nan
    width: float = np.nan
    height: float = np.nan
    length: float = np.nan
    told: set[str] = field(default_factory=set)
    """What names its source, as the beginning of a sentence."""


def warnings_of(folder: Folder) -> tuple[str, ...]:
    """Sentences for the preview of an import: of the folder's items, and of pairs of two of them."""
    if folder.items is None:
        return ()
    words = source_words()
    surfaces = {
        item_id: _surface(folder.path, item_id, reference, words)
        for item_id, reference in zip(
            folder.items.text("item_id"), folder.items.text("uri_or_payload_ref"), strict=True
        )
    }
    return (*_sources(surfaces), *_separations(surfaces, folder.pairs))


def source_words() -> SourceWords:
    """The list of the deployment, or the one that comes with the product."""
    path = Path(settings.SOURCE_WORDS_FILE or DEFAULT_WORDS)
    return read_source_words(path.read_text(encoding="utf-8").splitlines())


def _surface(folder: Path, item_id: str, reference: str, words: SourceWords) -> Surface:
    try:
        payload = parse_payload(reference)
        path = resolve_inside(folder, reference) if payload.kind == "file" else None
    except PayloadError:  # told as a fault of the table
        return Surface()
    name = PurePosixPath(payload.value).name if path else ""
    surface = Surface(words=name_words(item_id, PurePosixPath(name).stem))
    surface.told = {
        _("The word “%s” stands in the id or file name") % word for word in surface.words & words.names
    }
    if payload.kind == "text":
        _look_at_text(surface, payload.value, words)
        surface.n_bytes = len(payload.value.encode())
    elif path is not None:
        surface.extension = frozenset({path.suffix.lower()})
        surface.n_bytes = path.stat().st_size
        if is_image_name(path.suffix.lower()):
            _look_at_picture(surface, path)
        elif surface.n_bytes <= MAX_TEXT_BYTES:
            _look_at_text(surface, path.read_text(encoding="utf-8", errors="replace"), words)
    return surface


def _look_at_text(surface: Surface, text: str, words: SourceWords) -> None:
    surface.length = len(text)
    surface.told |= {_("The words “%s” stand in the content") % phrase for phrase in words.in_content(text)}
    if _GENERATOR.search(text):
        surface.told.add(_("A generator tag, which raters do not see, stands in the file"))
    if _ALT.search(text):
        surface.told.add(_("Alternative texts of pictures, which raters do not see, stand in the file"))


def _look_at_picture(surface: Surface, path: Path) -> None:
    """Format and size from the header; a picture that cannot be opened is refused when it is prepared."""
    try:
        with python_warnings.catch_warnings():
            python_warnings.simplefilter("ignore")
            with Image.open(path, formats=opened_formats()) as image:
                surface.format = frozenset({image.format or ""})
                surface.width, surface.height = image.size
    except Exception:  # noqa: BLE001 - decoders raise anything on bytes they do not expect
        return


def _sources(surfaces: dict[str, Surface]) -> list[str]:
    """A sentence for each thing that names a source, the most frequent first."""
    items: dict[str, list[str]] = defaultdict(list)
    for item_id, surface in surfaces.items():
        for told in surface.told:
            items[told].append(item_id)
    return [
        _("%(told)s of %(items)s.") % {"told": told, "items": _listed(named)}
        for told, named in sorted(items.items(), key=lambda entry: (-len(entry[1]), entry[0]))
    ]


def _listed(item_ids: list[str]) -> str:
    counted = ngettext("%d item", "%d items", len(item_ids)) % len(item_ids)
    some = ", ".join(item_ids[:NAMED])
    return f"{counted} ({some}{', …' if len(item_ids) > NAMED else ''})"


def _separations(surfaces: dict[str, Surface], pairs: Frame | None) -> list[str]:
    """A sentence for each property that tells item_a from item_b."""
    if pairs is None:
        return []
    sides = [
        (surfaces[a], surfaces[b])
        for a, b in zip(pairs.text("item_a"), pairs.text("item_b"), strict=True)
        if a in surfaces and b in surfaces
    ]
    found: list[Separation | None] = []
    for name in ("n_bytes", "width", "height", "length"):
        a, b = (_numbers([pair[side] for pair in sides], name) for side in (0, 1))
        found.append(by_number(name, a, b))
    for name, most in (("format", None), ("extension", None), ("words", SHOWN_WORDS)):
        values = ([getattr(pair[side], name) for pair in sides] for side in (0, 1))
        found += by_values(name, *values)[:most]
    return [_in_words(separation) for separation in found if separation is not None]


def _numbers(surfaces: list[Surface], name: str) -> npt.NDArray[np.float64]:
    return np.array([getattr(surface, name) for surface in surfaces], np.float64)


def _in_words(found: Separation) -> str:
    has = {
        "n_bytes": _("the larger file"),
        "width": _("the wider picture"),
        "height": _("the higher picture"),
        "length": _("the longer text"),
        "format": _("the format %s") % found.value,
        "extension": _("the file extension “%s”") % found.value,
        "words": _("the word “%s” in its id or file name") % found.value,
    }[found.name]
    return _(
        "item_%(side)s has %(has)s in %(k)d of the %(n)d pairs where the two differ "
        "(%(share)d %%, 95 %% interval %(low)d–%(high)d %%), so the columns can be told apart without "
        "looking at the items. Mix the sides, or make the items alike in this."
    ) % {
        "side": found.side,
        "has": has,
        "k": found.k,
        "n": found.n,
        "share": round(100 * found.k / found.n),
        "low": round(100 * found.low),
        "high": round(100 * found.high),
    }
