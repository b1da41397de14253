"""``wireloom generate``: specs to code."""

from __future__ import annotations

from pathlib import Path

import click

from ..errors import WireloomError

SPECS, GENERATED = Path("specs"), Path("generated")
DIFFERS = 1


@click.command("generate", short_help="Specs to code; --check only compares.")
@click.argument("specs", metavar="[SPEC]...", nargs=-1, type=click.Path(path_type=Path))
@click.option("-o", "--output", metavar="DIR", type=click.Path(path_type=Path), help="Folder to write [generated].")
@click.option("--check", is_flag=True, help="Write nothing; exit code 1 and a diff where the folder differs.")
@click.pass_context
def command(context: click.Context, specs: tuple[Path, ...], output: Path | None, check: bool) -> None:
    """Generates a package for each SPEC; by default for all of specs/.

    The folder then holds what the specs say and nothing else: generated files that no spec accounts for are removed.
    With the default folder, the specs of specs/ always count.
    """
    from wireloom.codegen.emit import generate

    changes = generate(_specs(specs, output), output or GENERATED, check=check)
    if not check:
        for path in changes.written:
            click.echo(f"wrote {(output or GENERATED) / path}")
        for path in changes.removed:
            click.echo(f"removed {(output or GENERATED) / path}")
        for path in changes.foreign:
            click.echo(f"wireloom: {(output or GENERATED) / path} was not generated and is left alone", err=True)
        if not changes.written and not changes.removed:
            click.echo(f"nothing to do: {len(changes.unchanged)} files are up to date")
        return
    if not changes.clean:
        click.echo(changes.diff, nl=False)
        for path in (*changes.removed, *changes.foreign):
            click.echo(f"wireloom: {(output or GENERATED) / path} belongs to no spec", err=True)
        click.echo("wireloom: the generated code differs from the specs: run 'wireloom generate'", err=True)
        context.exit(DIFFERS)


def _specs(given: tuple[Path, ...], output: Path | None) -> list[Path]:
    missing = next((each for each in given if not each.is_file()), None)
    if missing is not None:
        raise WireloomError("no such spec file", path=str(missing))
    standing = sorted(SPECS.glob("*.ksy")) if output is None or not given else []
    known = {each.resolve() for each in standing}
    found = [*standing, *(each for each in given if each.resolve() not in known)]
    if not found:
        raise WireloomError("no specs here: run this in a folder with specs/, or name the spec files")
    return found
