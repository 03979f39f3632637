"""`manage.py promote`: closed rounds into a release, here and now, without a worker."""

import sys
from typing import Any

from django.core.management.base import BaseCommand, CommandError, CommandParser

from gold.models import Release
from gold.promotion import CannotPromote, build_and_publish, discard, promote
from labeling.models import Round
from labeling.progress import PrintProgress

ACTOR = "manage.py promote"


class Command(BaseCommand):
    help = "Promote closed rounds of one tier to the next numbered release."

    def add_arguments(self, parser: CommandParser) -> None:
        parser.add_argument("rounds", nargs="*", metavar="ROUND_SLUG", help="short names of closed rounds")
        parser.add_argument("--title", help="the release's title")
        parser.add_argument("--supersedes", type=int, metavar="N", help="the release this one replaces")
        parser.add_argument("--finish", type=int, metavar="N", help="go on with release N, which was cut off")

    def handle(self, *_args: Any, **options: Any) -> None:
        number = options["finish"]
        release = self._begin(options) if number is None else _unfinished(number)
        with PrintProgress(sys.stderr) as progress:
            try:
                build_and_publish(release, actor=ACTOR, progress=progress)
            except CannotPromote as refused:
                discard(release)
                raise CommandError("\n".join(refused.problems)) from refused
        release.refresh_from_db()
        self.stdout.write(
            f"{release}: {release.n_gold} of {release.n_pairs} pairs are gold. Digest {release.digest}"
        )

    def _begin(self, options: dict[str, Any]) -> Release:
        if not options["rounds"] or not options["title"]:
            raise CommandError("Name at least one round and a --title.")
        rounds = [_round(slug) for slug in dict.fromkeys(options["rounds"])]
        number = options["supersedes"]
        try:
            supersedes = None if number is None else Release.objects.get(number=number)
            return promote(rounds, title=options["title"], actor=ACTOR, supersedes=supersedes, enqueue=False)
        except Release.DoesNotExist as error:
            raise CommandError(f"There is no release {number}.") from error
        except CannotPromote as refused:
            raise CommandError("\n".join(refused.problems)) from refused


def _round(slug: str) -> Round:
    try:
        return Round.objects.get(slug=slug)
    except Round.DoesNotExist as error:
        known = ", ".join(Round.objects.values_list("slug", flat=True)) or "none"
        raise CommandError(f"There is no round {slug}; there are: {known}.") from error


def _unfinished(number: int) -> Release:
    release = Release.objects.filter(number=number).first()
    if release is None or release.state != Release.State.BUILDING:
        raise CommandError(f"Release {number} is not being built; there is nothing to finish.")
    if release.job is not None and not release.job.is_finished:
        raise CommandError(f"Release {number} is built by job {release.job.pk}; a worker goes on with it.")
    return release
