"""The table of answers in an offline packet: its columns, and what each row says. Pure: imports no Django."""

from dataclasses import dataclass
from decimal import Decimal
from typing import Literal

from labeling.tables import Column, Frame, Table
from labeling.tables.errors import ErrorLog, show

NOTE_LENGTH = 4000

RESPONSES = Table(
    "responses",
    "Answers given offline: one row a pair of the packet.",
    ("token",),
    (
        Column("token", "the name of the pair's page; stays as it is"),
        Column("choice", "left, right, cannot judge, or empty", optional=True, may_be_empty=True),
        Column("score", "of a single item, from 0 to 1", "share", optional=True, may_be_empty=True),
        Column("confidence", "from 0.5 to 1", "share", optional=True, may_be_empty=True),
        Column("note", "anything that should be known", optional=True, may_be_empty=True),
        Column("judged_at", "when", "timestamp", optional=True, may_be_empty=True),
    ),
)

Choice = Literal["left", "right", "cannot judge", ""]
CHOICES: tuple[Choice, ...] = ("left", "right", "cannot judge", "")


@dataclass(frozen=True)
class Response:
    """One filled row. `choice` is "" where `score` answers; `judged_at` is ISO 8601 with its zone, or ""."""

    row: int
    token: str
    choice: Choice
    score: Decimal | None
    confidence: Decimal | None
    note: str
    judged_at: str

    def content(self) -> str:
        """The answer as one text, equal for equal answers however their numbers are spelt."""
        numbers = ["" if n is None else f"{n:f}" for n in (self.score, self.confidence)]
        return "\0".join((self.token, self.choice, *numbers, self.note, self.judged_at))


def responses_of(frame: Frame, log: ErrorLog) -> list[Response]:
    """The rows that answer something; faults go to `log`. Rows left empty are no answers."""
    found = []
    columns = [frame.text(name) for name in RESPONSES.names]
    for row, (token, choice, score, confidence, note, judged_at) in enumerate(zip(*columns, strict=True)):
        known = _choice(choice)
        if known is None:
            what = f"{show(choice)} is no choice"
            log.add(frame.error(row, "choice", what, "Write left, right or cannot judge, or leave it empty"))
            continue
        if known and score:
            what = "there is both a choice and a score"
            log.add(frame.error(row, "score", what, "Give a score, or write cannot judge and no score"))
        elif not known and not score and (confidence or note.strip()):
            column = "confidence" if confidence else "note"
            what = f"there is a {column} but no answer"
            log.add(frame.error(row, column, what, f"Add the answer, or empty {column}"))
        elif known or score:
            _check_rest(frame, row, confidence, note, log)
            found.append(Response(row, token, known, _number(score), _number(confidence), note, judged_at))
    return found


def _choice(cell: str) -> Choice | None:
    """The choice a cell means, however a spreadsheet capitalised it; None when it means none."""
    words = " ".join(cell.casefold().replace("_", " ").split())
    return next((choice for choice in CHOICES if choice == words), None)


def _check_rest(frame: Frame, row: int, confidence: str, note: str, log: ErrorLog) -> None:
    if confidence and Decimal(confidence) < Decimal("0.5"):
        what = f"{show(confidence)} is below 0.5"
        cure = "0.5 is a guess and 1 is certain; if the other side is likelier, choose it"
        log.add(frame.error(row, "confidence", what, cure))
    if len(note) > NOTE_LENGTH:
        what = f"the note has {len(note)} characters"
        log.add(frame.error(row, "note", what, f"Shorten it to at most {NOTE_LENGTH}"))


def _number(cell: str) -> Decimal | None:
    """A share with three decimals, as answers are stored; None for an empty cell."""
    return Decimal(cell).quantize(Decimal("0.001")) if cell else None
