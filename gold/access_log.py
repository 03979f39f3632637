"""The one way into the log of who read or exported gold."""

from gold.models import GoldAccess, Release
from labeling.actors import actor_of
from labeling.models import Round, User


def log_access(
    actor: User | str | None, what: str, *, release: Release | None = None, round_: Round | None = None
) -> GoldAccess:
    """Note that `actor` read or exported `what`, in English. Call it before serving.

    The actor is an account, None for one that was erased, or the name of a command.
    """
    return GoldAccess.objects.create(
        actor=actor if isinstance(actor, str) else actor_of(actor),
        release_number=release.number if release else None,
        round_slug=round_.slug if round_ else "",
        what=what[:300],
    )
