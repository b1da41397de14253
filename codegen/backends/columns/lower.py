"""The view that the modules are rendered from: the description of the format, its schema and its column program."""

from __future__ import annotations

from collections.abc import Iterator, Mapping

import wireloom.format.program as column_programs
from wireloom.base.dataclass import dataclass, field
from wireloom.format.columns import Column, LookUp, PlainRow
from wireloom.format.program import Stuffing

from ...expression.nodes import MemberAccess, Name
from ...expression.types import BytesType
from ...passes import has_sums
from ...tree import Attribute, RowPath, Rows, Spec, Struct
from ...tree.leaves import literal_size
from ..python.names import condition_name, field_name, qualified
from ..source import arguments, source
from .arguments import OUTER_PARSER, class_reference, format_arguments, refusal_text
from .arrow import ArrowType
from .enclosing import has_enclosing, has_running_checksums, level_sources
from .instructions import Listing
from .plain_rows import plain_row
from .program_view import program_texts, program_view, shared_steps, used_names
from .read_only import unwritable
from .refusal import ColumnRefusedError, NotForEngineError, Refusal
from .register_allocation import RegisterAllocation
from .table import TableColumn, table_columns
from .unfilled import unfilled
from .uses import uses_position
from .view import ColumnView, ModuleView, TableView, View
from .write_sources import WriteSources

LEAST_MARKER = 8
"""Minimum size in bytes of a marker, so that it does not occur elsewhere by chance."""


def lower(spec: Spec) -> View | None:
    """Return the view from which the packages of all tables and their common module of programs are rendered.

    Args:
        spec: The spec, with the facts that ``codegen.passes`` derives.

    Returns:
        The view; ``None`` for a spec without rows. Programs are compiled when a module with them is rendered.

    Raises:
        SpecError: A column has no Arrow type.
    """
    if spec.units is not None:
        # Most specs have no messages.
        from .message_lower import lower_units

        return lower_units(spec, spec.units)
    if spec.rows is None:
        return None
    # A table is refused for its columns alone.
    columns = {each.name: table_columns(spec.of_table(each), each) for each in spec.tables}
    rows = {each.name: each for each in spec.tables}

    def view(table: str, compiled: Compilation) -> TableView:
        return _table(spec.of_table(rows[table]), rows[table], columns[table], compiled)

    def compiled(table: str, allocation: RegisterAllocation | None) -> TableView:
        return view(table, compile_program(spec.of_table(rows[table]), rows[table], columns[table], allocation))

    def describe(table: str) -> TableView:
        return view(table, Compilation(None))

    def lower_table(table: str) -> ModuleView:
        return _module(spec, (compiled(table, None),), single=True)

    def lower_all() -> ModuleView:
        allocation = RegisterAllocation() if columns.keys() != {""} else None
        return _module(spec, tuple(compiled(each, allocation) for each in columns), single=allocation is None)

    return View(tuple(columns), describe, lower_all, lower_table)


def _module(spec: Spec, tables: tuple[TableView, ...], *, single: bool) -> ModuleView:
    texts = program_texts(*(each.program for each in tables))
    if single:
        summary = f"{spec.title}: the Arrow schema of its table, and the program that the engine runs."
        return ModuleView(summary, used_names(column_programs, texts), (), tables, single=True)
    programs = {each.table: each.program.steps for each in tables if each.program is not None}
    return ModuleView(
        summary=f"{spec.title}: the Arrow schemas of its tables, and the programs that the engine runs.",
        imports=used_names(column_programs, [*texts, "steps_of(" if programs else ""]),
        message_imports=(),
        tables=tables,
        shared=shared_steps(programs) if programs else None,
    )


