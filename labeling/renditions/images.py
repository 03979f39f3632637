"""Raster images: decode in bounds, shrink, turn upright, convert to sRGB, write as WebP without metadata."""

from __future__ import annotations

import re
import struct
import warnings
from collections.abc import Iterator
from contextlib import contextmanager
from functools import cache
from io import BytesIO
from typing import Any

from PIL import Image, UnidentifiedImageError

from labeling.renditions.colour import DepthError, plain_mode, to_srgb
from labeling.renditions.result import CannotRender, Refusal, Rendition, SourceFacts

MAX_PIXELS = 40_000_000
"""Pixels of one frame of an original."""
MAX_DECODED_PIXELS = 400_000_000
"""Pixels of all frames of an animation: the time decoding may take."""
MAX_KEPT_PIXELS = 80_000_000
"""Pixels of all frames after shrinking: they are in memory together, 4 bytes each."""
MAX_SIDE = 1600
QUALITY = 90

_ANIMATED = {"GIF", "WEBP", "PNG", "AVIF", "FLI"}
# EPS and WMF are handed to other programs, which would run on bytes nobody vouches for.
_NOT_OPENED = {"EPS", "WMF"}
_UPRIGHT = {
    2: Image.Transpose.FLIP_LEFT_RIGHT,
    3: Image.Transpose.ROTATE_180,
    4: Image.Transpose.FLIP_TOP_BOTTOM,
    5: Image.Transpose.TRANSPOSE,
    6: Image.Transpose.ROTATE_270,
    7: Image.Transpose.TRANSVERSE,
    8: Image.Transpose.ROTATE_90,
}
_ORIENTATION = 0x0112

# Pillow itself refuses above twice this number, which also covers pictures inside others (ICO, ICNS).
Image.MAX_IMAGE_PIXELS = MAX_PIXELS // 2


@cache
def opened_formats() -> tuple[str, ...]:
    """Pillow's names of the formats that are tried."""
    Image.init()
    return tuple(name for name in Image.ID if name not in _NOT_OPENED)


def is_image_name(suffix: str) -> bool:
    """Whether a file extension (with its dot, lower case) is one of a raster image."""
    Image.init()
    return suffix in Image.registered_extensions()


def signature(data: bytes) -> str | None:
    """The format whose first bytes `data` has, if any."""
    opened_formats()
    for name in Image.ID:
        accept = Image.OPEN[name][1]
        try:
            if accept is not None and accept(data[:16]) is True:
                return name
        except (IndexError, ValueError, struct.error):  # fewer bytes than the check looks at
            continue
    return None


def render_image(data: bytes) -> Rendition:
    """The WebP rendition of a raster image.

    Raises CannotRender when the bytes are no image, are damaged or cut off, or hold too many pixels; the size
    is read from the header before anything is decoded.
    """
    with _refusals():
        image = Image.open(BytesIO(data), formats=opened_formats())
        width, height = image.size
        if width * height > MAX_PIXELS:
            raise _too_large(f"It is {width} × {height} pixels.")
        n_frames = getattr(image, "n_frames", 1)
        source = SourceFacts(image.format or "", len(data), width, height, frames=n_frames)
        if n_frames > 1 and image.format in _ANIMATED:
            return _render_animation(image, source)
        image.load()
        pages = f"It has {n_frames} pages or layers; raters see the first."
        notes = (pages,) if n_frames > 1 and image.format in {"TIFF", "DCX", "MPO"} else ()
        return _still(_finish(image, _orientation(image)), source, notes)


def _still(picture: Image.Image, source: SourceFacts, notes: tuple[str, ...] = ()) -> Rendition:
    target = BytesIO()
    picture.save(target, "WEBP", quality=QUALITY, method=4)
    return Rendition("image", "image/webp", target.getvalue(), source, *picture.size, frames=1, notes=notes)


