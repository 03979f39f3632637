"""The lossless reader and writer of the contract tables. Pure: imports no Django."""

from labeling.tables.contract import (
    BENCH_GOLD,
    BENCH_ITEMS,
    BENCH_PAIRS,
    BENCH_WEAK,
    JUDGMENT_EVENTS,
    JUDGMENTS,
    LABEL_AGGREGATES,
    PREDS,
    SCORES,
    TABLES,
    VOCABULARY,
    Column,
    Table,
)
from labeling.tables.errors import CellError, TableErrors
from labeling.tables.frame import Frame
from labeling.tables.reader import read_cells, read_table
from labeling.tables.writer import write_table

__all__ = [
    "BENCH_GOLD",
    "BENCH_ITEMS",
    "BENCH_PAIRS",
    "BENCH_WEAK",
    "JUDGMENTS",
    "JUDGMENT_EVENTS",
    "LABEL_AGGREGATES",
    "PREDS",
    "SCORES",
    "TABLES",
    "VOCABULARY",
    "CellError",
    "Column",
    "Frame",
    "Table",
    "TableErrors",
    "read_cells",
    "read_table",
    "write_table",
]
