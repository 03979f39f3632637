"""`manage.py verify_release`: do the stored files still hold what was published?"""

import tempfile
from pathlib import Path
from typing import Any

from django.core.management.base import BaseCommand, CommandError, CommandParser

from gold.models import Release
from gold.release_manifest import NoManifest
from gold.stored_files import copy_out
from gold.verification import verify_folder


class Command(BaseCommand):
    help = (
        "Hash the stored files of a release and recompute its gold from its events. Exit code 1: they differ."
    )

    def add_arguments(self, parser: CommandParser) -> None:
        parser.add_argument("number", type=int, metavar="N", help="number of the release")

    def handle(self, *_args: Any, **options: Any) -> None:
        release = Release.objects.published().filter(number=options["number"]).first()
        if release is None:
            raise CommandError(f"There is no published release {options['number']}.", returncode=2)
        with tempfile.TemporaryDirectory() as temporary:
            folder = Path(temporary)
            copy_out(release, folder)
            try:
                problems = verify_folder(folder, release.digest)
            except NoManifest as error:
                problems = [str(error)]
        for problem in problems:
            self.stdout.write(problem)
        if problems:
            raise CommandError(f"{release} is not what was published; see above.")
        self.stdout.write(f"{release}: all files and labels agree with digest {release.digest}")