def _render_animation(image: Image.Image, source: SourceFacts) -> Rendition:
    n_frames, n_pixels = source.frames or 1, image.width * image.height
    scale = min(1.0, MAX_SIDE / max(image.size))
    if n_frames * n_pixels > MAX_DECODED_PIXELS or n_frames * n_pixels * scale**2 > MAX_KEPT_PIXELS:
        raise CannotRender(
            Refusal.TOO_LARGE,
            f"The animation has {n_frames} frames of {image.width} × {image.height} pixels, more than can be "
            f"handled. Make it smaller or shorter: at most {MAX_KEPT_PIXELS // 1_000_000} megapixels in all.",
        )
    start = 1 if image.info.get("default_image") else 0  # a PNG's picture for programs without animation
    frames, durations = [], []
    for number in range(start, n_frames):
        image.seek(number)
        image.load()
        durations.append(float(image.info.get("duration", 100)))
        frames.append(_finish(image, _orientation(image)).convert("RGBA"))
    if len(frames) == 1:
        return _still(to_srgb(frames[0], None), source)
    target = BytesIO()
    frames[0].save(
        target,
        "WEBP",
        save_all=True,
        append_images=frames[1:],
        duration=durations,
        loop=_plays(image),
        quality=QUALITY,
        method=4,
        background=(0, 0, 0, 0),
    )
    body = target.getvalue()
    kept = getattr(Image.open(BytesIO(body)), "n_frames", 1)
    return Rendition("image", "image/webp", body, source, *frames[0].size, frames=kept)


def _plays(image: Image.Image) -> int:
    """How often the animation is played, 0 = for ever, from a GIF's count of further repetitions too."""
    loop = image.info.get("loop")
    if image.format != "GIF":
        return int(loop or 0)
    if loop is None:
        return 1
    return min(int(loop) + 1, 65535) if loop else 0


def _finish(image: Image.Image, orientation: int) -> Image.Image:
    """Shrink, turn upright, convert to sRGB. Shrinking first makes the rest cheap."""
    picture = plain_mode(image)
    longest = max(picture.size)
    if longest > MAX_SIDE:
        width, height = (max(1, round(side * MAX_SIDE / longest)) for side in picture.size)
        picture = picture.resize((width, height), Image.Resampling.LANCZOS, reducing_gap=3.0)
    if orientation in _UPRIGHT:
        picture = picture.transpose(_UPRIGHT[orientation])
    return to_srgb(picture, image.info.get("icc_profile"))


def _orientation(image: Image.Image) -> int:
    """The EXIF orientation, 1 if unreadable; read after decoding, as some decoders apply it themselves."""
    try:
        value: Any = image.getexif().get(_ORIENTATION, 1)
    except Exception:  # noqa: BLE001 - a damaged EXIF block raises anything, and the picture is still good
        return 1
    return value if isinstance(value, int) else 1


def _too_large(found: str) -> CannotRender:
    limit = MAX_PIXELS // 1_000_000
    return CannotRender(
        Refusal.TOO_LARGE,
        f"The image has more than {limit} megapixels. {found} "
        f"Scale it down; raters see {MAX_SIDE} pixels a side at most.",
    )


@contextmanager
def _refusals() -> Iterator[None]:
    """Turn whatever a decoder raises into CannotRender."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        try:
            yield
        except CannotRender:
            raise
        except (Image.DecompressionBombError, MemoryError) as error:
            claimed = re.search(r"\d+(?= pixels)", str(error))
            raise _too_large(f"Its header says {claimed[0]} pixels." if claimed else "") from error
        except UnidentifiedImageError as error:
            raise CannotRender(
                Refusal.DAMAGED, "The header of the image is damaged. Save it again as PNG, JPEG or WebP."
            ) from error
        except DepthError as error:
            raise CannotRender(
                Refusal.UNKNOWN,
                f"The image's {error}, so black and white cannot be known. "
                "Save it with 8 or 16 bits a channel.",
            ) from error
        except Exception as error:  # decoders raise anything on bytes they do not expect
            if isinstance(error, EOFError) or "truncated" in str(error).lower():
                raise CannotRender(
                    Refusal.TRUNCATED,
                    f"The image file is cut off ({error or 'end of file'}). Copy it again from its source.",
                ) from error
            raise CannotRender(
                Refusal.DAMAGED,
                f"The image cannot be decoded ({error or type(error).__name__}). "
                "Save it again as PNG, JPEG or WebP.",
            ) from error
