"""What making a rendition may use: memory is bounded, and neither network nor files are reached."""

import base64
import json
import socket
import struct
import subprocess
import sys
import zlib
from io import BytesIO
from pathlib import Path

import pytest
from PIL import Image

from labeling.renditions import render

ROOT = Path(__file__).resolve().parents[2]
MEGABYTE = 1_000_000

MEASURE = """
import json, re, sys
from pathlib import Path
from labeling.renditions import CannotRender, render
from labeling.renditions.images import opened_formats

data = open(sys.argv[1], "rb").read()
opened_formats()  # loads the decoders, which are no part of a picture


def peak():
    # Not getrusage: a process begins with the peak of the one that started it.
    return int(re.search(r"VmHWM:\\s+(\\d+) kB", Path("/proc/self/status").read_text())[1])


before = peak()
try:
    render(data, filename="picture.png")
    refused = ""
except CannotRender as refusal:
    refused = refusal.refusal.name
print(json.dumps({"refused": refused, "grown": (peak() - before) * 1024}))
"""


def grey_png(path, width, height):
    """A PNG of 3 × 8 bits a pixel, all of one grey, written line by line."""

    def chunk(kind, data):
        return struct.pack(">I", len(data)) + kind + data + struct.pack(">I", zlib.crc32(kind + data))

    packer = zlib.compressobj(1)
    line = b"\0" + b"\x80" * (3 * width)
    body = b"".join(packer.compress(line) for _ in range(height)) + packer.flush()
    header = struct.pack(">IIBBBBB", width, height, 8, 2, 0, 0, 0)
    path.write_bytes(
        b"\x89PNG\r\n\x1a\n" + chunk(b"IHDR", header) + chunk(b"IDAT", body) + chunk(b"IEND", b"")
    )
    return path


def measured(path):
    """What a process of its own, which renders the file, says of it."""
    done = subprocess.run(
        [sys.executable, "-c", MEASURE, str(path)], cwd=ROOT, capture_output=True, text=True, check=True
    )
    return json.loads(done.stdout)


def test_sixty_three_megapixels_are_refused_before_they_are_decoded(tmp_path):
    """Decoded they would take 9,000 × 7,000 × 3 bytes = 189 megabytes."""
    found = measured(grey_png(tmp_path / "large.png", 9_000, 7_000))
    assert found["refused"] == "TOO_LARGE"
    assert found["grown"] < 10 * MEGABYTE


def test_the_largest_picture_that_is_taken_keeps_within_three_times_its_pixels(tmp_path):
    """8,000 × 5,000 pixels of 4 bytes: decoding and colour hold them twice, shrinking less than once more."""
    found = measured(grey_png(tmp_path / "allowed.png", 8_000, 5_000))
    assert found["refused"] == ""
    assert found["grown"] > 100 * MEGABYTE  # else nothing was measured
    assert found["grown"] < 3 * 4 * 8_000 * 5_000


@pytest.fixture
def listening():
    """A port of this machine that notes who calls."""
    with socket.create_server(("127.0.0.1", 0)) as server:
        server.setblocking(False)
        yield server


def was_called(server):
    try:
        server.accept()[0].close()
    except BlockingIOError:
        return False
    return True


@pytest.fixture
def outside(tmp_path, listening):
    """Addresses that no item may reach: a red picture on this disk, and a server."""
    secret = tmp_path / "secret.svg"
    secret.write_text(
        '<svg xmlns="http://www.w3.org/2000/svg" width="40" height="40">'
        '<rect width="40" height="40" fill="#f00"/></svg>'
    )
    port = listening.getsockname()[1]
    return [
        secret.as_uri(),
        str(secret),
        f"../{secret.parent.name}/{secret.name}",
        f"http://127.0.0.1:{port}/",
        f"//127.0.0.1:{port}/",
    ]


SVG_REFERENCES = [
    '<image width="40" height="40" href="{}"/>',
    '<image width="40" height="40" xlink:href="{}"/>',
    '<use href="{}#r"/>',
    '<rect width="40" height="40" fill="url({}#p)"/>',
    '<rect width="40" height="40" style="fill: url({}#p)"/>',
    '<filter id="f"><feImage href="{}"/></filter><rect width="40" height="40" filter="url(#f)"/>',
    "<style>@import url({}); rect {{ fill: url({}) }}</style>",
    '<foreignObject><img xmlns="http://www.w3.org/1999/xhtml" src="{}"/></foreignObject>',
]


