"""`python -m tastebench_site.serve`: the web server and a worker on this machine, until Ctrl-C.

For the demo and for trying things out, on loopback only. docs/deployment.md says how to run it for others.
"""

import http.client
import io
import os
import signal
import socket
import subprocess
import sys
import threading
from collections.abc import Sequence
from types import FrameType

import click

HOST = "127.0.0.1"
FIRST_PORT = 8000
GRACE_SECONDS = 10


def web_command(bind: str) -> list[str]:
    return [
        *(sys.executable, "-m", "gunicorn", "tastebench_site.wsgi", "--bind", bind),
        *("--worker-class", "gthread", "--workers", "2", "--threads", "4"),
        # The control socket lies in the home folder, where a second checkout would meet it.
        *("--no-control-socket", "--log-level", "warning"),
    ]


def worker_command(concurrency: int) -> list[str]:
    """Workers need not know of each other: the rows of jobs say who works on what."""
    return [
        # In a container the only user is often root, whom Celery warns at length.
        *(sys.executable, "-W", "ignore:You're running the worker"),
        *("-m", "celery", "--quiet", "-A", "tastebench_site.celery", "worker"),
        *("--pool", "prefork", "--concurrency", str(concurrency), "--without-gossip", "--without-mingle"),
    ]


def listen(wanted: int | None) -> socket.socket:
    """A listening loopback socket at `wanted`, else at 8000 or the next free port.

    Raises click.ClickException when the wanted port is taken.
    """
    for port in [wanted] if wanted else [*range(FIRST_PORT, FIRST_PORT + 20), 0]:
        listener = socket.socket()
        listener.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
        try:
            listener.bind((HOST, port))
            listener.listen(128)
        except OSError:
            listener.close()
            continue
        return listener
    raise click.ClickException(f"Port {wanted} is taken; name another with PORT=8100, or none.")


def prepare(demo: bool) -> str:
    """Bring database and static files up to date; in the demo load its round. Returns what that printed."""
    import django
    from django.core.management import call_command
    from django.db import connections

    django.setup()
    click.echo("Bringing the database up to date …")
    call_command("migrate", interactive=False, verbosity=0)
    call_command("collectstatic", interactive=False, verbosity=0)
    said = io.StringIO()
    if demo:
        click.echo("Loading the demo …")
        call_command("load_demo", stdout=said)
    connections.close_all()
    return said.getvalue()


class Running:
    """Processes that live and end together."""

    def __init__(self) -> None:
        self.stopped = threading.Event()
        self._processes: dict[str, subprocess.Popen[bytes]] = {}
        for number in (signal.SIGINT, signal.SIGTERM, signal.SIGHUP):
            signal.signal(number, self._stop)

    def start(self, name: str, command: Sequence[str], pass_fds: Sequence[int] = ()) -> None:
        # A session of its own: Ctrl-C reaches us alone, and we end each process in good order.
        self._processes[name] = subprocess.Popen(  # noqa: S603  the commands above, nothing a person typed
            command, pass_fds=pass_fds, start_new_session=True
        )

    def ended(self) -> str | None:
        """The name of a process that has ended, if any has."""
        return next((name for name, process in self._processes.items() if process.poll() is not None), None)

    def wait(self) -> str | None:
        """Wait for Ctrl-C (None) or for a process to end by itself (its name)."""
        while not self.stopped.wait(0.2):
            if name := self.ended():
                return name
        return None

    def end(self) -> None:
        """Ask all to end, then insist. A job that is cut off is taken up again at the next start."""
        for process in self._processes.values():
            process.terminate()
        for process in self._processes.values():
            try:
                process.wait(GRACE_SECONDS)
            except subprocess.TimeoutExpired:
                click.echo("A job is still running; it will be taken up again at the next start.")
            try:
                os.killpg(process.pid, signal.SIGKILL)
            except ProcessLookupError:
                continue
            process.wait()

    def _stop(self, _number: int, _frame: FrameType | None) -> None:
        self.stopped.set()


def wait_until_it_answers(running: Running, port: int) -> bool:
    """Whether the web server gave an answer, before it ended or a person asked to stop."""
    while not running.stopped.wait(0.1) and not running.ended():
        connection = http.client.HTTPConnection(HOST, port, timeout=5)
        try:
            connection.request("GET", "/healthz/")
            connection.getresponse()
        except OSError:
            continue
        finally:
            connection.close()
        return True
    return False


@click.command(help=(__doc__ or "").partition("\n")[0])
@click.option("--port", type=int, envvar="PORT", help="Default: 8000, or the next free one.")
@click.option("--demo", is_flag=True, help="With the demo's round and its accounts with published passwords.")
def main(port: int | None, demo: bool) -> None:
    os.environ.setdefault("DJANGO_SETTINGS_MODULE", "tastebench_site.settings")
    # The terminal shows the address and what goes wrong, not every request and job.
    os.environ.setdefault("TB_LOG_LEVEL", "WARNING")
    if demo:
        os.environ["TB_DEMO"] = "1"
    listener = listen(port)
    address = f"http://{HOST}:{listener.getsockname()[1]}/"
    said = prepare(demo)
    running = Running()
    try:
        running.start("web server", web_command(f"fd://{listener.fileno()}"), [listener.fileno()])
        # Only the server holds the socket now: if it ends, the address stops answering.
        port = listener.getsockname()[1]
        listener.close()
        running.start("worker", worker_command(concurrency=2))
        if wait_until_it_answers(running, port):
            click.echo(f"{said}\nTasteBench is at {address} (Ctrl-C ends it)")
        ended = running.wait()
    finally:
        click.echo("\nEnding …")
        running.end()
    if ended:
        raise click.ClickException(f"The {ended} ended by itself, so all was ended. Its lines above say why.")
    click.echo("Ended. The data is kept.")


if __name__ == "__main__":
    main()
