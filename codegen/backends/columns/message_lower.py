"""Lowers a spec whose table consists of messages: the programs that the engine runs and the views that the templates
render, one for each kind of message."""

from __future__ import annotations

from collections.abc import Iterable

import wireloom.format.message_program as message_programs
import wireloom.format.message_rules as message_rules
import wireloom.format.program as column_programs
from wireloom.base.dataclass import replace
from wireloom.format.description import Column, MessageUnits
from wireloom.format.message_program import ComputedSource, Envelope, FieldSource, MessageProgram

from ...tree import Spec
from ...tree.leaves import UnitKind, Units
from ..base import refuse
from ..python.message_rules import message_set
from ..python.names import field_name
from ..source import arguments, made, source
from .arguments import OUTER_PARSER, class_reference, format_arguments, refusal_text
from .field_arrow import field_of
from .message_paths import row_numbers
from .message_table import MessageColumn, message_columns
from .program_view import program_texts, program_view, used_names
from .refusal import NotForEngineError, Refusal
from .view import ColumnView, MessageView, ModuleView, SourceView, TableView, View


def default_kind(units: Units) -> UnitKind:
    """Return the kind that is read unless another one is chosen."""
    return next((each for each in units.kinds if each.name == units.default), units.kinds[0])


def lower_units(spec: Spec, units: Units) -> View:
    """Return the view of the tables of all kinds; that of the default kind is the format's own package."""
    kinds = {each.name: each for each in (default_kind(units), *units.kinds)}
    columns = {name: message_columns(spec, each) for name, each in kinds.items()}

    def describe(name: str) -> TableView:
        return _table(spec, units, kinds[name], columns[name], None, None)

    def compiled(name: str) -> TableView:
        return _table(spec, units, kinds[name], columns[name], *compile_units(spec, units, kinds[name], columns[name]))

    def lower_table(name: str) -> ModuleView:
        return _module(spec, units, (compiled(name),))

    def lower_all() -> ModuleView:
        return _module(spec, units, tuple(map(compiled, kinds)))

    return View(tuple(kinds), describe, lower_all, lower_table)


def _module(spec: Spec, units: Units, tables: tuple[TableView, ...]) -> ModuleView:
    messages = [each.message for each in tables if each.message is not None]
    title = f"{spec.title}, {tables[0].table}" if tables[0].table else spec.title
    programs = (each.program for message in messages for each in message.sources)
    return ModuleView(
        summary=f"{spec.title}: the Arrow schemas of its tables, and the programs that the engine runs."
        if units.option
        else f"{title}: the Arrow schema of its table, and the program that the engine runs.",
        imports=used_names(column_programs, program_texts(*programs)),
        message_imports=_imports(messages) if messages or units.option else (),
        tables=tables,
        single=not units.option,
    )


def _table(
    spec: Spec,
    units: Units,
    kind: UnitKind,
    columns: tuple[MessageColumn, ...],
    program: MessageProgram | None,
    refused: Refusal | None,
) -> TableView:
    refusal = None if refused is None else refused.sentence
    title = f"{spec.title}, {kind.name}" if kind.name else spec.title
    return TableView(
        doc=(spec.doc or title) if kind is default_kind(units) else spec.struct(kind.message).doc or title,
        columns=tuple(_column(each) for each in columns),
        program=None,
        refusal=refusal_text(refusal),
        package_imports=("Column", "Format", "MessageUnits"),
        arguments=_format_arguments(spec, units, kind, columns, refusal),
        message=None if program is None else _message(program, columns),
        table=kind.name,
        engine_refusal=refusal,
    )


def compile_units(
    spec: Spec, units: Units, kind: UnitKind, columns: tuple[MessageColumn, ...]
) -> tuple[MessageProgram | None, Refusal | None]:
    """Return the program of a kind, or the reason why there is none."""
    try:
        return message_program(spec, units, kind, columns), None
    except NotForEngineError as refusal:
        return None, refusal.refusal


def coverage(spec: Spec, units: Units) -> Refusal | None:
    """Return why the engine does not read all kinds; ``None`` if it does. Raises ``SpecError`` if a column has
    no Arrow type."""
    for kind in units.kinds:
        _, refusal = compile_units(spec, units, kind, message_columns(spec, kind))
        if refusal is not None:
            return replace(refusal, sentence=f"{kind.name}: {refusal.sentence}") if kind.name else refusal
    return None


def _column(column: MessageColumn) -> ColumnView:
    values = {
        "name": column.name,
        "type": column.type.name,
        "default": column.default,
        "attribute": column.attribute,
        "doc": column.doc,
        "labels": column.labels,
        "derived": column.derived,
        "same_as": column.same_as,
        "up": column.up,
        "lookup": column.lookup,
    }
    return ColumnView(column.name, column.type.constructor, tuple(arguments(Column, values)))


