"""The places a person can go, by role."""

from dataclasses import dataclass

from django.http import HttpRequest
from django.urls import reverse
from django.utils.functional import Promise
from django.utils.translation import gettext_lazy as _

from labeling.models import Role, User


@dataclass(frozen=True)
class Place:
    url: str
    label: str | Promise
    current: bool


PLACES = [
    ("home", _("Home"), frozenset(Role.values)),
    ("rounds", _("Rounds"), frozenset({Role.ADMIN})),
    ("tables", _("Tables"), frozenset({Role.ADMIN})),
    ("people", _("People"), frozenset({Role.ADMIN})),
    ("releases", _("Releases"), frozenset({Role.ADMIN, Role.RESEARCHER})),
    ("submissions", _("Submissions"), frozenset({Role.ADMIN, Role.RESEARCHER})),
    ("jobs", _("Jobs"), frozenset({Role.ADMIN})),
    ("gold_access", _("Gold access"), frozenset({Role.ADMIN})),
]


def navigation(request: HttpRequest) -> dict[str, object]:
    """Context for the base template: `nav`, `product_name`."""
    user = getattr(request, "user", None)
    if not isinstance(user, User):
        return {"nav": [], "product_name": "TasteBench"}
    nav = []
    for name, label, roles in PLACES:
        if user.has_role(*roles):
            url = reverse(name)
            here = request.path == url if name == "home" else request.path.startswith(url)
            nav.append(Place(url=url, label=label, current=here))
    return {"nav": nav, "product_name": "TasteBench"}
