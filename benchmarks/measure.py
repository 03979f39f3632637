"""Run a command in a process of its own and say how long it took and how much memory it held."""

from __future__ import annotations

import os
import subprocess
import sys
import time
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

ROOT = Path(__file__).resolve().parents[1]


@dataclass(frozen=True)
class Usage:
    """Wall-clock seconds from start to end, CPU seconds over all threads, peak resident memory in bytes."""

    wall: float
    cpu: float
    peak: int

    def __str__(self) -> str:
        return f"{self.wall:6.2f} s wall, {self.cpu:6.2f} s CPU, {self.peak / 1e9:5.2f} GB peak"


def run(arguments: Sequence[str | Path]) -> Usage:
    """Run this Python with `arguments` from the project's folder; raises CalledProcessError when it fails."""
    command = [sys.executable, *map(str, arguments)]
    start = time.perf_counter()
    process = subprocess.Popen(command, cwd=ROOT, stdout=subprocess.DEVNULL)
    _, status, usage = os.wait4(process.pid, 0)
    wall = time.perf_counter() - start
    process.returncode = os.waitstatus_to_exitcode(status)
    if process.returncode:
        raise subprocess.CalledProcessError(process.returncode, command)
    kilobyte = 1 if sys.platform == "darwin" else 1024
    return Usage(wall, usage.ru_utime + usage.ru_stime, usage.ru_maxrss * kilobyte)


def tb(*arguments: str | Path) -> Usage:
    """Run the `tb` command."""
    return run(["-c", "from tastebench_site.cli import main; main()", *arguments])
