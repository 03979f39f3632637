"""Text, Markdown and HTML: what is said stays, what could tell where it comes from goes."""

from __future__ import annotations

import re
from base64 import b64decode, b64encode
from binascii import Error as Base64Error
from collections.abc import Sequence
from typing import Literal
from urllib.parse import unquote_to_bytes

import nh3
from markdown_it import MarkdownIt
from markdown_it.common.utils import escapeHtml
from markdown_it.renderer import RendererHTML
from markdown_it.token import Token
from markdown_it.utils import EnvType, OptionsDict

from labeling.renditions.images import MAX_PIXELS, render_image
from labeling.renditions.result import CannotRender, Refusal, Rendition, SourceFacts
from labeling.renditions.svg import is_svg, render_svg

MAX_TEXT_BYTES = 2_000_000

Kind = Literal["text", "markdown", "html"]

_ALLOWED = """
abbr address article aside b bdi bdo blockquote br caption cite code col colgroup dd del dfn div dl dt em
figcaption figure footer h1 h2 h3 h4 h5 h6 header hr i img ins kbd li main mark nav ol p pre q rp rt ruby s
samp section small span strong sub sup table tbody td tfoot th thead time tr u ul var wbr
"""
_DROPPED_WITH_CONTENT = {
    *("audio", "canvas", "embed", "iframe", "math", "noscript", "object"),
    *("script", "style", "svg", "template", "textarea", "title", "video"),
}
# No id, class, style, title or link: each can name a source, and none is needed to read.
_ATTRIBUTES = {
    "*": {"dir", "lang"},
    "img": {"src"},
    "ol": {"reversed", "start", "type"},
    "li": {"value"},
    "td": {"colspan", "rowspan"},
    "th": {"colspan", "rowspan", "scope"},
}
_NEUTRAL_ALT = "Image"
_IMAGE_WITHOUT_SOURCE = f'<img alt="{_NEUTRAL_ALT}">'
_DATA_URL = re.compile(r"\s*data:image/[\w.+-]+((?:;[^,;]*)*),", re.I)
_COMMENT = re.compile(r"<!--.*?(?:-->|\Z)", re.S)
_MARKUP_AS_TEXT = MarkdownIt("commonmark", {"html": False}).enable(["table", "strikethrough"])


def _markdown() -> MarkdownIt:
    """Markdown whose HTML comments say nothing and whose other HTML is shown as the text it is."""
    parser = MarkdownIt("commonmark", {"html": True}).enable(["table", "strikethrough"])
    parser.add_render_rule("html_block", _block_without_comments)
    parser.add_render_rule("html_inline", _inline_without_comments)
    return parser


def _block_without_comments(
    _renderer: RendererHTML, tokens: Sequence[Token], index: int, _options: OptionsDict, _env: EnvType
) -> str:
    return str(_MARKUP_AS_TEXT.render(_COMMENT.sub("", tokens[index].content)))


def _inline_without_comments(
    _renderer: RendererHTML, tokens: Sequence[Token], index: int, _options: OptionsDict, _env: EnvType
) -> str:
    return str(escapeHtml(_COMMENT.sub("", tokens[index].content)))


_MARKDOWN = _markdown()


def decode_text(data: bytes) -> str:
    """The text of UTF-8 bytes, without byte order mark and with `\\n` at line ends.

    Raises CannotRender for another encoding or a NUL, naming the byte.
    """
    if len(data) > MAX_TEXT_BYTES:
        raise CannotRender(
            Refusal.TOO_LARGE,
            f"The text has {len(data)} bytes. Split it, or shorten it to at most {MAX_TEXT_BYTES}.",
        )
    if data.startswith((b"\xff\xfe", b"\xfe\xff")):
        raise CannotRender(Refusal.NOT_TEXT, "The text is UTF-16. Save it as UTF-8.")
    nul = data.find(b"\0")
    if nul >= 0:
        raise CannotRender(
            Refusal.NOT_TEXT, f"The text has a NUL at byte {nul + 1}. Save it again as plain UTF-8 text."
        )
    try:
        text = data.decode("utf-8-sig")
    except UnicodeDecodeError as error:
        raise CannotRender(
            Refusal.NOT_TEXT,
            f"The text is not UTF-8: byte {error.start + 1} is 0x{data[error.start]:02X}. Save it as UTF-8.",
        ) from error
    return text.replace("\r\n", "\n").replace("\r", "\n")


def render_document(text: str, kind: Kind, n_bytes: int) -> Rendition:
    """The rendition of a text: as it is, or as HTML of allowed elements only. Empty text is valid."""
    source = SourceFacts(kind.upper(), n_bytes, length=len(text))
    if kind == "text":
        return Rendition("text", "text/plain; charset=utf-8", text.encode(), source)
    markup = _MARKDOWN.render(text) if kind == "markdown" else text
    clean, notes = sanitise(markup)
    return Rendition("html", "text/html; charset=utf-8", clean.encode(), source, notes=notes)


def sanitise(markup: str) -> tuple[str, tuple[str, ...]]:
    """Allowed elements only, pictures inside the document rendered like any other, all others left out.

    Raises CannotRender when a picture inside the document cannot be rendered.
    """
    pictures = _InlinePictures()
    clean = nh3.clean(
        markup,
        tags=set(_ALLOWED.split()),
        clean_content_tags=_DROPPED_WITH_CONTENT,
        attributes=_ATTRIBUTES,
        attribute_filter=pictures.filter,
        set_tag_attribute_values={"img": {"alt": _NEUTRAL_ALT}},
        url_schemes={"data"},
        url_relative="deny",
        strip_comments=True,
        link_rel=None,
    )
    if pictures.refused is not None:
        raise pictures.refused
    missing = clean.count(_IMAGE_WITHOUT_SOURCE)
    clean = clean.replace(_IMAGE_WITHOUT_SOURCE, "")
    if not missing:
        return clean, ()
    return clean, (f"Pictures that are not inside the document were left out: {missing}.",)


class _InlinePictures:
    """Renders the pictures of one document; the first refusal is kept, as nh3 swallows exceptions."""

    def __init__(self) -> None:
        self.refused: CannotRender | None = None
        self.pixels = 0

    def filter(self, tag: str, attribute: str, value: str) -> str | None:
        if (tag, attribute) != ("img", "src"):
            return value
        if self.refused is not None:
            return None
        try:
            return self._render(value)
        except CannotRender as refused:
            self.refused = CannotRender(
                refused.refusal, f"In a picture inside the document: {refused.reason}"
            )
        return None

    def _render(self, url: str) -> str | None:
        match = _DATA_URL.match(url)
        if match is None:
            return None
        encoded = url[match.end() :]
        try:
            content = b64decode(encoded) if ";base64" in match.group(1).lower() else unquote_to_bytes(encoded)
        except (Base64Error, ValueError):
            return None
        picture = render_svg(content) if is_svg(content) else render_image(content)
        self.pixels += (picture.source.width or 0) * (picture.source.height or 0)
        if self.pixels > MAX_PIXELS:
            raise CannotRender(
                Refusal.TOO_LARGE, f"all together have more than {MAX_PIXELS // 1_000_000} megapixels."
            )
        return "data:image/webp;base64," + b64encode(picture.body).decode()
