"""Columns between Arrow and NumPy: flat, as codes, as masks, as row numbers turned round."""

from typing import Any

import numpy as np
import numpy.typing as npt
import pyarrow as pa

Rows = npt.NDArray[np.int64]
Mask = npt.NDArray[np.bool_]


def flat(column: pa.Array | pa.ChunkedArray) -> pa.Array:
    """A column as one array; readers hand out chunks, and taking rows from chunks is slow."""
    return column.combine_chunks() if isinstance(column, pa.ChunkedArray) else column


def inverse(rows: Rows, n: int) -> Rows:
    """Where each of 0..n-1 stands in ``rows`` (no repeats), -1 where it does not."""
    places = np.full(n, -1, dtype=np.int64)
    places[rows] = np.arange(len(rows))
    return places


def encode(texts: pa.Array) -> tuple[Rows, list[str]]:
    """Texts as codes into the list of distinct texts, in order of first appearance."""
    encoded = texts.dictionary_encode()
    codes: Rows = encoded.indices.to_numpy(zero_copy_only=False).astype(np.int64)
    return codes, encoded.dictionary.to_pylist()


def mask(values: Any) -> Mask:
    """A pyarrow boolean array without nulls as numpy booleans."""
    booleans: Mask = values.to_numpy(zero_copy_only=False)
    return booleans
