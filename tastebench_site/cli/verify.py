"""`tb verify`: is a release's folder what was published?"""

from pathlib import Path

import click

from tastebench_site.cli import Refusal


@click.command()
@click.argument("folder", type=click.Path(exists=True, file_okay=False, path_type=Path))
@click.option(
    "--digest", help="The release's published digest; without it FOLDER is only checked against itself."
)
def verify(folder: Path, digest: str | None) -> None:
    """Check the release in FOLDER: hash every file, and recompute judgments and gold from the events.

    Exit codes: 0 when all agrees, 1 when something differs (each changed, missing or added file is named),
    2 when FOLDER holds no release.
    """
    from gold.release_manifest import MANIFEST, NoManifest, file_facts
    from gold.verification import verify_folder

    try:
        problems = verify_folder(folder, digest)
    except NoManifest as error:
        raise Refusal(str(error)) from error
    for problem in problems:
        click.echo(problem)
    if problems:
        click.echo("This is not the release that was published.", err=True)
        raise SystemExit(1)
    click.echo(f"All files and labels agree. sha256 of {MANIFEST}: {file_facts(folder, MANIFEST).sha256}")
    if digest is None:
        click.echo("Compare it with the digest on the release's page, or give it with --digest.")
