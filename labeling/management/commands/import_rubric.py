import json
from pathlib import Path
from typing import Any

from django.core.management.base import BaseCommand, CommandError, CommandParser

from labeling.rubrics import RubricRefused, load_rubric


class Command(BaseCommand):
    help = "Store a rubric from its JSON file. The same text again changes nothing."

    def add_arguments(self, parser: CommandParser) -> None:
        parser.add_argument("file", type=Path)

    def handle(self, *args: Any, **options: Any) -> None:
        try:
            rubric = load_rubric(json.loads(options["file"].read_text(encoding="utf-8")))
        except (OSError, ValueError, RubricRefused) as refused:
            raise CommandError(str(refused)) from None
        self.stdout.write(self.style.SUCCESS(f"{rubric.rubric_id} is stored."))