def _table(spec: Spec, rows: Rows, columns: tuple[TableColumn, ...], compiled: Compilation) -> TableView:
    refusal = compiled.refusal
    program = None if compiled.listing is None else program_view(compiled.listing)
    choices = tuple(map(source, spec.choices))
    levels = () if rows.inside else level_sources(spec, rows)
    open = () if rows.inside else unfilled(spec, rows, columns)
    sources = WriteSources(spec, rows)
    settable = () if open or rows.inside or not has_enclosing(spec, rows) else sources.settable(columns)
    plain = None if open else plain_row(spec, rows, columns)
    arguments = _format_arguments(spec, rows, refusal, open, settable, plain)
    more = {"Choice": choices, "Fragments": rows.fragments, "Level": levels, "LookUp": rows.look_ups, "PlainRow": plain}
    used = ["Column", "Format", *(name for name, values in more.items() if values)]
    used += ["RowChecksum"] if plain is not None and plain.checksum is not None else []
    title = f"{spec.title}, {rows.name}" if rows.name else spec.title
    return TableView(
        doc=spec.doc or title if rows is spec.tables[0] else rows.doc or title,
        columns=tuple(_column(spec, sources, each, compiled.columns.get(each.name)) for each in columns),
        program=program,
        refusal=refusal_text(refusal),
        package_imports=tuple(sorted(used)),
        arguments=arguments,
        choices=choices,
        levels=levels,
        framed=any(argument.startswith("stuffing=") for argument in arguments),
        table=rows.name,
        engine_refusal=refusal,
        column_refusals=compiled.columns,
    )


@dataclass(frozen=True)
class Compilation:
    """The program of a table, or the reason why there is none (``refused``). ``without``: the columns that it omits,
    none of them default ones, each with the reason."""

    listing: Listing | None
    refused: Refusal | None = None
    without: Mapping[str, Refusal] = field(default_factory=dict)

    @property
    def refusal(self) -> str | None:
        """Return the reason as a sentence."""
        return None if self.refused is None else self.refused.sentence

    @property
    def columns(self) -> dict[str, str]:
        """Return the omitted columns, each with the reason as a sentence."""
        return {name: each.sentence for name, each in self.without.items()}


def compile_program(
    spec: Spec, rows: Rows, columns: tuple[TableColumn, ...], allocation: RegisterAllocation | None = None
) -> Compilation:
    """Compile the program of a table, without the columns that the engine cannot fill and that are no default columns.

    Args:
        spec: The spec, with the table as its rows (``Spec.of_table``).
        rows: The rows of the table.
        columns: All columns of the table; those that are looked up in other tables need no program.
        allocation: The numbers of registers that all tables of the format share; ``None`` for the only table.

    Returns:
        The program and the omitted columns; or no program, and why the engine cannot run one.
    """
    # A spec is loaded without it.
    from .program import lower_program

    without: dict[str, Refusal] = {}
    columns = tuple(each for each in columns if each.look_up is None)
    while True:
        try:
            return Compilation(lower_program(spec, rows, columns, allocation), None, without)
        except ColumnRefusedError as refusal:
            name = refusal.column
            if any(each.default for each in columns if each.name == name):
                return Compilation(None, refusal.refusal)
            without[name] = refusal.refusal
            columns = tuple(each for each in columns if each.name != name)
        except NotForEngineError as refusal:
            return Compilation(None, refusal.refusal)
        except RecursionError:
            # Conditions of a switch with thousands of cases are nested as deeply.
            return Compilation(None, NotForEngineError("an expression or a switch has too many terms").refusal)


def _column(spec: Spec, sources: WriteSources, column: TableColumn, refusal: str | None) -> ColumnView:
    is_computed, look_up = column.instance is not None, column.look_up
    values = {"name": column.name, "type": column.type.name, "default": column.default, "attribute": column.attribute}
    values |= {"parent": column.parent, "doc": column.field.doc}
    names = ("labels", "unsigned", "derived", "constant", "filled", "optional")
    values |= {name: getattr(column, name) for name in names}
    if is_computed and (written := sources.source_of(column)) is not None:
        values |= {
            "default_source": (written.name, written.up),
            "default_dependents": written.dependents,
            "source_has_default": written.has_default,
        }
        values["innermost_dependency"] = sources.innermost(column) - written.up
    solved = sources.solves(column) if is_computed else ()
    structs_inside = (*column.structs, *sources.solved_structs(solved)) if solved else column.structs
    values |= {
        "shown_attribute": sources.shown(column) if is_computed else None,
        "same_as": column.same_as,
        "up": column.up,
        "engine_refusal": refusal or "",
        "variants": column.type.switched,
        "inside": tuple((prefix, class_reference(spec, path)) for prefix, path in structs_inside),
        "maps": column.type.maps,
        "absent": column.type.absents,
        "decimals": column.type.decimals,
        "structs": tuple(_structs(spec, column.type, "")),
        "solves": solved,
        "looked_up": look_up and LookUp(look_up.table, look_up.key, look_up.match, look_up.value),
    }
    return ColumnView(column.name, column.type.constructor, tuple(arguments(Column, values)))


