"""Kinds of jobs that exist in tests only (tests/settings.py)."""

from pathlib import Path
from typing import Any

from labeling.models import Job
from labeling.progress import Progress
from tests.polling import eventually


class Refused(Exception):
    """An error whose message is for a person."""


def count(job: Job, progress: Progress) -> dict[str, Any]:
    """Count to params["n"]."""
    progress.step("counting", job.params["n"])
    for _ in range(job.params["n"]):
        progress.advance()
    return {"counted": job.params["n"]}


def hold(job: Job, progress: Progress) -> dict[str, Any]:
    """Write a line to params["journal"], then work until the file params["gate"] exists."""
    with Path(job.params["journal"]).open("a", encoding="utf-8") as journal:
        journal.write("begun\n")
    progress.step("holding", 2)
    progress.advance()
    eventually(Path(job.params["gate"]).exists)
    progress.advance()
    return {"held": True}


def refuse(job: Job, progress: Progress) -> dict[str, Any]:
    raise Refused("votes.csv:3: pair_id: unknown pair p9. Import its pair first.")


def break_down(job: Job, progress: Progress) -> dict[str, Any]:
    raise RuntimeError("password=hunter2")
