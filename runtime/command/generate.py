"""``wireloom generate``: generates code from specs."""

from __future__ import annotations

import json
import os
import sys
from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING

import click

from ..base.errors import SpecError, WireloomError
from ..base.text import printable
from ..format.registry import missing_spec
from . import shell_completion
from .parameters import allow_option, import_option
from .standard import UNUSABLE, wants_colours

if TYPE_CHECKING:
    from wireloom.codegen.emit import Changes
    from wireloom.codegen.project import Project

DIFFERS = 1
NOTES = 5
"""Maximum number of notes that are printed individually."""


@click.command("generate", short_help="Generate code from specs; --check only compares.")
@click.argument(
    "specs",
    metavar="[SPEC]...",
    nargs=-1,
    type=click.Path(path_type=Path),
    shell_complete=shell_completion.files,
)
@click.option(
    "-o",
    "--output",
    metavar="DIR",
    type=click.Path(path_type=Path),
    shell_complete=shell_completion.folders,
    help="Folder to write [generated].",
)
@click.option("--package", metavar="NAME", help="The package name of that folder in Python [wireloom.formats].")
@click.option("--kaitai", is_flag=True, help="Generate a module per SPEC with the API of Kaitai's own compiler.")
@click.option("--read-write", is_flag=True, help="With --kaitai: classes of its read-write mode.")
@click.option(
    "--strict-writing",
    is_flag=True,
    help="With --read-write: values that cannot be derived and must be assigned are errors instead of notes.",
)
@import_option
@click.option("--check", is_flag=True, help="Write nothing; print a diff and exit with code 1 if the folder differs.")
@click.option("--json", "as_json", is_flag=True, help="Print what was, or would be, written and removed as JSON.")
@allow_option
@click.pass_context
def command(
    context: click.Context,
    specs: tuple[Path, ...],
    output: Path | None,
    package: str | None,
    kaitai: bool,
    read_write: bool,
    strict_writing: bool,
    import_paths: tuple[Path, ...],
    check: bool,
    as_json: bool,
    allow_modules: tuple[str, ...],
) -> None:
    """Generate a package for each SPEC; by default for all of specs/.

    Afterwards the folder contains only the code of the specs: generated files without a spec are removed. With the
    default folder, the specs in specs/ are always included. A project with another layout defines it in the table
    [tool.wireloom] of its pyproject.toml: specs, output, package, discovery, and allow-modules, a list of values of
    --allow-module. That file is looked up in the current folder and its parents. Paths are shown relative to the
    current folder.

    With --kaitai, each SPEC and its imports become modules in DIR, named by their ids, with classes like those that
    Kaitai's own compiler generates; nothing else in DIR is changed. --package is then the package from which the
    modules import each other ("." for the package that contains them, whatever its name); without it DIR may be a
    package or on Python's path. If a SPEC is refused, the others are still generated; the exit code is 2. The modules
    import the routines that a SPEC references, as Kaitai's do; "wireloom check" names them.

    Writers compute sizes, counts and positions. An integer in one of these that cannot be computed has to be given,
    which the spec declares with "-wireloom: {given: true}". Without that, objects that need it can only be read. A
    note names each table and each type of objects that can only be read; if there are more than five notes, only
    their number is printed, and "wireloom check" shows them. With --kaitai the note is about the integer, which has
    to be assigned; --strict-writing makes it an error.
    """
    if strict_writing and not (kaitai and read_write):
        raise click.UsageError("--strict-writing requires --kaitai --read-write", context)
    if kaitai:
        context.exit(_kaitai(specs, output, package, read_write, strict_writing, import_paths, check, as_json))
    if read_write:
        raise click.UsageError("--read-write requires --kaitai", context)
    from wireloom.codegen.backends.base import Target
    from wireloom.codegen.emit import generate
    from wireloom.codegen.project import enclosing_project

    project = enclosing_project(Path())
    folder = output or project.output
    own = os.path.abspath(folder) == os.path.abspath(project.output)
    target = project.target if own else Target()
    changes = generate(
        _specs(specs, project, output),
        folder,
        check=check,
        target=Target(package, target.specs, target.discovery) if package else target,
        discovery_dir=project.discovery if own else None,
        allow_modules=(*project.allow_modules, *allow_modules),
        import_paths=import_paths,
    )
    _tell_notes(changes.notes)
    if own:
        _tell_undeclared(project, import_paths)
    context.exit(_result(changes, folder, check, as_json))


