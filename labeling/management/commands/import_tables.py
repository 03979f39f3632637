import sys
from pathlib import Path
from typing import Any

from django.core.management.base import BaseCommand, CommandError, CommandParser

from labeling.import_warnings import warnings_of
from labeling.importing.folder import FolderIncomplete, read_folder
from labeling.importing.staging import ImportCollided, import_folder, withdraw_abandoned
from labeling.progress import PrintProgress
from labeling.tables import TableErrors


class Command(BaseCommand):
    help = "Import bench_items and bench_pairs from a folder: whole or not at all."

    def add_arguments(self, parser: CommandParser) -> None:
        parser.add_argument(
            "folder", type=Path, help="holds bench_items.csv, bench_pairs.csv (or .parquet), files"
        )
        parser.add_argument("--name", help="how the import is listed; the folder's name if not given")
        parser.add_argument("--check", action="store_true", help="read and check only, store nothing")

    def handle(self, *args: Any, **options: Any) -> None:
        path: Path = options["folder"]
        if not path.is_dir():
            raise CommandError(f"{path} is no folder.")
        try:
            withdraw_abandoned()
            folder = read_folder(path)
            for warning in (*folder.warnings, *warnings_of(folder)):
                self.stderr.write(self.style.WARNING(warning))
            if options["check"]:
                self.stdout.write(
                    f"{len(folder.new_items)} new items, {len(folder.new_pairs)} new pairs. Nothing stored."
                )
                return
            with PrintProgress(sys.stderr) as progress:
                done = import_folder(folder, name=options["name"] or path.resolve().name, progress=progress)
        except TableErrors as refused:
            raise CommandError(f"Nothing was stored: {refused.total} errors.\n{refused}") from None
        except (FolderIncomplete, ImportCollided) as refused:
            raise CommandError(str(refused)) from None
        self.stdout.write(self.style.SUCCESS(f"Stored {done.n_items} items and {done.n_pairs} pairs."))
