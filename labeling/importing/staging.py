"""Storing a checked folder: in short transactions, invisible until the last one publishes it."""

import hashlib
import secrets
from dataclasses import dataclass
from datetime import timedelta

from django.core.files.base import ContentFile
from django.db import IntegrityError, transaction
from django.db.models import Q
from django.utils import timezone
from django.utils.translation import gettext as _

from labeling import private_folders
from labeling.chunks import chunks
from labeling.importing.folder import Folder
from labeling.models import Item, ItemRendition, Job, Pair, TableImport, User
from labeling.progress import Progress
from labeling.renditions import CannotRender, Rendition, render
from labeling.tables import Frame
from labeling.tables.errors import ErrorLog
from labeling.tables.payload import PayloadError, parse_payload, resolve_inside

CHUNK = 100
FILE_FOLDERS = ("originals", "renditions")
"""Each import has a folder of its own in these, so that all it stored is found when it is withdrawn."""
ABANDONED_AFTER = timedelta(minutes=10)


@dataclass(frozen=True)
class Content:
    """An item's original bytes and what raters will see of them; both None for a link, never fetched."""

    original: bytes | None
    rendition: Rendition | None


class ImportCollided(Exception):
    """Another import stored the same ids at the same time, or took this one for dead."""


def import_folder(
    folder: Folder, *, name: str, progress: Progress, created_by: User | None = None, job: Job | None = None
) -> TableImport:
    """Store new items and pairs of `folder`; when it raises, nothing is left behind.

    Raises TableErrors when content is refused, ImportCollided when another import took the same ids or
    withdrew this one.
    """
    table_import = TableImport.objects.create(name=name, created_by=created_by, job=job)
    try:
        log = ErrorLog()
        _stage_items(folder, table_import, progress, log)
        log.raise_if_any()
        _stage_pairs(folder, table_import, progress)
        _publish(folder, table_import)
    except IntegrityError as collision:
        withdraw(table_import)
        raise ImportCollided(
            _("Another import is storing the same ids now. Nothing was stored; try again when it is done.")
        ) from collision
    except BaseException:
        withdraw(table_import)
        raise
    return table_import


def _publish(folder: Folder, table_import: TableImport) -> None:
    """Make the staged rows visible, unless another process withdrew some of them meanwhile."""
    published = TableImport.objects.filter(pk=table_import.pk, state=TableImport.State.STAGING).update(
        state=TableImport.State.PUBLISHED, n_items=len(folder.new_items), n_pairs=len(folder.new_pairs)
    )
    if not published:
        raise ImportCollided(
            _("This import was taken for dead and withdrawn. Nothing was stored; import the tables again.")
        )
    table_import.refresh_from_db()


def withdraw_abandoned(*, job: Job | None = None) -> None:
    """Clear what a killed import left: the earlier attempt of `job`, and any long without a sign of life."""
    abandoned = Q(touched_at__lt=timezone.now() - ABANDONED_AFTER)
    if job is not None:
        abandoned |= Q(job=job)
    for table_import in TableImport.objects.filter(abandoned, state=TableImport.State.STAGING):
        withdraw(table_import)


def withdraw(table_import: TableImport) -> None:
    """Remove everything a failed import staged, files too, in short transactions. A complete one stays."""
    unfinished = TableImport.objects.filter(pk=table_import.pk).exclude(state=TableImport.State.PUBLISHED)
    # First, so that whoever is still staging cannot publish what is being taken away.
    if not unfinished.update(state=TableImport.State.FAILED):
        return
    while pairs := list(table_import.pairs.values_list("pk", flat=True)[:CHUNK]):
        Pair.objects.filter(pk__in=pairs).delete()
    while items := list(table_import.items.values_list("pk", flat=True)[:CHUNK]):
        Item.objects.filter(pk__in=items).delete()
    for folder in FILE_FOLDERS:
        private_folders.clear(f"{folder}/{table_import.pk}")


