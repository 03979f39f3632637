"""A returned table between its preview and its confirmation: kept privately, named by a signed ticket."""

import secrets
from dataclasses import dataclass
from typing import Any

from django.core import signing
from django.core.files.storage import default_storage
from django.core.files.uploadedfile import UploadedFile
from django.utils.translation import gettext as _

from labeling.importing import uploads
from labeling.importing.uploads import UploadGone
from labeling.models import Packet

_SALT = "labeling.offline"


@dataclass(frozen=True)
class Kept:
    """A table that was handed in: its bytes, its name on the sender's disk, and what was asked for."""

    path: str
    name: str
    data: bytes
    replace: bool


def keep(upload: "UploadedFile[Any]", packet: Packet, *, replace: bool) -> str:
    """Store the table; the ticket under which `opened` finds it again, for this packet only."""
    uploads.remove_old()
    path = default_storage.save(f"{uploads.FOLDER}/{secrets.token_hex(16)}.csv", upload)
    ticket = {"path": path, "name": upload.name, "packet": packet.pk, "replace": replace}
    return signing.dumps(ticket, salt=_SALT)


def opened(ticket: str, packet: Packet) -> Kept:
    """The table behind a ticket. Raises UploadGone for a ticket of another packet and a table not there."""
    try:
        told = signing.loads(ticket, salt=_SALT)
        if told["packet"] != packet.pk:
            raise FileNotFoundError
        with default_storage.open(told["path"]) as stored:
            return Kept(told["path"], told["name"], stored.read(), told["replace"])
    except (signing.BadSignature, FileNotFoundError):
        raise UploadGone(_("This file was handed in already or is gone; choose it again.")) from None


def forget(kept: Kept) -> None:
    """Remove a table whose answers are stored."""
    default_storage.delete(kept.path)
