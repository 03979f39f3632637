"""Judgments collected elsewhere, brought into a closed round: whole or not at all."""

import uuid
from dataclasses import dataclass
from datetime import datetime
from decimal import Decimal

from django.db import transaction
from django.utils.translation import gettext as _

from labeling.importing.lengths import check_lengths, fields_of
from labeling.models import Channel, EventKind, JudgmentEvent, Rater, Round, RoundState
from labeling.progress import Progress
from labeling.rounds import WrongState, locked
from labeling.tables import Frame
from labeling.tables.errors import ErrorLog

BATCH = 1000
MAX_MILLISECONDS = 2**31 - 1
CONFIDENCE_DECIMALS = 3
_NAMESPACE = uuid.UUID("6e0f6e0b-6c5b-4b0c-9a55-6d1cb0d6a1de")


@dataclass(frozen=True)
class JudgmentsImported:
    stored: int
    known: int


@dataclass(frozen=True)
class _RoundPair:
    pk: int
    items: dict[str, int]


def import_judgments(round_: Round, judgments: Frame, *, progress: Progress) -> JudgmentsImported:
    """Append the judgments as events of kind import. The same rows again are recognised and stored once.

    Raises WrongState unless the round is closed; TableErrors for pairs outside the round, choices that are
    not of the pair, raters whose account is not in the round, and judgments that contradict stored ones.
    """
    # A closed round keeps its pairs, so most is checked before the lock that other writers wait for.
    pairs = _pairs_of(round_)
    log = ErrorLog()
    _check(judgments, pairs, log)
    _check_numbers(judgments, log)
    with transaction.atomic():
        current = locked(round_)
        if current.state != RoundState.CLOSED:
            raise WrongState(
                _("Judgments are imported into a closed round; “%(name)s” is %(state)s.")
                % {"name": current.name, "state": current.get_state_display()}
            )
        raters = _raters(current, judgments, log)
        stored = _stored(current)
        log.raise_if_any()
        return _append(current, judgments, pairs, raters, stored, progress)


def _pairs_of(round_: Round) -> dict[str, _RoundPair]:
    rows = round_.pairs.values_list(
        "pair_id", "pk", "item_a__item_id", "item_a_id", "item_b__item_id", "item_b_id"
    )
    return {pair_id: _RoundPair(pk, {a: a_pk, b: b_pk}) for pair_id, pk, a, a_pk, b, b_pk in rows}


def _check(judgments: Frame, pairs: dict[str, _RoundPair], log: ErrorLog) -> None:
    columns = zip(
        judgments.text("pair_id"), judgments.text("preferred_id"), judgments.text("shown_left"), strict=True
    )
    for row, (pair_id, preferred, shown_left) in enumerate(columns):
        pair = pairs.get(pair_id)
        if pair is None:
            log.add(
                judgments.error(
                    row,
                    "pair_id",
                    _("%s is no pair of this round") % pair_id,
                    _("Add it to a round, or leave the row out"),
                )
            )
            continue
        for column, item_id in (("preferred_id", preferred), ("shown_left", shown_left)):
            if item_id and item_id not in pair.items:
                log.add(
                    judgments.error(
                        row,
                        column,
                        _("%(item)s is not an item of %(pair)s") % {"item": item_id, "pair": pair_id},
                        _("Its items are %s") % ", ".join(sorted(pair.items)),
                    )
                )


def _check_numbers(judgments: Frame, log: ErrorLog) -> None:
    """Numbers that the database would round or refuse."""
    for row, cell in enumerate(judgments.text("response_ms")):
        if cell and int(cell) > MAX_MILLISECONDS:
            what, cure = _("%s milliseconds is longer than 24 days"), _("Leave the cell empty")
            log.add(judgments.error(row, "response_ms", what % cell, cure))
    for row, cell in enumerate(judgments.text("confidence")):
        if cell and Decimal(cell) != round(Decimal(cell), CONFIDENCE_DECIMALS):
            what, cure = _("%s has more than three decimals"), _("Round it to three")
            log.add(judgments.error(row, "confidence", what % cell, cure))


