"""The check of a spec: its diagnostics, what reads its rows, and notes about writing."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from pathlib import Path
from typing import Any

from wireloom.base.dataclass import dataclass, field
from wireloom.base.errors import SpecError, WireloomError
from wireloom.format.routines import checked_modules

from .backends.columns.field_arrow import left_out
from .backends.columns.lower import compile_program
from .backends.columns.message_lower import coverage as message_coverage
from .backends.columns.read_only import read_only
from .backends.columns.table import table_columns
from .backends.python.lower import lower
from .model.load import analyse, unreadable
from .model.routines import routine_diagnostics
from .passes import printed, with_facts
from .spec.diagnostic import Diagnostic
from .spec.diagnostics import ERROR, InvalidSpecError
from .spec.position import Position
from .tree import Rows, Spec

SUFFIX = ".ksy"


@dataclass(frozen=True)
class Checked:
    """The result of a check, as ``wireloom check --json`` prints it. ``coverage``: what reads the rows, ``None``
    if the spec has errors; ``notes``: about writing."""

    diagnostics: list[Diagnostic]
    coverage: dict[str, Any] | None = None
    notes: list[dict[str, Any]] = field(default_factory=list)
    spec: Spec | None = None


def check(
    path: Path,
    folders: Iterable[Path] = (),
    allow_modules: Iterable[str] = (),
    *,
    with_plan: bool = False,
    text: str | None = None,
    unsaved: Mapping[Path, str] | None = None,
) -> Checked:
    """Check a spec without running any code that it names.

    Args:
        path: The spec file.
        folders: The folders of absolute imports.
        allow_modules: Modules whose routines the spec may name, besides registered ones.
        with_plan: Whether the result includes the plan: what is read and written, as text.
        text: The text of the spec, if the file is not to be read.
        unsaved: The texts of imports whose files are not to be read, by their absolute paths.

    Raises:
        WireloomError: The file cannot be read.
    """
    if path.is_dir():
        raise WireloomError(
            f"no specs (*{SUFFIX}) in this folder: give a folder with specs, or a spec file", path=str(path)
        )
    try:
        allowed = checked_modules(allow_modules)
        result = analyse(path, text, import_paths=folders, allow_modules=allowed, unsaved=unsaved)
    except OSError as error:
        raise unreadable(path, error) from error
    diagnostics = list(result.diagnostics)
    if result.spec is None:
        return Checked(diagnostics)
    spec = with_facts(result.spec)
    missing, named = routine_diagnostics(result.spec)
    diagnostics += missing
    if any(each.severity == ERROR for each in missing):
        return Checked(diagnostics)
    try:
        # Nothing of it is run.
        reader, message = _coverage(spec)
        said = [*read_only(spec), *_left_out(spec), *named]
    except InvalidSpecError as error:
        return Checked([*diagnostics, *error.diagnostics])
    except SpecError as error:
        # A refusal without a known position.
        refused = Diagnostic(result.spec.file, 1, 1, ERROR, error.message.removeprefix("error: "))
        return Checked([*diagnostics, refused])
    coverage = {**entry(result.spec.file, 1, 1, "note", message), "spec": result.spec.name, "engine": reader}
    if with_plan:
        coverage["plan"] = printed(spec)
    places = [(place or Position(result.spec.file, 1, 1), text) for place, text in said]
    notes = [entry(place.file, place.line, place.column, "note", text) for place, text in places]
    return Checked(diagnostics, coverage, notes, result.spec)


def entry(file: str, line: int, column: int, severity: str, message: str) -> dict[str, Any]:
    """Return an entry of the JSON output that is not a diagnostic of a spec."""
    place = {"file": file, "line": line, "column": column, "end_column": column}
    return {**place, "severity": severity, "path": "", "message": message, "help": "", "reference": ""}


def _coverage(spec: Spec) -> tuple[str | None, str]:
    """Return the name of the row reader (``columns`` is the engine, ``None`` without rows), and a sentence about it."""
    if spec.units is not None or spec.rows is not None:
        # Specs for which no code can be generated are refused here too.
        lower(spec)
    if spec.units is not None:
        refusal = message_coverage(spec, spec.units)
        if refusal is None:
            return "columns", "the engine reads its messages"
        return "objects", f"the object parser reads its messages: {refusal}"
    if spec.rows is None:
        said = "no rows are declared ('-wireloom: {rows: …}' in 'meta')"
        return None, f"{said}, so it is read as objects (by 'wireloom dump') and not as a table"
    tables = [_table(spec.of_table(each), each) for each in spec.tables]
    engines = {engine for engine, _ in tables}
    return "objects" if "objects" in engines else "columns", "\n".join(sentence for _, sentence in tables)


def _table(spec: Spec, rows: Rows) -> tuple[str, str]:
    """Return the name of the row reader of one table, and a sentence about it."""
    compiled = compile_program(spec, rows, table_columns(spec, rows))
    what = f"the rows of {rows.name}" if rows.name else "its rows"
    if compiled.refusal is not None:
        return "objects", f"the object parser reads {what}: {compiled.refusal}{_memory(rows)}"
    without = "".join(f"; the object parser if {name!r} is selected: {why}" for name, why in compiled.columns.items())
    return "columns", f"the engine reads {what}{without}{_memory(rows)}"


def _left_out(spec: Spec) -> Iterator[tuple[Position | None, str]]:
    """Yield what the columns of the tables do not show: each as a position and a sentence."""
    columns = (each for rows in spec.tables for each in table_columns(spec, rows))
    for column in {each.name: each for each in columns if each.look_up is None}.values():
        for part, clause in left_out(spec, column.field):
            yield part.position, f"the column '{column.name}' leaves out {clause}"


def _memory(rows: Rows) -> str:
    """Return a clause about the memory that reading takes: one item, or the whole input; '' for rows that are items."""
    if rows.streaming:
        return f"; each item of {rows.attribute!r} is in memory as a whole, up to max_record bytes" if rows.path else ""
    return "; an input is in memory as a whole, up to max_record bytes"
