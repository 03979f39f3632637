"""Raster images: upright, sRGB, bounded, anonymous."""

import struct
import zlib
from io import BytesIO
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from PIL import Image, ImageCms, PngImagePlugin

from labeling.renditions import CannotRender, Refusal, render
from labeling.renditions.images import MAX_PIXELS

RED, GREEN, BLUE, WHITE = (255, 0, 0), (0, 255, 0), (0, 0, 255), (255, 255, 255)


def save(image, format_="PNG", **options):
    target = BytesIO()
    image.save(target, format_, **options)
    return target.getvalue()


def seen(data, name="a.png"):
    """The picture a rater gets."""
    return Image.open(BytesIO(render(data, filename=name).body))


def quadrants(*colours, side=16):
    """Top left, top right, bottom left, bottom right."""
    image = Image.new("RGB", (2 * side, 2 * side))
    for position, colour in enumerate(colours):
        image.paste(
            colour, (left := position % 2 * side, top := position // 2 * side, left + side, top + side)
        )
    return image


def near(pixel, expected, tolerance=12):
    return all(abs(one - other) <= tolerance for one, other in zip(pixel, expected, strict=True))


# EXIF names the side of the scene that row 0 and column 0 of the stored picture show. Stored: R G / B W.
# 2 mirrors left-right, 3 turns by 180°, 4 mirrors top-bottom, 5 transposes, 6 turns 90° clockwise,
# 7 transposes along the other diagonal, 8 turns 90° counter-clockwise.
UPRIGHT = {
    1: (RED, GREEN, BLUE, WHITE),
    2: (GREEN, RED, WHITE, BLUE),
    3: (WHITE, BLUE, GREEN, RED),
    4: (BLUE, WHITE, RED, GREEN),
    5: (RED, BLUE, GREEN, WHITE),
    6: (BLUE, RED, WHITE, GREEN),
    7: (WHITE, GREEN, BLUE, RED),
    8: (GREEN, WHITE, RED, BLUE),
}


LOSSLESS: dict[str, dict[str, Any]] = {"WEBP": {"lossless": True}, "JPEG": {"quality": 100, "subsampling": 0}}


@pytest.mark.parametrize("orientation", UPRIGHT)
@pytest.mark.parametrize("format_", ["PNG", "JPEG", "WEBP", "TIFF"])
def test_pictures_are_turned_upright(orientation, format_):
    exif = Image.Exif()
    exif[0x0112] = orientation
    stored = save(quadrants(RED, GREEN, BLUE, WHITE), format_, exif=exif, **LOSSLESS.get(format_, {}))
    picture = seen(stored).convert("RGB")
    corners = [picture.getpixel(at) for at in ((8, 8), (24, 8), (8, 24), (24, 24))]
    assert all(
        near(pixel, expected, 40) for pixel, expected in zip(corners, UPRIGHT[orientation], strict=True)
    )


def test_nothing_but_pixels_is_left():
    exif = Image.Exif()
    exif[0x0131] = "Generator 9000"  # Software
    exif.get_ifd(0x8825)[1] = "N"  # GPS
    text = PngImagePlugin.PngInfo()
    text.add_text("parameters", "Generator 9000")
    profile = ImageCms.ImageCmsProfile(ImageCms.createProfile("sRGB")).tobytes()
    image = quadrants(RED, GREEN, BLUE, WHITE)
    for data in (
        save(image, exif=exif, pnginfo=text, icc_profile=profile),
        save(image, "JPEG", exif=exif, comment=b"Generator 9000", icc_profile=profile),
        save(image, "WEBP", exif=exif, xmp=b"<x>Generator 9000</x>", icc_profile=profile),
    ):
        body = render(data, filename="generator.png").body
        assert b"Generator" not in body
        assert not any(chunk in body for chunk in (b"EXIF", b"XMP ", b"ICCP"))


def test_the_format_of_the_original_does_not_show():
    image = quadrants(RED, GREEN, BLUE, WHITE)
    bodies = {render(save(image, f), filename="x").body for f in ("PNG", "BMP", "TIFF", "PPM", "TGA", "QOI")}
    assert len(bodies) == 1


def swapped_profile():
    """An RGB profile whose red and green primaries are exchanged: full red in it is green."""
    profile = bytearray(ImageCms.ImageCmsProfile(ImageCms.createProfile("sRGB")).tobytes())
    red, green = profile.index(b"rXYZ"), profile.index(b"gXYZ")
    profile[red : red + 4], profile[green : green + 4] = b"gXYZ", b"rXYZ"
    return bytes(profile)


def test_embedded_profiles_are_honoured():
    picture = seen(save(Image.new("RGB", (16, 16), RED), icc_profile=swapped_profile()))
    assert near(picture.getpixel((8, 8)), GREEN)


def test_alpha_survives_a_profile():
    picture = seen(save(Image.new("RGBA", (16, 16), (*RED, 100)), icc_profile=swapped_profile()))
    assert near(picture.getpixel((8, 8)), (*GREEN, 100))


@pytest.mark.parametrize("profile", [b"no profile", swapped_profile()[:200]])
def test_a_damaged_profile_is_passed_over(profile):
    assert near(seen(save(Image.new("RGB", (16, 16), RED), icc_profile=profile)).getpixel((8, 8)), RED)


def test_a_profile_for_another_colour_space_is_passed_over():
    grey = save(Image.new("CMYK", (16, 16), (0, 255, 255, 0)), "TIFF", icc_profile=swapped_profile())
    assert near(seen(grey).getpixel((8, 8)), RED)


def test_cmyk_becomes_rgb():
    # No ink but magenta and yellow is red; black ink alone is black.
    for ink, colour in (((0, 255, 255, 0), RED), ((0, 0, 0, 255), (0, 0, 0)), ((0, 0, 0, 0), WHITE)):
        assert near(seen(save(Image.new("CMYK", (16, 16), ink), "TIFF")).getpixel((8, 8)), colour)


@pytest.mark.parametrize(
    ("value", "format_", "grey"),
    [
        (32768, "PNG", 128),  # 32768 × 255 / 65535 = 127.5, rounded up
        (65535, "PNG", 255),
        (255, "PNG", 1),  # 0.99
        (32768, "TIFF", 128),
        (2048, "TIFF", 128),  # a 12-bit camera: 2048 × 255 / 4095 = 127.5
    ],
)
def test_16_bit_grey(value, format_, grey):
    image = Image.fromarray(np.full((16, 16), value, np.uint16))
    assert near(seen(save(image, format_)).getpixel((8, 8)), (grey,) * 3, 3)


def test_floating_point_grey():
    half = Image.fromarray(np.full((16, 16), 0.5, np.float32))
    assert near(seen(save(half, "TIFF")).getpixel((8, 8)), (128,) * 3, 3)
    for value in (-1.0, 1e9, float("nan")):
        with pytest.raises(CannotRender, match="8 or 16 bits"):
            render(save(Image.fromarray(np.full((4, 4), value, np.float32)), "TIFF"), filename="a.tif")


def test_transparency_of_every_kind_is_kept():
    palette = Image.new("P", (16, 16), 1)
    palette.putpalette([*WHITE, *RED])
    sixteen = Image.fromarray(np.full((16, 16), 7, np.uint16))
    for data in (
        save(palette, transparency=1),
        save(Image.new("RGB", (16, 16), RED), transparency=RED),
        save(Image.new("L", (16, 16), 9), transparency=9),
        save(sixteen, transparency=7),
        save(Image.new("LA", (16, 16), (9, 0))),
        save(Image.new("RGBA", (16, 16), (*RED, 0))),
    ):
        picture = seen(data)
        assert picture.mode == "RGBA"
        assert picture.getpixel((8, 8))[3] == 0


def test_an_opaque_alpha_channel_is_dropped():
    assert seen(save(Image.new("RGBA", (16, 16), (*RED, 255)))).mode == "RGB"


@pytest.mark.parametrize("mode", ["1", "L", "P", "RGB", "YCbCr", "LAB", "CMYK"])
def test_modes(mode):
    black_and_white = Image.new("RGB", (32, 32), WHITE)
    black_and_white.paste((0, 0, 0), (16, 0, 32, 32))
    if mode == "LAB":
        srgb, lab = ImageCms.createProfile("sRGB"), ImageCms.createProfile("LAB")
        image = ImageCms.profileToProfile(black_and_white, srgb, lab, outputMode="LAB")
    else:
        image = black_and_white.convert(mode)
    picture = seen(save(image, "TIFF")).convert("RGB")
    assert near(picture.getpixel((4, 16)), WHITE)
    assert near(picture.getpixel((28, 16)), (0, 0, 0))


@pytest.mark.parametrize(
    ("size", "shown"),
    [((1600, 10), (1600, 10)), ((3200, 1000), (1600, 500)), ((1, 4000), (1, 1600)), ((3, 2), (3, 2))],
)
def test_long_sides_are_shortened_and_small_pictures_left(size, shown):
    rendition = render(save(Image.new("RGB", size)), filename="a.png")
    assert (rendition.width, rendition.height) == shown
    assert (rendition.source.width, rendition.source.height) == size


def test_forty_megapixels_are_the_limit():
    allowed, refused = (8000, 5000), (8000, 5001)
    assert allowed[0] * allowed[1] == MAX_PIXELS
    assert render(save(Image.new("1", allowed)), filename="a.png").width == 1600
    with pytest.raises(CannotRender, match="more than 40 megapixels") as caught:
        render(save(Image.new("1", refused)), filename="a.png")
    assert caught.value.refusal == Refusal.TOO_LARGE


def png_header(width, height):
    header = b"IHDR" + struct.pack(">IIBBBBB", width, height, 8, 6, 0, 0, 0)
    start = b"\x89PNG\r\n\x1a\n" + struct.pack(">I", 13) + header + struct.pack(">I", zlib.crc32(header))
    return start + struct.pack(">I", 9) + b"IDAT"


@pytest.mark.parametrize(
    "data",
    [
        png_header(2**31 - 1, 2**31 - 1),
        png_header(10_000, 4_001),
        b"GIF89a\xff\xff\xff\xff\x80\x00\x00" + bytes(6) + b",\0\0\0\0\xff\xff\xff\xff\0\x02\x02\x4c\x01\0;",
    ],
)
def test_bombs_are_refused_from_their_header(data):
    with pytest.raises(CannotRender) as caught:
        render(data, filename="a.png")
    assert caught.value.refusal == Refusal.TOO_LARGE


@pytest.mark.parametrize("format_", ["PNG", "JPEG", "GIF", "BMP", "WEBP"])
def test_a_file_that_is_cut_off_is_refused(format_):
    noise = Image.fromarray(np.random.default_rng(1).integers(0, 256, (64, 64, 3), dtype=np.uint8))
    data = save(noise, format_)
    with pytest.raises(CannotRender) as caught:
        render(data[: len(data) // 2], filename="a.png")
    assert caught.value.refusal in {Refusal.TRUNCATED, Refusal.DAMAGED}


def animation(colours=(RED, GREEN, BLUE), format_="GIF", size=(20, 20), **options):
    frames = [Image.new("RGB", size, colour) for colour in colours]
    return save(frames[0], format_, save_all=True, append_images=frames[1:], **options)


def timing(data):
    image = Image.open(BytesIO(data))
    shown = []
    for number in range(getattr(image, "n_frames", 1)):
        image.seek(number)
        image.load()
        shown.append((image.info["duration"], image.convert("RGB").getpixel((10, 10))))
    return shown, image.info.get("loop")


@pytest.mark.parametrize("format_", ["GIF", "WEBP", "PNG"])
def test_animations_keep_frames_durations_and_loop(format_):
    rendition = render(animation(format_=format_, duration=[50, 700, 90], loop=0), filename="a.gif")
    shown, loop = timing(rendition.body)
    assert loop == 0
    assert [duration for duration, _ in shown] == [50, 700, 90]
    assert all(near(pixel, c) for (_, pixel), c in zip(shown, (RED, GREEN, BLUE), strict=True))
    assert (rendition.frames, rendition.source.frames) == (3, 3)


@pytest.mark.parametrize(
    ("format_", "options", "plays"),
    [
        ("GIF", {}, 1),  # no loop block: once
        ("GIF", {"loop": 2}, 3),  # a GIF counts repetitions, WebP counts plays
        ("PNG", {"loop": 2}, 2),
        ("WEBP", {"loop": 2}, 2),
    ],
)
def test_an_animation_is_played_as_often_as_its_file_says(format_, options, plays):
    body = render(animation(format_=format_, duration=100, **options), filename="a").body
    assert timing(body)[1] == plays


def test_animation_is_shrunk_whole():
    rendition = render(animation(size=(2000, 100), duration=100, loop=0), filename="a.gif")
    assert (rendition.width, rendition.height, rendition.frames) == (1600, 80, 3)


def test_the_picture_for_programs_without_animation_is_left_out():
    frames = [Image.new("RGB", (20, 20), colour) for colour in (WHITE, RED, GREEN)]
    data = save(frames[0], save_all=True, append_images=frames[1:], default_image=True, duration=100, loop=0)
    shown, _ = timing(render(data, filename="a.png").body)
    assert [near(pixel, c) for (_, pixel), c in zip(shown, (RED, GREEN), strict=True)] == [True, True]


def test_an_animation_with_too_many_pixels_is_refused():
    # 81 frames of a megapixel; as 2 colours they take a few kilobytes.
    frames = [Image.new("P", (1000, 1000), number % 2) for number in range(81)]
    with pytest.raises(CannotRender, match="81 frames of 1000 × 1000"):
        render(save(frames[0], "GIF", save_all=True, append_images=frames[1:]), filename="a.gif")


def test_pages_after_the_first_are_mentioned():
    pages = [Image.new("RGB", (20, 20), colour) for colour in (RED, GREEN)]
    rendition = render(save(pages[0], "TIFF", save_all=True, append_images=pages[1:]), filename="a.tif")
    assert near(Image.open(BytesIO(rendition.body)).getpixel((8, 8)), RED)
    assert "2 pages" in rendition.notes[0]


def test_same_bytes_same_rendition():
    data = animation(duration=100, loop=0)
    assert render(data, filename="a.gif") == render(data, filename="a.gif")


SAMPLES = [
    save(quadrants(RED, GREEN, BLUE, WHITE), format_)
    for format_ in (
        "PNG",
        "JPEG",
        "GIF",
        "BMP",
        "TIFF",
        "WEBP",
        "ICO",
        "PCX",
        "PPM",
        "TGA",
        "AVIF",
        "JPEG2000",
    )
] + [animation(format_="PNG", duration=10), animation(duration=10)]


@given(st.sampled_from(SAMPLES), st.lists(st.tuples(st.integers(0, 400), st.integers(0, 255)), max_size=4))
@settings(max_examples=400)
def test_damaged_bytes_are_rendered_or_refused_with_a_reason(data, changes):
    damaged = bytearray(data)
    for place, value in changes:
        damaged[place % len(damaged)] = value
    try:
        outcome = render(bytes(damaged), filename="a.png").media_type
    except CannotRender as refused:
        outcome = refused.reason
    assert outcome == "image/webp" or outcome.endswith(".")