def _stage_items(folder: Folder, table_import: TableImport, progress: Progress, log: ErrorLog) -> None:
    items = folder.items
    if items is None:
        return
    progress.step(_("Preparing what raters will see"), len(folder.new_items))
    columns = {name: items.text(name) for name in items.table.names}
    references = columns["uri_or_payload_ref"]
    for rows in chunks(folder.new_items, CHUNK):
        # Rendering takes seconds and holds no transaction.
        contents = {row: _content(folder, items, row, references[row], log) for row in rows}
        if not log.total:
            _store_items(table_import, columns, contents)
        table_import.save(update_fields=["touched_at"])
        progress.advance(len(rows))


def _content(folder: Folder, items: Frame, row: int, reference: str, log: ErrorLog) -> Content:
    try:
        payload = parse_payload(reference)
        if payload.kind == "link":
            return Content(None, None)
        if payload.kind == "text":
            data, filename = payload.value.encode(), "item.txt"
        else:
            path = resolve_inside(folder.path, reference)
            data, filename = path.read_bytes(), path.name
        return Content(data, render(data, filename=filename))
    except PayloadError as refusal:
        log.add(items.error(row, "uri_or_payload_ref", refusal.what, refusal.cure))
    except CannotRender as refusal:
        log.add(items.error(row, "uri_or_payload_ref", str(refusal), ""))
    return Content(None, None)


def _store_items(
    table_import: TableImport, columns: dict[str, list[str]], contents: dict[int, Content]
) -> None:
    items = {}
    for row, content in contents.items():
        item = Item(
            item_id=columns["item_id"][row],
            domain=columns["domain"][row],
            payload_ref=columns["uri_or_payload_ref"][row],
            era_tag=columns["era_tag"][row],
            circle_tags=columns["circle_tags"][row],
            license_id=columns["license"][row],
            data_origin_id=columns["data_origin"][row],
            table_import=table_import,
        )
        if content.original is not None:
            item.original_sha256 = hashlib.sha256(content.original).hexdigest()
            name = f"{table_import.pk}/{secrets.token_hex(16)}"
            item.original.save(name, ContentFile(content.original), save=False)
        items[row] = item
    renditions = [
        _stored_rendition(item, rendition)
        for row, item in items.items()
        if (rendition := contents[row].rendition) is not None
    ]
    with transaction.atomic():
        Item.objects.bulk_create(items.values())
        ItemRendition.objects.bulk_create(renditions)


def _stored_rendition(item: Item, rendition: Rendition) -> ItemRendition:
    stored = ItemRendition(
        item=item,
        kind=rendition.kind,
        width=rendition.width,
        height=rendition.height,
        n_bytes=len(rendition.body),
    )
    if rendition.kind == "image":
        name = f"{item.table_import_id}/{secrets.token_hex(16)}.webp"
        stored.file.save(name, ContentFile(rendition.body), save=False)
    else:
        stored.text = rendition.body.decode()
    return stored


def _stage_pairs(folder: Folder, table_import: TableImport, progress: Progress) -> None:
    pairs = folder.pairs
    if pairs is None:
        return
    progress.step(_("Storing pairs"), len(folder.new_pairs))
    columns = {name: pairs.text(name) for name in pairs.table.names}
    for rows in chunks(folder.new_pairs, CHUNK):
        wanted = {columns[side][row] for side in ("item_a", "item_b") for row in rows}
        mine_or_published = Q(table_import=table_import) | Q(table_import__state=TableImport.State.PUBLISHED)
        item_pks = dict(
            Item.objects.filter(mine_or_published, item_id__in=wanted).values_list("item_id", "pk")
        )
        Pair.objects.bulk_create(
            Pair(
                pair_id=columns["pair_id"][row],
                item_a_id=item_pks[columns["item_a"][row]],
                item_b_id=item_pks[columns["item_b"][row]],
                data_origin_id=columns["data_origin"][row],
                table_import=table_import,
                **{
                    name: columns[name][row]
                    for name in (
                        "domain",
                        "condition_era",
                        "condition_circle",
                        "pair_group_id",
                        "cue_type",
                        "difficulty",
                        "split",
                        "agreement",
                        "n_raters",
                        "brief",
                    )
                },
            )
            for row in rows
        )
        table_import.save(update_fields=["touched_at"])
        progress.advance(len(rows))
