"""Text, Markdown and HTML: the words stay, the origin goes."""

from base64 import b64encode
from io import BytesIO

import pytest
from hypothesis import given
from hypothesis import strategies as st
from PIL import Image, PngImagePlugin

from labeling.renditions import CannotRender, Refusal, render


def html(markup, name="a.html"):
    rendition = render(markup.encode(), filename=name)
    assert rendition.kind == "html"
    return rendition.body.decode()


def markdown(text):
    return html(text, "a.md")


@pytest.mark.parametrize(
    "text", ["1", "true", "0", "NaN", "", " ", "é 漢 🎨", "<b>&amp;</b>", "\x1b[0m", "P6 is", "BM"]
)
def test_plain_text_stays_as_it_is(text):
    for name in ("", "a.txt", "notes"):
        rendition = render(text.encode(), filename=name)
        assert (rendition.kind, rendition.body.decode()) == ("text", text)
        assert rendition.source.length == len(text)


@given(st.text(st.characters(exclude_characters="\0\r\ufeff", codec="utf-8")))
def test_any_text_can_be_shown(text):
    assert render(text.encode(), filename="").body.decode() == text


def test_line_ends_and_byte_order_marks_tell_nothing():
    assert render(b"\xef\xbb\xbfa\r\nb\rc\n", filename="a.txt").body == b"a\nb\nc\n"


@pytest.mark.parametrize(
    ("data", "reason"),
    [
        (b"ab\0c", "NUL at byte 3"),
        (b"caf\xe9 au lait", "byte 4 is 0xE9"),
        ("text".encode("utf-16"), "is UTF-16"),
        (b"a" * 2_000_001, "2000001 bytes"),
    ],
)
def test_what_is_not_utf8_text_is_refused(data, reason):
    for name in ("a.txt", "a.md", "a.html", ""):
        with pytest.raises(CannotRender, match=reason):
            render(data, filename=name)


def test_other_bytes_are_refused():
    with pytest.raises(CannotRender) as caught:
        render(b"PK\x03\x04\0\0\0\xff" + bytes(100), filename="a.zip")
    assert caught.value.refusal == Refusal.UNKNOWN


@pytest.mark.parametrize("name", ["a.png", "a.JPG", "a.svg"])
@pytest.mark.parametrize(
    ("data", "refusal"), [(b"", Refusal.EMPTY), (b"<html>404 Not Found</html>", Refusal.MISNAMED)]
)
def test_a_name_of_an_image_over_no_image_is_refused(name, data, refusal):
    with pytest.raises(CannotRender) as caught:
        render(data, filename=name)
    assert caught.value.refusal == refusal


def test_a_picture_is_a_picture_under_any_name():
    target = BytesIO()
    Image.new("RGB", (8, 8)).save(target, "PNG")
    for name in ("a.txt", "a.md", "a.html", "", "x", "décran 100%#1.jpg"):
        assert render(target.getvalue(), filename=name).kind == "image"


def test_markdown_keeps_its_structure():
    shown = markdown("# Title\n\n*one* **two** ~~three~~ `four`\n\n1. a\n2. b\n\n|x|y|\n|-|-|\n|1|2|\n")
    for part in (
        "<h1>Title</h1>",
        "<em>one</em>",
        "<strong>two</strong>",
        "<s>three</s>",
        "<code>four</code>",
    ):
        assert part in shown
    assert "<ol>" in shown
    assert "<td>2</td>" in shown


@pytest.mark.parametrize(
    ("source", "shown"),
    [
        ("<!-- by studio X -->\n\nWords\n", "<p>Words</p>\n"),
        ("Words <!-- by studio X --> go on\n", "<p>Words  go on</p>\n"),
        ("<!-- one\n\ntwo -->Words\n", "<p>Words</p>\n"),
        ("<!-- never closed\n\nWords\n", ""),
        ("`<!-- shown: code -->`\n", "<p><code>&lt;!-- shown: code --&gt;</code></p>\n"),
    ],
)
def test_comments_in_markdown_are_not_shown_but_code_is(source, shown):
    assert render(source.encode(), filename="a.md").body.decode() == shown


def test_markup_inside_markdown_is_shown_as_text():
    assert markdown("<script>alert(1)</script>") == "<p>&lt;script&gt;alert(1)&lt;/script&gt;</p>\n"


