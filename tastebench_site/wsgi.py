"""What the web server calls: Django, behind a check of what Django decodes before any middleware sees it."""

import codecs
import os
from collections.abc import Iterable
from wsgiref.types import StartResponse, WSGIApplication, WSGIEnvironment

from django.core.wsgi import get_wsgi_application
from django.utils.http import parse_header_parameters

os.environ.setdefault("DJANGO_SETTINGS_MODULE", "tastebench_site.settings")
REFUSED_HEADERS = [
    ("Content-Type", "text/plain; charset=utf-8"),
    ("Content-Security-Policy", "default-src 'none'"),
    ("Cache-Control", "no-store"),
]


class OnlyUtf8:
    """Answers 400 to a request that names another encoding than UTF-8.

    Django would decode its parameters by whatever Python knows under that name, `rot13` and `zlib` among
    them, and fail while the request is being made.
    """

    def __init__(self, inner: WSGIApplication) -> None:
        self._inner = inner

    def __call__(self, environ: WSGIEnvironment, start_response: StartResponse) -> Iterable[bytes]:
        _kind, parameters = parse_header_parameters(environ.get("CONTENT_TYPE", ""))
        try:
            known = codecs.lookup(parameters.get("charset", "utf-8")).name
        except LookupError:  # passed over by Django too
            known = "utf-8"
        if known == "utf-8":
            return self._inner(environ, start_response)
        start_response("400 Bad Request", REFUSED_HEADERS)
        return [b"Send text as UTF-8.\n"]


application = OnlyUtf8(get_wsgi_application())
