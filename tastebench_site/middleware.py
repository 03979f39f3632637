"""What holds for every request and every answer of the product."""

from collections.abc import Callable

from django.http import Http404, HttpRequest, HttpResponse


class NoStoreMiddleware:
    """Answers made for one signed-in person are kept by no cache, unless a view says otherwise."""

    def __init__(self, get_response: Callable[[HttpRequest], HttpResponse]) -> None:
        self.get_response = get_response

    def __call__(self, request: HttpRequest) -> HttpResponse:
        response = self.get_response(request)
        response.headers.setdefault("Cache-Control", "no-store")
        response.headers.setdefault("Cross-Origin-Resource-Policy", "same-origin")
        return response


class NoNulMiddleware:
    """404 for a path with a NUL: it is in no stored text, and PostgreSQL refuses even to look for it."""

    def __init__(self, get_response: Callable[[HttpRequest], HttpResponse]) -> None:
        self.get_response = get_response

    def __call__(self, request: HttpRequest) -> HttpResponse:
        if "\0" in request.path_info:
            raise Http404
        return self.get_response(request)
