"""What a cell of each kind may hold, and what to tell a person whose cell does not."""

import difflib
import re
from collections.abc import Sequence
from datetime import datetime

from labeling.tables.contract import Column, Kind
from labeling.tables.errors import show
from labeling.tables.payload import payload_fault

# Whole-cell patterns, read alike by Arrow's RE2 (a whole column) and by Python's re (one cell).
SHAPES: dict[Kind, str] = {
    "share": r"[0-9]+\.?[0-9]*|\.[0-9]+",
    "count": r"[0-9]{1,15}",
    "boolean": r"true|false",
    "uuid": r"[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}",
    "timestamp": (
        r"[0-9]{4}-(?:0[1-9]|1[0-2])-(?:0[1-9]|[12][0-9]|3[01])[T ](?:[01][0-9]|2[0-3]):[0-5][0-9]"
        r"(?::[0-5][0-9](?:\.[0-9]{1,9})?)?(?:Z|[+-](?:[01][0-9]|2[0-3]):?[0-5][0-9])"
    ),
}

_NO_NUMBER = ("nan", "na", "n/a", "#n/a", "none", "null", "nil", "inf", "-inf", "infinity", "-", "?", ".")
_EXPONENT = re.compile(r"[+-]?[0-9]*\.?[0-9]+[eE][+-]?[0-9]{1,3}")


def is_valid(column: Column, cell: str, choices: Sequence[str] = ()) -> bool:
    """Whether a cell holds what its column wants. ``choices`` is the list of a ``choice`` column."""
    if not cell:
        return column.may_be_empty
    if column.kind == "choice":
        return cell in choices
    if column.kind == "payload":
        return payload_fault(cell) is None
    if column.kind == "text":
        return True
    if not re.fullmatch(SHAPES[column.kind], cell):
        return False
    if column.kind == "share":
        return float(cell) <= 1
    return column.kind != "timestamp" or _is_date(cell)


def explain(column: Column, cell: str, choices: Sequence[str] = ()) -> tuple[str, str]:
    """What is wrong with a cell that is not valid, and how to mend it."""
    if not cell:
        return f"{column.name} is empty", "Fill it in; this column is needed on every row"
    if column.kind == "share":
        return _explain_share(column, cell)
    if column.kind == "count":
        return _explain_count(column, cell)
    if column.kind == "choice":
        return _explain_choice(column, cell, choices)
    if column.kind == "boolean":
        meant = {"1": "true", "yes": "true", "t": "true", "0": "false", "no": "false", "f": "false"}
        meant |= {"true": "true", "false": "false"}
        cure = meant.get(cell.strip().casefold())
        return f"{show(cell)} is not true or false", f"Write {cure}" if cure else "Write true or false"
    if column.kind == "uuid":
        example = "6f1c2d3e-0a4b-4c5d-8e6f-7a8b9c0d1e2f"
        return f"{show(cell)} is not a UUID", f"Write it in lower case with hyphens, like {example}"
    if column.kind == "timestamp":
        return _explain_timestamp(cell)
    what, cure = payload_fault(cell) or ("", "")
    return f"{show(cell)}: {what}", cure


def _is_date(cell: str) -> bool:
    try:
        datetime.fromisoformat(cell)
    except ValueError:
        return False
    return True


def _explain_share(column: Column, cell: str) -> tuple[str, str]:
    bare = cell.strip()
    if bare.endswith("%") and (percent := _plain(bare[:-1].strip().replace(",", "."))) is not None:
        return f"{show(cell)} is a percentage", f"Write {_shorten(percent / 100)}"
    if _plain(bare) is None and _plain(bare.replace(",", ".", 1)) is not None:
        return f"{show(cell)} has a decimal comma", f"Write {bare.replace(',', '.', 1)}"
    if _EXPONENT.fullmatch(bare):
        return f"{show(cell)} is in exponent notation", f"Write {_shorten(float(bare))}"
    number = _plain(bare)
    if number is None:
        return _no_number(column, cell, "a number from 0 to 1")
    if number < 0:
        return f"{show(cell)} is below 0", f"Give {column.name} as a number from 0 to 1"
    if number > 1:
        cure = f"Give {column.name} as a number from 0 to 1"
        return (
            f"{show(cell)} is above 1",
            f"{cure}: {_shorten(number / 100)} for {bare} %" if 1 < number <= 100 else cure,
        )
    return f"{show(cell)} is not in plain notation", f"Write {bare.lstrip('+-')} without sign or spaces"


def _explain_count(column: Column, cell: str) -> tuple[str, str]:
    bare = cell.strip()
    if re.fullmatch(r"[0-9]{1,15}\.0*", bare):
        return f"{show(cell)} is not a whole number", f"Write {bare.split('.')[0]}"
    if re.fullmatch(r"[0-9]{1,3}([,. '’ ][0-9]{3})+", bare):
        return f"{show(cell)} has a thousands separator", f"Write {re.sub('[^0-9]', '', bare)}"
    if _EXPONENT.fullmatch(bare):
        return f"{show(cell)} is in exponent notation", "Write the whole number in digits"
    number = _plain(bare)
    if number is None:
        return _no_number(column, cell, "a whole number")
    if number < 0:
        return f"{show(cell)} is below 0", f"Give {column.name} as a whole number from 0"
    return f"{show(cell)} is not a whole number", "Write it in digits, without sign, point or spaces"


def _no_number(column: Column, cell: str, wanted: str) -> tuple[str, str]:
    what = f"{show(cell)} is not {wanted}"
    if cell.strip().casefold() in _NO_NUMBER and column.may_be_empty:
        return what, "Leave the cell empty where there is none"
    return what, f"Give {column.name} as {wanted}, in digits with a decimal point"


def _plain(text: str) -> float | None:
    """The value of a number in plain notation with an optional sign, else None."""
    return float(text) if re.fullmatch(rf"[+-]?(?:{SHAPES['share']})", text) else None


def _shorten(number: float) -> str:
    """Plain decimal notation without binary noise (0.95, not 0.9500000000000001)."""
    return f"{number:.15f}".rstrip("0").rstrip(".") or "0"


def _explain_choice(column: Column, cell: str, choices: Sequence[str]) -> tuple[str, str]:
    what = f"{show(cell)} is not a known {column.name}"
    bare = cell.strip().casefold()
    folded = {choice.casefold(): choice for choice in choices}
    if bare in folded:
        return what, f"Write {folded[bare]}"
    if column.choices == "license":  # no guess: a similar name is another licence
        return what, "It must be an SPDX identifier that allows redistribution; docs/tables.md has the list"
    near = difflib.get_close_matches(bare, folded, 1, 0.75)
    return what, f"Did you mean {folded[near[0]]}?" if near else f"Use one of: {', '.join(choices)}"


def _explain_timestamp(cell: str) -> tuple[str, str]:
    example = "2026-01-31T14:05:00Z"
    shape = re.compile(SHAPES["timestamp"])
    if shape.fullmatch(cell):
        return f"{show(cell)} is not a day of the calendar", "Correct the date"
    if shape.fullmatch(f"{cell}Z"):
        return f"{show(cell)} has no time zone", f"Add it, as in {example} or 2026-01-31T15:05:00+01:00"
    return f"{show(cell)} is not a time in ISO 8601 with its zone", f"Write it like {example}"
