"""Who may open a page. Objects are then looked up through what the user may see."""

from collections.abc import Callable
from functools import wraps
from typing import Concatenate, ParamSpec

from django.contrib.auth.views import redirect_to_login
from django.core.exceptions import PermissionDenied
from django.http import HttpRequest, JsonResponse
from django.http.response import HttpResponseBase
from django.shortcuts import redirect
from django.urls import reverse

from labeling.consent import needs_consent
from labeling.models import Role, User

P = ParamSpec("P")

JUDGES = frozenset({Role.EXPERT, Role.REVIEWER})
"""The roles that are shown items, once their holder has agreed to the consent text."""


class SignedInRequest(HttpRequest):
    """A request whose user is known to be signed in (for the type checker)."""

    user: User


View = Callable[Concatenate[SignedInRequest, P], HttpResponseBase]


def role_required(
    *roles: str, before_consent: bool = False
) -> Callable[[View[P]], Callable[Concatenate[HttpRequest, P], HttpResponseBase]]:
    """Send the signed-out to sign in; refuse (403) accounts that hold none of `roles`.

    A JSON request of a signed-out person is answered 401 with the address to sign in at.
    Who enters as an expert or reviewer alone is asked for consent first: JSON requests get 403 with its
    address. `before_consent` lets them in without.
    """

    def decorate(view: View[P]) -> Callable[Concatenate[HttpRequest, P], HttpResponseBase]:
        @wraps(view)
        def wrapped(request: HttpRequest, /, *args: P.args, **kwargs: P.kwargs) -> HttpResponseBase:
            if not request.user.is_authenticated:
                if _wants_json(request):
                    return JsonResponse({"sign_in_url": reverse("login")}, status=401)
                return redirect_to_login(request.get_full_path())
            if not request.user.has_role(*roles):
                raise PermissionDenied
            enters_as = request.user.role_names & set(roles)
            if not before_consent and enters_as <= JUDGES and needs_consent(request.user):
                if _wants_json(request):
                    return JsonResponse({"consent_url": reverse("consent")}, status=403)
                return redirect("consent")
            return view(request, *args, **kwargs)  # type: ignore[arg-type]

        return wrapped

    return decorate


def _wants_json(request: HttpRequest) -> bool:
    return "application/json" in f"{request.content_type} {request.headers.get('Accept', '')}"
