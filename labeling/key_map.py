"""The acts that a single key does on the rating screen, and the key each has unless a rater changes it.

static/js/rating/keys.js takes the map from the page; the account page edits what User.keys holds.
"""

from collections.abc import Mapping
from typing import Any

from django.utils.functional import Promise
from django.utils.translation import gettext
from django.utils.translation import gettext_lazy as _

DEFAULTS: Mapping[str, str] = {
    "left": "1",
    "right": "2",
    "undo": "u",
    "skip": "s",
    "note": "n",
    "help": "?",
    "swap": " ",
}
"""Act → key as KeyboardEvent.key says it, letters in lower case."""

LABELS: Mapping[str, str | Promise] = {
    "left": _("Left (or first) is better"),
    "right": _("Right (or second) is better"),
    "undo": _("Undo the answer before"),
    "skip": _("Skip, report, or say that it cannot be judged"),
    "note": _("Write a note; Esc leaves it"),
    "help": _("The list of keys"),
    "swap": _("Hold: swap the two in place"),
}

RESERVED = frozenset("i+-0345678")
"""Keys that no act can be moved to: the rubric, the zoom, and 3 to 8 for how sure one is."""


class BadKey(ValueError):
    """A map that cannot be used; `act` names its field. The message says why and how to mend it."""

    def __init__(self, act: str, message: str) -> None:
        super().__init__(message)
        self.act = act


def checked(wanted: Mapping[str, str]) -> dict[str, str]:
    """What differs from DEFAULTS in `wanted` (act → key, "" = the default), fit to be stored in User.keys.

    Raises BadKey for an unknown act, for more than one character, a reserved key, or one given to two acts.
    """
    for act in wanted:
        if act not in DEFAULTS:
            raise BadKey(act, gettext("There is no act “%s”.") % act)
    keys = {act: wanted.get(act, "") or default for act, default in DEFAULTS.items()}
    taken: dict[str, str] = {}
    for act, typed in keys.items():
        key = keys[act] = typed.lower()
        if len(key) != 1 or not key.isprintable():
            raise BadKey(act, gettext("Give one character, as the key types it."))
        if key in RESERVED:
            raise BadKey(act, gettext("“%s” has a fixed meaning; choose another key.") % key)
        if key in taken:
            raise BadKey(act, gettext("“%s” would do two things; choose another key.") % key)
        taken[key] = act
    return {act: key for act, key in keys.items() if key != DEFAULTS[act]}


def keys_json(enabled: bool, keys: Mapping[str, str]) -> dict[str, Any]:
    """What the rating page is told: {"enabled": bool, "map": {act: key}}, every act with the key it has."""
    return {"enabled": enabled, "map": {act: keys.get(act) or default for act, default in DEFAULTS.items()}}
