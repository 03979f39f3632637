"""The spreadsheet-safe dialect of CSV text cells.

Spreadsheets run a cell that starts with ``=``, ``+``, ``-``, ``@`` (or their full-width forms) as a formula,
and strip a leading tab or line break first. The writer puts one ``'`` in front of such a cell, and in front
of a cell that already looks so escaped; the reader drops exactly one. The two undo each other for every text.
"""

import re
from typing import Any

import pyarrow.compute as pc

_DANGER = r"[=+\-@\t\r\n＝＋－＠]"
_TO_ESCAPE = re.compile(rf"'*{_DANGER}")
_ESCAPED = re.compile(rf"'+{_DANGER}")


def escape(cell: str) -> str:
    """The text as it is written to a CSV file."""
    return f"'{cell}" if _TO_ESCAPE.match(cell) else cell


def unescape(cell: str) -> str:
    """The text that a cell of a CSV file stands for."""
    return cell[1:] if _ESCAPED.match(cell) else cell


def escape_column(column: Any) -> Any:
    """:func:`escape` for a pyarrow column of strings."""
    dangerous = pc.match_substring_regex(column, rf"\A'*{_DANGER}")
    if not pc.any(dangerous).as_py():
        return column
    return pc.if_else(dangerous, pc.binary_join_element_wise("'", column, ""), column)


def unescape_column(column: Any) -> Any:
    """:func:`unescape` for a pyarrow column of strings."""
    quoted = pc.starts_with(column, "'")
    if not pc.any(quoted).as_py():
        return column
    mended = pc.replace_substring_regex(column, rf"\A'('*{_DANGER})", r"\1")
    return pc.if_else(quoted, mended, column)
