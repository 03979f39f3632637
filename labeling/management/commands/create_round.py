from typing import Any

from django.core.exceptions import ValidationError
from django.core.management.base import BaseCommand, CommandError, CommandParser
from django.db import transaction

from labeling.models import GoldTier, Pair, Round, Rubric, TableImport
from labeling.rounds import RoundNotReady, add_pairs, close_round


class Command(BaseCommand):
    help = "Make a round from all pairs of an import; with --closed, for judgments collected elsewhere."

    def add_arguments(self, parser: CommandParser) -> None:
        parser.add_argument("slug")
        parser.add_argument("--name", help="shown to raters; the slug if not given")
        parser.add_argument("--rubric", required=True, help="rubric_id")
        parser.add_argument("--tier", required=True, choices=GoldTier.values)
        parser.add_argument("--tables", required=True, help="name of the import whose pairs it takes")
        parser.add_argument("--closed", action="store_true", help="close it at once, for import_judgments")

    @transaction.atomic
    def handle(self, *args: Any, **options: Any) -> None:
        rubric = Rubric.objects.filter(rubric_id=options["rubric"]).first()
        if rubric is None:
            raise CommandError(f"There is no rubric {options['rubric']}; store it with import_rubric.")
        tables = TableImport.objects.filter(name=options["tables"], state=TableImport.State.PUBLISHED).last()
        if tables is None:
            raise CommandError(f"There is no import named {options['tables']}; make it with import_tables.")
        round_ = Round(
            slug=options["slug"],
            name=options["name"] or options["slug"],
            rubric=rubric,
            gold_tier=options["tier"],
        )
        try:
            round_.full_clean()
            round_.save()
            n_pairs = add_pairs(round_, Pair.objects.filter(table_import=tables).values_list("pk", flat=True))
            if options["closed"]:
                close_round(round_, actor="create_round", reason="judgments collected elsewhere")
        except ValidationError as refused:
            raise CommandError(" ".join(refused.messages)) from None
        except RoundNotReady as refused:
            raise CommandError("\n".join(refused.problems)) from None
        self.stdout.write(self.style.SUCCESS(f"Round {round_.slug} holds {n_pairs} pairs."))
