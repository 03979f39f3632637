"""Zips from anywhere: nothing leaves the folder, nothing blows up, every refusal says why."""

import io
import stat
import struct
import zipfile

import pytest

from labeling.importing import archive
from labeling.importing.archive import ArchiveRefused, unpack


def zipped(files, *, compression=zipfile.ZIP_DEFLATED):
    """A zip of {name or ZipInfo: bytes}."""
    target = io.BytesIO()
    with zipfile.ZipFile(target, "w", compression) as made:
        for name, data in files.items():
            made.writestr(name, data)
    target.seek(0)
    return target


def named(name, **more):
    """A member whose name is taken as it is, without zipfile's own tidying."""
    info = zipfile.ZipInfo("placeholder")
    info.filename = name
    for field, value in more.items():
        setattr(info, field, value)
    return info


def files_in(folder):
    return sorted(str(path.relative_to(folder)) for path in folder.rglob("*") if path.is_file())


@pytest.fixture
def folder(tmp_path):
    inside = tmp_path / "deep" / "inside"
    inside.mkdir(parents=True)
    return inside


def test_files_and_folders_are_unpacked(folder):
    top = unpack(zipped({"bench_items.csv": b"a", "assets/x/é.png": b"b"}), folder)
    assert top == folder
    assert files_in(folder) == ["assets/x/é.png", "bench_items.csv"]
    assert (folder / "assets/x/é.png").read_bytes() == b"b"


def test_one_top_folder_is_entered(folder):
    assert (
        unpack(zipped({"bench/bench_items.csv": b"a", "bench/assets/x.png": b"b"}), folder)
        == folder / "bench"
    )


def test_what_desktops_add_is_left_out(folder):
    clutter = {
        "__MACOSX/bench/._bench_items.csv": b"x",
        "bench/.DS_Store": b"x",
        "bench/assets/Thumbs.db": b"x",
    }
    assert unpack(zipped({"bench/bench_items.csv": b"a", **clutter}), folder) == folder / "bench"
    assert files_in(folder) == ["bench/bench_items.csv"]


@pytest.mark.parametrize(
    "name",
    [
        "../evil.txt",
        "assets/../../evil.txt",
        "/evil.txt",
        "//server/evil.txt",
        "..\\evil.txt",
        "assets\\x.png",
        "C:evil.txt",
        "C:/evil.txt",
    ],
)
def test_a_path_out_of_the_folder_is_refused_before_anything_is_written(folder, name):
    with pytest.raises(ArchiveRefused, match="leaves its folder"):
        unpack(zipped({"bench_items.csv": b"a", named(name): b"evil"}), folder)
    assert files_in(folder.parent.parent) == []


def test_a_link_is_refused(folder):
    link = named("assets/link", external_attr=(stat.S_IFLNK | 0o777) << 16, create_system=3)
    with pytest.raises(ArchiveRefused, match=r"holds a link: assets/link\. Put the file itself in"):
        unpack(zipped({link: b"/etc/passwd"}), folder)
    assert files_in(folder) == []


def test_two_hundred_megabytes_of_zeros_in_a_small_zip_are_refused(folder):
    bomb = io.BytesIO()
    with (
        zipfile.ZipFile(bomb, "w", zipfile.ZIP_DEFLATED, compresslevel=9) as made,
        made.open("zeros.png", "w", force_zip64=True) as member,
    ):
        for _ in range(200):
            member.write(bytes(1_000_000))
    assert bomb.tell() < 200_000
    with pytest.raises(ArchiveRefused, match=r"zeros\.png unpacks to far more than its size"):
        unpack(bomb, folder)
    assert files_in(folder) == []


def test_a_member_that_declares_less_than_it_holds_is_cut_off(folder):
    data = zipped({"a.txt": b"x" * 5000}).getvalue()
    lying = data.replace(struct.pack("<I", 5000), struct.pack("<I", 10))
    with pytest.raises(ArchiveRefused):
        unpack(io.BytesIO(lying), folder)
    assert sum(path.stat().st_size for path in folder.rglob("*") if path.is_file()) <= 10


def test_too_many_files_are_counted_and_refused(folder, monkeypatch):
    monkeypatch.setattr(archive, "MAX_FILES", 3)
    with pytest.raises(ArchiveRefused, match="The zip holds 4 files; at most 3"):
        unpack(zipped({f"{number}.txt": b"" for number in range(4)}), folder)


def test_too_much_altogether_is_refused(folder, monkeypatch):
    monkeypatch.setattr(archive, "MAX_BYTES", 5)
    with pytest.raises(ArchiveRefused, match="larger than 5 bytes"):
        unpack(zipped({"a.txt": b"123", "b.txt": b"456"}), folder)


@pytest.mark.parametrize(
    "data",
    [b"", b"not a zip", zipped({"a.txt": b"abc"}).getvalue()[:-10], b"PK\x05\x06" + bytes(10)],
    ids=["empty", "text", "cut", "cut end"],
)
def test_what_is_no_zip_is_refused(folder, data):
    with pytest.raises(ArchiveRefused, match="no zip that can be read"):
        unpack(io.BytesIO(data), folder)


def test_a_damaged_member_is_refused(folder):
    whole = zipped({"a.txt": b"abcdefgh" * 400}).getvalue()
    damaged = bytearray(whole)
    damaged[35:45] = b"\xff" * 10  # inside the compressed bytes, which begin at 30 + len("a.txt")
    with pytest.raises(ArchiveRefused, match="no zip that can be read"):
        unpack(io.BytesIO(bytes(damaged)), folder)


def test_a_zip_under_a_password_is_refused(folder):
    locked = bytearray(zipped({"a.txt": b"abc"}).getvalue())
    locked[6] |= 1  # the flag of the local header, and of the central one
    locked[locked.index(b"PK\x01\x02") + 8] |= 1
    with pytest.raises(ArchiveRefused, match="no zip that can be read"):
        unpack(io.BytesIO(bytes(locked)), folder)


@pytest.mark.parametrize(
    ("names", "words"),
    [
        (["assets", "assets/x.png"], r"assets/x\.png cannot be a file here"),
        (["x" * 300], "cannot be a file here"),
        (["."], "leaves its folder"),
        (["a.txt", "b.txt", "a.txt"], r"The zip holds a\.txt twice"),
    ],
)
@pytest.mark.filterwarnings("ignore:Duplicate name:UserWarning")
def test_names_that_cannot_be_files_are_refused_with_a_sentence(folder, names, words):
    target = io.BytesIO()
    with zipfile.ZipFile(target, "w") as made:
        for name in names:
            made.writestr(named(name), b"x")
    with pytest.raises(ArchiveRefused, match=words):
        unpack(target, folder)
