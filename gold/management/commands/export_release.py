"""`manage.py export_release`: the folder of a release, byte for byte as it was published."""

from pathlib import Path
from typing import Any

from django.core.management.base import BaseCommand, CommandError, CommandParser

from gold.access_log import log_access
from gold.models import Release
from gold.stored_files import NotEmpty, StoredFileChanged, export


class Command(BaseCommand):
    help = "Write the files of a published release into a new or empty folder."

    def add_arguments(self, parser: CommandParser) -> None:
        parser.add_argument("number", type=int, metavar="N", help="number of the release")
        parser.add_argument("folder", type=Path, metavar="DIR", help="a new or empty folder")

    def handle(self, *_args: Any, **options: Any) -> None:
        number, folder = options["number"], options["folder"]
        release = Release.objects.published().filter(number=number).first()
        if release is None:
            raise CommandError(f"There is no published release {number}.")
        log_access("manage.py export_release", "exported all files", release=release)
        try:
            n_files = export(release, folder)
        except (NotEmpty, StoredFileChanged) as refused:
            raise CommandError(str(refused)) from refused
        self.stdout.write(f"{n_files} files of {release} in {folder}")
