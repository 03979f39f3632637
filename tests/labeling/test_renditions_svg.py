"""SVG: nothing outside the file is read, and the drawing is what the file says."""

from base64 import b64encode
from io import BytesIO

import pytest
from PIL import Image

from labeling.renditions import CannotRender, Refusal, render, svg

RED, BLUE, WHITE = (255, 0, 0), (0, 0, 255), (255, 255, 255)


def drawing(inside, attributes='width="100" height="50"', prolog=""):
    namespaces = 'xmlns="http://www.w3.org/2000/svg" xmlns:xlink="http://www.w3.org/1999/xlink"'
    paper = '<rect width="100%" height="100%" fill="#fff"/>'
    return f"{prolog}<svg {namespaces} {attributes}>{paper}{inside}</svg>".encode()


def middle(data):
    picture = Image.open(BytesIO(render(data, filename="a.svg").body)).convert("RGB")
    return picture.getpixel((picture.width // 2, picture.height // 2))


def near(pixel, expected):
    return all(abs(one - other) <= 12 for one, other in zip(pixel, expected, strict=True))


def red_png():
    target = BytesIO()
    Image.new("RGB", (100, 50), RED).save(target, "PNG")
    return target.getvalue()


BLUE_RECT = '<rect width="100" height="50" fill="blue"/>'


@pytest.mark.parametrize(
    ("attributes", "shown", "declared"),
    [
        ('width="100" height="50"', (200, 100), (100, 50)),  # twice the declared size
        ('width="1in" height="72pt"', (192, 192), (96, 96)),  # 96 pixels an inch, 72 points an inch
        ('width="2000" height="500"', (1600, 400), (2000, 500)),
        ('width="100" viewBox="0 0 4 2"', (200, 100), (100, 50)),
        ('viewBox="0 0 24 12"', (1600, 800), (None, None)),  # a shape without size
        ('width="100%" height="100%" viewBox="0 0 24 12"', (1600, 800), (None, None)),
        ('width="1e9" height="1e9"', (1600, 1600), (10**9, 10**9)),
    ],
)
def test_size(attributes, shown, declared):
    rendition = render(drawing("", attributes), filename="a.svg")
    assert (rendition.width, rendition.height) == shown
    assert (rendition.source.format, rendition.source.width, rendition.source.height) == ("SVG", *declared)
    assert rendition.media_type == "image/webp"


@pytest.mark.parametrize("attributes", ["", 'width="0" height="10"', 'width="1e999" height="3"'])
def test_a_drawing_without_size_is_refused(attributes):
    with pytest.raises(CannotRender, match="width and a height"):
        render(drawing("", attributes), filename="a.svg")


@pytest.mark.parametrize("name", ["a.svg", "a.png", "drawing"])
@pytest.mark.parametrize(
    "prolog",
    [
        "",
        '<?xml version="1.0" encoding="UTF-8" standalone="no"?>\n<!-- Created with > -->\n',
        '<!DOCTYPE svg PUBLIC "-//W3C//DTD SVG 1.1//EN" "http://www.w3.org/Graphics/SVG/1.1/DTD/svg11.dtd">\n',
        "\ufeff",
    ],
)
def test_told_by_its_content(prolog, name):
    rendition = render(drawing(BLUE_RECT, prolog=prolog), filename=name)
    assert (rendition.kind, rendition.source.format) == ("image", "SVG")


def test_other_encodings_are_read_as_declared():
    data = drawing("<desc>é</desc>" + BLUE_RECT, prolog='<?xml version="1.0" encoding="iso-8859-1"?>')
    assert near(middle(data.decode().encode("iso-8859-1")), BLUE)


def test_the_source_of_a_drawing_stays_text_under_a_text_name():
    assert render(drawing(BLUE_RECT), filename="a.txt").kind == "text"
    assert render(drawing(BLUE_RECT), filename="").kind == "text"


@pytest.mark.parametrize("form", ["file://{}", "{}", "{name}", "../{folder}/{name}"])
@pytest.mark.parametrize(
    "element",
    [
        '<image width="100" height="50" href="{}"/>',
        '<image width="100" height="50" xlink:href="{}"/>',
        '<filter id="f"><feImage href="{}"/></filter><rect width="100" height="50" filter="url(#f)"/>',
    ],
)
def test_no_file_is_read(tmp_path, monkeypatch, form, element):
    picture = tmp_path / "secret.png"
    picture.write_bytes(red_png())
    monkeypatch.chdir(tmp_path)
    reference = form.format(picture, name=picture.name, folder=tmp_path.name)
    data = drawing(element.format(reference))
    assert not near(middle(data), RED)
    assert "outside the SVG were removed: 1" in render(data, filename="a.svg").notes[0]


@pytest.mark.parametrize(
    "inside",
    [
        '<use href="other.svg#a"/>',
        '<rect fill="url(http://example.org/a.svg#b)" width="9" height="9"/>',
        '<rect style="fill: url( \'other.svg#b\' )" width="9" height="9"/>',
        "<style>rect { fill: url(other.svg#b) }</style>",
        '<style>@import "other.css";</style>',
        "<style>@font-face { font-family: x; src: local(y) }</style>",
        '<image href="data:image/svg+xml,&lt;svg/&gt;"/>',
        '<image href="https://example.org/a.png"/>',
    ],
)
def test_references_to_other_files_are_removed_and_counted(inside):
    assert "removed: 1" in render(drawing(inside), filename="a.svg").notes[0]


def test_scripts_and_embedded_documents_are_removed_and_counted():
    inside = "<script>1</script><g><foreignObject><p>x</p></foreignObject></g><metadata>me</metadata>"
    notes = render(drawing(inside), filename="a.svg").notes
    assert notes == ("Scripts and embedded documents were removed: 2.",)


@pytest.mark.parametrize(
    "inside",
    [
        '<linearGradient id="g"><stop stop-color="blue"/></linearGradient>'
        '<rect width="100" height="50" fill="url(#g)"/>',
        f'<defs><g id="r">{BLUE_RECT}</g></defs><use href="#r"/>',
        f'<defs><g id="r">{BLUE_RECT}</g></defs><use xlink:href="#r"/>',
        '<style>.b { fill: blue }</style><rect class="b" width="100" height="50"/>',
        '<rect style="fill:blue" width="100" height="50"/>',
        f'<a href="https://example.org">{BLUE_RECT}</a>',
    ],
)
def test_what_is_inside_the_drawing_is_kept(inside):
    assert near(middle(drawing(inside)), BLUE)
    assert render(drawing(inside), filename="a.svg").notes == ()


def test_pictures_inside_the_drawing_are_kept():
    inline = b64encode(red_png()).decode()
    data = drawing(f'<image width="100" height="50" href="data:image/png;base64,{inline}"/>')
    assert near(middle(data), RED)
    assert render(data, filename="a.svg").notes == ()


def test_text_is_drawn():
    shown = [
        Image.open(BytesIO(render(drawing(text), filename="a.svg").body)).convert("L").tobytes()
        for text in ('<text x="10" y="40" font-size="40">MMM</text>', "")
    ]
    assert min(shown[0]) < 60
    assert min(shown[1]) > 240


def test_text_without_fonts_is_refused(monkeypatch):
    monkeypatch.setattr(svg, "_fonts_found", lambda: False)
    assert render(drawing(""), filename="a.svg").kind == "image"
    with pytest.raises(CannotRender, match="no fonts"):
        render(drawing("<text>M</text>"), filename="a.svg")


ENTITIES = "".join(f'<!ENTITY e{n} "{f"&e{n - 1};" * 10}">' for n in range(1, 10))


@pytest.mark.parametrize(
    "declaration",
    [
        f'<!ENTITY e0 "ha">{ENTITIES}',
        '<!ENTITY e9 SYSTEM "file:///etc/passwd">',
        '<!ENTITY % p SYSTEM "p.dtd">%p;',
    ],
)
def test_entities_are_refused(declaration):
    data = drawing('<text y="20">&e9;</text>', prolog=f"<!DOCTYPE svg [{declaration}]>")
    with pytest.raises(CannotRender) as caught:
        render(data, filename="a.svg")
    assert caught.value.refusal == Refusal.UNSAFE


def test_a_damaged_picture_inside_is_refused():
    inline = b64encode(red_png()[:60]).decode()
    with pytest.raises(CannotRender) as caught:
        render(drawing(f'<image href="data:image/png;base64,{inline}"/>'), filename="a.svg")
    assert caught.value.refusal in {Refusal.DAMAGED, Refusal.TRUNCATED}


def test_broken_xml_is_refused():
    with pytest.raises(CannotRender, match="not well-formed"):
        render(drawing("<g>"), filename="a.svg")


def test_deep_nesting_is_refused():
    with pytest.raises(CannotRender, match="nests"):
        render(drawing("<g>" * 50_000 + "</g>" * 50_000), filename="a.svg")


def test_references_that_multiply_are_refused():
    groups = "".join(f'<g id="a{n}">' + f'<use href="#a{n - 1}"/>' * 10 + "</g>" for n in range(1, 9))
    with pytest.raises(CannotRender, match="cannot be drawn"):
        render(
            drawing(f'<defs><g id="a0"><path d="M0 0"/></g>{groups}</defs><use href="#a8"/>'),
            filename="a.svg",
        )


def test_a_drawing_that_takes_too_long_is_refused(monkeypatch):
    monkeypatch.setattr(svg, "_SECONDS", 1)
    noise = '<filter id="f"><feTurbulence numOctaves="1000000000" baseFrequency=".05"/></filter>'
    with pytest.raises(CannotRender, match="more time or memory"):
        render(drawing(noise + '<rect width="100" height="50" filter="url(#f)"/>'), filename="a.svg")
