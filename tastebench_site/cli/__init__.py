"""`tb`: acts on files, and on a server over HTTP. Needs no database.

A command is a file in this package and a line in `COMMANDS`; it is imported only when it is called, and
imports what is heavy inside its function, so that `tb --help` answers at once.
"""

import importlib

import click

COMMANDS = {
    "gold": "Aggregate judgments into gold and report agreement.",
    "score": "Score a model's predictions against gold.",
    "verify": "Check a release's folder against its digest, and its gold against its events.",
}
"""Command name, which is also its module and function here, and the line `tb --help` shows for it."""


class Refusal(click.ClickException):
    """A command that stopped before it wrote anything. The message says what, where, and how to mend it."""

    exit_code = 2


class Commands(click.Group):
    """Commands by name, imported when called. What a person can mend reaches them without a traceback."""

    def list_commands(self, ctx: click.Context) -> list[str]:  # noqa: ARG002 - click's signature
        """The names, in the order of the work."""
        return list(COMMANDS)

    def get_command(self, ctx: click.Context, cmd_name: str) -> click.Command | None:  # noqa: ARG002
        """Import the command called `cmd_name`; None when there is none."""
        if cmd_name not in COMMANDS:
            return None
        module = importlib.import_module(f"tastebench_site.cli.{cmd_name.replace('-', '_')}")
        command: click.Command = getattr(module, cmd_name.replace("-", "_"))
        return command

    def format_commands(self, ctx: click.Context, formatter: click.HelpFormatter) -> None:  # noqa: ARG002
        """List the commands without importing them."""
        with formatter.section("Commands"):
            formatter.write_dl(list(COMMANDS.items()))

    def invoke(self, ctx: click.Context) -> object:
        """Run the command; what a person can mend ends with exit code 2 and a message."""
        try:
            return super().invoke(ctx)
        except BrokenPipeError:
            raise  # the reader of our output left; click ends quietly
        except OSError as error:
            raise Refusal(f"{error.filename or 'file'}: {error.strerror or error}.") from error
        except Exception as error:
            from labeling.tables import TableErrors

            if isinstance(error, TableErrors):
                raise Refusal(str(error)) from error
            raise


def _version(ctx: click.Context, _option: click.Parameter, wanted: bool) -> None:
    if not wanted or ctx.resilient_parsing:
        return
    from importlib.metadata import PackageNotFoundError, version

    try:
        click.echo(f"tb, version {version('tastebench')}")
    except PackageNotFoundError:
        click.echo("tb, run from a checkout that is not installed")
    ctx.exit()


@click.group(cls=Commands, context_settings={"help_option_names": ["-h", "--help"]})
@click.option(
    "--version", is_flag=True, is_eager=True, expose_value=False, callback=_version, help="Show the version."
)
def main() -> None:
    """Benchmarks of taste on files: gold from judgments, scores of models against gold."""
