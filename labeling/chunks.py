"""Long lists in pieces: what one query may name, what one short transaction may store."""

from collections.abc import Iterator
from typing import TypeVar

T = TypeVar("T")


def chunks(values: list[T], size: int) -> Iterator[list[T]]:
    """`values` in order, `size` at a time."""
    for start in range(0, len(values), size):
        yield values[start : start + size]