def _message(program: MessageProgram, columns: tuple[MessageColumn, ...]) -> MessageView:
    names = ("rows", "envelope", "whole", "unit_columns")
    texts = arguments(MessageProgram, {name: getattr(program, name) for name in names})
    texts.append(f"version={program.version}")
    types = tuple(source(each) for each in program.types.messages)
    return MessageView(types, tuple(map(_source, columns)), tuple(texts))


def _source(column: MessageColumn) -> SourceView:
    if isinstance(column.source, ComputedSource) and column.listing is not None:
        return SourceView(column.name, source(column.source.inputs), program_view(column.listing))
    return SourceView(column.name, source(column.source))


def _imports(messages: Iterable[MessageView]) -> tuple[str, ...]:
    """Return the import statements after those of pyarrow and of column programs, in the order that the linter
    requires."""
    texts = ["MessageSet(", "MessageProgram("]
    for message in messages:
        texts += [*message.types, *message.arguments]
        for each in message.sources:
            texts += [each.source, "ComputedSource(" if each.program is not None else ""]
    rules = used_names(message_rules, texts)
    programs = [each for each in used_names(message_programs, texts) if each not in rules]
    return tuple(
        f"from {module.__name__} import {', '.join(names)}"
        for module, names in ((message_programs, programs), (message_rules, rules))
    )


def _format_arguments(
    spec: Spec, units: Units, kind: UnitKind, columns: tuple[MessageColumn, ...], refusal: str | None
) -> tuple[str, ...]:
    """Return the arguments of ``Format`` except its columns; those equal to their defaults are omitted."""
    default = kind is default_kind(units)
    tables = tuple(each.name for each in units.kinds) if units.option else ()
    more = {"path_pattern": spec.path_pattern, "option": units.option, "table": kind.name, "tables": tables}
    texts = format_arguments(spec, class_reference(spec, kind.row), "", refusal, more)
    if not default:
        texts.append(OUTER_PARSER)
    texts.append(f"message={_units(spec, units, kind, columns)}")
    if spec.doc or not default:
        texts.append("doc=__doc__")
    return tuple(texts)


def _units(spec: Spec, units: Units, kind: UnitKind, columns: tuple[MessageColumn, ...]) -> str:
    names = {each.name for each in columns}
    values = {
        "message": class_reference(spec, kind.message),
        "rows": tuple(field_name(each) for each in kind.rows),
        "codec": units.codec,
        "packing": units.packing,
        "hooks": units.hooks,
        "row_number": kind.row_number if kind.row_number in names else "",
        "mark": kind.mark if kind.mark in names else "",
        "whole": kind.whole,
        "prefix": units.prefix,
        "digest": units.digest,
        "least": units.least,
        "unit_columns": tuple(field_name(each) for each in kind.unit_columns),
        "framing": units.framing,
        "framings": units.framings,
    }
    return made(MessageUnits, values)


def message_program(spec: Spec, units: Units, kind: UnitKind, columns: tuple[MessageColumn, ...]) -> MessageProgram:
    """Return the program. Raises ``NotForEngineError`` for the first construct that the engine does not support."""
    refused = next((each.refused for each in columns if each.refused is not None), None)
    if refused is not None:
        raise NotForEngineError.of(refused)
    rows = row_numbers(spec, kind)
    _refuse_rows(columns, rows)
    names = [each.name for each in columns]
    return MessageProgram(
        types=message_set(spec, spec.reached([kind.message])),
        columns=tuple(each.source for each in columns if each.source is not None),
        rows=rows,
        envelope=Envelope(units.prefix, units.digest, units.least),
        whole=names.index(kind.whole) if kind.whole else -1,
        unit_columns=unit_sources(spec, kind),
    )


def _refuse_rows(columns: tuple[MessageColumn, ...], rows: tuple[int, ...]) -> None:
    """Raise ``NotForEngineError`` for a column that is a whole message above the rows: the engine stores the rows of
    such a message separately."""
    for each in columns:
        if isinstance(each.source, FieldSource) and each.source.up > 0:
            below = rows[len(rows) - each.source.up :]
            if each.source.path == below[: len(each.source.path)]:
                raise NotForEngineError(f'the column "{each.name}" contains the rows')


def unit_sources(spec: Spec, kind: UnitKind) -> tuple[FieldSource, ...]:
    """Return the fields of the unit that the reader stores once per unit."""
    struct, found = spec.struct(kind.message), []
    for name in kind.unit_columns:
        attribute = struct.attribute(name)
        if attribute is None:
            refuse(struct.position, f'"{name}" is not a field of {"::".join(struct.path)}')
        found.append(FieldSource((field_of(attribute).number,)))
    return tuple(found)
