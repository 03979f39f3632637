"""Real server processes under load: killed in the middle, and asked by many raters at once."""

import http.client
import json
import os
import signal
import socket
import subprocess
import threading
import uuid
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import closing
from dataclasses import dataclass, field
from functools import partial

import pytest
from django.conf import settings
from django.db import connection

from labeling.models import JudgmentEvent, Packet
from tastebench_site.serve import HOST, web_command
from tests import workers
from tests.factories import client_of, opened_round, showings_of
from tests.polling import eventually

pytestmark = [pytest.mark.jobs, pytest.mark.django_db(transaction=True)]

CSRF = "c" * 32


class WebServer:
    """gunicorn as in production (two processes of four threads), on the database and files of the tests."""

    def __init__(self) -> None:
        with closing(socket.socket()) as free:
            free.bind((HOST, 0))
            self.port = free.getsockname()[1]
        self.start()

    def start(self) -> None:
        shared = {
            "DJANGO_SETTINGS_MODULE": "tests.settings",
            "TB_TEST_VAR_DIR": str(settings.VAR_DIR),
            "TB_TEST_DATABASE_URL": workers.database_url(),
            "TB_LOG_LEVEL": "WARNING",
        }
        self.process = subprocess.Popen(
            web_command(f"{HOST}:{self.port}"),
            env=os.environ | shared,
            start_new_session=True,
            cwd=settings.BASE_DIR,
        )
        eventually(self._answers)

    def kill(self) -> None:
        """`kill -9` for all of its processes."""
        os.killpg(self.process.pid, signal.SIGKILL)
        self.process.wait()

    def _answers(self) -> bool:
        try:
            return self.ask("GET", "/healthz/")[0] == 200
        except OSError:
            return False

    def ask(self, method: str, path: str, body: str = "", session: str = "") -> tuple[int, bytes]:
        """(status, body). Raises OSError or HTTPException when no whole answer comes."""
        headers = {
            "Content-Type": "application/json",
            "Accept": "application/json",
            "X-CSRFToken": CSRF,
            "Cookie": f"sessionid={session}; csrftoken={CSRF}",
        }
        with closing(http.client.HTTPConnection(HOST, self.port, timeout=60)) as asked:
            asked.request(method, path, body, headers)
            response = asked.getresponse()
            return response.status, response.read()


@pytest.fixture
def server(transactional_db) -> Iterator[WebServer]:
    server = WebServer()
    yield server
    server.kill()


@dataclass
class Rater:
    """One rater's browser: answers each showing of the packet under an id of its own, until it is told."""

    session: str
    tokens: list[str]
    ids: list[str] = field(default_factory=list)
    acknowledged: list[str] = field(default_factory=list)
    statuses: list[int] = field(default_factory=list)

    @classmethod
    def of(cls, packet: Packet) -> "Rater":
        session = client_of(packet.rater).cookies["sessionid"].value
        tokens = [showing.token for showing in showings_of(packet)]
        return cls(session, tokens, [str(uuid.uuid4()) for _ in tokens])

    def answer(self, server: WebServer, at: int) -> bool:
        """Whether the server said that the answer is stored."""
        event = {"event_id": self.ids[at], "kind": "vote", "choice": "left"}
        path = f"/showings/{self.tokens[at]}/events/"
        try:
            status, _ = server.ask("POST", path, json.dumps(event), self.session)
        except (OSError, http.client.HTTPException):
            return False
        self.statuses.append(status)
        if status in {200, 201}:
            self.acknowledged.append(self.ids[at])
        return status in {200, 201}


def raters(n: int, pairs: int) -> list[Rater]:
    round_ = opened_round(pairs=pairs, raters=n)
    return [Rater.of(packet) for packet in Packet.objects.filter(round=round_).select_related("rater__user")]


def has_acknowledged(people: list[Rater], n: float) -> bool:
    return sum(len(person.acknowledged) for person in people) >= n


def stored_ids() -> list[str]:
    return sorted(str(event_id) for event_id in JudgmentEvent.objects.values_list("event_id", flat=True))


def test_an_answer_that_was_acknowledged_is_there_once_after_kill_9(server):
    people = raters(8, pairs=12)
    total = sum(len(person.tokens) for person in people)
    up = threading.Event()
    up.set()

    def rate(person: Rater) -> None:
        for at in range(len(person.tokens)):
            while not person.answer(server, at):
                assert up.wait(60)

    with ThreadPoolExecutor(len(people)) as pool:
        ends = [pool.submit(rate, person) for person in people]
        for share in (0.2, 0.6):
            eventually(partial(has_acknowledged, people, share * total))
            up.clear()
            acknowledged = [event_id for person in people for event_id in person.acknowledged]
            server.kill()
            assert set(acknowledged) <= set(stored_ids())
            server.start()
            up.set()
        for end in ends:
            end.result()
    assert stored_ids() == sorted(event_id for person in people for event_id in person.ids)
    assert {status for person in people for status in person.statuses} <= {200, 201}


def test_thirty_two_raters_at_once_lose_nothing_double_nothing_and_see_no_error(server):
    people = raters(32, pairs=10)
    connection.close()

    def rate(person: Rater) -> None:
        for at in range(len(person.tokens)):
            person.answer(server, at)
            # As after an answer that did not come through.
            person.answer(server, at)

    with ThreadPoolExecutor(len(people)) as pool:
        for end in [pool.submit(rate, person) for person in people]:
            end.result()
    for person in people:
        assert person.statuses == len(person.tokens) * [201, 200]
    assert stored_ids() == sorted(event_id for person in people for event_id in person.ids)
