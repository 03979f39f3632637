"""Output files of a command: all of them appear, or none does."""

import secrets
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import Literal

import click

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

    Raises click.UsageError before anything is written when a target is an input, another target or a folder,
    or lies in a folder that does not exist.
    """
    _check(targets, inputs)
    parts = {path: path.with_name(f".{path.name}.{secrets.token_hex(4)}.part") for path in targets}
    try:
        yield parts
        for path, part in parts.items():
            part.replace(path)
    except OSError as error:
        # A person knows the file they asked for, not the one beside it.
        asked = {str(part): path for path, part in parts.items()}
        if error.filename is None or str(error.filename) not in asked:
            raise
        raise OSError(error.errno, error.strerror, str(asked[str(error.filename)])) from error
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
        if not path.parent.is_dir():
            raise click.UsageError(f"{path.parent} does not exist; create the folder first.")
        taken[path.resolve()] = "another output of this command"
