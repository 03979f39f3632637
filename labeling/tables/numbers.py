"""Numbers as text in plain notation, one way everywhere: the shortest digits that read back the same."""

from typing import Any

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc


def number_text(number: float) -> str:
    """Plain decimal notation: ``0.5``, ``1``, ``0.0000001``. ValueError for NaN and infinity."""
    if isinstance(number, int):
        return str(number)
    if not np.isfinite(number):
        raise ValueError(f"{number} cannot be written to a table; leave the cell empty (None)")
    return np.format_float_positional(number + 0.0, unique=True, trim="-")


def column_text(numbers: Any) -> Any:
    """:func:`number_text` for a pyarrow array of numbers; nulls become "", NaN becomes ``nan``."""
    texts = pc.fill_null(pc.cast(numbers, pa.string()), "")
    odd = pc.match_substring_regex(texts, r"e|\A-0\z")
    if not pc.any(odd).as_py():
        return texts
    plain = [
        number_text(float(text)) if is_odd else text
        for text, is_odd in zip(texts.to_pylist(), odd.to_pylist(), strict=True)
    ]
    return pa.array(plain, pa.string())
