"""Bring any picture Pillow can hold to 8-bit sRGB, with alpha where there is some."""

from __future__ import annotations

from io import BytesIO

import numpy as np
from PIL import Image, ImageCms

_WIDE_MODES = {"I", "F", "I;16", "I;16B", "I;16L", "I;16N"}
_SRGB = ImageCms.ImageCmsProfile(ImageCms.createProfile("sRGB"))


class DepthError(ValueError):
    """Sample values whose black and white cannot be known."""


def plain_mode(image: Image.Image) -> Image.Image:
    """The picture in mode L, LA, RGB, RGBA or CMYK: 8 bits, no palette, transparency as a channel."""
    if image.mode in _WIDE_MODES:
        return _eight_bit(image)
    if image.mode == "LAB":
        lab = ImageCms.createProfile("LAB")
        return ImageCms.profileToProfile(image, lab, _SRGB, outputMode="RGB") or image
    if image.has_transparency_data:
        return image.convert("LA" if image.mode in {"LA", "La"} else "RGBA")
    if image.mode in {"1", "L"}:
        return image.convert("L")
    return image if image.mode == "CMYK" else image.convert("RGB")


def to_srgb(image: Image.Image, icc_profile: bytes | None) -> Image.Image:
    """A new picture in RGB, or RGBA if any pixel is not opaque, without metadata.

    Takes what `plain_mode` gives. A profile that is damaged or made for another kind of picture is passed
    over, as browsers do; the values then count as sRGB.
    """
    alpha = image.getchannel("A") if image.mode in {"LA", "RGBA"} else None
    colours = image.convert({"LA": "L", "RGBA": "RGB"}.get(image.mode, image.mode))
    converted = _through_profile(colours, icc_profile) if icc_profile else None
    result = (converted or colours).convert("RGB")
    if alpha is not None and alpha.getextrema() != (255, 255):
        result.putalpha(alpha)
    result.info = {}
    return result


def _through_profile(colours: Image.Image, icc_profile: bytes) -> Image.Image | None:
    try:
        profile = ImageCms.ImageCmsProfile(BytesIO(icc_profile))
        space = profile.profile.xcolor_space.strip()
        if space == "RGB" and colours.mode == "L":
            colours = colours.convert("RGB")
        if {"RGB": "RGB", "GRAY": "L", "CMYK": "CMYK"}.get(space) != colours.mode:
            return None
        return ImageCms.profileToProfile(
            colours,
            profile,
            _SRGB,
            renderingIntent=ImageCms.Intent.RELATIVE_COLORIMETRIC,
            outputMode="RGB",
            flags=ImageCms.Flags.BLACKPOINTCOMPENSATION,
        )
    except (ImageCms.PyCMSError, OSError, ValueError, TypeError):
        return None


def _whites(image: Image.Image) -> tuple[int, ...]:
    """The values white may have in a wide mode; the smallest that nothing exceeds is meant.

    Floating-point files use 0 to 1 or an integer range. 16-bit TIFF is the container of cameras and scanners
    of 10, 12 and 14 bits; other 16-bit formats use the whole range.
    """
    if image.mode == "F":
        return (1, 255, 65535)
    return (1023, 4095, 16383, 65535) if image.format == "TIFF" else (65535,)


def _eight_bit(image: Image.Image) -> Image.Image:
    """Wide grey to 8-bit grey, with alpha when one of the values stands for clear."""
    values = np.asarray(image)
    low, high = float(values.min()), float(values.max())
    if not (np.isfinite(low) and np.isfinite(high)) or low < 0 or high > 65535:
        raise DepthError(f"sample values run from {low:g} to {high:g}")
    white = next(float(top) for top in _whites(image) if high <= top)
    scaled = np.multiply(values, 255.0 / white, dtype=np.float32)
    grey = Image.fromarray((scaled + np.float32(0.5)).astype(np.uint8))
    clear = image.info.get("transparency")
    if isinstance(clear, int):
        grey.putalpha(Image.fromarray(np.where(values == clear, 0, 255).astype(np.uint8)))
    return grey
