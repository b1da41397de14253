"""A spec's row type as a whole column program."""

from __future__ import annotations

from wireloom.format.program import Op, Stuffing

from ...expression.types import BytesType, StringType
from ...plan import Instance, Plan, Rows
from .assembler import Assembler, Label, Listing
from .expression import Compiled, Compiler, facts_of
from .refusal import NotForEngineError
from .row import lower_fields
from .scope import Fact, Scalar, Scope, Span, Unavailable
from .state import State
from .table import TableColumn, declared


def lower_program(plan: Plan, rows: Rows, columns: tuple[TableColumn, ...]) -> Listing:
    """The column program. Raises ``NotForEngineError`` with what comes first that the engine cannot do."""
    assembler = Assembler()
    field = plan.root.field(rows.field)
    if rows.sized:
        raise NotForEngineError("the rows have a size of their own")
    if field is None or not rows.streaming:
        raise NotForEngineError(f'"{rows.field}" is not a plain run of rows to the end of the input')
    root, presets = _root(plan, rows)
    row = Scope(plan, plan.type(rows.type), root)
    framing = field.framing
    own = {each.name: (number, each) for number, each in enumerate(columns) if not each.parent}
    state = State(plan, assembler, row, own, bounded=framing is not None)
    lower_fields(state, row)
    state.run.flush()
    for number, column in enumerate(columns):
        if isinstance(column.field, Instance):
            _lower_instance(assembler, root if column.parent else row, number, column, column.field)
        elif column.parent:
            column.store(assembler, number, _scalar(root, column.name))
    assembler.add(Op.END)
    storages = tuple(each.type.storage for each in columns if each.type.storage is not None)
    if len(storages) != len(columns):
        refused = next(each for each in columns if each.type.storage is None)
        raise NotForEngineError(f'the column "{refused.name}" is of type {refused.type.name}')
    stuffing = Stuffing[framing.stuffing.upper()] if framing else Stuffing.NONE
    return assembler.finish(storages, presets, framing.delimiter if framing else b"", stuffing)


def _root(plan: Plan, rows: Rows) -> tuple[Scope, tuple[tuple[str, Scalar], ...]]:
    """The root as far as it is before the rows: the reader gives its integers to the engine."""
    root = Scope(plan, plan.root)
    known = declared(plan, plan.root, None).members
    presets: list[tuple[str, Scalar]] = []
    for field in plan.root.fields:
        if field.id == rows.field:
            break
        scalar = known.get(field.id)
        if isinstance(scalar, Scalar) and field.condition is None and scalar.interval.within(-(1 << 63), (1 << 64) - 1):
            root.members[field.id] = scalar
            presets.append((field.id, scalar))
        else:
            root.members[field.id] = Unavailable(f'a row uses "{field.id}" of the root, which is no plain integer')
    return root, tuple(presets)


def _scalar(scope: Scope, name: str) -> Scalar:
    found = scope.members.get(name)
    if not isinstance(found, Scalar):
        raise NotForEngineError(f'the column "{name}" of the root is no plain integer')
    return found


def _lower_instance(assembler: Assembler, scope: Scope, number: int, column: TableColumn, instance: Instance) -> None:
    """A column whose value an expression computes."""
    if instance.value is None:
        raise NotForEngineError(f'the column "{column.name}" is read at a position of its own')
    if instance.checks:
        raise NotForEngineError(f'the column "{column.name}" is computed and has "valid"')
    absent, after = Label(), Label()
    facts: tuple[Fact, ...] = ()
    if instance.condition is not None:
        present = assembler.temporary(Compiler(scope).compile(instance.condition), f"is {column.name} there?")
        assembler.add(Op.SKIP_IF_ZERO, present, 0, absent, comment=f"is {column.name} there?")
        facts = facts_of(scope, instance.condition)
    compiler = Compiler(scope, facts)
    if isinstance(instance.type, BytesType | StringType):
        span = compiler.resolve(instance.value)
        if not isinstance(span, Span):
            raise NotForEngineError(f'the column "{column.name}" is computed text or bytes')
        compiler.must_be_present(span)
        assembler.add(Op.COLUMN_BYTES, number, span, comment=column.name)
    else:
        compiled = compiler.compile(instance.value)
        value = assembler.temporary(compiled, column.name)
        held = column.held(Compiled((value,), value.interval))
        column.store(assembler, number, assembler.temporary(held, f"{column.name}, as its column has it"))
        if instance.condition is None and compiled.constant is None:
            # What depends on it takes the value that is there.
            scope.members[instance.id] = value
    if instance.condition is not None:
        assembler.add(Op.JUMP, 0, 0, after)
        assembler.place(absent)
        assembler.add(Op.COLUMN_NULL, number, comment=column.name)
        assembler.place(after)
