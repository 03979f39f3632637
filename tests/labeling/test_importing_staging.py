"""Storing a folder: whole or not at all, unseen until it is complete, files included."""

from datetime import timedelta

import pytest
from django.core.files.storage import FileSystemStorage
from django.utils import timezone

from labeling.importing import staging
from labeling.importing.folder import read_folder
from labeling.importing.staging import (
    ABANDONED_AFTER,
    ImportCollided,
    import_folder,
    withdraw,
    withdraw_abandoned,
)
from labeling.models import Item, ItemRendition, Job, Pair, TableImport
from labeling.tables import TableErrors
from tests.factories import silent, webp
from tests.labeling.folders import ITEMS, PAIRS, many, write_folder

pytestmark = [pytest.mark.django_db, pytest.mark.usefixtures("private_files")]


def store(folder, name="first", **more):
    return import_folder(read_folder(folder), name=name, progress=more.pop("progress", silent()), **more)


def files_in(folder):
    return [path for path in folder.rglob("*") if path.is_file()]


def nothing_is_left(private_files):
    return (
        not Item.objects.exists()
        and not Pair.objects.exists()
        and not ItemRendition.objects.exists()
        and not files_in(private_files)
        and not TableImport.objects.exclude(state="failed").exists()
    )


def test_items_pairs_originals_and_renditions_are_stored(tmp_path, private_files):
    items = [ITEMS[0], "v1,visual,assets/a.png,1970s,club;press,CC-BY-4.0,simulation", *ITEMS[2:]]
    picture = webp()
    done = store(write_folder(tmp_path, items=items, files={"assets/a.png": picture}))
    assert (done.state, done.n_items, done.n_pairs) == ("published", 4, 2)
    item = Item.objects.get(item_id="v1")
    assert (item.payload_ref, item.era_tag, item.circle_tags) == ("assets/a.png", "1970s", "club;press")
    with item.original.open("rb") as original:
        assert original.read() == picture
    assert item.rendition.kind == "image"
    text = Item.objects.get(item_id="v2")
    assert (text.rendition.kind, text.rendition.text) == ("text", "two")
    pair = Pair.objects.get(pair_id="p2")
    assert (pair.item_a.item_id, pair.item_b.item_id, pair.brief) == ("b1", "b2", "A brief.")
    assert len(files_in(private_files)) == 5  # four originals, one picture


def test_stored_files_have_names_that_tell_nothing(tmp_path, private_files):
    items = [ITEMS[0], "v1,visual,assets/Studio Name.png,,,CC-BY-4.0,simulation", *ITEMS[2:]]
    store(write_folder(tmp_path, items=items, files={"assets/Studio Name.png": webp()}))
    assert not [
        path for path in files_in(private_files) if "studio" in path.name.lower() or "v1" in path.name
    ]


def test_a_link_is_kept_and_has_no_content(tmp_path):
    items = [ITEMS[0], "v1,visual,https://example.org/a.png,,,CC-BY-4.0,simulation", *ITEMS[2:]]
    store(write_folder(tmp_path, items=items))
    item = Item.objects.get(item_id="v1")
    assert (item.payload_ref, bool(item.original)) == ("https://example.org/a.png", False)
    assert not Pair.objects.ratable().filter(pair_id="p1").exists()


def test_a_fault_in_row_1500_of_2000_stores_nothing_and_names_the_row(tmp_path, private_files):
    items, pairs = many(1000, bad_row=749)  # items 1,499 and 1,500 belong to pair 749
    with pytest.raises(TableErrors) as refused:
        store(write_folder(tmp_path, items=items, pairs=pairs))
    # The header is line 1, so row 1,499 stands on line 1,500.
    assert [str(error) for error in refused.value.errors] == [
        "bench_items.csv:1500: uri_or_payload_ref: there is no file missing.png. "
        "Add it, or correct the path (capitals matter)."
    ]
    assert nothing_is_left(private_files)