def test_a_call_and_the_red_would_be_seen(outside, listening):
    """Else the tests below would show nothing."""
    assert has_red(render(Path(outside[1]).read_bytes(), filename="red.svg").body)
    with socket.create_connection(listening.getsockname()):
        assert was_called(listening)


@pytest.mark.parametrize("reference", SVG_REFERENCES)
def test_an_svg_reaches_neither_files_nor_the_network(reference, outside, listening):
    for address in outside:
        markup = (
            '<svg xmlns="http://www.w3.org/2000/svg" xmlns:xlink="http://www.w3.org/1999/xlink" '
            'width="40" height="40"><rect width="40" height="40" fill="#fff"/>'
            f"{reference.format(address, address)}</svg>"
        )
        rendition = render(markup.encode(), filename="item.svg")
        assert not has_red(rendition.body), address
    assert not was_called(listening)


def test_an_svg_with_an_entity_of_a_file_is_refused_or_shows_nothing_of_it(outside, listening):
    for address in outside[:1] + outside[3:4]:
        markup = (
            f'<!DOCTYPE svg [<!ENTITY x SYSTEM "{address}">]>'
            '<svg xmlns="http://www.w3.org/2000/svg" width="40" height="40"><text>&x;</text></svg>'
        )
        with pytest.raises(Exception, match=r"(?i)entit|doctype"):
            render(markup.encode(), filename="item.svg")
    assert not was_called(listening)


HTML_REFERENCES = [
    '<img src="{}">',
    '<img srcset="{} 2x">',
    '<picture><source srcset="{}"><img></picture>',
    '<link rel="stylesheet" href="{}">',
    '<style>body {{ background: url("{}") }}</style>',
    '<p style="background: url({})">words</p>',
    '<iframe src="{}"></iframe>',
    '<object data="{}"></object>',
    '<embed src="{}">',
    '<video src="{}" poster="{}"></video>',
    '<script src="{}"></script>',
    '<meta http-equiv="refresh" content="0; url={}">',
    '<base href="{}"><img src="x.png">',
    '<form action="{}"><button>go</button></form>',
    '<a href="{}" ping="{}">go</a>',
    '<svg><image href="{}"/></svg>',
    '<table background="{}"><tr><td>words</td></tr></table>',
    '<input type="image" src="{}">',
]


@pytest.mark.parametrize("reference", HTML_REFERENCES)
@pytest.mark.parametrize("name", ["item.html", "item.md"])
def test_no_address_stays_in_html_or_as_markup_in_markdown(reference, name, outside, listening):
    for address in outside:
        markup = f"<p>Words.</p>\n\n{reference.format(address, address)}\n"
        shown = render(markup.encode(), filename=name).body.decode()
        if name == "item.html":
            assert address not in shown
        assert "<img" not in shown  # Markdown shows markup as the text it is
        assert "Words." in shown
    assert not was_called(listening)


def test_an_inline_svg_inside_html_reaches_no_file_either(outside, listening):
    for address in outside:
        inner = (
            '<svg xmlns="http://www.w3.org/2000/svg" width="40" height="40">'
            '<rect width="40" height="40" fill="#fff"/>'
            f'<image width="40" height="40" href="{address}"/></svg>'
        )
        source = base64.b64encode(inner.encode()).decode()
        markup = f'<img src="data:image/svg+xml;base64,{source}">'
        shown = render(markup.encode(), filename="item.html").body.decode()
        picture = base64.b64decode(shown.split("base64,")[1].split('"')[0])
        assert not has_red(picture), address
    assert not was_called(listening)


def has_red(webp):
    """Whether a picture shows the red of the file outside."""
    with Image.open(BytesIO(webp)) as opened:
        red, green, blue = (channel.tobytes() for channel in opened.convert("RGB").split())
    return any(r > 200 and g < 80 and b < 80 for r, g, b in zip(red, green, blue, strict=True))
