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
        path = options["file"]
        try:
            rubric = load_rubric(json.loads(path.read_text(encoding="utf-8")))
        except json.JSONDecodeError as fault:
            raise CommandError(f"{path}:{fault.lineno}: this is no JSON: {fault.msg}.") from None
        except UnicodeDecodeError as fault:
            raise CommandError(f"{path}: this is no UTF-8 text (byte {fault.start + 1}).") from None
        except OSError as fault:
            raise CommandError(f"{path}: {fault.strerror}.") from None
        except RubricRefused as refused:
            raise CommandError(f"{path}: {refused}") from None
        self.stdout.write(self.style.SUCCESS(f"{rubric.rubric_id} is stored."))
