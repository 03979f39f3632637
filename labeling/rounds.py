"""A round's life: draft → open → closed → promoted. Every step is logged."""

from collections.abc import Iterable

from django.db import transaction
from django.db.models import Q, QuerySet
from django.utils.translation import gettext as _
from django.utils.translation import ngettext

from labeling.chunks import chunks
from labeling.models import (
    GoldTier,
    Item,
    Packet,
    Pair,
    Rater,
    Round,
    RoundItem,
    RoundPair,
    RoundRater,
    RoundState,
    RoundTransition,
    Task,
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
    draft_of(round_)
    round_.save(update_fields=list(fields))


@transaction.atomic
def add_pairs(round_: Round, pair_pks: Iterable[int]) -> int:
    """Put pairs of complete imports into a draft round, others are passed over. Returns how many were new."""
    draft = draft_of(round_)
    before = draft.round_pairs.count()
    for some in chunks(list(pair_pks), CHUNK):
        published = Pair.objects.published().filter(pk__in=some).values_list("pk", flat=True)
        RoundPair.objects.bulk_create(
            (RoundPair(round=draft, pair_id=pk) for pk in published), ignore_conflicts=True
        )
    return draft.round_pairs.count() - before


@transaction.atomic
def add_items(round_: Round, item_pks: Iterable[int]) -> int:
    """Put items that can be shown into an absolute draft round, others are passed over. Returns how many."""
    draft = draft_of(round_)
    before = draft.round_items.count()
    for some in chunks(list(item_pks), CHUNK):
        ratable = Item.objects.ratable().filter(pk__in=some).values_list("pk", flat=True)
        RoundItem.objects.bulk_create(
            (RoundItem(round=draft, item_id=pk) for pk in ratable), ignore_conflicts=True
        )
    return draft.round_items.count() - before


@transaction.atomic
def remove_items(round_: Round, item_pks: Iterable[int]) -> int:
    """Take items out of an absolute draft round. Returns how many left."""
    draft = draft_of(round_)
    return sum(
        draft.round_items.filter(item_id__in=some).delete()[0] for some in chunks(list(item_pks), CHUNK)
    )


@transaction.atomic
def set_raters(round_: Round, raters: Iterable[Rater]) -> None:
    """Make `raters` the raters of a draft round."""
    draft = draft_of(round_)
    draft.round_raters.all().delete()
    RoundRater.objects.bulk_create(RoundRater(round=draft, rater=rater) for rater in raters)


@transaction.atomic
def remove_pairs(round_: Round, pair_pks: Iterable[int]) -> int:
    """Take pairs out of a draft round. Returns how many left."""
    draft = draft_of(round_)
    return sum(
        draft.round_pairs.filter(pair_id__in=some).delete()[0] for some in chunks(list(pair_pks), CHUNK)
    )


def draft_of(round_: Round) -> Round:
    """The round's row, locked; WrongState when it is no draft any more."""
    draft = locked(round_)
    if draft.state != RoundState.DRAFT:
        raise WrongState(
            _("The round “%s” is no draft any more; what it asks and whom is fixed.") % draft.name
        )
    return draft


def asked_of(round_: Round) -> QuerySet[Pair] | QuerySet[Item]:
    """What the round asks about: its pairs, or the items of an absolute round."""
    return round_.items.all() if round_.task == Task.ABSOLUTE else round_.pairs.all()


def problems_before_collecting(round_: Round) -> list[str]:
    """What must be mended before any judgment can be collected, in sentences."""
    problems = []
    asked = asked_of(round_)
    if not asked.exists():
        problems.append(
            _("There are no items; add some from the imported tables.")
            if round_.task == Task.ABSOLUTE
            else _("There are no pairs; add some from the imported tables.")
        )
    known = set(round_.rubric.domains.values_list("domain", flat=True))
    missing = sorted(set(asked.values_list("domain", flat=True)) - known)
    if missing:
        problems.append(
            _("The rubric %(rubric)s has no cues for: %(domains)s. Choose one that has, or drop these rows.")
            % {"rubric": round_.rubric.rubric_id, "domains": ", ".join(missing)}
        )
    kinds = set(asked.values_list("data_origin__is_simulation", flat=True))
    if len(kinds) > 1:
        problems.append(_("Simulated and real data never share a round; keep one kind."))
    elif kinds and (kinds == {True}) != (round_.gold_tier == GoldTier.SIMULATION):
        problems.append(
            _("The data are simulated, so the tier must be “simulation”.")
            if kinds == {True}
            else _("The data are real, so the tier cannot be “simulation”.")
        )
    return problems


def problems_before_opening(round_: Round) -> list[str]:
    """What must be mended before raters can be asked, in sentences."""
    problems = [*problems_before_collecting(round_), *_without_content(round_), *_practice_problems(round_)]
    n_raters = round_.raters.count()
    if n_raters < round_.raters_per_pair:
        problems.append(
            _("%(k)d raters are asked for each and %(n)d chosen; choose more raters.")
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


def _without_content(round_: Round) -> list[str]:
    if round_.task == Task.ABSOLUTE:
        without = round_.items.count() - round_.items.filter(rendition__isnull=False).count()
        words = ngettext(
            "%d item has no content that can be shown; import its file or drop it.",
            "%d items have no content that can be shown; import the files or drop them.",
            without,
        )
    else:
        without = round_.pairs.count() - Pair.objects.ratable().filter(rounds=round_).count()
        words = ngettext(
            "%d pair has an item without content that can be shown; import its file or drop it.",
            "%d pairs have an item without content that can be shown; import the files or drop them.",
            without,
        )
    return [words % without] if without else []


def _practice_problems(round_: Round) -> list[str]:
    """What is wrong with the practice pairs, each with the pairs it is said of."""
    chosen = round_.practice_pairs.all()
    domains = round_.rubric.domains.values("domain")
    shown = Q(pair__item_a__rendition__isnull=False, pair__item_b__rendition__isnull=False)
    faults = [
        (
            chosen.filter(explanation=""),
            _("Practice pairs without an explanation: %s. Write it or drop them."),
        ),
        (
            chosen.filter(pair__round_pairs__round=round_),
            _("Practice pairs that the round also asks about: %s. Keep each in one place."),
        ),
        (chosen.exclude(shown), _("Practice pairs without content that can be shown: %s. Drop them.")),
        (
            chosen.exclude(pair__domain__in=domains),
            _("Practice pairs of a domain that the rubric has no cues for: %s. Drop them."),
        ),
    ]
    named = ((list(rows.values_list("pair__pair_id", flat=True)), words) for rows, words in faults)
    return [words % ", ".join(pair_ids) for pair_ids, words in named if pair_ids]


@transaction.atomic
def close_round(round_: Round, *, actor: str, reason: str = "") -> None:
    """Stop collecting. Answers under way are either stored before this or refused after it.

    A draft may be closed at once: its judgments were collected elsewhere and will be imported.
    """
    current = locked(round_)
    if current.state == RoundState.DRAFT:
        problems = problems_before_collecting(current)
        if current.task == Task.ABSOLUTE:
            problems.append(
                _("Scores that were collected elsewhere cannot be imported; open the round instead.")
            )
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
