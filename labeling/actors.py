"""How logs name who did something, and how pages say it. The stored form is the same in every language."""

import re
from typing import TYPE_CHECKING

from django.utils.translation import gettext as _

if TYPE_CHECKING:
    from labeling.models import User

ERASED = "an erased account"


def actor_of(user: "User | None") -> str:
    """An account by its number, so that erasing the person erases the name; None is an erased one."""
    return f"account {user.pk}" if user is not None else ERASED


def actor_in_words(actor: str) -> str:
    """A stored actor in the reader's language; commands are called what they are called."""
    if actor == ERASED:
        return _("an erased account")
    account = re.fullmatch(r"account (\d+)", actor)
    return _("account %s") % account[1] if account else actor
