from pathlib import Path
from typing import Any

from django.core.management.base import BaseCommand, CommandError, CommandParser

from labeling.models import Round
from labeling.offline.responses import RESPONSES
from labeling.offline.returning import preview_return, return_packet
from labeling.recording import RoundNotOpen
from labeling.tables import TableErrors, read_table


class Command(BaseCommand):
    help = "Store the answers of an offline packet's responses.csv. The same file again stores nothing twice."

    def add_arguments(self, parser: CommandParser) -> None:
        parser.add_argument("round", help="the round's slug")
        parser.add_argument("file", type=Path, help="the filled responses.csv of one packet")
        parser.add_argument(
            "--replace", action="store_true", help="let the file supersede answers given elsewhere since"
        )
        parser.add_argument("--check", action="store_true", help="read and check only, store nothing")

    def handle(self, *args: Any, **options: Any) -> None:
        round_ = Round.objects.filter(slug=options["round"]).first()
        if round_ is None:
            raise CommandError(f"There is no round {options['round']}.")
        act = preview_return if options["check"] else return_packet
        try:
            frame = read_table(options["file"], RESPONSES, name=options["file"].name)
            returned = act(round_, frame, replace=options["replace"])
        except TableErrors as refused:
            raise CommandError(f"Nothing was stored: {refused.total} errors.\n{refused}") from None
        except (OSError, RoundNotOpen) as refused:
            raise CommandError(str(refused)) from None
        for sentence in (*frame.warnings, *returned.standing):
            self.stderr.write(self.style.WARNING(sentence))
        verb = "Would store" if options["check"] else "Stored"
        self.stdout.write(
            self.style.SUCCESS(
                f"{verb} {returned.stored} answers of {returned.rater or 'nobody'} "
                f"({returned.replaced} in place of others); {returned.known} were known, "
                f"{len(returned.standing)} left aside."
            )
        )
