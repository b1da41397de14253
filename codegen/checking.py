"""The check of a spec: its diagnostics, what reads its rows, and notes about writing."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Mapping
from pathlib import Path
from typing import Any

from wireloom.base.dataclass import dataclass, field, replace
from wireloom.base.errors import SpecError, WireloomError
from wireloom.format.routines import checked_modules

from .backends.columns.field_arrow import left_out
from .backends.columns.lower import compile_program
from .backends.columns.message_lower import coverage as message_coverage
from .backends.columns.read_only import read_only
from .backends.columns.refusal import Refusal
from .backends.columns.replacements import replacement
from .backends.columns.table import table_columns
from .backends.python.lower import lower
from .expression.nodes import Name
from .expression.types import UserType
from .model.load import analyse, unreadable
from .model.routines import routine_diagnostics
from .model.row_path import attribute_of
from .passes import printed, with_facts
from .spec.diagnostic import Diagnostic
from .spec.diagnostics import ERROR, InvalidSpecError
from .spec.position import Position
from .tree import Rows, Spec
from .words import shortened, shown

SUFFIX = ".ksy"
NOTE = "note"


@dataclass(frozen=True)
class Checked:
    """The result of a check. ``coverage``: what reads the rows, as ``wireloom check --json`` prints it, ``None`` if the
    spec has errors; ``lines``: the same for people, as sentences and, for what the engine does not read, diagnostics.
    ``writing`` and ``routines``: notes about writing, and about classes that the spec names."""

    diagnostics: list[Diagnostic]
    coverage: dict[str, Any] | None = None
    lines: list[str | Diagnostic] = field(default_factory=list)
    writing: list[Diagnostic] = field(default_factory=list)
    routines: list[Diagnostic] = field(default_factory=list)
    spec: Spec | None = None

    @property
    def notes(self) -> list[dict[str, Any]]:
        """Return all notes besides ``coverage``, as ``wireloom check --json`` prints them."""
        refused = [each for each in self.lines if isinstance(each, Diagnostic)]
        if self.coverage is not None and self.coverage["engine"] == "objects":
            # The coverage itself is the first one.
            del refused[0]
        return [each.to_dict() for each in (*refused, *self.writing, *self.routines)]


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
        tables = _coverage(spec)
        said = [*read_only(spec), *_left_out(spec)]
    except InvalidSpecError as error:
        return Checked([*diagnostics, *error.diagnostics])
    except SpecError as error:
        # A refusal without a known position.
        refused = Diagnostic(result.spec.file, 1, 1, ERROR, error.message.removeprefix("error: "))
        return Checked([*diagnostics, refused])
    start = Position(result.spec.file, 1, 1)
    lines = [line for each in _joined(tables) for line in each.lines(result.spec.name, start)]
    lines += [Diagnostic.at(place or start, NOTE, text) for rows in spec.tables for place, text in _unsaid(spec, rows)]
    engine = next((each.engine for each in tables if each.refused is not None), tables[0].engine)
    first = next((each for each in lines if isinstance(each, Diagnostic) and engine == "objects"), None)
    coverage = {
        **(first or Diagnostic.at(start, NOTE, "")).to_dict(),
        "message": "\n".join(each.message for each in tables),
        "spec": result.spec.name,
        "engine": engine,
    }
    if with_plan:
        coverage["plan"] = printed(spec)
    writing, routines = ([Diagnostic.at(place or start, NOTE, text) for place, text in each] for each in (said, named))
    return Checked(diagnostics, coverage, lines, writing, routines, result.spec)


def entry(file: str, line: int, column: int, severity: str, message: str) -> dict[str, Any]:
    """Return an entry of the JSON output that is not a diagnostic of a spec."""
    place = {"file": file, "line": line, "column": column, "end_column": column}
    return {**place, "severity": severity, "path": "", "message": message, "help": "", "reference": ""}


@dataclass(frozen=True)
class Coverage:
    """The reader of a table's rows. ``engine``: the name of the row reader (``columns`` is the engine, ``None``
    without rows); ``what``: the rows; ``refused``: why the object parser reads them; ``without``: the columns with
    which it does; ``memory``: a clause about the memory that reading takes. ``named``: whether the spec names these
    columns."""

    engine: str | None
    what: str
    refused: Refusal | None = None
    without: Mapping[str, Refusal] = field(default_factory=dict)
    memory: str = ""
    named: bool = True
    position: Position | None = None

    @property
    def message(self) -> str:
        """Return all of it as one sentence."""
        if self.refused is not None:
            return f"the object parser reads {self.what}: {self.refused.sentence}{self.memory}"
        if self.engine is None:
            return self.what
        columns = (f"the object parser if {name!r} is selected: {each.sentence}" for name, each in self.without.items())
        return "; ".join([f"the engine reads {self.what}", *columns]) + self.memory

    def lines(self, spec: str, start: Position) -> Iterator[str | Diagnostic]:
        """Yield a sentence if the engine reads the rows, and a diagnostic for each reason why it does not."""
        if self.refused is None:
            yield self.message if self.engine is None else f"the engine reads {self.what}{self.memory}"
        else:
            yield self._refused(spec, self.message, self.refused, start)
        for name, each in self.without.items() if self.named else ():
            text = f"the object parser reads {self.what} if {name!r} is selected: {each.sentence}"
            yield self._refused(spec, text, each, start)

    def _refused(self, spec: str, text: str, refusal: Refusal, start: Position) -> Diagnostic:
        where = f"in '{shortened(' '.join(refusal.expression.split()))}': " if refusal.expression else ""
        instead = replacement(refusal.sentence)
        found = Diagnostic.at(refusal.position or self.position or start, NOTE, f"{spec}: {text}")
        return replace(found, help=f"{where}write instead: {instead}" if instead else where)


def _coverage(spec: Spec) -> list[Coverage]:
    """Return what reads the rows of each table."""
    if spec.units is not None or spec.rows is not None:
        # Specs for which no code can be generated are refused here too.
        lower(spec)
    if spec.units is not None:
        refusal = message_coverage(spec, spec.units)
        return [Coverage("columns" if refusal is None else "objects", "its messages", refusal)]
    if spec.rows is None:
        said = "no rows are declared ('-wireloom: {rows: …}' in 'meta')"
        return [Coverage(None, f"{said}, so it is read as objects (by 'wireloom dump') and not as a table")]
    return [_table(spec.of_table(each), each) for each in spec.tables]


def _joined(tables: Iterable[Coverage]) -> Iterator[Coverage]:
    """Yield one for all tables that the object parser reads for the same reason, so that it is given once."""
    same: dict[object, list[Coverage]] = {}
    for each in tables:
        refused = each.refused
        reason = refused and (refused.sentence, refused.expression, refused.position or each.position, each.memory)
        same.setdefault(reason or id(each), []).append(each)
    for first, *others in same.values():
        names = ", ".join(each.what.removeprefix("the rows of ") for each in others)
        yield replace(first, what=f"{first.what}, {names}") if others else first


def _table(spec: Spec, rows: Rows) -> Coverage:
    """Return what reads the rows of a table."""
    compiled = compile_program(spec, rows, table_columns(spec, rows))
    what = f"the rows of {rows.name}" if rows.name else "its rows"
    attribute = spec.top(rows).attribute(rows.attribute)
    return Coverage(
        "columns" if compiled.refused is None else "objects",
        what,
        compiled.refused,
        compiled.without,
        _memory(rows),
        rows.names_selectable,
        _named(spec, compiled.refusal or "") or rows.position or (None if attribute is None else attribute.position),
    )


def _named(spec: Spec, sentence: str) -> Position | None:
    """Return the position of the attribute or instance that a reason names, if it does: a reason that is found when
    the whole program is known has no other."""
    found = re.search(r'"(\w+)"', sentence)
    if found is None:
        return None
    members = (struct.attribute(found[1]) or struct.instance(found[1]) for struct in spec.family)
    return next((each.position for each in members if each is not None), None)


def _unsaid(spec: Spec, rows: Rows) -> Iterator[tuple[Position | None, str]]:
    """Yield what follows from keys that a table does not have, and may not be meant: as positions and sentences."""
    name = f"the table {shown(rows.name)}" if rows.name else "the table"
    steps = [attribute_of(spec.struct(each), id) for each, id in zip(rows.types, rows.path, strict=False)]
    if steps and not (rows.streaming or rows.others) and all(each and each.repeat is None for each in steps):
        last = steps[-1]
        assert last is not None
        yield last.position, f"{name} has one row of each input, since {shown(last.id)} has no key 'repeat'"
    yield from _any_kind(spec, rows)
    if rows.names_columns:
        return
    taken = {*rows.columns, *rows.selectable, *rows.parent_columns}
    attributes = spec.struct(rows.row).attributes
    left = [each for each in attributes if each.id not in taken and not each.anonymous and each.contents is None]
    if left:
        names = " and ".join(shown(each.id) for each in left)
        yield left[0].position, f"{name} does not show {names}: name objects and lists in 'columns' or 'selectable'"


def _any_kind(spec: Spec, rows: Rows) -> Iterator[tuple[Position | None, str]]:
    """Yield the attribute that selects the type of a record, if any value of it is accepted and nothing else shows
    that bytes are a record."""
    items = spec.root.attribute(rows.attribute)
    unit = spec.struct(items.type.path) if items is not None and isinstance(items.type, UserType) else None
    every = [each for struct in spec.family for each in struct.attributes]
    if unit is None or not rows.streaming or any(each.is_checksum or each.framing for each in every):
        return
    kinds = {each.id: each for each in unit.attributes}
    for each in unit.attributes:
        on = each.switch.on if each.switch is not None else None
        kind = kinds.get(on.id) if isinstance(on, Name) else None
        has_other = each.switch is not None and any(
            case.match is None and isinstance(case.type, UserType) for case in each.switch.cases
        )
        if kind is None or kind.checks or has_other or any(one.contents for one in unit.attributes):
            continue
        yield (
            kind.position,
            (
                f"any {shown(kind.id)} is accepted, and nothing else shows that bytes are a record: after a wrong "
                "size, a false record of no known kind may cover good ones, unreported; list the kinds, with "
                "'valid: {any-of: [...]}' or, for an enum, 'valid: {in-enum: true}'"
            ),
        )


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
