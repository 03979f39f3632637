"""Strict JSON: browsers, PostgreSQL and other languages read what we write, and can store what we took in.

Keys keep the order they were given in, so the same figures give the same bytes. NaN and infinities are no
JSON; "undefined" is written as `{"value": null, "why": "..."}` by whoever computed it.
"""

import json
from math import isfinite
from pathlib import Path
from typing import Any


class NotStrict(ValueError):
    """A value that strict JSON cannot hold; the message says where in the document it sits."""


def dumps(value: object) -> str:
    """`value` as indented JSON text with a newline at its end.

    Raises NotStrict for NaN, infinities, keys that are not text, and types JSON does not have (a NumPy
    number among them: convert it with `.item()` where it is made).
    """
    _check(value, "$")
    return json.dumps(value, allow_nan=False, ensure_ascii=False, indent=2) + "\n"


def write(path: Path, value: object) -> None:
    """Write `value` to `path` as UTF-8 with `\\n` line ends. Raises NotStrict before the file is touched."""
    path.write_bytes(dumps(value).encode("utf-8"))


def read_object(body: bytes) -> dict[str, Any]:
    """The JSON object that somebody sent.

    Raises NotStrict for all else: no JSON, no object, NaN and infinities, text with half a character
    (`"\\ud800"`), brackets nested by the thousand.
    """
    try:
        sent = json.loads(body)
        dumps(sent).encode()
    except (ValueError, RecursionError) as fault:
        raise NotStrict("The text sent is no strict JSON") from fault
    if not isinstance(sent, dict):
        raise NotStrict("The JSON sent is no object")
    return sent


def _check(value: Any, place: str) -> None:
    if value is None or isinstance(value, bool | str):
        return
    # A NumPy float64 is a Python float too; by exact type it is refused like its integer brothers.
    if type(value) is float:
        if not isfinite(value):
            raise NotStrict(f"{place} is {value}, which JSON cannot hold: write null and say why")
    elif type(value) is int:
        return
    elif isinstance(value, dict):
        for key, inner in value.items():
            if not isinstance(key, str):
                raise NotStrict(f"{place} has the key {key!r}, which is not text")
            _check(inner, f"{place}.{key}")
    elif isinstance(value, list | tuple):
        for index, inner in enumerate(value):
            _check(inner, f"{place}[{index}]")
    else:
        raise NotStrict(f"{place} is a {type(value).__name__}, which JSON does not have")
