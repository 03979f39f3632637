from typing import Any

from django.core.management.base import BaseCommand, CommandError, CommandParser

from labeling.vocabularies import WordRefused, add_data_origin


class Command(BaseCommand):
    help = "Let tables use a further origin of rows."

    def add_arguments(self, parser: CommandParser) -> None:
        parser.add_argument("code", help="small letters, digits, underscores")
        parser.add_argument(
            "--simulation", action="store_true", help="its rows are simulated: never beside real ones"
        )

    def handle(self, *args: Any, **options: Any) -> None:
        try:
            new = add_data_origin(options["code"], is_simulation=options["simulation"])
        except WordRefused as refused:
            raise CommandError(str(refused)) from None
        self.stdout.write(f"{options['code']} {'can be used now' if new else 'was known before'}.")
