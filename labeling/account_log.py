"""The one way into the log of accounts."""

from labeling.actors import actor_of
from labeling.models import AccountAct, Act, User


def log_act(actor: User | str, act: Act, *, subject: User | None = None, detail: str = "") -> AccountAct:
    """Note that `actor`, an account or the name of a command, did `act` to `subject`; detail in English."""
    return AccountAct.objects.create(
        actor=actor if isinstance(actor, str) else actor_of(actor),
        subject=actor_of(subject) if subject is not None else "",
        act=act,
        detail=detail[:300],
    )
