"""A bad connection: an HTTP proxy on loopback that drops, delays, doubles and fails answers, from a seed.

Everything but POSTs of events goes through untouched, so that what a test sees is about the events alone.
"""

import http.client
import random
import threading
import time
from collections import Counter
from collections.abc import Iterator
from contextlib import contextmanager
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any

LONGEST_DELAY = 0.15  # seconds
_OURS = {"connection", "transfer-encoding", "keep-alive"}

FATES = {
    "pass": 10,
    "lost": 2,  # the request never arrives
    "unheard": 2,  # it arrives, its answer never does
    "late": 2,
    "doubled": 2,  # it arrives twice, one after the other
    "again_later": 2,  # it arrives again when later ones have
    "failed": 2,  # 500 without arriving
    "failed_after": 2,  # it arrives, the answer becomes a 500
}
"""What may happen to an event, and how often beside the others."""


class BadConnection(ThreadingHTTPServer):
    """Forwards to `target` ("host:port"); `fates` counts what happened. `healthy` lets everything through."""

    daemon_threads = True

    def __init__(self, target: str, seed: int) -> None:
        super().__init__(("127.0.0.1", 0), _Handler)
        self.target = target
        self.fates: Counter[str] = Counter()
        self.healthy = False
        self._random = random.Random(seed)
        self._lock = threading.Lock()
        self._kept: list[tuple[str, dict[str, str], bytes]] = []

    @property
    def url(self) -> str:
        return f"http://127.0.0.1:{self.server_address[1]}"

    def fate(self) -> tuple[str, float]:
        """What happens to the next event, and a delay in seconds for those that wait."""
        with self._lock:
            drawn = self._random.choices(list(FATES), list(FATES.values()))[0]
            delay = self._random.uniform(0.02, LONGEST_DELAY)
            fate = "pass" if self.healthy else drawn
            self.fates[fate] += 1
            return fate, delay

    def keep(self, path: str, headers: dict[str, str], body: bytes) -> None:
        with self._lock:
            self._kept.append((path, headers, body))

    def send_kept(self) -> None:
        """What was kept to be sent again arrives now."""
        with self._lock:
            kept, self._kept = self._kept, []
        for path, headers, body in kept:
            self.forward("POST", path, headers, body)

    def forward(self, method: str, path: str, headers: dict[str, str], body: bytes) -> "Forwarded":
        upstream = http.client.HTTPConnection(self.target, timeout=30)
        try:
            upstream.request(method, path, body=body or None, headers=headers)
            response = upstream.getresponse()
            return response.status, response.getheaders(), response.read()
        finally:
            upstream.close()


Forwarded = tuple[int, list[tuple[str, str]], bytes]


class _Handler(BaseHTTPRequestHandler):
    protocol_version = "HTTP/1.1"
    server: BadConnection

    def do_GET(self) -> None:
        self._answer(self._forward("GET", b""))

    def do_POST(self) -> None:
        body = self.rfile.read(int(self.headers.get("Content-Length", 0)))
        if not self.path.endswith("/events/"):
            self._answer(self._forward("POST", body))
            return
        self.server.send_kept()
        fate, delay = self.server.fate()
        if fate == "late":
            time.sleep(delay)
        if fate == "again_later":
            self.server.keep(self.path, self._sent_headers(), body)
        if fate in {"lost", "failed"}:
            self._break(fate == "failed")
            return
        answer = self._forward("POST", body)
        if fate == "doubled":
            answer = self._forward("POST", body)
        if fate in {"unheard", "failed_after"}:
            self._break(fate == "failed_after")
            return
        self._answer(answer)

    def _sent_headers(self) -> dict[str, str]:
        return {name: value for name, value in self.headers.items() if name.lower() not in _OURS}

    def _forward(self, method: str, body: bytes) -> Forwarded:
        return self.server.forward(method, self.path, self._sent_headers(), body)

    def _answer(self, answer: Forwarded) -> None:
        status, headers, body = answer
        self.send_response_only(status)
        for name, value in headers:
            if name.lower() not in _OURS | {"content-length"}:
                self.send_header(name, value)
        self.send_header("Content-Length", str(len(body)))
        self.end_headers()
        try:
            self.wfile.write(body)
        except ConnectionError:
            self.close_connection = True  # the tab was closed meanwhile

    def _break(self, says_so: bool) -> None:
        if says_so:
            self._answer((500, [("Content-Type", "text/html")], b"<h1>Server error</h1>"))
        else:
            self.close_connection = True

    def log_message(self, *_: Any) -> None:
        """The test says what matters."""


@contextmanager
def bad_connection(target: str, seed: int) -> Iterator[BadConnection]:
    """A proxy to `target`, serving while the block runs."""
    with BadConnection(target, seed) as proxy:
        thread = threading.Thread(target=proxy.serve_forever, daemon=True)
        thread.start()
        try:
            yield proxy
        finally:
            proxy.shutdown()
            thread.join()