def _kaitai(
    specs: tuple[Path, ...],
    output: Path | None,
    package: str | None,
    read_write: bool,
    strict: bool,
    import_paths: tuple[Path, ...],
    check: bool,
    as_json: bool,
) -> int:
    from wireloom.codegen.backends.python.names import Api
    from wireloom.codegen.kaitai.generate import generate

    if output is None or not specs:
        raise click.UsageError("--kaitai needs the folder to write, -o DIR, and at least one SPEC")
    if package and not all(part.isidentifier() for part in package.lstrip(".").split(".") if package.strip(".")):
        raise click.UsageError(f"--package: {package!r} is not a valid package name")
    outcome = generate(
        specs,
        output,
        api=Api.KAITAI_READ_WRITE if read_write else Api.KAITAI,
        package=package or "",
        import_paths=import_paths,
        check=check,
        strict=strict,
    )
    for error in outcome.errors:
        rendered = error.rendered(wants_colours(sys.stderr)) if isinstance(error, SpecError) else f"wireloom: {error}"
        click.echo(rendered, err=True)
    _tell_notes(outcome.notes)
    code = _result(outcome.changes, output, check, as_json)
    return UNUSABLE if outcome.errors else code


def _tell_notes(notes: Sequence[str]) -> None:
    """Print notes; if there are many, print their number and how to show them."""
    if len(notes) <= NOTES:
        for note in notes:
            click.echo(printable(note), err=True)
        return
    files = list(dict.fromkeys(note.partition(":")[0] for note in notes))
    named = f"in {files[0]}" if len(files) == 1 else f"in {len(files)} specs"
    click.echo(f"wireloom: {len(notes)} notes {named}: 'wireloom check --writing SPEC' shows those of a spec", err=True)


def _result(changes: Changes, folder: Path, check: bool, as_json: bool) -> int:
    """Print the files that were, or would be, written; return the exit code."""
    code = DIFFERS if check and not changes.clean else 0
    if as_json:
        click.echo(json.dumps(_described(changes, folder), indent=2))
    elif not check:
        _tell(changes, folder)
    elif code:
        click.echo(changes.diff, nl=False)
        for path in changes.removed:
            click.echo(printable(f"wireloom: {_shown(folder, path)} does not belong to any spec"), err=True)
        for path in changes.foreign:
            found = f"wireloom: {_shown(folder, path)} was not generated: move it out of the folder, or delete it"
            click.echo(printable(found), err=True)
        if changes.written or changes.removed:
            click.echo("wireloom: the generated code differs from the specs: run 'wireloom generate'", err=True)
    return code


def _tell(changes: Changes, folder: Path) -> None:
    for path in changes.written:
        click.echo(f"wrote {_shown(folder, path)}")
    for path in changes.removed:
        click.echo(f"removed {_shown(folder, path)}")
    for path in changes.foreign:
        click.echo(printable(f"wireloom: {_shown(folder, path)} was not generated and is left alone"), err=True)
    if not changes.written and not changes.removed and changes.unchanged:
        click.echo(f"nothing to do: {len(changes.unchanged)} files are up to date")


def _tell_undeclared(project: Project, import_paths: tuple[Path, ...]) -> None:
    """Print the formats that would not be found once the project is installed."""
    from wireloom.codegen.model.load import load_all
    from wireloom.codegen.project import GROUP

    if project.entry_points is None:
        return
    for spec in load_all(project.spec_files(), import_paths=import_paths):
        is_table = spec.tables or spec.units is not None
        if is_table and spec.name not in project.entry_points:
            line = f'{spec.name} = "{project.target.package}.{spec.name}:FORMAT"'
            click.echo(f'wireloom: pyproject.toml lacks, under [project.entry-points."{GROUP}"]: {line}', err=True)


def _shown(folder: Path, path: str) -> str:
    from wireloom.codegen.emit import relative_path

    return relative_path(folder, path)


def _described(changes: Changes, folder: Path) -> dict[str, object]:
    groups = ("written", "removed", "foreign", "unchanged")
    found = {name: [_shown(folder, path) for path in getattr(changes, name)] for name in groups}
    return {"clean": changes.clean, **found, "diff": changes.diff}


def _specs(given: tuple[Path, ...], project: Project, output: Path | None) -> list[Path]:
    missing = next((each for each in given if not each.is_file()), None)
    if missing is not None:
        raise missing_spec(str(missing))
    standing = project.spec_files() if output is None or not given else []
    known = {each.resolve() for each in standing}
    found = [*standing, *(each for each in given if each.resolve() not in known)]
    if not found:
        raise WireloomError(f"no specs here: run this in a folder with {project.target.specs}/, or name the spec files")
    return found
