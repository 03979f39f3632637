"""Who may open a page. Objects are then looked up through what the user may see."""

from collections.abc import Callable
from functools import wraps
from typing import Concatenate, ParamSpec

from django.contrib.auth.views import redirect_to_login
from django.core.exceptions import PermissionDenied
from django.http import HttpRequest, JsonResponse
from django.http.response import HttpResponseBase
from django.urls import reverse

from labeling.models import User

P = ParamSpec("P")


class SignedInRequest(HttpRequest):
    """A request whose user is known to be signed in (for the type checker)."""

    user: User


View = Callable[Concatenate[SignedInRequest, P], HttpResponseBase]


def role_required(
    *roles: str,
) -> Callable[[View[P]], Callable[Concatenate[HttpRequest, P], HttpResponseBase]]:
    """Send the signed-out to sign in; refuse (403) accounts that hold none of `roles`.

    A JSON request of a signed-out person is answered 401 with the address to sign in at.
    """

    def decorate(view: View[P]) -> Callable[Concatenate[HttpRequest, P], HttpResponseBase]:
        @wraps(view)
        def wrapped(request: HttpRequest, /, *args: P.args, **kwargs: P.kwargs) -> HttpResponseBase:
            if not request.user.is_authenticated:
                wanted = f"{request.content_type} {request.headers.get('Accept', '')}"
                if "application/json" in wanted:
                    return JsonResponse({"sign_in_url": reverse("login")}, status=401)
                return redirect_to_login(request.get_full_path())
            if not request.user.has_role(*roles):
                raise PermissionDenied
            return view(request, *args, **kwargs)  # type: ignore[arg-type]

        return wrapped

    return decorate