def _structs(spec: Spec, type: ArrowType, path: str) -> Iterator[tuple[str, str]]:
    """Yield the structs in a column that are types of the spec: the path within the column that leads to each, and the
    class of its objects."""
    if type.owner:
        yield path, class_reference(spec, type.owner)
    for name, each in type.parts:
        yield from _structs(spec, each, f"{path}.{name}")


def _units(spec: Spec, rows: Rows) -> tuple[tuple[str, ...], ...]:
    def kind(path: RowPath, step: int) -> str:
        if step == len(path) - 1 and spec.begins_with_unit(rows, path):
            return "row"
        if not rows.is_unit(path, step):
            return ""
        return "sums" if has_sums(spec, rows, path, step) else "plain"

    kinds = tuple(tuple(kind(path, step) for step in range(len(path))) for path in rows.row_paths)
    return kinds if any(map(any, kinds)) else ()


def _ahead(spec: Spec) -> tuple[str, ...]:
    """Return the instances of the root that are located at positions of the input."""
    return tuple(field_name(each.id) for each in spec.root.instances if each.attribute is not None and each.io is None)


def _head(spec: Spec, rows: Rows) -> bytes:
    """Return the bytes of the attributes before the rows, if these are ``contents`` alone, and nothing of the root is
    read elsewhere."""
    top = spec.top(rows)
    before = [each for each in top.attributes if each.id in spec.prologue(rows)]
    is_fixed = all(
        each.contents and not (each.condition or each.repeat or each.valid or each.checksum) for each in before
    )
    return b"".join(each.contents or b"" for each in before) if is_fixed and not top.instances else b""


def marker_of(spec: Spec, rows: Rows) -> dict[str, object]:
    """Return the marker by which searches find units: bytes of the object before them, or constant ones. It ends each
    unit, or has the same distance from the beginning of all units that have it.

    Args:
        spec: The spec.
        rows: The rows of a table.

    Returns:
        The arguments ``marker``, ``marker_bytes`` and ``marker_lead`` of ``Format`` that are not the default; empty if
        there is no marker.
    """
    fields = spec.struct(rows.types[0]).attributes if rows.streaming else ()
    if fields and not fields[-1].condition and (path := _marker(spec, rows, fields[-1])):
        return {"marker": path}
    lead = 0
    for each in fields:
        if path := _marker(spec, rows, each):
            return {"marker": path, "marker_lead": lead}
        if len(each.contents or b"") >= LEAST_MARKER and not each.condition and not each.repeat:
            return {"marker_bytes": each.contents, "marker_lead": lead}
        if each.fixed_size is None or each.condition or each.repeat or each.framing is not None:
            break
        lead += each.fixed_size
    return {}


def _marker(spec: Spec, rows: Rows, field: Attribute) -> str:
    """Return the path from the root to the bytes that an attribute must equal, with dots, if they are before the units
    and too many to occur elsewhere by chance; otherwise empty."""
    plain = not (field.is_cut or field.repeat or field.switch or field.process)
    if not plain or not isinstance(field.type, BytesType) or (literal_size(field.size) or 0) < LEAST_MARKER:
        return ""
    path, node = tuple[str, ...](), field.only
    while isinstance(node, MemberAccess):
        path, node = (node.name, *path), node.value
    is_before = isinstance(node, Name) and node.id == "_root" and path[0] in spec.prologue(rows)
    return ".".join(map(field_name, path)) if is_before else ""


