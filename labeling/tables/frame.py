"""A table that was read: columns of text, and the line each row came from."""

from collections.abc import Mapping
from typing import Any

import numpy as np
import numpy.typing as npt
import pyarrow as pa
import pyarrow.compute as pc

from labeling.tables.contract import Table
from labeling.tables.errors import CellError


class Frame:
    """Rows of one contract table, every cell as the text that the file holds (empty cell = "").

    Made by :func:`labeling.tables.read_table`; not changed afterwards. ``columns`` are the contract's
    columns that the file has, in the contract's order; ``warnings`` are sentences for the person who sent
    the file; ``place`` is the word for what :meth:`line` counts: line (CSV) or row (Parquet).
    """

    def __init__(
        self,
        table: Table,
        name: str,
        columns: Mapping[str, pa.ChunkedArray],
        n_rows: int,
        *,
        first_line: int = 2,
        lines: npt.NDArray[np.int64] | None = None,
        place: str = "line",
        warnings: tuple[str, ...] = (),
    ) -> None:
        self.table = table
        self.name = name
        self.warnings = warnings
        self.place = place
        self._columns = {known: columns[known] for known in table.names if known in columns}
        self._n_rows = n_rows
        self._first_line = first_line
        self._lines = lines
        self._encoded: dict[str, tuple[npt.NDArray[np.int32], pa.Array]] = {}

    def __len__(self) -> int:
        return self._n_rows

    @property
    def columns(self) -> tuple[str, ...]:
        """The contract's columns that the file has."""
        return tuple(self._columns)

    def has(self, column: str) -> bool:
        """Whether the file has the column. KeyError when the contract has none of that name."""
        return self.table[column].name in self._columns

    def column(self, column: str) -> Any:
        """The cells of a column: a pyarrow ChunkedArray of strings, no nulls; "" where the file lacks it."""
        if self.has(column):
            return self._columns[column]
        return pa.chunked_array([pa.repeat("", self._n_rows)])

    def text(self, column: str) -> list[str]:
        """The cells of a column as Python strings."""
        cells: list[str] = self.column(column).to_pylist()
        return cells

    def encoded(self, column: str) -> tuple[npt.NDArray[np.int32], Any]:
        """Codes and values of a column: cell i is ``values[codes[i]]`` (pyarrow Array of distinct strings).

        Values stand in order of first appearance. Computed once a column and kept.
        """
        if column not in self._encoded:
            encoded = pc.dictionary_encode(self.column(column)).combine_chunks()
            codes = np.asarray(encoded.indices.to_numpy(zero_copy_only=False), np.int32)
            self._encoded[column] = (codes, encoded.dictionary)
        return self._encoded[column]

    def numbers(self, column: str) -> npt.NDArray[np.float64]:
        """A column of shares or counts as float64; NaN where the cell is empty or the column absent."""
        if not self.table[column].is_number:
            raise TypeError(f"{self.table.name}.{column} holds no numbers")
        cells = self.column(column)
        filled = pc.if_else(pc.equal(cells, ""), "nan", cells)
        return np.asarray(pc.cast(filled, pa.float64()).to_numpy(), np.float64)

    def line(self, row: int) -> int:
        """1-based line of the file on which the row (0-based) starts; of a Parquet file the 1-based row."""
        return self._first_line + row if self._lines is None else int(self._lines[row])

    def error(self, row: int, column: str | None, what: str, cure: str) -> CellError:
        """An error about one cell or row, with file and line filled in."""
        return CellError(self.name, self.line(row), column, what, cure)
