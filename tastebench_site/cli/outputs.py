"""Output files of a command: all of them appear, or none does."""

import secrets
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import Literal

import click

from tastebench_site.cli import Refusal

TableFormat = Literal["csv", "parquet"]


def table_format(path: Path) -> TableFormat:
    """What a table is written as, by the file's ending. Raises click.UsageError for any other."""
    endings: dict[str, TableFormat] = {".csv": "csv", ".parquet": "parquet"}
    ending = endings.get(path.suffix.lower())
    if ending is None:
        raise click.UsageError(f"{path}: a table ends in .csv or .parquet, so that its format is known.")
    return ending


@contextmanager
def together(targets: Sequence[Path], inputs: Sequence[Path]) -> Iterator[dict[Path, Path]]:
    """Give for each target a path beside it to write to; take all of them in place when the block succeeds.

    A target that is a link stays one: the file it leads to is replaced. Raises click.UsageError before
    anything is written when a target is an input, another target, a folder or a device, or lies in a folder
    that does not exist; Refusal, naming the target, when it cannot be written.
    """
    _check(targets, inputs)
    places = {path: path.resolve() for path in targets}
    parts = {
        path: place.with_name(f".{place.name}.{secrets.token_hex(4)}.part") for path, place in places.items()
    }
    try:
        yield parts
        for path, part in parts.items():
            part.replace(places[path])
    except OSError as error:
        # A person knows the file they asked for, not what a writer makes beside it.
        written = Path(error.filename or "").name
        asked = next((path for path, part in parts.items() if part.name in written), None)
        if asked is None:
            raise
        raise Refusal(
            f"{asked} cannot be written: {error.strerror}. Name a file in a folder with room that you may "
            "write to; nothing was written."
        ) from error
    finally:
        for part in parts.values():
            part.unlink(missing_ok=True)


def _check(targets: Sequence[Path], inputs: Sequence[Path]) -> None:
    taken = {path.resolve(): "an input of this command" for path in inputs}
    for path in targets:
        if path.resolve() in taken:
            raise click.UsageError(f"{path} is {taken[path.resolve()]}; write to another file.")
        if path.is_dir():
            raise click.UsageError(f"{path} is a folder; name a file in it.")
        if path.exists() and not path.is_file():
            # Putting a file in its place would take a device such as /dev/null away from everybody.
            raise click.UsageError(f"{path} is a device or pipe; results are written to files, so name one.")
        if str(path) == "-":
            raise click.UsageError("Results are not written to standard output; name a file.")
        if not path.parent.is_dir():
            raise click.UsageError(f"{path.parent} does not exist; create the folder first.")
        taken[path.resolve()] = "another output of this command"
