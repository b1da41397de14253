"""``wireloom check``: what is to be said about specs."""

from __future__ import annotations

from pathlib import Path

import click

REFUSED = 1


@click.command("check", short_help="Checks specs: diagnostics, and what the engine can run.")
@click.argument("specs", metavar="SPEC...", nargs=-1, required=True, type=click.Path(path_type=Path))
@click.pass_context
def command(context: click.Context, specs: tuple[Path, ...]) -> None:
    """Compiles each SPEC without writing anything.

    Errors and warnings are printed as FILE:LINE:COLUMN: SEVERITY: TEXT. For a spec without errors a line says whether
    the engine reads its rows or the object parser does, and why. The exit code is 1 where a spec has errors.
    """
    refused = False
    for path in specs:
        refused |= not _checked(path)
    if refused:
        context.exit(REFUSED)


def _checked(path: Path) -> bool:
    from wireloom.codegen.backends.columns.lower import compile_program
    from wireloom.codegen.backends.columns.table import table_columns
    from wireloom.codegen.model.load import analyse

    from ..errors import SpecError, WireloomError

    try:
        result = analyse(path)
    except OSError as error:
        raise WireloomError(f"cannot be read: {error.strerror}", path=str(path)) from error
    for diagnostic in result.diagnostics:
        click.echo(str(diagnostic))
    spec = result.spec
    if spec is None:
        return False
    if spec.rows is None:
        click.echo(f"{path}: {spec.name}: no rows are declared, so it is read as objects and not as a table")
        return True
    try:
        _, refusal = compile_program(spec, spec.rows, table_columns(spec, spec.rows))
    except SpecError as error:
        click.echo(str(error))
        return False
    runs = "the engine reads its rows" if refusal is None else f"the object parser reads its rows: {refusal}"
    click.echo(f"{path}: {spec.name}: {runs}")
    return True
