import sys
from pathlib import Path
from typing import Any

from django.core.management.base import BaseCommand, CommandError, CommandParser

from labeling.importing.judgments import import_judgments
from labeling.models import Round
from labeling.progress import PrintProgress
from labeling.rounds import WrongState
from labeling.tables import JUDGMENTS, TableErrors, read_table


class Command(BaseCommand):
    help = "Append judgments from a file to a closed round. The same file again stores nothing twice."

    def add_arguments(self, parser: CommandParser) -> None:
        parser.add_argument("round", help="the round's slug")
        parser.add_argument("file", type=Path, help="a judgments table, CSV or Parquet")

    def handle(self, *args: Any, **options: Any) -> None:
        round_ = Round.objects.filter(slug=options["round"]).first()
        if round_ is None:
            raise CommandError(f"There is no round {options['round']}.")
        try:
            judgments = read_table(options["file"], JUDGMENTS, name=options["file"].name)
            with PrintProgress(sys.stderr) as progress:
                done = import_judgments(round_, judgments, progress=progress)
        except TableErrors as refused:
            raise CommandError(f"Nothing was stored: {refused.total} errors.\n{refused}") from None
        except (OSError, WrongState) as refused:
            raise CommandError(str(refused)) from None
        self.stdout.write(self.style.SUCCESS(f"Stored {done.stored} judgments; {done.known} were known."))
