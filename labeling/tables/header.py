"""The names in a file's header against the contract's."""

import difflib
from collections import Counter
from collections.abc import Sequence

from labeling.tables.contract import TABLES, Table
from labeling.tables.errors import CellError, ErrorLog, TableErrors, show, visible


def check_header(names: Sequence[str], table: Table, file: str, log: ErrorLog) -> None:
    """Note columns that are missing, named twice, without a name, or with a line break in their name.

    Raises TableErrors for a file that is another table of the contract: its cells need no comment.
    """
    _refuse_other_table(names, table, file)
    for known, times in Counter(names).items():
        if known and times > 1:
            places = " and ".join(str(at + 1) for at, other in enumerate(names) if other == known)
            what = f"the header names {show(known)} {times} times (columns {places})"
            log.add(CellError(file, 1, visible(known), what, "Keep one, and rename or remove the others"))
    for at, known in enumerate(names):
        if not known:
            cure = "Name it or remove it; an index column or a comma at the end of the header makes one"
            log.add(CellError(file, 1, None, f"column {at + 1} has no name", cure))
        elif "\n" in known or "\r" in known:
            what = f"the column name {show(known)} holds a line break"
            log.add(CellError(file, 1, None, what, "Put the name on one line"))
    for needed in _needed(table):
        if needed not in names:
            cure = _missing_cure(needed, names, table)
            log.add(CellError(file, 1, needed, "the column is missing", cure))


def _refuse_other_table(names: Sequence[str], table: Table, file: str) -> None:
    if sum(name not in names for name in _needed(table)) < 2:  # one missing column is more likely forgotten
        return
    fitting = [other for other in TABLES.values() if set(_needed(other)) <= set(names)]
    if fitting:
        other = max(fitting, key=lambda fit: len(_needed(fit)))
        cure = f"Give the file of {table.name} here; it has {', '.join(_needed(table))}"
        raise TableErrors([CellError(file, 1, None, f"the file holds {other.name}, not {table.name}", cure)])


def _needed(table: Table) -> list[str]:
    return [column.name for column in table.columns if not column.optional]


def unknown_columns(names: Sequence[str], table: Table, file: str) -> tuple[str, ...]:
    """One sentence about columns that the contract does not have, if there are any."""
    unknown = [show(name) for name in names if name not in table.names]
    if not unknown:
        return ()
    few = ", ".join(unknown[:20]) + (f" and {len(unknown) - 20} more" if len(unknown) > 20 else "")
    return (f"{file}: not part of {table.name}, so not stored: {few}.",)


def _missing_cure(wanted: str, names: Sequence[str], table: Table) -> str:
    plain = {
        name.strip("\ufeff \t\xa0").casefold().replace(" ", "_").replace("-", "_"): name for name in names
    }
    spare = [name for name, original in plain.items() if original not in table.names and name]
    near = difflib.get_close_matches(wanted, spare, 1, 0.8)
    if near:
        return f"Rename the column {show(plain[near[0]])} to {wanted}"
    return f"Add it; {table.name} needs {', '.join(_needed(table))}"