@pytest.mark.parametrize(
    ("reference", "data", "words"),
    [
        ("a.png", b"", "empty"),
        ("a.png", b"\x89PNG\r\n\x1a\n broken", ""),
        ("a.png", b"just words", "holds text"),
        ("a.bin", bytes(range(256)), "neither an image"),
        ("a.txt", b"caf\xe9", "not UTF-8"),
        ("A.png", None, "capitals matter"),
    ],
)
def test_content_that_cannot_be_shown_is_refused_with_its_line(
    tmp_path, private_files, reference, data, words
):
    items = [*ITEMS[:2], f"v2,visual,{reference},,,CC-BY-4.0,simulation", *ITEMS[3:]]
    files = {reference: data} if data is not None else {"a.png": webp()}
    with pytest.raises(TableErrors) as refused:
        store(write_folder(tmp_path, items=items, files=files))
    [error] = refused.value.errors
    assert str(error).startswith("bench_items.csv:3: uri_or_payload_ref:")
    assert words in str(error)
    assert nothing_is_left(private_files)


def test_a_link_out_of_the_folder_is_refused(tmp_path, private_files):
    (tmp_path / "secret.txt").write_text("secret")
    items = [*ITEMS[:2], "v2,visual,assets/link.txt,,,CC-BY-4.0,simulation", *ITEMS[3:]]
    folder = write_folder(tmp_path / "bench", items=items, files={"assets/other.txt": b"x"})
    (folder / "assets/link.txt").symlink_to(tmp_path / "secret.txt")
    with pytest.raises(TableErrors, match="a link that leads out of the folder"):
        store(folder)
    assert nothing_is_left(private_files)


def test_nothing_is_visible_before_all_is_stored(tmp_path):
    seen = []

    def look(*_arguments):
        assert not Item.objects.published().exists()
        assert not Pair.objects.published().exists()
        seen.append(Item.objects.count())

    progress = silent()
    progress.step = progress.advance = look
    items, pairs = many(150)
    store(write_folder(tmp_path, items=items, pairs=pairs), progress=progress)
    assert seen[-1] == 300
    assert Pair.objects.published().count() == 150


def test_the_same_folder_twice_stores_nothing_new(tmp_path, private_files):
    folder = write_folder(tmp_path)
    store(folder)
    before = list(Item.objects.values()), list(Pair.objects.values()), sorted(files_in(private_files))
    again = store(folder, "second")
    assert (again.state, again.n_items, again.n_pairs) == ("published", 0, 0)
    assert (
        list(Item.objects.values()),
        list(Pair.objects.values()),
        sorted(files_in(private_files)),
    ) == before


def test_an_import_that_grew_stores_the_new_rows_alone(tmp_path):
    store(write_folder(tmp_path / "one"))
    items = [*ITEMS, "v3,visual,text:three,,,CC-BY-4.0,simulation"]
    pairs = [*PAIRS, "p3,visual,v3,v1,,,,,easy,test,simulation,"]
    again = store(write_folder(tmp_path / "two", items=items, pairs=pairs), "second")
    assert (again.n_items, again.n_pairs) == (1, 1)
    assert Item.objects.get(item_id="v3").table_import == again
    assert Item.objects.get(item_id="v1").table_import != again


def test_two_imports_of_the_same_ids_at_once_collide_without_a_trace(tmp_path, private_files):
    folder = read_folder(write_folder(tmp_path))  # both have looked before either stored
    import_folder(folder, name="first", progress=silent())
    before = sorted(files_in(private_files))
    with pytest.raises(ImportCollided, match="Nothing was stored; try again"):
        import_folder(folder, name="second", progress=silent())
    assert Item.objects.count() == 4
    assert sorted(files_in(private_files)) == before
    assert list(TableImport.objects.values_list("name", "state")) == [
        ("first", "published"),
        ("second", "failed"),
    ]


def test_the_original_is_known_by_its_digest(tmp_path):
    store(write_folder(tmp_path))
    # printf one | sha256sum
    digest = "7692c3ad3540bb803c020b3aee66cd8887123234ea0c6e7143c0add73ff431ed"
    assert Item.objects.get(item_id="v1").original_sha256 == digest


@pytest.mark.parametrize("n_stored", [0, 1, 4])
def test_a_full_disk_leaves_no_file_behind(tmp_path, private_files, monkeypatch, n_stored):
    """Four originals and one picture are stored before any row is."""
    items = [ITEMS[0], "v1,visual,a.png,,,CC-BY-4.0,simulation", *ITEMS[2:]]
    folder = write_folder(tmp_path, items=items, files={"a.png": webp()})
    left = iter(range(n_stored))
    save = FileSystemStorage.save

    def save_until_full(*arguments, **more):
        if next(left, None) is None:
            raise OSError(28, "No space left on device")
        return save(*arguments, **more)

    monkeypatch.setattr(FileSystemStorage, "save", save_until_full)
    with pytest.raises(OSError, match="No space left"):
        store(folder)
    assert nothing_is_left(private_files)


