"""A round's life: draft → open → closed → promoted. Every step is logged."""

from collections.abc import Iterable

from django.db import transaction
from django.utils.translation import gettext as _
from django.utils.translation import ngettext

from labeling.chunks import chunks
from labeling.models import (
    GoldTier,
    Packet,
    Pair,
    Rater,
    Round,
    RoundPair,
    RoundRater,
    RoundState,
    RoundTransition,
)

CHUNK = 2000
"""Pairs that one statement names; databases take no more than some ten thousand."""
_STEPS = {
    RoundState.DRAFT: {RoundState.OPEN, RoundState.CLOSED},
    RoundState.OPEN: {RoundState.CLOSED},
    RoundState.CLOSED: {RoundState.OPEN, RoundState.PROMOTED},
    RoundState.PROMOTED: {RoundState.PROMOTED},
}


class WrongState(Exception):
    """The round is not in a state from which the step is possible; the message names both."""


class RoundNotReady(Exception):
    """The round cannot open or close yet; `problems` says why and how to mend each."""

    def __init__(self, problems: list[str]) -> None:
        super().__init__(" ".join(problems))
        self.problems = problems


def locked(round_: Round) -> Round:
    """The round's row, locked to the end of the transaction.

    Not its key: on PostgreSQL a stored answer shares the key of its round, and would wait for whoever closes
    the round while that one waits for the packet the answer holds.
    """
    return Round.objects.select_for_update(no_key=True).get(pk=round_.pk)


def move(round_: Round, to: RoundState, *, actor: str, reason: str = "") -> None:
    """Take `round_` to state `to` and log it. The caller holds the lock of `locked`."""
    if to not in _STEPS[RoundState(round_.state)]:
        raise WrongState(
            _("The round “%(name)s” is %(state)s; it cannot become %(to)s.")
            % {"name": round_.name, "state": round_.get_state_display(), "to": to.label}
        )
    RoundTransition.objects.create(
        round=round_, from_state=round_.state, to_state=to, actor=actor, reason=reason
    )
    round_.state = to
    round_.save(update_fields=["state"])


@transaction.atomic
def change_settings(round_: Round, fields: Iterable[str]) -> None:
    """Store `fields` of a draft, and nothing else: its state may have moved on since `round_` was read."""
    _draft(round_)
    round_.save(update_fields=list(fields))


@transaction.atomic
def add_pairs(round_: Round, pair_pks: Iterable[int]) -> int:
    """Put pairs of complete imports into a draft round, others are passed over. Returns how many were new."""
    draft = _draft(round_)
    before = draft.round_pairs.count()
    for some in chunks(list(pair_pks), CHUNK):
        published = Pair.objects.published().filter(pk__in=some).values_list("pk", flat=True)
        RoundPair.objects.bulk_create(
            (RoundPair(round=draft, pair_id=pk) for pk in published), ignore_conflicts=True
        )
    return draft.round_pairs.count() - before


@transaction.atomic
def set_raters(round_: Round, raters: Iterable[Rater]) -> None:
    """Make `raters` the raters of a draft round."""
    draft = _draft(round_)
    draft.round_raters.all().delete()
    RoundRater.objects.bulk_create(RoundRater(round=draft, rater=rater) for rater in raters)


@transaction.atomic
def remove_pairs(round_: Round, pair_pks: Iterable[int]) -> int:
    """Take pairs out of a draft round. Returns how many left."""
    draft = _draft(round_)
    return sum(
        draft.round_pairs.filter(pair_id__in=some).delete()[0] for some in chunks(list(pair_pks), CHUNK)
    )


def _draft(round_: Round) -> Round:
    draft = locked(round_)
    if draft.state != RoundState.DRAFT:
        raise WrongState(
            _("The round “%s” is no draft any more; its pairs and raters are fixed.") % draft.name
        )
    return draft


def problems_before_collecting(round_: Round) -> list[str]:
    """What must be mended before any judgment can be collected, in sentences."""
    problems = []
    pairs = round_.pairs.all()
    if not pairs.exists():
        problems.append(_("There are no pairs; add some from the imported tables."))
    known = set(round_.rubric.domains.values_list("domain", flat=True))
    missing = sorted(set(pairs.values_list("domain", flat=True)) - known)
    if missing:
        problems.append(
            _("The rubric %(rubric)s has no cues for: %(domains)s. Choose one that has, or drop these pairs.")
            % {"rubric": round_.rubric.rubric_id, "domains": ", ".join(missing)}
        )
    kinds = set(pairs.values_list("data_origin__is_simulation", flat=True))
    if len(kinds) > 1:
        problems.append(_("Simulated and real pairs never share a round; keep one kind."))
    elif kinds and (kinds == {True}) != (round_.gold_tier == GoldTier.SIMULATION):
        problems.append(
            _("The pairs are simulated, so the tier must be “simulation”.")
            if kinds == {True}
            else _("The pairs are real, so the tier cannot be “simulation”.")
        )
    return problems


def problems_before_opening(round_: Round) -> list[str]:
    """What must be mended before raters can be asked, in sentences."""
    problems = problems_before_collecting(round_)
    pairs = round_.pairs.all()
    without = pairs.count() - Pair.objects.ratable().filter(rounds=round_).count()
    if without:
        problems.append(
            ngettext(
                "%d pair has an item without content that can be shown; import its file or drop it.",
                "%d pairs have an item without content that can be shown; import the files or drop them.",
                without,
            )
            % without
        )
    n_raters = round_.raters.count()
    if n_raters < round_.raters_per_pair:
        problems.append(
            _("%(k)d raters a pair are asked for and %(n)d chosen; choose more raters.")
            % {"k": round_.raters_per_pair, "n": n_raters}
        )
    idle = list(
        round_.raters.exclude(pk__in=Rater.objects.with_account())
        .order_by("pseudonym")
        .values_list("pseudonym", flat=True)[:10]
    )
    if idle:
        problems.append(_("These raters have no account to sign in with: %s.") % ", ".join(idle))
    return problems


@transaction.atomic
def close_round(round_: Round, *, actor: str, reason: str = "") -> None:
    """Stop collecting. Answers under way are either stored before this or refused after it.

    A draft may be closed at once: its judgments were collected elsewhere and will be imported.
    """
    current = locked(round_)
    if current.state == RoundState.DRAFT:
        problems = problems_before_collecting(current)
        if problems:
            raise RoundNotReady(problems)
    list(Packet.objects.select_for_update().filter(round=current).values_list("pk"))
    move(current, RoundState.CLOSED, actor=actor, reason=reason)


@transaction.atomic
def reopen_round(round_: Round, *, actor: str, reason: str) -> None:
    """Let raters go on with a closed round; the reason stays in the log."""
    current = locked(round_)
    if not current.packets.exists():
        raise WrongState(
            _("The round “%s” has no packets: its judgments were collected elsewhere.") % current.name
        )
    move(current, RoundState.OPEN, actor=actor, reason=reason)


@transaction.atomic
def mark_promoted(round_: Round, *, actor: str, reason: str = "") -> None:
    """Record that a published release holds this round; a second release of it is logged too."""
    current = locked(round_)
    move(current, RoundState.PROMOTED, actor=actor, reason=reason)
