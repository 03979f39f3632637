from typing import Any

from django.core.management.base import BaseCommand, CommandError, CommandParser

from labeling.vocabularies import WordRefused, add_license


class Command(BaseCommand):
    help = "Let tables use a further licence, one that allows passing on what is made of the originals."

    def add_arguments(self, parser: CommandParser) -> None:
        parser.add_argument("spdx", help="its SPDX identifier")

    def handle(self, *args: Any, **options: Any) -> None:
        try:
            new = add_license(options["spdx"])
        except WordRefused as refused:
            raise CommandError(str(refused)) from None
        self.stdout.write(f"{options['spdx']} {'can be used now' if new else 'was known before'}.")
