"""The exact scanner: reads any valid CSV cell by cell, and names line and column of every fault.

A cell that begins with a quote is read as RFC 4180 says: it ends at its closing quote, a quote inside is
doubled. In a cell that begins with text a quote is text (`5" wide`), as it can mean nothing else; one after
leading spaces is refused, as it can. Text is never trimmed or altered. Slower than
:mod:`labeling.tables.fast`, so the reader comes here only for files that the fast path cannot vouch for.
"""

import re
from collections.abc import Iterator
from dataclasses import dataclass, field

from labeling.tables.encoding import Text, describe_byte
from labeling.tables.errors import CellError, ErrorLog, show, visible

_QUOTED = re.compile(r'"[^"]*+(?:""[^"]*+)*+"')
_BARE = re.compile(r'[^,"\r\n]*+')
_TO_CELL_END = re.compile(r"[^,\r\n]*+")
_BAD = re.compile("[\0\udc80-\udcff]")


@dataclass
class Cells:
    """A header and rows of equally many cells; ``lines[i]`` is the 1-based line where row i starts."""

    header: list[str]
    rows: list[list[str]] = field(default_factory=list)
    lines: list[int] = field(default_factory=list)


class Scanner:
    """One pass over one file. Faults go to ``log``; rows with a fault are left out of the result."""

    def __init__(self, text: Text, name: str, log: ErrorLog) -> None:
        self.text = text.data.decode("utf-8", "surrogateescape")
        self.name = name
        self.log = log
        self.pos = 0
        self.line = 1
        self.header: list[str] = []
        self._bytes_before = (0, text.mark)
        self._lost = False

    def scan(self) -> Cells:
        """Read the whole file."""
        cells = Cells(self.read_header())
        for line, row in self.rows():
            cells.rows.append(row)
            cells.lines.append(line)
        return cells

    def read_header(self) -> list[str]:
        """Read the first row; empty when there is none, or when what follows could make no sense."""
        if not self.text or self._blank_length():
            what = "the first line is blank" if self.text else "the file is empty"
            self._fault(1, None, what, "The first line must name the columns")
            self._lose()
        else:
            self.header, _ = self.row()
            if self._lost or self._wrong_delimiter():
                self.header = []
                self._lose()
        return self.header

    def rows(self) -> Iterator[tuple[int, list[str]]]:
        """Read the rows below the header, each with its line; rows with a fault are passed over."""
        while self.pos < len(self.text):
            start = self.line
            if blank := self._blank_length():
                self._skip_blank(blank)
                continue
            row, fine = self.row()
            if fine and len(row) != len(self.header):
                self._wrong_length(start, row)
            elif fine:
                yield start, row

    def row(self) -> tuple[list[str], bool]:
        """Read one row from the present position; also whether it is free of faults."""
        end = self.text.find("\n", self.pos)
        line = self.text[self.pos :] if end < 0 else self.text[self.pos : end]
        bare = line[:-1] if end >= 0 and line.endswith("\r") else line
        if '"' in bare or "\r" in bare:
            return self._row_with_care()
        cells = bare.split(",")
        start, first_line = self.pos, self.line
        self.pos = len(self.text) if end < 0 else end + 1
        self.line += 1
        return cells, self._check_characters(bare, cells, start, first_line)

    def _row_with_care(self) -> tuple[list[str], bool]:
        """Read one row that holds quotes or carriage returns, cell by cell."""
        start, first_line, before = self.pos, self.line, self.log.total
        cells: list[str] = []
        while True:
            cells.append(self._cell(len(cells)))
            if self._lost or not self.text.startswith(",", self.pos):
                break
            self.pos += 1
        raw = self.text[start : self.pos]
        self._end_of_row()
        fine = self._check_characters(raw, cells, start, first_line)
        return cells, fine and self.log.total == before

    def _cell(self, index: int) -> str:
        start = self.pos
        if self.text.startswith('"', start):
            return self._quoted_cell(index)
        self.pos = _end(_BARE, self.text, start)
        if self.text.startswith('"', self.pos):
            opens_late = self.text[start : self.pos].isspace()
            self.pos = _end(_TO_CELL_END, self.text, start)
            if opens_late:
                what = f"spaces stand before the quote of {show(self.text[start : self.pos])}"
                cure = "Begin the cell with its quote, or put the whole cell in quotes and double each quote"
                self._fault(self.line, index, what, f"{cure} inside")
        self._refuse_lone_return(index)
        return self.text[start : self.pos]

    def _quoted_cell(self, index: int) -> str:
        opened = self.line
        match = _QUOTED.match(self.text, self.pos)
        if match is None:
            self._fault(
                opened,
                index,
                f"the quote opened here is never closed: {show(self.text[self.pos : self.pos + 40])}",
                "Close it, and double each quote inside the cell",
            )
            self._lose()
            return ""
        cell = match.group()[1:-1].replace('""', '"')
        self.line += cell.count("\n")
        self.pos = match.end()
        if self.pos == len(self.text) or self.text.startswith((",", "\n", "\r\n"), self.pos):
            return cell
        end = _end(_TO_CELL_END, self.text, self.pos)
        what = f"text follows the closing quote: {show(self.text[self.pos : end])}"
        cure = "Double each quote inside the cell, and end the cell at its closing quote"
        if self.line > opened:
            # Most likely that quote was never meant to span lines: what follows cannot be told apart.
            what = f"the quote opened here closes on line {self.line}, where {what}; reading stops here"
            self._fault(opened, index, what, cure)
            self._lose()
            return cell
        if end > self.pos:
            self._fault(self.line, index, what, cure)
        self.pos = end
        self._refuse_lone_return(index)
        return cell

    def _refuse_lone_return(self, index: int) -> None:
        """Refuse a carriage return that no line feed follows; the rest of its line is passed over."""
        if not self.text.startswith("\r", self.pos) or self.text.startswith("\r\n", self.pos):
            return
        self._fault(
            self.line,
            index,
            "a carriage return without a line feed stands outside quotes",
            "Save the file with line ends LF or CRLF, or put the cell in quotes",
        )
        end = self.text.find("\n", self.pos)
        self.pos = len(self.text) if end < 0 else end

    def _lose(self) -> None:
        """Give up on the rest of the file."""
        self._lost = True
        self.pos = len(self.text)

    def _end_of_row(self) -> None:
        if self.pos < len(self.text):
            self.pos += 2 if self.text.startswith("\r\n", self.pos) else 1
        self.line += 1

    def _blank_length(self) -> int:
        if self.text.startswith("\n", self.pos):
            return 1
        return 2 if self.text.startswith("\r\n", self.pos) else 0

    def _skip_blank(self, length: int) -> None:
        """One blank line is accepted at the very end; any other might be a row that was lost."""
        if self.pos + length < len(self.text):
            self._fault(self.line, None, "a blank line", "Delete it; only the end of the file may have one")
        self.pos += length
        self.line += 1

    def _check_characters(self, raw: str, cells: list[str], start: int, line: int) -> bool:
        """Report NUL and bytes that are not UTF-8; false when there are any."""
        if raw.isascii() and "\0" not in raw:
            return True
        first = _BAD.search(raw)
        if first is None:
            return True
        place = f" at byte {self._byte_position(start + first.start())} of the file"
        for index, cell in enumerate(cells):
            if bad := _BAD.search(cell):
                at = line + cell.count("\n", 0, bad.start()) + sum(c.count("\n") for c in cells[:index])
                if bad.group() == "\0":
                    self._fault(at, index, f"a NUL character{place}", "Remove it; no text holds one")
                else:
                    byte = describe_byte(ord(bad.group()) - 0xDC00)
                    self._fault(at, index, f"byte {byte}{place} is not UTF-8", "Save the file as “CSV UTF-8”")
                place = ""
        return False

    def _byte_position(self, position: int) -> int:
        """Bytes before a character of the text; asked in rising order, so that each part is counted once."""
        seen, count = self._bytes_before
        count += len(self.text[seen:position].encode("utf-8", "surrogateescape"))
        self._bytes_before = (position, count)
        return count

    def _wrong_delimiter(self) -> bool:
        only = self.header[0]
        if only.startswith("sep=") and len(self.header) <= 2:
            self._fault(
                1,
                None,
                f"the first line is Excel's separator hint {show(','.join(self.header))}",
                "Delete it, and save the file with commas between columns",
            )
            return True
        found = next((delimiter for delimiter in ";\t|" if delimiter in only), None)
        if len(self.header) > 1 or found is None:
            return False
        named = {";": "semicolons", "\t": "tabs", "|": "vertical bars"}[found]
        self._fault(
            1, None, f"the columns are separated by {named}", "Save the file with commas between columns"
        )
        return True

    def _wrong_length(self, line: int, row: list[str]) -> None:
        cure = "Put cells that hold a comma or a line break in quotes, and give each row every cell"
        if len(row) == len(self.header) + 1 and not row[-1]:
            cure = "Remove the comma at the end of the row"
        self._fault(
            line,
            None,
            f"the row has {len(row)} {'cell' if len(row) == 1 else 'cells'}, the header {len(self.header)}",
            cure,
        )

    def _fault(self, line: int, index: int | None, what: str, cure: str) -> None:
        column = None
        if index is not None:
            column = visible(self.header[index]) if index < len(self.header) else f"column {index + 1}"
        self.log.add(CellError(self.name, line, column, what, cure))


def _end(pattern: re.Pattern[str], text: str, start: int) -> int:
    """Where a pattern that always matches stops matching."""
    match = pattern.match(text, start)
    assert match
    return match.end()
