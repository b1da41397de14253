"""``wireloom check``: what is to be said about specs."""

from __future__ import annotations

import sys
from collections.abc import Iterator
from itertools import takewhile
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from ..base.errors import WireloomError
from ..base.printable import printable
from . import completing
from .parameters import allow_option
from .standard import wants_colours, write_json

if TYPE_CHECKING:
    from wireloom.codegen.plan import Plan, Rows
    from wireloom.codegen.spec.diagnostic import Diagnostic

Checked = tuple["list[Diagnostic]", dict[str, Any] | None, list[dict[str, Any]]]

REFUSED, UNUSABLE = 1, 2
SUFFIX = ".ksy"


@click.command("check", short_help="Check specs: diagnostics, and what the engine can read.")
@click.argument("specs", metavar="SPEC...", nargs=-1, required=True, type=click.Path(path_type=Path))
@click.option(
    "-I",
    "folders",
    metavar="DIR",
    multiple=True,
    type=click.Path(path_type=Path),
    shell_complete=completing.folders,
    help="Folder in which absolute imports are looked up; may be given several times.",
)
@click.option(
    "--plan",
    "with_plan",
    is_flag=True,
    help="Also print the plan: what is read in which order, and what is checked where.",
)
@click.option("--json", "as_json", is_flag=True, help="Print everything as one JSON array, for editors and scripts.")
@allow_option
@click.pass_context
def command(
    context: click.Context,
    specs: tuple[Path, ...],
    folders: tuple[Path, ...],
    with_plan: bool,
    as_json: bool,
    allow_modules: tuple[str, ...],
) -> None:
    """Compile each SPEC without writing anything; for a folder, all specs in it and its subfolders.

    Errors and warnings begin with FILE:LINE:COLUMN: SEVERITY: TEXT; the lines after that are indented and show the
    place, its path in the tree of keys (/seq/0/type), what is expected there, and which entry of the reference
    explains it. For a spec without errors a line says whether the engine or the object parser reads its rows, and
    why; if it declares no rows, what would read those that it could declare. Notes name the tables and the types of
    objects that can be read and not written, and why: among others, since no size or count determines an integer that
    a writer needs. Notes also name the classes that the spec names (process, hooks, …), and whether they are
    registered or have to be allowed; one that is not there is an error where rows are declared, else a warning.
    Only what is registered or allowed is imported to see that. The exit code is 1 where a spec has errors, 2 where
    one cannot be read.

    With --plan the plan follows that the code is made from, type by type: what is read in which order, what a value
    must be and what a refused one costs, which checksums are verified, what is computed, and what a writer fills in.

    With --json each problem is an object with file, line, column, end_column, severity, path, message, help and
    reference; what reads the rows is one of severity "note" that also has spec and engine ("columns", "objects" or
    null), and with --plan the text plan; what concerns writers is one of severity "note" without them.
    """
    said: list[dict[str, Any]] = []
    code = 0
    for path in _files(specs):
        try:
            diagnostics, coverage, notes = _checked(path, folders, allow_modules, with_plan)
        except WireloomError as error:
            # The others are checked all the same.
            code = UNUSABLE
            if as_json:
                said.append(_entry(str(path), 1, 1, "error", error.message))
            else:
                click.echo(printable(f"wireloom: error: {error}"), err=True)
            continue
        code = max(code, REFUSED if coverage is None else 0)
        if as_json:
            said += [each.to_dict() for each in diagnostics]
            said += [coverage] if coverage is not None else []
            said += notes
            continue
        for each in diagnostics:
            click.echo(_rendered(each))
        if coverage is not None:
            for line in coverage["message"].splitlines():
                click.echo(printable(f"{path}: {coverage['spec']}: {line}"))
        if coverage is not None and with_plan:
            for line in coverage["plan"].splitlines():
                click.echo(printable(f"  {line}"))
        for note in notes:
            click.echo(printable(f"{note['file']}:{note['line']}:{note['column']}: note: {note['message']}"))
    if as_json:
        write_json("-", said)
    context.exit(code)


def _files(given: tuple[Path, ...]) -> Iterator[Path]:
    """Yield the specs that are meant, without those in hidden folders, such as environments and caches."""
    for path in given:
        if not path.is_dir():
            yield path
            continue
        inside = [each for each in sorted(path.rglob(f"*{SUFFIX}")) if each.is_file()]
        visible = [each for each in inside if not any(part.startswith(".") for part in each.relative_to(path).parts)]
        # Where there are none, reading the folder raises the error.
        yield from visible or [path]


def _rendered(diagnostic: Diagnostic) -> str:
    from wireloom.codegen.spec.rendering import rendered

    return rendered(diagnostic, wants_colours(sys.stdout))


