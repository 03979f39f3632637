"""What a release of some rounds would hold, and what stands in its way. Reads only."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import pyarrow.parquet as pq
from django.conf import settings
from django.utils.translation import gettext as _
from django.utils.translation import ngettext

from gold import judgments, release_tables
from gold.aggregation import State
from gold.current import BrokenChain
from gold.labels import Labels, derive_labels
from gold.models import Release, ReleaseFile
from gold.release_folder import terms_of
from labeling.models import GoldTier, JobState, Round, RoundState, Task, VerdictSet
from labeling.tables import Frame, TableErrors

SHOWN = 200
"""How many pairs of each kind a preview names; all are counted."""


@dataclass(frozen=True, slots=True)
class PreviewPair:
    """One pair of a preview: what its votes amount to, in numbers."""

    pair_id: str
    domain: str
    state: str
    n_raters: int
    modal: int


@dataclass(frozen=True, slots=True)
class Change:
    """What a release does to gold: how many pairs, and the first of them."""

    n: int
    pair_ids: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class Preview:
    """What would be released. `problems` are sentences; with any of them nothing can be promoted."""

    problems: list[str]
    summary: str = ""
    n_pairs: int = 0
    states: dict[str, int] | None = None
    left_out: tuple[PreviewPair, ...] = ()
    enters: Change = Change(0, ())
    leaves: Change = Change(0, ())
    flips: Change = Change(0, ())


def preview_promotion(rounds: Sequence[Round], supersedes: Release | None = None) -> Preview:
    """Which pairs would be gold, which not and why; against `supersedes` what enters, leaves and flips."""
    problems = problems_of(rounds, supersedes)
    if problems:
        return Preview(problems)
    terms = terms_of(list(rounds))
    try:
        pairs, holding = judgments.current_frames(rounds)
        labels = derive_labels(pairs, holding, terms.min_raters)
    except (TableErrors, BrokenChain) as error:
        return Preview([_("The judgments contradict one another: %s") % error])
    states = release_tables.state_counts(labels)
    now = _preferred(release_tables.gold_cells(pairs, labels, terms))
    before = _published_gold(supersedes) if supersedes else {}
    both = now.keys() & before.keys()
    return Preview(
        problems=[] if states["gold"] else [_no_gold(states)],
        summary=str(labels.report["summary"]),
        n_pairs=len(pairs),
        states=states,
        left_out=tuple(_left_out(pairs, labels)),
        enters=_change(now.keys() - before.keys()),
        leaves=_change(before.keys() - now.keys()),
        flips=_change({pair_id for pair_id in both if now[pair_id] != before[pair_id]}),
    )


def problems_of(rounds: Sequence[Round], supersedes: Release | None = None) -> list[str]:
    """Why these rounds cannot make one release, in sentences with the way out."""
    if not rounds:
        return [_("No round is named; choose at least one closed round.")]
    problems = [problem for round_ in rounds for problem in _problems_of_one(round_, supersedes)]
    if settings.DEMO and any(round_.gold_tier == GoldTier.PRIMARY_HUMAN_EXPERT for round_ in rounds):
        problems.append(
            _("In the demo anybody can sign in as an expert; nothing it collects is primary expert gold.")
        )
    for what, values in (
        (_("tier"), {str(round_.get_gold_tier_display()) for round_ in rounds}),
        (_("rubric"), {round_.rubric.rubric_id for round_ in rounds}),
        (_("minimum of raters"), {str(round_.min_raters) for round_ in rounds}),
    ):
        if len(values) > 1:
            problems.append(
                _("A release has one %(what)s, these rounds have %(values)s; promote them apart.")
                % {"what": what, "values": ", ".join(sorted(values))}
            )
    if supersedes is not None:
        problems += _problems_with_superseded(rounds, supersedes)
    return problems


def unfinished_release(round_: Round) -> Release | None:
    """A release of the round that is still being built, by a job or by a command."""
    building = Release.objects.filter(state=Release.State.BUILDING, release_rounds__round=round_)
    return building.exclude(job__state=JobState.FAILED).first()


def _problems_of_one(round_: Round, supersedes: Release | None) -> list[str]:
    problems = []
    again = (
        round_.state == RoundState.PROMOTED
        and supersedes is not None
        and supersedes.release_rounds.filter(round=round_).exists()
    )
    if round_.state != RoundState.CLOSED and not again:
        problems.append(
            _("“%s” is promoted already; a further release of it must supersede the one that holds it.")
            % round_.name
            if round_.state == RoundState.PROMOTED
            else _("“%(name)s” is %(state)s; close it first.")
            % {"name": round_.name, "state": round_.get_state_display()}
        )
    unfinished = unfinished_release(round_)
    if unfinished is not None:
        problems.append(
            _("Release %(number)d of “%(name)s” is still being built; wait for it.")
            % {"number": unfinished.number, "name": round_.name}
        )
    if round_.task != Task.PAIRWISE or round_.verdicts != VerdictSet.RATING:
        problems.append(
            _("“%s” is no round of pairwise ratings, so its answers make no preferred items.") % round_.name
        )
    return problems + _problems_of_origin(round_)


def _problems_of_origin(round_: Round) -> list[str]:
    """Simulated and real rows never share a release: the tier, the pairs and their items must agree."""
    simulated = round_.gold_tier == GoldTier.SIMULATION
    pairs = judgments.pairs_of([round_])
    other_pairs = pairs.exclude(data_origin__is_simulation=simulated)
    other_items = judgments.items_of([round_]).exclude(data_origin__is_simulation=simulated)
    n_pairs, n_items = other_pairs.count(), other_items.count()
    if not n_pairs and not n_items:
        return []
    kind = _("real") if simulated else _("simulated")
    return [
        _(
            "“%(name)s” has tier %(tier)s, but %(pairs)d of its pairs and %(items)d of their items are "
            "%(kind)s; simulated and real rows never share a release."
        )
        % {
            "name": round_.name,
            "tier": round_.get_gold_tier_display(),
            "pairs": n_pairs,
            "items": n_items,
            "kind": kind,
        }
    ]


def _problems_with_superseded(rounds: Sequence[Round], old: Release) -> list[str]:
    problems = []
    if old.state != Release.State.PUBLISHED:
        problems.append(_("Release %d is not published, so nothing can supersede it.") % old.number)
    newer = Release.objects.filter(supersedes=old).exclude(job__state=JobState.FAILED).first()
    if newer is not None:
        problems.append(
            _("Release %(old)d is superseded by release %(new)d; supersede that one.")
            % {"old": old.number, "new": newer.number}
        )
    if any(round_.gold_tier != old.gold_tier for round_ in rounds):
        problems.append(
            _("Release %(number)d has tier %(tier)s; only a release of the same tier can supersede it.")
            % {"number": old.number, "tier": old.get_gold_tier_display()}
        )
    return problems


def _no_gold(states: dict[str, int]) -> str:
    total = sum(states.values())
    if not total:
        return _("The rounds hold no pairs, so there is nothing to release.")
    reasons = ", ".join(f"{n} {_reason(state, n)}" for state, n in states.items() if n)
    return _("No pair is gold, so there is nothing to release: of %(total)d pairs %(reasons)s.") % {
        "total": total,
        "reasons": reasons,
    }


def _reason(state: str, n: int) -> str:
    words = {
        "too_few": ngettext("has too few raters", "have too few raters", n),
        "tie": ngettext("is a tie", "are ties", n),
        "below_gate": ngettext("is below the gate", "are below the gate", n),
    }
    return words[state]


def _left_out(pairs: Frame, labels: Labels) -> list[PreviewPair]:
    """The first pairs in each state that is not gold."""
    rows = [
        (row, state)
        for state in (State.TOO_FEW, State.TIE, State.BELOW_GATE)
        for row in release_tables.rows_in_state(labels, state, SHOWN)
    ]
    ids, domains = pairs.column("pair_id"), pairs.column("domain")
    return [
        PreviewPair(
            pair_id=ids[row].as_py(),
            domain=domains[row].as_py(),
            state=state.label,
            n_raters=int(labels.aggregates.n_raters[row]),
            modal=int(labels.aggregates.modal[row]),
        )
        for row, state in rows
    ]


def _preferred(cells: dict[str, Any]) -> dict[str, str]:
    return dict(zip(cells["pair_id"].to_pylist(), cells["preferred_id"].to_pylist(), strict=True))


def _published_gold(release: Release) -> dict[str, str]:
    """pair_id → preferred_id of a published release, from its stored file."""
    stored = ReleaseFile.objects.get(release=release, path="bench_gold.parquet")
    with stored.file.open("rb") as file:
        table = pq.read_table(file, columns=["pair_id", "preferred_id"])
    return _preferred({name: table.column(name) for name in table.column_names})


def _change(pair_ids: set[str]) -> Change:
    return Change(len(pair_ids), tuple(sorted(pair_ids)[:SHOWN]))
