"""A formatted item as a page of its own, for the frame it stands in on the rating screen."""

from csp.constants import NONE, SELF
from csp.decorators import csp_replace
from django.http import Http404, HttpRequest
from django.http.response import HttpResponseBase
from django.shortcuts import render
from django.views.decorators.clickjacking import xframe_options_sameorigin
from django.views.decorators.http import require_safe

from labeling.access import SignedInRequest, role_required
from labeling.models import ItemRendition, Role
from labeling.serving import rendition_of

# The sandbox holds where the page is opened by itself, too. Its pictures stand inside it.
_POLICY = {
    "script-src": [NONE],
    "connect-src": [NONE],
    "font-src": [NONE],
    "frame-src": [NONE],
    "form-action": [NONE],
    "img-src": ["data:"],
    "frame-ancestors": [SELF],
    "sandbox": ["allow-same-origin"],
}


@role_required(Role.EXPERT, Role.REVIEWER)
@require_safe
def frame(request: SignedInRequest, token: str) -> HttpResponseBase:
    """One side's formatted item. No name, no ETag, no Last-Modified, no script."""
    try:
        stored = rendition_of(request.user, token, ItemRendition.Kind.HTML)
    except ItemRendition.DoesNotExist:
        raise Http404 from None
    return framed(request, stored)


def framed(request: HttpRequest, stored: ItemRendition) -> HttpResponseBase:
    """The page of a formatted item, under its own policy. Who may see it is for the caller to know."""

    @xframe_options_sameorigin
    @csp_replace(_POLICY)
    def page(request: HttpRequest) -> HttpResponseBase:
        response = render(request, "labeling/frame.html", {"html": stored.text})
        response["Cache-Control"] = "private, max-age=3600"
        return response

    return page(request)
