"""All that is kept about one person, for the person."""

from typing import Any

from labeling.actors import actor_of
from labeling.models import AccountAct, Consent, EventKind, JudgmentEvent, Rater, User
from labeling.packet_state import choice_of

OWN_ACTS = (EventKind.VOTE, EventKind.ABSTAIN, EventKind.SKIP, EventKind.UNDO, EventKind.IMPORT)


def data_of(user: User) -> dict[str, Any]:
    """Account, consents, log and answers, as JSON can hold them.

    Answers are told as the rater saw them, by side: which item stood there would end the blindness.
    """
    rater = Rater.objects.filter(user=user).first()
    return {
        "account": {
            "number": user.pk,
            "sign_in_name": user.username,
            "name": user.full_name,
            "mail_address": user.email,
            "made_at": user.created_at,
            "last_sign_in": user.last_login,
            "theme": user.theme,
            "time_zone": user.time_zone,
            "single_keys": user.keys_enabled,
            "changed_keys": user.keys,
        },
        "roles": sorted(user.role_names),
        "pseudonym": rater.pseudonym if rater else None,
        "consents": list(
            Consent.objects.filter(user=user).order_by("given_at").values("text__version", "given_at")
        ),
        "log": list(
            AccountAct.objects.filter(subject=actor_of(user)).order_by("pk").values("at", "act", "detail")
        ),
        "answers": _answers(rater) if rater else [],
    }


def _answers(rater: Rater) -> list[dict[str, Any]]:
    """Every act of the rater, replaced ones too, in the order in which they came."""
    events = JudgmentEvent.objects.filter(rater=rater, kind__in=OWN_ACTS)
    return [
        {
            "event_id": event.event_id,
            "replaces": event.replaces_id,
            "round": event.round.name,
            "place": event.showing.position if event.showing else None,
            "kind": event.kind,
            "choice": (event.shown_left_id and choice_of(event)) or None,
            "score": event.score,
            "confidence": event.confidence,
            "note": event.note,
            "reason": event.reason,
            "judged_at": event.judged_at,
            "received_at": event.received_at,
            "response_ms": event.response_ms,
            "layout": event.layout,
        }
        for event in events.select_related("round", "showing").order_by("received_at", "event_id")
    ]
