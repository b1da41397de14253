"""Lowers the row type of a spec to a complete column program."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from itertools import takewhile

from wireloom.base.dataclass import replace
from wireloom.format.program import PRESENCE, Code, Kind, Op, Reason, Storage, Stuffing

from ...expression.nodes import Name, Node
from ...expression.types import BytesType, ComputedIntegerType, Path, StringType, UserType
from ...expression.walk import names_in
from ...passes.running_checksums import running_checksums_in
from ...passes.variables import follows_variables
from ...tree import Attribute, Instance, Rows, Spec
from ..python.names import field_name
from .arrow import JSON, integer_interval
from .assembler import Assembler
from .blocks import enter, expand, leave
from .column_nodes import ColumnNode, ColumnNodes, own_columns
from .encodings import UTF8
from .expression import LONGEST_LITERAL, Compiler
from .instructions import Listing, Operation, RemovableOperation
from .interval import BOOLEAN, INT64, Interval
from .lowering_context import LoweringContext
from .path_conditions import path_conditions_of
from .ranges import declared
from .refusal import ColumnRefusedError, NotForEngineError, placed
from .register_allocation import RegisterAllocation
from .row import lower_fields, lower_unit, read_instance
from .row_instances import lower_instance, row_compiler
from .sharing import Sharing
from .stack_code import NULL, StackCode, constant, joined, optional
from .symbols import HeaderConstant, ObjectScope, PathCondition, Scalar, Span, Unavailable
from .table import TableColumn, columns_on
from .variables import carry_variables


def lower_program(
    spec: Spec, rows: Rows, columns: tuple[TableColumn, ...], allocation: RegisterAllocation | None = None
) -> Listing:
    """Return the column program of a table.

    Args:
        spec: The spec, with the table as its rows (``Spec.of_table``).
        rows: The rows of the table.
        columns: The columns that the program fills, in the order of their numbers.
        allocation: The numbers of registers that all tables of the format share; ``None`` for the only table.

    Raises:
        NotForEngineError: The engine does not support a construct of the spec; the error names the first one.
        ColumnRefusedError: The construct affects one column only.
    """
    assembler = Assembler(allocation=allocation)
    field = spec.top(rows).attribute(rows.attribute)
    root, root_values = _root(spec, rows, assembler)
    framing = field.framing if field is not None else None
    nodes = ColumnNodes(spec, columns)
    context = LoweringContext(spec, assembler, bounded=framing is not None, columns=nodes, read_instance=read_instance)
    context.other_columns = {each: _nodes_on(spec, rows, each, columns) for each in rows.row_types[1:]}
    unit = ObjectScope(spec, spec.struct(rows.types[0]), root)
    root.stream = unit.stream = context.streams[0]
    root.encloses_rows = True
    if rows.path or rows.sized:
        itself = (((spec.top(rows).path, rows.attribute, rows.row),),)
        context.row, context.row_paths = _row_columns, rows.row_paths or itself
    if rows.streaming:
        context.unit = unit
        # Their items are read one after another: the reader keeps the checksum of the last one.
        for name in running_checksums_in(spec, spec.top(rows).path):
            context.running_checksums[root, name] = assembler.running_checksum()
        carry_variables(context, root)
    if not rows.streaming:
        context.bounded = True
        lower_fields(context, root)
    elif rows.path or rows.sized:
        if rows.sized and field is not None:
            enter(context, root, field, contains_damage=True)
            context.bounded = True
            expand(context, root, field)
            unit.stream = context.streams[-1]
        lower_unit(context, unit)
        if rows.sized and field is not None:
            context.run.flush()
            leave(context, field)
    else:
        context.fills[unit] = own_columns(nodes)
        lower_fields(context, unit)
        context.run.flush()
        _row_columns(context, unit)
    context.run.flush()
    assembler.add(Op.END)
    stuffing = framing.stuffing if framing else Stuffing.NONE
    return assembler.finish(
        nodes.storages,
        root_values,
        framing.delimiter if framing else b"",
        stuffing,
        nodes.levels,
        whole=not rows.streaming,
    )


def _nodes_on(spec: Spec, rows: Rows, row: Path, columns: tuple[TableColumn, ...]) -> ColumnNodes:
    """Return copies of the columns of a program, with the same numbers, for rows of another type."""
    return ColumnNodes(spec, columns_on(spec, rows, row, columns))


def _row_columns(context: LoweringContext, row: ObjectScope) -> None:
    """Append the steps of the condition of a row, and of its columns that are computed or belong to objects around
    it."""
    rows = context.spec.rows
    assert rows is not None
    sharing, kept = Sharing(context, context.assembler.insertion_point()), len(context.cached)
    for key, condition, reason in (
        ("unsupported", rows.unsupported, Reason.UNSUPPORTED),
        ("where", rows.where, Reason.NONE),
    ):
        if condition is not None:
            holds = _holds(context, row, condition, key)
            context.refuse_for_needs()
            context.assembler.add(Op.WHERE, holds, reason, comment=key)
    if rows.evidence is not None:
        context.assembler.add(Op.EVIDENCE, _holds(context, row, rows.evidence, "evidence"), comment="evidence")
    if any(each.column.type == JSON for each in context.columns.all):
        context.assembler.add(Op.JSON_END)
    for node in context.columns_of(row.struct.path).columns:
        column = node.column
        if isinstance(column.field, Attribute) and not (column.parent or column.up):
            # It was stored when the row was read.
            continue
        try:
            with placed(column.field.position):
                _row_column(context, row, node, rows, sharing)
        except NotForEngineError as refusal:
            raise ColumnRefusedError(column.name, refusal) from refusal
    # Reading for columns may have failed without losing the row.
    context.forget(kept)


def _holds(context: LoweringContext, row: ObjectScope, condition: Node, key: str) -> Scalar:
    """Return the register of a condition of a row, which does not hold if it uses an attribute that is absent."""
    compiled = row_compiler(context, row, context.path_conditions).compile(condition)
    if compiled.nullable:
        compiled = joined((optional(compiled), constant(1)), Code.EQUAL, BOOLEAN)
    return context.assembler.temporary(compiled, key)


def _row_column(context: LoweringContext, row: ObjectScope, node: ColumnNode, rows: Rows, sharing: Sharing) -> None:
    column, scope = node.column, row
    for _ in range(column.up):
        assert scope.parent is not None
        scope = scope.parent
    if column.parent:
        scope = row.root
    for name in column.path:
        inner = scope.members.get(name)
        if not isinstance(inner, ObjectScope):
            raise NotForEngineError(f'the column "{column.name}" is not in an object that is always there')
        scope = inner
    if isinstance(column.field, Instance):
        lower_instance(context, scope, node.number, column, column.field, sharing)
    elif column.parent and rows.streaming:
        found = scope.members.get(column.field.id)
        if isinstance(found, Span):
            context.assembler.column_bytes(node.number, found, column.name)
            return
        if not isinstance(found, Scalar):
            raise NotForEngineError(f'the column "{column.name}" of the root is not a single value')
        fitted = optional(column.fitted(StackCode((found,), found.interval)))
        column.store(context.assembler, node.number, context.assembler.temporary(fitted, column.name, optional=True))
    else:
        _store_around(context, scope, node)


def _store_around(context: LoweringContext, scope: ObjectScope, node: ColumnNode) -> None:
    """Append the step of a column that is an attribute of an object around the row."""
    name, assembler = node.column.field.id, context.assembler
    found = scope.floats.get(name) or scope.members.get(name)
    if not isinstance(found, Scalar | Span):
        raise NotForEngineError(f'the column "{name}" is not a single value before the rows')
    compiler = context.compiler(scope)
    if isinstance(found, Span):
        assembler.column_bytes(node.number, compiler.span_or_null(Name(name), found), name)
        return
    compiler.scalar(found)
    if name in scope.floats:
        kind = Kind.U4LE if node.storage is Storage.FIXED32 else Kind.U8LE
        assembler.add(Op.COLUMN_REGISTER, node.number, found, kind, comment=name)
    else:
        node.column.store(assembler, node.number, found)


def _root(spec: Spec, rows: Rows, assembler: Assembler) -> tuple[ObjectScope, tuple[tuple[str, Scalar], ...]]:
    """Return the root and, if units are read one by one, the values before them: the reader passes to the engine its
    numbers, including those of objects in it, and the integers that value instances compute."""
    root = ObjectScope(spec, spec.top(rows))
    if not rows.streaming:
        return root, ()
    root_values: list[tuple[str, Scalar]] = []
    if spec.top(rows).endian is not None:
        root.little = Scalar("byte order of the input", Interval(0, 1))
        root_values.append(("_is_le", root.little))
    before = list(takewhile(lambda each: each.id != rows.attribute, spec.top(rows).attributes))
    root_values += _root_values(root, before, "", (), assembler)
    for instance in spec.top(rows).instances if before else ():
        interval = INT64 if isinstance(instance.type, ComputedIntegerType) else integer_interval(instance.type)
        if instance.variable or follows_variables(spec, spec.root, instance):
            continue
        used = set() if instance.value is None else names_in(instance.value)
        placed = instance.attribute
        single = placed is None or (placed.repeat is None and placed.switch is None)
        if not single or instance.condition is not None or interval is None or used & {rows.attribute, "_io"}:
            continue
        if _may_be_null(root, instance):
            continue
        scalar = Scalar(instance.id, interval)
        root.members[instance.id] = scalar
        root_values.append((field_name(instance.id), scalar))
    return root, tuple(root_values)


def _may_be_null(root: ObjectScope, instance: Instance) -> bool:
    """Return whether a value of the root may be absent, so that rows compute it from attributes."""
    try:
        return instance.value is not None and Compiler(root).compile(instance.value).nullable
    except NotForEngineError:
        return False


def _root_values(
    scope: ObjectScope, fields: Sequence[Attribute], prefix: str, within: tuple[Path, ...], assembler: Assembler
) -> Iterator[tuple[str, Scalar]]:
    """Yield the numbers of an object before the rows, and of the objects in it, by their names starting at the root,
    and whether those that are optional are present; the scope then knows them."""
    known, message = declared(scope.spec, scope.struct, None).members, scope.struct.message
    for field in fields:
        name, scalar, own = f"{prefix}{field_name(field.id)}", known.get(field.id), _presence_conditions(scope, field)
        conditions, there = (*scope.path_conditions, *own), scope.presence
        if own:
            there = Scalar(f"is {name} there?", BOOLEAN)
            yield f"{PRESENCE}{name}", there
        single = field.repeat is None
        if single and isinstance(scalar, Scalar) and scalar.interval.within(-(1 << 63), (1 << 64) - 1):
            scope.members[field.id] = scalar if there is None else _where_there(assembler, scalar, there, conditions)
            yield name, scalar
        elif single and isinstance(field.type, UserType) and field.type.path not in within and field.switch is None:
            struct = scope.spec.struct(field.type.path)
            inner = ObjectScope(scope.spec, struct, scope, path_conditions=conditions, presence=there)
            scope.members[field.id] = inner
            yield from _root_values(inner, inner.struct.attributes, f"{name}.", (*within, field.type.path), assembler)
        elif single and isinstance(field.type, BytesType) and _size_of(field) is not None:
            scope.members[field.id] = _header_span(assembler, name, _size_of(field), there, conditions)
        elif isinstance(field.type, StringType) and message is not None and message.syntax == "proto2":
            what = f'an expression uses the text "{field.id}" of proto2, which need not be UTF-8'
            scope.members[field.id] = Unavailable(what)
        elif single and isinstance(field.type, BytesType | StringType) and field.switch is None:
            text = isinstance(field.type, StringType)
            scope.members[field.id] = _header_span(assembler, name, None, there, conditions, text=text)
        else:
            what = f'a row uses "{name}" of the root, which is not a plain value'
            scope.members[field.id] = Unavailable(what)


def _presence_conditions(scope: ObjectScope, field: Attribute) -> tuple[PathCondition, ...]:
    """Return the conditions under which a field before the rows is present, if its object is."""
    if field.condition is not None:
        return path_conditions_of(scope, field.condition)
    rule = field.message
    if rule is None or rule.label not in ("optional", "required") or rule.default is not None:
        return ()
    # No condition of the spec says whether it is present.
    return (PathCondition(scope, Name(f"{field.id} is there")),)


def _where_there(assembler: Assembler, given: Scalar, there: Scalar, conditions: tuple[PathCondition, ...]) -> Scalar:
    """Append the step that makes a number of the root null if it is absent; return its register."""
    found = Scalar(given.name, given.interval, conditions, is_optional=True, may_fail=True, nullable=True)
    value = StackCode((given,), given.interval)
    chosen = joined((StackCode((there,), BOOLEAN), value, NULL), Code.SELECT, given.interval)
    assembler.compute(found, chosen, given.name)
    return found


def _header_span(
    assembler: Assembler,
    name: str,
    size: int | None,
    there: Scalar | None,
    conditions: tuple[PathCondition, ...],
    *,
    text: bool = False,
) -> Span:
    """Append the step that locates text or bytes of the root, which are known before the first row, and the step that
    makes them null if they are absent; return their span."""
    header = None if size is None or there is not None else HeaderConstant(name, size)
    span = Span(name, text=text, encoding=UTF8 if text else None, made=True, header=header)
    operation = Operation(Op.TEXT_CONSTANT, span, HeaderConstant(name, -1), comment=name)
    assembler.instructions.append(RemovableOperation(operation, span))
    if there is None:
        return span
    found = replace(span, path_conditions=conditions, presence=there, nullable=True)
    assembler.instructions.append(RemovableOperation(Operation(Op.TEXT_SELECT, found, there, span, -1, name), found))
    return found


def _size_of(field: Attribute) -> int | None:
    """Return the size of bytes if it is constant and small enough for comparisons, else ``None``."""
    plain = not field.is_cut and field.process is None and field.switch is None
    return field.fixed_size if plain and (field.fixed_size or 0) <= LONGEST_LITERAL else None