def test_links_lose_their_target_and_code_its_language():
    assert markdown("[words](https://studio.example 'Studio')") == "<p>words</p>\n"
    assert markdown("```python\nx\n```") == "<pre><code>x\n</code></pre>\n"


@pytest.mark.parametrize(
    ("markup", "shown"),
    [
        ('<p id="a" class="b" style="color:red" title="c" data-x="d" onclick="e">words</p>', "<p>words</p>"),
        ("<!-- Generator 9000 --><p>words</p>", "<p>words</p>"),
        (
            '<html><head><title>Studio</title><meta name="generator" content="G"></head><p>words</p>',
            "<p>words</p>",
        ),
        ("<style>p{}</style><script>1</script><noscript>no</noscript><p>words</p>", "<p>words</p>"),
        ('<a href="https://studio.example">words</a>', "words"),
        ('<form action="/x"><input value="v"><button>words</button></form>', "words"),
        ("<svg><title>Studio</title><path/></svg><p>words</p>", "<p>words</p>"),
        ('<iframe src="x">in</iframe><object>in</object><p>words</p>', "<p>words</p>"),
        ('<td colspan="2" width="9">words</td>', "words"),
        ('<ol start="3"><li>words</li></ol>', '<ol start="3"><li>words</li></ol>'),
        ('<p lang="fr" dir="rtl">words</p>', '<p lang="fr" dir="rtl">words</p>'),
        ("<details><summary>more</summary>words</details>", "morewords"),
        ("1 < 2 & 3", "1 &lt; 2 &amp; 3"),
        ("", ""),
    ],
)
def test_html_keeps_words_and_structure_only(markup, shown):
    assert html(markup) == shown


def picture(size=(30, 20), mode="RGB"):
    note = PngImagePlugin.PngInfo()
    note.add_text("Software", "Generator 9000")
    target = BytesIO()
    Image.new(mode, size).save(target, "PNG", pnginfo=note)
    return f"data:image/png;base64,{b64encode(target.getvalue()).decode()}"


@pytest.mark.parametrize("name", ["a.html", "a.md"])
def test_pictures_inside_the_document_are_rendered_like_any_other(name):
    url = picture()
    source = f"![Logo of Studio]({url})" if name == "a.md" else f'<img alt="Logo of Studio" src="{url}">'
    shown = html(source, name)
    assert "Studio" not in shown
    assert 'alt="Image"' in shown
    start = shown.index("data:image/webp;base64,")
    assert url not in shown
    assert shown[start:].count("data:") == 1


def test_a_drawing_inside_the_document_becomes_a_picture():
    drawn = "data:image/svg+xml,%3Csvg xmlns='http://www.w3.org/2000/svg' width='9' height='9'/%3E"
    assert "data:image/webp;base64," in html(f'<img src="{drawn}">')


@pytest.mark.parametrize(
    "url",
    [
        "https://studio.example/a.png",
        "a.png",
        "/a.png",
        "//studio.example/a",
        "javascript:1",
        "data:text/html,x",
    ],
)
def test_pictures_elsewhere_are_left_out_and_counted(url):
    rendition = render(f'<p>words<img alt="Studio" src="{url}"></p>'.encode(), filename="a.html")
    assert rendition.body == b"<p>words</p>"
    assert rendition.notes == ("Pictures that are not inside the document were left out: 1.",)
    assert b"studio" not in render(f"![a]({url})".encode(), filename="a.md").body


def test_a_picture_inside_that_cannot_be_shown_refuses_the_document():
    with pytest.raises(CannotRender, match="In a picture inside the document"):
        html('<img src="data:image/png;base64,iVBORw0KGgo=">')


def test_pictures_inside_share_one_limit():
    large = picture(size=(5000, 4001), mode="1")  # 20.005 megapixels each
    assert "webp" in html(f'<img src="{large}">')
    with pytest.raises(CannotRender) as caught:
        html(f'<img src="{large}"><img src="{large}">')
    assert caught.value.refusal == Refusal.TOO_LARGE


@given(st.text(st.sampled_from("<>/\"'=a bimgsrcscript:&;!-()[]*#`\n"), max_size=60))
def test_no_mark_up_escapes(text):
    for name in ("a.md", "a.html"):
        shown = html(text, name)
        assert "<script" not in shown
        assert "<!--" not in shown
        assert " src=" not in shown
