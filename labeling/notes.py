"""Notes and confidences stay inside until an admin has read and released them."""

from collections.abc import Iterable

from django.db import transaction
from django.db.models import Q, QuerySet

from labeling.models import JudgmentEvent, NoteReview, Round


def notes_of(round_: Round) -> QuerySet[JudgmentEvent]:
    """Answers of the round that hold now and carry a note or a confidence, by pair and rater."""
    told = JudgmentEvent.objects.answers().filter(~Q(note="") | Q(confidence__isnull=False), round=round_)
    related = told.select_related("rater", "pair", "item", "note_review")
    return related.order_by("pair__pair_id", "item__item_id", "rater__pseudonym", "event_id")


def unread(round_: Round) -> QuerySet[JudgmentEvent]:
    """Of these, the ones that nobody has decided on."""
    return notes_of(round_).filter(note_review__isnull=True)


def confidences_alone(round_: Round) -> QuerySet[JudgmentEvent]:
    """Undecided answers with a confidence and without a note: there is nothing to read in them."""
    return unread(round_).filter(note="")


@transaction.atomic
def review(events: Iterable[JudgmentEvent], *, release: bool, actor: str) -> int:
    """Release the notes and confidences of `events`, or keep them inside; how many. Can be decided anew."""
    reviews = [NoteReview(event=event, is_released=release, actor=actor) for event in events]
    NoteReview.objects.bulk_create(
        reviews,
        update_conflicts=True,
        unique_fields=["event"],
        update_fields=["is_released", "actor", "at"],
        batch_size=500,
    )
    return len(reviews)
