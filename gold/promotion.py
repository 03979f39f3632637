"""From closed rounds to a frozen, numbered release."""

import tempfile
import uuid
from collections.abc import Sequence
from pathlib import Path
from typing import Any

from django.db import transaction
from django.db.models import Max, Q
from django.utils import timezone
from django.utils.translation import gettext as _

from gold import judgments, stored_files
from gold.access_log import log_access
from gold.models import Release, ReleaseFile, ReleaseRound
from gold.promotion_preview import Preview, preview_promotion, problems_of
from gold.release_folder import Folder, build_folder
from gold.release_manifest import MANIFEST
from labeling import private_folders
from labeling.models import GoldTier, Job, JobState, Round, RoundState, User
from labeling.progress import Progress
from labeling.rounds import mark_promoted

__all__ = ["CannotPromote", "Preview", "build_and_publish", "preview_promotion", "promote", "run_job"]

JOB_KIND = "promote"


class CannotPromote(Exception):
    """These rounds cannot become this release; `problems` says why and how to mend each."""

    def __init__(self, problems: list[str]) -> None:
        super().__init__(" ".join(problems))
        self.problems = problems


def promote(
    rounds: Sequence[Round],
    *,
    title: str,
    actor: str,
    supersedes: Release | None = None,
    created_by: User | None = None,
    enqueue: bool = True,
) -> Release:
    """Begin release number n of `rounds` and hand its building to a job (`release.job`).

    With `enqueue=False` there is no job: the caller goes on with `build_and_publish`. A release whose job
    failed makes room, so that no number is lost. Raises CannotPromote; nothing is stored then.
    """
    problems = preview_promotion(rounds, supersedes).problems
    if not title.strip():
        problems = [_("A release needs a title."), *problems]
    if problems:
        raise CannotPromote(problems)
    with transaction.atomic():
        release = _begin(rounds, title.strip(), supersedes)
        if enqueue:
            release.job = Job.objects.enqueue(
                JOB_KIND, params={"release": release.number, "actor": actor}, created_by=created_by
            )
            release.save(update_fields=["job"])
    return release


def _begin(rounds: Sequence[Round], title: str, supersedes: Release | None) -> Release:
    chosen = Round.objects.filter(pk__in=[round_.pk for round_ in rounds])
    locked = list(chosen.select_for_update(no_key=True))
    problems = problems_of(locked, supersedes)
    if problems:
        raise CannotPromote(problems)
    _discard_failed(locked, supersedes)
    number = (Release.objects.aggregate(last=Max("number"))["last"] or 0) + 1
    release = Release.objects.create(
        number=number,
        title=title,
        gold_tier=judgments.one_tier(locked),
        is_simulation=locked[0].gold_tier == GoldTier.SIMULATION,
        supersedes=supersedes,
        canary=f"tastebench canary GUID {uuid.uuid4()}",
        promoted_at=timezone.now(),
    )
    ReleaseRound.objects.bulk_create(ReleaseRound(release=release, round=round_) for round_ in locked)
    return release


def run_job(job: Job, progress: Progress) -> dict[str, Any]:
    """Build and publish the release that the job names. Running it again changes nothing once published."""
    release = Release.objects.filter(number=job.params["release"]).first()
    if release is None:
        raise CannotPromote([_("The release this job built was given up; promote the round again.")])
    if release.state == Release.State.BUILDING:
        build_and_publish(release, actor=job.params["actor"], progress=progress)
        release.refresh_from_db()
    return {"release": release.number, "n_pairs": release.n_pairs, "n_gold": release.n_gold}


def build_and_publish(release: Release, *, actor: str, progress: Progress) -> None:
    """Write the folder, store it, and publish in one transaction. The same rows give the same bytes.

    Raises CannotPromote when a round changed meanwhile, or when nothing turns out to be gold.
    """
    with tempfile.TemporaryDirectory() as temporary:
        folder = Path(temporary)
        built = build_folder(release, folder, progress)
        rows = stored_files.store(release, folder, built.files, progress)
    progress.step(_("Publishing"))
    _publish(release, built, rows, actor)


@transaction.atomic
def _publish(release: Release, built: Folder, rows: list[ReleaseFile], actor: str) -> None:
    rounds = list(Round.objects.select_for_update(no_key=True).filter(releases=release).order_by("pk"))
    _check_unchanged(rounds, built)
    release.files.all().delete()
    ReleaseFile.objects.bulk_create(rows)
    release.n_pairs, release.n_gold = built.n_pairs, built.n_gold
    release.digest = next(facts.sha256 for facts in built.files if facts.path == MANIFEST)
    release.state = Release.State.PUBLISHED
    release.save()
    for round_ in rounds:
        mark_promoted(round_, actor=actor, reason=_("release %d") % release.number)
    log_access(actor, "published the release", release=release)


def _check_unchanged(rounds: list[Round], built: Folder) -> None:
    problems = [
        _("“%(name)s” became %(state)s while its release was built; close it and promote again.")
        % {"name": round_.name, "state": round_.get_state_display()}
        for round_ in rounds
        if round_.state not in {RoundState.CLOSED, RoundState.PROMOTED}
    ]
    if not problems and judgments.events_of(rounds).count() != built.n_events:
        problems.append(_("Judgments came in while the release was built; promote again."))
    if not built.n_gold:
        problems.append(_("No pair is gold, so there is nothing to release."))
    if problems:
        raise CannotPromote(problems)


def _discard_failed(rounds: Sequence[Round], supersedes: Release | None) -> None:
    """Take away failed builds that stand in the way: of one of `rounds`, or superseding the same release."""
    in_the_way = Q(release_rounds__round__in=rounds)
    if supersedes is not None:
        in_the_way |= Q(supersedes=supersedes)
    failed = Release.objects.filter(state=Release.State.BUILDING, job__state=JobState.FAILED)
    for release in failed.filter(in_the_way).distinct():
        discard(release)


def discard(release: Release) -> None:
    """Remove an unpublished release and whatever of it was stored. The database refuses published ones."""
    release.files.all().delete()
    release.release_rounds.all().delete()
    release.delete()
    private_folders.clear(f"releases/{release.number}")
