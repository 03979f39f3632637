"""Waiting for another process or thread: ask until it is so, with a deadline that only a failure reaches."""

import time
from collections.abc import Callable


def eventually(what: Callable[[], object], *, within: float = 60.0) -> None:
    """Return once `what()` is true. Raises AssertionError after `within` seconds."""
    end = time.monotonic() + within
    while not what():
        assert time.monotonic() < end, f"not within {within} s: {what}"
        time.sleep(0.02)
