"""How long work tells where it stands: to a job's row (tastebench_site/heartbeat.py) or to a terminal."""

from typing import Protocol, TextIO


class Progress(Protocol):
    """What long work is handed. It names each step and counts through it."""

    def step(self, name: str, total: int = 0) -> None:
        """Begin the step `name` of `total` things; 0 when their number is not known."""

    def advance(self, n: int = 1) -> None:
        """`n` more things of the step are done."""


class PrintProgress:
    """Progress of a management command: a line a step, counting in place when a person is watching."""

    def __init__(self, stream: TextIO) -> None:
        self._stream = stream
        self._watched = stream.isatty()
        self._name = ""
        self._total = 0
        self._done = 0
        self._printed_percent = -1

    def __enter__(self) -> "PrintProgress":
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    def step(self, name: str, total: int = 0) -> None:
        self.close()
        self._name, self._total, self._done, self._printed_percent = name, total, 0, -1
        if self._watched:
            self._stream.write(self._line())
            self._stream.flush()

    def advance(self, n: int = 1) -> None:
        self._done += n
        percent = 100 * self._done // self._total if self._total else self._done
        if self._watched and percent != self._printed_percent:
            self._printed_percent = percent
            self._stream.write("\r" + self._line())
            self._stream.flush()

    def close(self) -> None:
        """End the line of the current step."""
        if self._name:
            self._stream.write(("\r" if self._watched else "") + self._line() + "\n")
        self._name = ""

    def _line(self) -> str:
        if self._total:
            return f"{self._name}: {self._done} of {self._total}"
        return f"{self._name}: {self._done}" if self._done else self._name
