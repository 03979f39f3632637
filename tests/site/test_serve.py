import http.client
import os
import re
import signal
import socket
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import click
import pytest

from tastebench_site import serve
from tests.polling import eventually

ROOT = Path(__file__).resolve().parents[2]


@pytest.fixture
def taken() -> Iterator[int]:
    """A port that somebody listens on."""
    with socket.socket() as other:
        other.bind((serve.HOST, 0))
        other.listen()
        yield other.getsockname()[1]


@pytest.fixture
def running(monkeypatch) -> Iterator[serve.Running]:
    monkeypatch.setattr(signal, "signal", lambda *_: None)
    running = serve.Running()
    yield running
    running.end()


def python(code: str) -> list[str]:
    return [sys.executable, "-c", code]


def test_a_port_asked_for_that_is_taken_is_refused(taken):
    with pytest.raises(click.ClickException, match=f"Port {taken} is taken"):
        serve.listen(taken)


def test_without_a_wish_a_free_loopback_port_is_found(taken, monkeypatch):
    monkeypatch.setattr(serve, "FIRST_PORT", taken)
    with serve.listen(None) as listener:
        host, port = listener.getsockname()
    assert host == "127.0.0.1"
    assert port != taken


def test_when_one_process_ends_by_itself_it_is_named(running):
    running.start("web server", python("import time; time.sleep(600)"))
    running.start("worker", python("pass"))
    assert running.wait() == "worker"


def test_ending_ends_a_process_that_does_not_listen(running, tmp_path, monkeypatch):
    monkeypatch.setattr(serve, "GRACE_SECONDS", 0.1)
    deaf = f"""
import pathlib, signal, time
signal.signal(signal.SIGTERM, signal.SIG_IGN)
pathlib.Path({str(tmp_path / "deaf")!r}).touch()
time.sleep(600)
"""
    running.start("worker", python(deaf))
    eventually((tmp_path / "deaf").exists)
    running.end()
    assert running.ended() == "worker"


@pytest.fixture
def demo(tmp_path) -> Iterator[subprocess.Popen[str]]:
    """`make run` on a machine that has never seen TasteBench. What goes wrong is in tmp_path / "log"."""
    clean = {name: os.environ[name] for name in ("PATH", "HOME", "LANG") if name in os.environ}
    with (
        (tmp_path / "log").open("wb") as log,
        subprocess.Popen(
            [sys.executable, "-m", "tastebench_site.serve", "--demo"],
            env=clean | {"TB_VAR_DIR": str(tmp_path / "var"), "PYTHONUNBUFFERED": "1"},
            cwd=ROOT,
            stdout=subprocess.PIPE,
            stderr=log,
            text=True,
        ) as process,
    ):
        yield process
        # Asked, not killed: its own processes end with it.
        process.terminate()


@pytest.mark.jobs
def test_the_demo_comes_up_from_nothing_answers_and_ends_with_its_server(demo, tmp_path):
    said = ""
    while not (address := re.search(r"TasteBench is at http://127\.0\.0\.1:(\d+)/", said)):
        line = demo.stdout.readline()
        assert line, f"ended early: {said}{(tmp_path / 'log').read_text()}"
        said += line
    assert "demo-expert-1" in said
    port = int(address[1])
    browser = http.client.HTTPConnection("127.0.0.1", port, timeout=60)
    browser.request("GET", "/sign-in/")
    assert browser.getresponse().status == 200
    browser.close()
    demo.send_signal(signal.SIGINT)
    rest, _ = demo.communicate(timeout=60)
    assert demo.returncode == 0
    assert "The data is kept" in rest
    with pytest.raises(ConnectionRefusedError):
        socket.create_connection(("127.0.0.1", port), timeout=10)
