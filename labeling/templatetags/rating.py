"""What the rating screen needs to know of its rater."""

from dataclasses import dataclass
from typing import Any

from django import template
from django.utils.functional import Promise
from django.utils.translation import gettext as _

from labeling.key_map import LABELS, keys_json
from labeling.models import User

register = template.Library()


@dataclass(frozen=True)
class RaterKeys:
    """`settings` as static/js/rating/keys.js takes them; `shown`: {act: the name of its key}."""

    settings: dict[str, Any]
    shown: dict[str, str]
    labels: dict[str, str | Promise]


@register.simple_tag
def rater_keys(user: User) -> RaterKeys:
    """The rater's own keys."""
    settings = keys_json(user.keys_enabled, user.keys)
    shown = {act: _("Space") if key == " " else key for act, key in settings["map"].items()}
    return RaterKeys(settings=settings, shown=shown, labels=dict(LABELS))
