"""``wireloom check``: reports problems of specs."""

from __future__ import annotations

import sys
from collections.abc import Iterator
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from ..base.errors import WireloomError
from ..base.text import printable
from . import shell_completion
from .parameters import allow_option
from .standard import UNUSABLE, wants_colours, write_json

if TYPE_CHECKING:
    from wireloom.codegen.spec.diagnostic import Diagnostic

REFUSED = 1
SUFFIX = ".ksy"


@click.command("check", short_help="Check specs: diagnostics, and whether the engine reads their rows.")
@click.argument("specs", metavar="SPEC...", nargs=-1, required=True, type=click.Path(path_type=Path))
@click.option(
    "-I",
    "folders",
    metavar="DIR",
    multiple=True,
    type=click.Path(path_type=Path),
    shell_complete=shell_completion.folders,
    help="Folder in which absolute imports are looked up; may be given several times.",
)
@click.option(
    "--plan",
    "with_plan",
    is_flag=True,
    help="Also print the plan: what is read and checked, in order.",
)
@click.option("--writing", is_flag=True, help="Also print the notes about writing, grouped by file.")
@click.option("--json", "as_json", is_flag=True, help="Print everything as one JSON array, for editors and scripts.")
@allow_option
@click.pass_context
def command(
    context: click.Context,
    specs: tuple[Path, ...],
    folders: tuple[Path, ...],
    with_plan: bool,
    writing: bool,
    as_json: bool,
    allow_modules: tuple[str, ...],
) -> None:
    """Compile each SPEC without writing anything; for a folder, all specs in it and its subfolders.

    Errors and warnings begin with FILE:LINE:COLUMN: SEVERITY: TEXT. The indented lines after that show the place, its
    path in the tree of keys (/seq/0/type), what is expected there, and the reference entry with an explanation. For a
    spec without errors, a line says whether the engine reads its rows. If it does not, a note has the place, the
    expression, the limit, and what to write instead: the object parser reads those rows. There is such a note for each
    selectable column that the spec names, if the engine does not read it. Notes also name the classes that the spec
    references (process, hooks, …), and whether they are registered or have to be allowed; a missing class is an error
    if rows are declared, otherwise a warning. To find out, only registered and allowed modules are imported. The exit
    code is 1 if a spec has errors, 2 if one cannot be read.

    With --writing, notes name the tables and types of objects that can be read but not written, with the reason. An
    example is an integer which a writer needs, and which is not determined by a size or count. They also name what the
    columns leave out. Without it, a line says how many there are.

    With --plan, the plan from which the code is generated is printed, type by type. It says what is read in which
    order, which values are valid and what an invalid one costs, which checksums are verified, what is computed, and
    what a writer fills in.

    With --json, each problem is an object with file, line, column, end_column, severity, path, message, help and
    reference. What reads the rows is an object of severity "note" that also has spec and engine ("columns", "objects"
    or null), and with --plan the text plan; other notes, with all about writing, do not have these.
    """
    from wireloom.codegen.checking import check, entry

    said: list[dict[str, Any]] = []
    code = 0
    for path in _files(specs):
        try:
            found = check(path, folders, allow_modules, with_plan=with_plan)
        except WireloomError as error:
            # The other specs are still checked.
            code = UNUSABLE
            if as_json:
                said.append(entry(str(path), 1, 1, "error", error.message))
            else:
                click.echo(printable(f"wireloom: error: {error}"), err=True)
            continue
        coverage = found.coverage
        code = max(code, REFUSED if coverage is None else 0)
        if as_json:
            said += [each.to_dict() for each in found.diagnostics]
            said += [coverage] if coverage is not None else []
            said += found.notes
            continue
        for each in found.diagnostics:
            click.echo(_rendered(each))
        for line in found.lines:
            name = coverage["spec"] if coverage is not None else ""
            click.echo(printable(f"{path}: {name}: {line}") if isinstance(line, str) else _rendered(line))
        if coverage is not None and with_plan:
            for line in coverage["plan"].splitlines():
                click.echo(printable(f"  {line}"))
        for note in [*(found.writing if writing else ()), *found.routines]:
            click.echo(str(note))
        if found.writing and not writing:
            count = "1 note" if len(found.writing) == 1 else f"{len(found.writing)} notes"
            click.echo(printable(f"{path}: {count} about writing: see --writing"))
    if as_json:
        write_json("-", said)
    context.exit(code)


def _files(given: tuple[Path, ...]) -> Iterator[Path]:
    """Yield the requested specs, without those in hidden folders, such as environments and caches."""
    for path in given:
        if not path.is_dir():
            yield path
            continue
        inside = [each for each in sorted(path.rglob(f"*{SUFFIX}")) if each.is_file()]
        visible = [each for each in inside if not any(part.startswith(".") for part in each.relative_to(path).parts)]
        # If there are none, reading the folder raises the error.
        yield from visible or [path]


def _rendered(diagnostic: Diagnostic) -> str:
    from wireloom.codegen.spec.diagnostics import rendered

    return rendered(diagnostic, wants_colours(sys.stdout))