def _variables(spec: Spec, rows: Rows) -> tuple[str, ...]:
    """Return the properties of the root's variables, which are carried over from unit to unit."""
    found = (field_name(each.id) for each in spec.root.instances if each.variable)
    return tuple(found) if rows.streaming else ()


def _fixed(spec: Spec) -> tuple[str, ...]:
    """Return the properties of the variables that options set, and nothing else does."""
    sets = (each.sets for struct in spec.family for each in struct.instances if each.sets is not None)
    targets = {each.name for each in sets if isinstance(each, MemberAccess)}
    return tuple(field_name(each.variable) for each in spec.choices if each.variable and each.variable not in targets)


def _is_positional(row: Struct) -> bool:
    """Return whether a value instance of a row depends on the position of its stream."""
    return any(each.value is not None and uses_position(each.value) for each in row.instances)


def _reads_elsewhere(spec: Spec) -> bool:
    """Return whether objects have fields at explicit positions, which may lie after all other fields."""
    return any(each.attribute is not None for type in spec.family for each in type.instances)


def _format_arguments(
    spec: Spec,
    rows: Rows,
    refusal: str | None,
    open: tuple[str, ...],
    settable: tuple[tuple[str, str, int], ...],
    plain: PlainRow | None,
) -> tuple[str, ...]:
    """Return the arguments of ``Format`` except columns and choices; those equal to their defaults are omitted."""
    attribute = spec.top(rows).attribute(rows.attribute)
    framing = attribute.framing if attribute is not None else None
    names = tuple(each.name for each in spec.tables) if rows.name else ()
    more: dict[str, object] = {
        "option": "table" if rows.name else "",
        "table": rows.name,
        "tables": names,
        "delimiter": framing.delimiter if framing else b"",
        "stuffing": framing.stuffing if framing else Stuffing.NONE,
        "path_pattern": spec.path_pattern,
        "has_prologue": bool(spec.prologue(rows)),
        "head": _head(spec, rows),
        "ahead": _ahead(spec) if rows.streaming else (),
        "streaming": rows.streaming,
        "sized_rows": (literal_size(attribute.size) or -1) if rows.sized and attribute is not None else 0,
        "block": rows.block,
        **marker_of(spec, rows),
        "fixed_rows": spec.struct(rows.types[0]).fixed_size,
        "unit": qualified(rows.types[0]) if rows.path else "",
        "rows_path": tuple(map(field_name, rows.path)),
        "unfilled": open,
        "settable": settable,
        "plain": plain,
        "positional": any(_is_positional(spec.struct(each)) for each in rows.row_types),
        "running_checksums": has_running_checksums(spec, rows),
        "row_paths": tuple(tuple(map(spec.steps.index, path)) for path in rows.row_paths),
        "variables": (variables := _variables(spec, rows)),
        "fixed": tuple(each for each in variables if each in _fixed(spec)),
        "where": "" if rows.where is None else condition_name("where", rows.name),
        "unsupported": "" if rows.unsupported is None else condition_name("unsupported", rows.name),
        "evidence": "" if rows.evidence is None else condition_name("evidence", rows.name),
        "distinct": rows.distinct,
        "units": _units(spec, rows),
        "positions": any(spec.is_at_position(each) for path in rows.row_paths for each in path),
        "fills_input": not rows.streaming and not _reads_elsewhere(spec),
        "inside": rows.inside,
        "unwritable": unwritable(spec, rows),
        "stream": rows.stream,
        "decode": rows.decode,
        "sums_units": any(has_sums(spec, rows, path, -1) for path in rows.row_paths),
    }
    texts = format_arguments(spec, class_reference(spec, rows.row), rows.attribute, refusal, more)
    if rows is not spec.tables[0]:
        texts.append(OUTER_PARSER)
    if spec.doc or rows is not spec.tables[0]:
        texts.append("doc=__doc__")
    if rows.fragments is not None:
        texts.append(f"fragments={source(rows.fragments)}")
    return tuple(texts)