def test_an_import_withdrawn_while_it_stages_is_not_published_in_part(tmp_path, private_files):
    """As when its machine slept so long that the next import took it for dead."""
    progress = silent()

    def sleep(*_arguments):
        TableImport.objects.update(touched_at=timezone.now() - timedelta(days=1))
        withdraw_abandoned()

    progress.advance = sleep
    items, _ = many(51)  # 102 items: two chunks, so that the second comes after the withdrawal
    with pytest.raises(ImportCollided, match="import the tables again"):
        store(write_folder(tmp_path, items=items, pairs=None), progress=progress)
    assert nothing_is_left(private_files)


def test_staging_pairs_is_a_sign_of_life(tmp_path):
    items, pairs = many(1)
    folder = write_folder(tmp_path, items=items, pairs=pairs)
    long_ago = timezone.now() - timedelta(days=1)
    progress, touched = silent(), []
    progress.step = lambda *_: TableImport.objects.update(touched_at=long_ago)
    progress.advance = lambda *_: touched.append(TableImport.objects.get().touched_at)
    store(folder, progress=progress)
    assert len(touched) == 2  # items, pairs
    assert min(touched) > long_ago


# --- interrupted ---------------------------------------------------------------------------------


def test_an_interrupted_import_clears_up_after_itself(tmp_path, private_files, monkeypatch):
    monkeypatch.setattr(staging, "_stage_pairs", interrupt)
    with pytest.raises(KeyboardInterrupt):
        store(write_folder(tmp_path))
    assert nothing_is_left(private_files)


def interrupt(*_arguments):
    raise KeyboardInterrupt


def killed(folder, monkeypatch, **more):
    """Import until the items are stored, then die as under kill -9: nothing is cleared up."""
    with monkeypatch.context() as dying:
        dying.setattr(staging, "_stage_pairs", interrupt)
        dying.setattr(staging, "withdraw", lambda _: None)
        with pytest.raises(KeyboardInterrupt):
            store(folder, **more)
    assert Item.objects.count() == 4
    assert TableImport.objects.get().state == "staging"


def test_the_next_attempt_of_a_killed_job_begins_anew_and_completes(tmp_path, private_files, monkeypatch):
    folder = write_folder(tmp_path)
    job = Job.objects.create(kind="import_tables")
    killed(folder, monkeypatch, job=job)
    withdraw_abandoned(job=job)
    assert nothing_is_left(private_files)
    assert store(folder, job=job).n_items == 4
    assert len(files_in(private_files)) == 4


def test_what_another_import_is_staging_is_left_alone_while_it_lives(tmp_path, monkeypatch):
    folder = write_folder(tmp_path)
    killed(folder, monkeypatch, job=Job.objects.create(kind="import_tables"))
    withdraw_abandoned(job=Job.objects.create(kind="import_tables"))
    withdraw_abandoned()
    assert Item.objects.count() == 4
    with pytest.raises(ImportCollided):
        store(folder, "second")
    long_ago = timezone.now() - ABANDONED_AFTER - timedelta(seconds=1)
    TableImport.objects.filter(state="staging").update(touched_at=long_ago)
    withdraw_abandoned()
    assert not Item.objects.exists()
    assert store(folder, "third").n_items == 4


def test_a_published_import_is_never_withdrawn(tmp_path):
    store(write_folder(tmp_path), job=(job := Job.objects.create(kind="import_tables")))
    TableImport.objects.update(touched_at=timezone.now() - timedelta(days=400))
    withdraw_abandoned(job=job)
    assert Pair.objects.published().count() == 2


def test_an_import_that_is_published_while_it_is_taken_for_dead_stays(tmp_path, private_files):
    """What withdraws it read the row while the import was still staging."""
    done = store(write_folder(tmp_path))
    done.state = "staging"
    withdraw(done)
    assert TableImport.objects.get().state == "published"
    assert Pair.objects.published().count() == 2
    assert len(files_in(private_files)) == 4