def _raters(round_: Round, judgments: Frame, log: ErrorLog) -> dict[str, int]:
    """Pseudonym → rater. A pseudonym with an account is accepted only where that rater is in the round."""
    check_lengths(judgments, {"rater_id": fields_of(Rater)["pseudonym"]}, log)
    pseudonyms = sorted(set(judgments.text("rater_id")))
    known = {rater.pseudonym: rater for rater in Rater.objects.filter(pseudonym__in=pseudonyms)}
    assigned = set(round_.raters.values_list("pk", flat=True))
    for row, pseudonym in enumerate(judgments.text("rater_id")):
        rater = known.get(pseudonym)
        if rater is not None and rater.user_id is not None and rater.pk not in assigned:
            log.add(
                judgments.error(
                    row,
                    "rater_id",
                    _("%s is the pseudonym of an account that is not in this round") % pseudonym,
                    _("Rename the rater in the file, or add the account to the round"),
                )
            )
    if not log.total:
        missing = [Rater(pseudonym=pseudonym) for pseudonym in pseudonyms if pseudonym not in known]
        Rater.objects.bulk_create(missing)
    return dict(Rater.objects.filter(pseudonym__in=pseudonyms).values_list("pseudonym", "pk"))


def _stored(round_: Round) -> dict[tuple[int, int], int | None]:
    """What each rater's answer to each pair is; repeats are no answers, and an open pair has none."""
    events = (
        JudgmentEvent.objects.current()
        .filter(round=round_, showing__repeat_of__isnull=True)
        .exclude(kind__in=[EventKind.UNDO, EventKind.SKIP])
    )
    return {
        (rater, pair): preferred
        for rater, pair, preferred in events.values_list("rater_id", "pair_id", "preferred_id")
    }


def _append(
    round_: Round,
    judgments: Frame,
    pairs: dict[str, _RoundPair],
    raters: dict[str, int],
    stored: dict[tuple[int, int], int | None],
    progress: Progress,
) -> JudgmentsImported:
    progress.step(_("Storing judgments"), len(judgments))
    log = ErrorLog()
    batch: list[JudgmentEvent] = []
    known = 0
    columns = {name: judgments.text(name) for name in judgments.table.names}
    for row in range(len(judgments)):
        progress.advance()
        cells = {name: cells[row] for name, cells in columns.items()}
        pair = pairs[cells["pair_id"]]
        preferred = pair.items.get(cells["preferred_id"])
        key = (raters[cells["rater_id"]], pair.pk)
        if key in stored:
            known += 1
            if stored[key] != preferred:
                log.add(
                    judgments.error(
                        row,
                        "preferred_id",
                        _("%(rater)s answered %(pair)s otherwise before")
                        % {"rater": cells["rater_id"], "pair": cells["pair_id"]},
                        _("Answers are never edited; leave the row out"),
                    )
                )
            continue
        batch.append(_event(round_, key, pair, preferred, cells))
        if len(batch) == BATCH:
            JudgmentEvent.objects.bulk_create(batch)
            batch = []
    log.raise_if_any()
    JudgmentEvent.objects.bulk_create(batch)
    return JudgmentsImported(stored=len(judgments) - known, known=known)


def _event(
    round_: Round, key: tuple[int, int], pair: _RoundPair, preferred: int | None, cells: dict[str, str]
) -> JudgmentEvent:
    name = "\0".join((round_.slug, cells["rater_id"], cells["pair_id"]))
    return JudgmentEvent(
        event_id=uuid.uuid5(_NAMESPACE, name),
        round=round_,
        rater_id=key[0],
        pair_id=pair.pk,
        kind=EventKind.IMPORT,
        preferred_id=preferred,
        shown_left_id=pair.items.get(cells["shown_left"]),
        confidence=Decimal(cells["confidence"]) if cells["confidence"] else None,
        channel=Channel.IMPORT,
        judged_at=datetime.fromisoformat(cells["judged_at"]) if cells["judged_at"] else None,
        response_ms=int(cells["response_ms"]) if cells["response_ms"] else None,
        note=cells["note"],
    )
