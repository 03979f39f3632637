"""Ids that a program changed on the way: find the one that was meant, and name what happened to it.

Only for messages. Ids are compared byte for byte; nothing here makes two of them equal.
"""

import re
import unicodedata
from collections.abc import Callable, Iterable
from decimal import Decimal, InvalidOperation

from labeling.tables.errors import show

_INVISIBLE = "\u200b\u200c\u200d\u2060\ufeff"
_NUMBER = re.compile(r"[+-]?[0-9]+(?:\.[0-9]*)?(?:[eE][+-]?[0-9]{1,3})?")


def _without_spaces(text: str) -> str:
    return "".join(text.split()).strip(_INVISIBLE).translate(dict.fromkeys(map(ord, _INVISIBLE)))


def _composed(text: str) -> str:
    return unicodedata.normalize("NFC", text)


def _as_number(text: str) -> str:
    if not _NUMBER.fullmatch(text.strip()):
        return text
    try:
        return f"{Decimal(text.strip()).normalize():f}"
    except InvalidOperation:
        return text


def _rounded(text: str) -> str:
    number = _as_number(text)
    return f"{number[:14]}…{len(number)}" if number.isdigit() and len(number) > 15 else text


def _everything(text: str) -> str:
    return unicodedata.normalize("NFKC", _without_spaces(text)).casefold()


_CHANGES: tuple[tuple[Callable[[str], str], str], ...] = (
    (_without_spaces, "they differ in spaces that are easily overlooked"),
    (_composed, "they differ in how an accent is encoded (NFC and NFD)"),
    (_as_number, "a spreadsheet seems to have read the id as a number; format the column as text"),
    (_rounded, "a spreadsheet seems to have rounded the long number; format the column as text"),
    (str.casefold, "they differ in capitals"),
    (_everything, "they differ in spaces, capitals or form of letters"),
)


def lookalikes(unknown: Iterable[str], known: Iterable[str]) -> dict[str, str]:
    """For each unknown id that resembles just one known id, a sentence that names it and the likely cause."""
    left = dict.fromkeys(unknown)
    known = list(known)
    found: dict[str, str] = {}
    for change, reason in _CHANGES:
        if not left:
            break
        wanted = {change(text) for text in left}
        meant: dict[str, list[str]] = {}
        for text in known:
            if (form := change(text)) in wanted:
                meant.setdefault(form, []).append(text)
        for text in list(left):
            candidates = meant.get(change(text), [])
            if len(candidates) == 1:
                found[text] = f"Did you mean {show(candidates[0])}? {reason[0].upper()}{reason[1:]}"
                del left[text]
    return found