def _checked(path: Path, folders: tuple[Path, ...], allow_modules: tuple[str, ...], with_plan: bool) -> Checked:
    """Return the diagnostics of a spec, what reads its rows (``None`` where it has errors), and notes for writers."""
    from wireloom.codegen.backends.columns.read_only import read_only
    from wireloom.codegen.model.load import analyse
    from wireloom.codegen.model.routines import said_of_routines
    from wireloom.codegen.plan import plan_of, printed
    from wireloom.codegen.spec.diagnostic import Diagnostic
    from wireloom.codegen.spec.diagnostics import ERROR, InvalidSpecError
    from wireloom.codegen.spec.position import Position

    from ..base.errors import SpecError
    from ..format.routines import checked_modules

    if path.is_dir():
        raise WireloomError(f"there are no specs (*{SUFFIX}) in this folder", path=str(path))
    try:
        result = analyse(path, import_paths=folders, allow_modules=checked_modules(allow_modules))
    except OSError as error:
        raise WireloomError(f"cannot be read: {error.strerror}", path=str(path)) from error
    diagnostics = list(result.diagnostics)
    if result.spec is None:
        return diagnostics, None, []
    plan = plan_of(result.spec)
    missing, named = said_of_routines(result.spec)
    diagnostics += missing
    if any(each.severity == ERROR for each in missing):
        return diagnostics, None, []
    try:
        # Nothing of it is run.
        engine, message = _coverage(plan)
        said = [*read_only(plan), *named]
    except InvalidSpecError as error:
        return [*diagnostics, *error.diagnostics], None, []
    except SpecError as error:
        # A refusal whose place is not known.
        refused = Diagnostic(result.spec.file, 1, 1, ERROR, error.message.removeprefix("error: "))
        return [*diagnostics, refused], None, []
    coverage = {**_entry(result.spec.file, 1, 1, "note", message), "spec": result.spec.name, "engine": engine}
    if with_plan:
        coverage["plan"] = printed(plan)
    places = [(place or Position(result.spec.file, 1, 1), text) for place, text in said]
    return diagnostics, coverage, [_entry(place.file, place.line, place.column, "note", text) for place, text in places]


def _entry(file: str, line: int, column: int, severity: str, message: str) -> dict[str, Any]:
    """Return an entry of the JSON output that is no diagnostic of a spec."""
    place = {"file": file, "line": line, "column": column, "end_column": column}
    return {**place, "severity": severity, "path": "", "message": message, "help": "", "reference": ""}


def _could_be_rows(plan: Plan) -> str:
    """Return what would read the items of the root's last attribute, where these could be rows."""
    from wireloom.codegen.backends.columns.candidates import candidates
    from wireloom.codegen.wire import RepeatEos

    for each in takewhile(lambda each: each.holder is plan.root, candidates(plan)):
        if each.field is plan.root.fields[-1] and isinstance(each.field.repeat, RepeatEos):
            reader = "the object parser would read them: " if each.refusal else "the engine would read them"
            return f"; with 'rows: {each.field.id}' {reader}{each.refusal}"
    return ""


def _coverage(plan: Plan) -> tuple[str | None, str]:
    """Return what reads the rows (``columns`` is the engine), and a sentence about it."""
    from wireloom.codegen.backends.columns.message_lower import coverage
    from wireloom.codegen.backends.python.lower import lower

    if plan.units is not None or plan.rows is not None:
        # What no code can be made of for a format is refused here too.
        lower(plan)
    if plan.units is not None:
        refusal = coverage(plan, plan.units)
        if refusal is None:
            return "columns", "the engine reads its messages"
        return "objects", f"the object parser reads its messages: {refusal}"
    if plan.rows is None:
        return None, f"no rows are declared, so it is read as objects and not as a table{_could_be_rows(plan)}"
    tables = [_table(plan.of_table(each), each) for each in plan.tables]
    engines = {engine for engine, _ in tables}
    return "objects" if "objects" in engines else "columns", "\n".join(sentence for _, sentence in tables)


def _table(plan: Plan, rows: Rows) -> tuple[str, str]:
    """Return what reads the rows of one table, and a sentence about it."""
    from wireloom.codegen.backends.columns.lower import compile_program
    from wireloom.codegen.backends.columns.table import table_columns

    compiled = compile_program(plan, rows, table_columns(plan, rows))
    what = f"the rows of {rows.name}" if rows.name else "its rows"
    if compiled.refusal is not None:
        return "objects", f"the object parser reads {what}: {compiled.refusal}"
    without = "".join(
        f"; the object parser where {name!r} is asked for: {why}" for name, why in compiled.columns.items()
    )
    return "columns", f"the engine reads {what}{without}"
