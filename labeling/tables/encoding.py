"""From a file's bytes to UTF-8 without a mark, or a sentence about why not."""

import codecs
from dataclasses import dataclass

from labeling.tables.errors import CellError, TableErrors

_SAVE_AS = "Save the file as “CSV UTF-8” and send it again"

_NO_TEXT = {
    b"PK\x03\x04": "an Excel workbook or another ZIP archive",
    b"\xd0\xcf\x11\xe0": "an Excel workbook of the old kind",
    b"\x1f\x8b": "compressed with gzip",
    b"%PDF-": "a PDF",
    b"\x89PNG": "a picture (PNG)",
    b"\xff\xd8\xff": "a picture (JPEG)",
    b"SQLite format 3": "an SQLite database",
}
"""First bytes of what people send in place of a table; each cell of it would be a fault."""


@dataclass(frozen=True)
class Text:
    """A file's text as UTF-8 bytes. Bytes that are not UTF-8 may still be in it: the scanner names each cell.

    ``mark`` is the number of bytes (a byte order mark) cut from the front.
    """

    data: bytes
    mark: int = 0


def to_utf8(raw: bytes, name: str) -> Text:
    """Take off a UTF-8 mark, or turn UTF-16 with its mark into UTF-8.

    Raises TableErrors for what is no text, for UTF-32, for UTF-16 without a mark, for broken UTF-16, and for
    a file whose only line ends are carriage returns.
    """
    for first_bytes, kind in _NO_TEXT.items():
        if raw.startswith(first_bytes):
            raise _refuse(name, f"the file is no text; it is {kind}", _SAVE_AS)
    if raw.startswith((codecs.BOM_UTF32_LE, codecs.BOM_UTF32_BE)):
        raise _refuse(name, "the file starts with the mark of UTF-32", _SAVE_AS)
    if raw.startswith((codecs.BOM_UTF16_LE, codecs.BOM_UTF16_BE)):
        text = Text(_from_utf16(raw, name), mark=2)
    elif raw.startswith(codecs.BOM_UTF8):
        text = Text(raw[len(codecs.BOM_UTF8) :], mark=len(codecs.BOM_UTF8))
    else:
        text = Text(raw)
    _refuse_unmarked_utf16(text.data, name)
    if b"\r" in text.data and b"\n" not in text.data:
        raise _refuse(
            name,
            "the lines end in carriage returns alone (classic Mac)",
            "Save the file with line ends LF or CRLF",
        )
    return text


def describe_byte(byte: int) -> str:
    """Name a byte that is not UTF-8, with the letter it is in Windows-1252 where it is one."""
    try:
        letter = bytes([byte]).decode("cp1252")
    except UnicodeDecodeError:
        return f"0x{byte:02X}"
    return f"0x{byte:02X} (“{letter}” in Windows-1252)"


def _from_utf16(raw: bytes, name: str) -> bytes:
    try:
        return raw.decode("utf-16").encode()
    except UnicodeDecodeError as error:
        line = raw[: error.start].decode("utf-16", "replace").count("\n") + 1
        what = f"byte 0x{raw[error.start]:02X} at position {error.start} is not valid UTF-16 ({error.reason})"
        raise TableErrors([CellError(name, line, None, what, _SAVE_AS)]) from error


def _refuse_unmarked_utf16(data: bytes, name: str) -> None:
    """UTF-16 text without a mark shows as a NUL at every other byte: one sentence instead of one a cell."""
    head = data[:200]
    if len(head) >= 4 and head.count(0) * 3 > len(head):
        raise _refuse(
            name, "the file looks like UTF-16 without its byte order mark (every other byte is 0)", _SAVE_AS
        )


def _refuse(name: str, what: str, cure: str) -> TableErrors:
    return TableErrors([CellError(name, 1, None, what, cure)])
