"""The one way into the log of who read or exported gold."""

from gold.models import GoldAccess, Release
from labeling.models import Round, User
from labeling.rounds import actor_of


def log_access(
    actor: User | str, what: str, *, release: Release | None = None, round_: Round | None = None
) -> GoldAccess:
    """Note that `actor` (account, or name of a command) read or exported `what`. Call it before serving."""
    return GoldAccess.objects.create(
        actor=actor if isinstance(actor, str) else actor_of(actor),
        release_number=release.number if release else None,
        round_slug=round_.slug if round_ else "",
        what=what[:300],
    )
