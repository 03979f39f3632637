"""What holds for every request and every answer of the product."""

from collections.abc import Callable
from zoneinfo import ZoneInfo, ZoneInfoNotFoundError

from django.conf import settings
from django.http import Http404, HttpRequest, HttpResponse
from django.shortcuts import render
from django.utils import timezone


class NoStoreMiddleware:
    """Answers made for one signed-in person are kept by no cache, unless a view says otherwise."""

    def __init__(self, get_response: Callable[[HttpRequest], HttpResponse]) -> None:
        self.get_response = get_response

    def __call__(self, request: HttpRequest) -> HttpResponse:
        response = self.get_response(request)
        response.headers.setdefault("Cache-Control", "no-store")
        response.headers.setdefault("Cross-Origin-Resource-Policy", "same-origin")
        return response


class TimeZoneMiddleware:
    """Times are shown and read in the zone that the person chose, else in the server's."""

    def __init__(self, get_response: Callable[[HttpRequest], HttpResponse]) -> None:
        self.get_response = get_response

    def __call__(self, request: HttpRequest) -> HttpResponse:
        zone = getattr(request.user, "time_zone", "")
        try:
            timezone.activate(ZoneInfo(zone) if zone else timezone.get_default_timezone())
        except ZoneInfoNotFoundError:  # chosen on a system that knew it
            timezone.deactivate()
        try:
            return self.get_response(request)
        finally:
            timezone.deactivate()


class NoNulMiddleware:
    """404 for a path with a NUL: it is in no stored text, and PostgreSQL refuses even to look for it."""

    def __init__(self, get_response: Callable[[HttpRequest], HttpResponse]) -> None:
        self.get_response = get_response

    def __call__(self, request: HttpRequest) -> HttpResponse:
        if "\0" in request.path_info:
            raise Http404
        return self.get_response(request)


class UploadLimitMiddleware:
    """413 for an upload larger than UPLOAD_MAX_BYTES, before a byte of it is read or stored."""

    def __init__(self, get_response: Callable[[HttpRequest], HttpResponse]) -> None:
        self.get_response = get_response

    def __call__(self, request: HttpRequest) -> HttpResponse:
        length = request.headers.get("Content-Length", "")
        is_upload = request.content_type == "multipart/form-data" and length.isdecimal()
        # Twenty digits are more than enough to be too many, and Python reads no number of thousands of them.
        if is_upload and int(length[:20]) > settings.UPLOAD_MAX_BYTES:
            return render(request, "413.html", {"limit": settings.UPLOAD_MAX_BYTES}, status=413)
        return self.get_response(request)
