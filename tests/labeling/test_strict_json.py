"""JSON that every reader accepts."""

import json
from pathlib import Path

import numpy as np
import pytest

from labeling import strict_json
from labeling.strict_json import NotStrict


def test_keys_keep_their_order_and_text_stays_readable() -> None:
    text = strict_json.dumps({"b": "Lösung ✓", "a": [1, 2.5, True, None]})
    assert text == '{\n  "b": "Lösung ✓",\n  "a": [\n    1,\n    2.5,\n    true,\n    null\n  ]\n}\n'
    assert json.loads(text) == {"b": "Lösung ✓", "a": [1, 2.5, True, None]}


@pytest.mark.parametrize(
    ("value", "message"),
    [
        ({"a": [0.0, float("nan")]}, r"\$\.a\[1\] is nan"),
        ({"a": {"b": float("inf")}}, r"\$\.a\.b is inf"),
        ({1: "x"}, "key 1"),
        ({"n": np.int64(3)}, r"\$\.n is a int64"),
        ([np.float64(0.5)], r"\$\[0\] is a float64"),
        ({"s": {1, 2}}, r"\$\.s is a set"),
    ],
)
def test_what_json_lacks_is_refused_with_its_place(value: object, message: str) -> None:
    with pytest.raises(NotStrict, match=message):
        strict_json.dumps(value)


def test_a_refused_value_leaves_the_file_alone(tmp_path: Path) -> None:
    path = tmp_path / "report.json"
    strict_json.write(path, {"n": 1})
    with pytest.raises(NotStrict):
        strict_json.write(path, {"n": float("nan")})
    assert path.read_bytes() == b'{\n  "n": 1\n}\n'


def test_an_object_is_read() -> None:
    assert strict_json.read_object('{"a": [1, null, "é"]}'.encode()) == {"a": [1, None, "é"]}


@pytest.mark.parametrize(
    "body",
    [
        *(b"", b"{", b"\xff", b"[]", b"7", b"null", b'"text"'),
        *(b'{"a": NaN}', b'{"a": -Infinity}', b'{"a": 1e999}'),
        *(b'{"a": "\\ud800"}', b'{"\\ud800": 1}', b'{"a": ' + b"[" * 100_000, b"1" * 10_000),
    ],
)
def test_what_is_no_strict_object_is_refused(body: bytes) -> None:
    with pytest.raises(NotStrict):
        strict_json.read_object(body)
