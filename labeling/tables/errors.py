"""What is wrong with a table, where, and how to mend it."""

from collections.abc import Iterable
from dataclasses import dataclass

SHOWN = 200
"""How many errors are kept with their text; all are counted."""


@dataclass(frozen=True)
class CellError:
    """One fault of one file.

    ``line`` is the 1-based line of a CSV file where the row starts (of a Parquet file: the 1-based row), or
    None for a fault of the whole file. ``column`` is a column's name, or None for a fault of the whole row.
    """

    file: str
    line: int | None
    column: str | None
    what: str
    cure: str

    def __str__(self) -> str:
        """One line of the form ``file:line: column: what. cure.``"""
        file = visible(self.file)
        place = file if self.line is None else f"{file}:{self.line}"
        column = "" if self.column is None else f" {visible(self.column)}:"
        return f"{place}:{column} {_sentence(self.what)} {_sentence(self.cure)}".rstrip()


class TableErrors(Exception):
    """A table was refused. ``errors`` holds the first 200 in file order, ``total`` counts all."""

    def __init__(self, errors: Iterable[CellError], total: int | None = None) -> None:
        self.errors = list(errors)
        self.total = len(self.errors) if total is None else total
        self.errors = self.errors[:SHOWN]
        super().__init__(self.errors, self.total)

    def __str__(self) -> str:
        lines = [str(error) for error in self.errors]
        if self.total > len(self.errors):
            lines.append(f"... and {self.total - len(self.errors)} more.")
        return "\n".join(lines)


class ErrorLog:
    """Collects errors: keeps the text of the first 200 in order of line, counts all."""

    def __init__(self) -> None:
        self.total = 0
        self._kept: list[CellError] = []

    def add(self, error: CellError) -> None:
        """Note one error."""
        self.total += 1
        self._kept.append(error)
        if len(self._kept) >= 10 * SHOWN:
            self._kept = self._first()

    def count(self, more: int) -> None:
        """Count errors that come after 200 others of their kind, so that their text is not wanted."""
        self.total += more

    def raise_if_any(self) -> None:
        """Raise TableErrors when anything was noted."""
        if self.total:
            raise TableErrors(self._first(), self.total)

    def _first(self) -> list[CellError]:
        return sorted(self._kept, key=lambda error: error.line or 0)[:SHOWN]


def show(text: str, limit: int = 60) -> str:
    """Quote a cell for a message: invisible characters written out, long text cut in the middle."""
    if len(text) > limit:
        text = f"{text[: limit // 2]}…{text[-limit // 3 :]}"
    return f"“{visible(text)}”"


def visible(text: str) -> str:
    """Write what cannot be seen (line breaks, NUL, no-break space, accents on their own) as escapes."""
    return "".join(
        char if char == " " or (char.isprintable() and not _combining(char)) else _escape(char)
        for char in text
    )


def _combining(char: str) -> bool:
    return "\u0300" <= char <= "\u036f"


def _escape(char: str) -> str:
    named = {"\n": "\\n", "\r": "\\r", "\t": "\\t"}
    return named.get(char) or (f"\\x{ord(char):02x}" if ord(char) < 256 else f"\\u{ord(char):04x}")


def _sentence(text: str) -> str:
    return text if not text or text[-1] in ".?!" else f"{text}."
