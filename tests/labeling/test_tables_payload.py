"""References to an item's content: inside the folder, text, or a link that is never fetched."""

import unicodedata
from pathlib import Path

import pytest

from labeling.tables.payload import Payload, PayloadError, parse_payload, resolve_inside


@pytest.mark.parametrize(
    ("ref", "payload"),
    [
        ("assets/a.png", Payload("file", "assets/a.png")),
        ("./assets//a.png", Payload("file", "assets/a.png")),
        ("a b#1.png", Payload("file", "a b#1.png")),
        ("100%.png", Payload("file", "100%.png")),
        ("%2e%2e/a.png", Payload("file", "%2e%2e/a.png")),
        ("a..b/..c/d..", Payload("file", "a..b/..c/d..")),
        ("décran.png", Payload("file", "décran.png")),
        ("./12:30.png", Payload("file", "12:30.png")),
        ("text:", Payload("text", "")),
        ("text:1", Payload("text", "1")),
        ("text:../x\n\\y", Payload("text", "../x\n\\y")),
        ("https://example.org/a?b=../c", Payload("link", "https://example.org/a?b=../c")),
        ("s3://bucket/key", Payload("link", "s3://bucket/key")),
    ],
)
def test_meaning(ref, payload):
    assert parse_payload(ref) == payload


@pytest.mark.parametrize(
    ("ref", "what"),
    [
        ("", "empty"),
        ("/etc/passwd", "absolute"),
        ("//host/share", "absolute"),
        ("C:/x.png", "absolute"),
        ("c:x.png", "absolute"),
        ("C:\\x.png", "backslash"),
        ("..\\x.png", "backslash"),
        ("\\\\host\\share", "backslash"),
        ("..", "leaves its folder"),
        ("../x.png", "leaves its folder"),
        ("a/../../x.png", "leaves its folder"),
        ("a/..", "leaves its folder"),
        ("a\0.png", "control character"),
        ("a\n.png", "control character"),
        ("assets/", "names a folder"),
        (".", "names a folder"),
        ("data:text/plain,hello", "not clear what `data:` means"),
        ("javascript:alert(1)", "not clear what `javascript:` means"),
    ],
)
def test_refused(ref, what):
    with pytest.raises(PayloadError, match=what) as caught:
        parse_payload(ref)
    assert caught.value.cure


def test_resolve_finds_files_and_follows_links_only_inside(tmp_path: Path):
    folder = tmp_path / "bench"
    (folder / "assets").mkdir(parents=True)
    (folder / "assets" / "a.png").write_bytes(b"a")
    (tmp_path / "secret.txt").write_text("secret")
    (folder / "inside.png").symlink_to("assets/a.png")
    (folder / "outside.txt").symlink_to(tmp_path / "secret.txt")
    (folder / "up").symlink_to(tmp_path)
    assert resolve_inside(folder, "assets/a.png").read_bytes() == b"a"
    assert resolve_inside(folder, "inside.png").read_bytes() == b"a"
    for ref in ("outside.txt", "up/secret.txt"):
        with pytest.raises(PayloadError, match="leads out of the folder"):
            resolve_inside(folder, ref)
    for ref in ("assets", "missing.png", "Assets/a.png"):
        with pytest.raises(PayloadError, match="there is no file"):
            resolve_inside(folder, ref)
    with pytest.raises(PayloadError, match="a text, not a file"):
        resolve_inside(folder, "text:x")


@pytest.mark.parametrize("together_on_disk", [True, False])
def test_accents_of_a_file_name_may_be_written_together_or_apart(tmp_path, together_on_disk):
    together = unicodedata.normalize("NFC", "été/décran.png")
    apart = unicodedata.normalize("NFD", "été/décran.png")
    stored, named = (together, apart) if together_on_disk else (apart, together)
    file = tmp_path / stored
    file.parent.mkdir()
    file.write_bytes(b"x")
    assert resolve_inside(tmp_path, named) == file


def test_of_two_names_of_the_same_text_only_the_very_name_is_meant(tmp_path):
    together, apart = (unicodedata.normalize(form, "décran.png") for form in ("NFC", "NFD"))
    (tmp_path / together).write_bytes(b"together")
    (tmp_path / apart).write_bytes(b"apart")
    assert resolve_inside(tmp_path, together).read_bytes() == b"together"
    assert resolve_inside(tmp_path, apart).read_bytes() == b"apart"
