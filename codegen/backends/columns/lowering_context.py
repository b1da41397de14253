"""The context of the lowering of a row at one point of the walk over its fields."""

from __future__ import annotations

from collections.abc import Callable
from copy import copy
from functools import reduce
from typing import Any

from wireloom.base.dataclass import dataclass, field
from wireloom.format.program import Code, Op
from wireloom.format.program_words import MOST_STEPS

from ...expression.types import Path
from ...tree import Attribute, Instance, RowPath, Spec
from ...tree.leaves import ExpressionSize, FixedSize
from .assembler import Assembler
from .column_nodes import ColumnNode, ColumnNodes
from .expression import Compiler
from .instructions import InsertionPoint
from .interval import BOOLEAN, INT64, Interval
from .refusal import NotForEngineError
from .results import Function
from .run_builder import RunBuilder
from .stack_code import StackCode, constant, joined
from .symbols import (
    CarriedVariable,
    Chosen,
    ConstantTable,
    Created,
    ListVariable,
    Member,
    ObjectScope,
    PathCondition,
    RepeatedField,
    Scalar,
    Stream,
    TableVariable,
    Unavailable,
)
from .text_steps import TextMaker
from .uses import Used, uses_position


@dataclass(eq=False)
class Preheader:
    """The preheader of a loop that leads to rows: the position before it, at which values that columns need are read
    once (loop-invariant code motion).

    ``known``: the members and the lists of the objects around the loop, as they are at that position; ``cached``: the
    instances that are read there.
    """

    insertion_point: InsertionPoint
    known: dict[ObjectScope, tuple[dict[str, Member | ObjectScope | Chosen], dict[str, RepeatedField]]]
    streams: list[Stream]
    path_conditions: tuple[PathCondition, ...]
    bounded: bool
    nesting: int
    cached: list[tuple[ObjectScope, Instance]] = field(default_factory=list)


@dataclass
class LoweringContext:
    """The state of the walk: what has been read so far, from which streams, under which conditions.

    - ``bounded``: the bytes end at the end of a frame or a sub-stream.
    - ``other_columns``: the columns of rows of other types than the first one, by type.
    - ``row``: appends the steps of a row's columns that are not fields of it, for rows inside units.
    - ``fills``: the columns that fields of objects fill.
    - ``path_depth``: the number of steps taken on a path to the rows; ``row_paths``: the paths that begin with these
      steps.
    - ``units``: the number of open units inside the outermost one.
    - ``unit``: the unit, if the input consists of units that are read one by one.
    - ``streams``: the open streams, that of the unit first.
    - ``path_conditions``: the conditions under which the current field is read.
    - ``created``: what has been created so far in the innermost optional field.
    - ``nesting``: the depth of nested user types; ``fields``: the number of fields walked.
    - ``running_checksums``: the numbers of checksums that continue those of previous items, by the object that contains
      the items.
    - ``carried``: the carried values of variables of the root.
    - ``before_expansion``: appends the checksums of the block that is about to be decompressed; ``after_expansion``:
      those of its content.
    - ``cached``: cached instances: stream-dependent values held in registers, and positioned reads.
    - ``read_instance``: appends the steps that read an instance; ``reading``: the instances being read.
    - ``needed``: the registers with the reasons why values that a column needs could not be read.
    - ``preheaders``: for an object around rows, the position at which such values are read once.
    - ``functions``: those of types that contain themselves, by whether the stream has an end.
    - ``used``: the names of lists, bytes and objects that expressions use; ``uses_lists``: whether expressions may use
      the lists that are read here.
    - ``complete``: the register that says whether the item about to be read is complete, if its loop needs it.
    """

    spec: Spec
    assembler: Assembler
    bounded: bool
    columns: ColumnNodes
    other_columns: dict[Path, ColumnNodes] = field(default_factory=dict)
    row: Callable[[LoweringContext, ObjectScope], None] | None = None
    fills: dict[ObjectScope, dict[str, ColumnNode]] = field(default_factory=dict)
    path_depth: int = 0
    row_paths: tuple[RowPath, ...] = ()
    units: int = 0
    unit: ObjectScope | None = None
    run: RunBuilder = field(init=False)
    streams: list[Stream] = field(default_factory=lambda: [Stream()])
    path_conditions: tuple[PathCondition, ...] = ()
    created: list[Created] = field(default_factory=list)
    nesting: int = 0
    fields: int = 0
    running_checksums: dict[tuple[ObjectScope, str], int] = field(default_factory=dict)
    carried: dict[Scalar, CarriedVariable] = field(default_factory=dict)
    before_expansion: Callable[[], None] = field(default=lambda: None)
    after_expansion: Callable[[], None] = field(default=lambda: None)
    cached: list[tuple[ObjectScope, Instance]] = field(default_factory=list)
    read_instance: Callable[[LoweringContext, ObjectScope, Instance], None] | None = None
    reading: list[Instance] = field(default_factory=list)
    needed: list[Scalar] = field(default_factory=list)
    preheaders: dict[ObjectScope, Preheader] = field(default_factory=dict)
    functions: dict[tuple[Path, bool, bool], Function] = field(default_factory=dict)
    complete: Scalar | None = None
    used: Used = field(init=False)
    uses_lists: bool = True

    def __post_init__(self) -> None:
        self.run = RunBuilder(self.assembler)
        self.used = Used(self.spec)

    def is_used(self, field: Attribute) -> bool:
        """Return whether expressions may use the items of a repeated field."""
        return self.uses_lists and field.id in self.used.lists

    def columns_of(self, row: Path) -> ColumnNodes:
        """Return the columns of rows of a type."""
        return self.other_columns.get(row, self.columns)

    def count(self) -> None:
        """Count a field; the fields of a type count at each use. Raises ``NotForEngineError`` over the limit."""
        self.fields += 1
        if max(self.fields, len(self.assembler.instructions)) > MOST_STEPS:
            raise NotForEngineError(f"a row takes more than {MOST_STEPS} steps")

    def compiler(self, scope: ObjectScope) -> Compiler:
        """Return a compiler of expressions at this position in ``scope``."""
        return Compiler(
            scope,
            self.path_conditions,
            of_stream=self.of_stream,
            of_item=self._of_item,
            keep=self._keep,
            read=self._read,
            is_open=lambda each: each.stream in self.streams,
            maker=TextMaker(self.assembler, lambda: self.run.flush_aligned("an expression computes text")),
        )

    def _of_item(self, items: ListVariable | TableVariable | ConstantTable, index: StackCode) -> StackCode:
        """Return an item of a variable that is a list, or an entry of a table."""
        self.run.flush()
        if not isinstance(items, ListVariable):
            return self._of_key(items, index)
        number = self.assembler.temporary(index, f"number of an item of {items.name}", speculative=True)
        found = Scalar(f"item of {items.name}", INT64, self.path_conditions, may_fail=True)
        self.assembler.add(Op.ITEM_OF, found, items.store, number, items.carried, comment=items.name)
        # An expression of its own reports that there is none.
        return joined((StackCode((found,), INT64), constant(0)), Code.ADD, INT64)

    def _of_key(self, table: TableVariable | ConstantTable, key: StackCode) -> StackCode:
        name = f"entry of {table.name}"
        number = self.assembler.temporary(key, f"key of an {name}", speculative=True, optional=True)
        found = Scalar(name, table.values, self.path_conditions, may_fail=True, speculative=True, nullable=True)
        if isinstance(table, ConstantTable):
            self.assembler.of_constants(Op.CONSTANT_OF, found, number, table.packed, table.name)
        else:
            self.assembler.add(Op.ENTRY_OF, found, table.store, number, table.carried, comment=table.name)
        return StackCode((found,), table.values)

    def _keep(self, compiled: StackCode, scope: ObjectScope, instance: Instance) -> Scalar:
        kept = Scalar(
            instance.id, compiled.interval, self.path_conditions, may_fail=compiled.may_fail, nullable=compiled.nullable
        )
        self.run.flush()
        self.assembler.compute(kept, compiled, instance.id)
        self.cached.append((scope, instance))
        return kept

    def _read(self, scope: ObjectScope, instance: Instance) -> None:
        if instance in self.reading or self.read_instance is None:
            raise NotForEngineError(f'"{instance.id}" is read at a position that depends on itself')
        self.reading.append(instance)
        self.read_instance(self, scope, instance)
        self.reading.pop()
        self.cached.append((scope, instance))

    def add_preheader(self, scope: ObjectScope) -> tuple[ObjectScope, ...]:
        """Create the preheader of a loop in an object, if the loop leads to rows; return the objects whose instances it
        serves: those that have none yet."""
        scopes = tuple(each for each in (scope, *scope.enclosing()) if each not in self.preheaders)
        if self.row is None or not scopes:
            return ()
        known = {each: (dict(each.members), dict(each.lists)) for each in (scope, *scope.enclosing())}
        preheader = Preheader(
            self.assembler.insertion_point(), known, [*self.streams], self.path_conditions, self.bounded, self.nesting
        )
        self.preheaders.update(dict.fromkeys(scopes, preheader))
        return scopes

    def remove_preheader(self, scopes: tuple[ObjectScope, ...]) -> None:
        """Remove the preheader of these objects, and what was read there."""
        for scope in scopes:
            for holder, instance in self.preheaders.pop(scope).cached:
                holder.members.pop(instance.id, None)
                holder.lists.pop(instance.id, None)
                holder.failures.pop(instance.id, None)

    def attempt(self, scope: ObjectScope, instance: Instance) -> None:
        """Append the steps that try to read an instance at its position, for a column: before the rows if it is an
        instance of an enclosing object. If that is refused, the state is restored."""
        preheader = self.preheaders.get(scope)
        if preheader is None:
            self._attempt(scope, instance)
            return
        here = self._copied()
        kept, items = [*self.cached], self.assembler.instructions
        now = {each: (each.members, each.lists) for each in preheader.known}
        hidden = [(holder, each.id, holder.members.pop(each.id)) for holder, each in kept if each.id in holder.members]
        try:
            self.assembler.instructions = preheader.insertion_point.instructions
            self.streams, self.path_conditions, self.bounded, self.nesting = (
                [*preheader.streams],
                preheader.path_conditions,
                preheader.bounded,
                preheader.nesting,
            )
            self.cached, self.run = [*preheader.cached], RunBuilder(self.assembler)
            for each, (members, lists) in preheader.known.items():
                each.members, each.lists = dict(members), dict(lists)
            self._attempt(scope, instance)
            preheader.cached.append((scope, instance))
            found = scope.members.get(instance.id), scope.lists.get(instance.id)
        finally:
            self.assembler.instructions = items
            functions = self.functions
            vars(self).update(here)
            self.functions, self.cached = functions, kept
            for each, (members, lists) in now.items():
                each.members, each.lists = members, lists
            for holder, name, member in hidden:
                holder.members[name] = member
        if found[0] is not None:
            scope.members[instance.id] = found[0]
        if found[1] is not None:
            scope.lists[instance.id] = found[1]

    def _attempt(self, scope: ObjectScope, instance: Instance) -> None:
        """Append the steps at the current position."""
        if len(self.streams) == 1 and not self.bounded:
            raise NotForEngineError(f'"{instance.id}" is read at a position of the input')
        self.run.flush()
        assembler, before = self.assembler, len(self.cached)
        items, size, functions = assembler.instructions, len(assembler.instructions), len(assembler.functions)
        known = self._copied()
        reason = Scalar(f"why {instance.id} is not read", Interval(0, 255))
        try:
            assembler.add(Op.ATTEMPT, reason, comment=instance.id)
            self.streams.append(Stream(of=self.streams[-1].itself))
            self.fills[scope] = {name: node for name, node in self.fills.get(scope, {}).items() if name != instance.id}
            self._read(scope, instance)
            self.streams.pop()
            assembler.add(Op.ATTEMPT_END, reason, comment=instance.id)
        except NotForEngineError:
            assembler.instructions = items
            del items[size:], assembler.functions[functions:]
            vars(self).update(known)
            self.run = RunBuilder(assembler)
            scope.members.pop(instance.id, None)
            raise
        members, lists = scope.members.get(instance.id), scope.lists.get(instance.id)
        self.fills = known["fills"]
        self.forget(before)
        self.cached.append((scope, instance))
        if members is not None:
            scope.members[instance.id] = members
        if lists is not None:
            scope.lists[instance.id] = lists
        scope.failures[instance.id] = (reason,)

    def _copied(self) -> dict[str, Any]:
        """Return a copy of the current state."""
        return {name: copy(each) if isinstance(each, list | dict) else each for name, each in vars(self).items()}

    def need(self, reason: StackCode, guards: tuple[StackCode, ...]) -> None:
        """Record that a column needs a value that could not be read if ``reason`` is set, provided that all of
        ``guards`` hold."""
        if guards:
            guard = reduce(lambda first, second: joined((first, second), Code.BOOLEAN_AND, BOOLEAN), guards)
            reason = joined((guard, reason, constant(0)), Code.SELECT, reason.interval)
        found = reason.scalar
        if found is None:
            found = Scalar("why the row is refused", reason.interval, speculative=True)
            self.assembler.compute(found, reason, found.name)
        if found not in self.needed:
            self.needed.append(found)

    def refuse_for_needs(self, column: int | None = None) -> tuple[Scalar, ...]:
        """Append the steps that refuse the row if a recorded value could not be read; return the registers with the
        reasons. ``column``: the number of the column that needs the value; ``None``: the row itself does."""
        found, self.needed = tuple(self.needed), []
        for each in found:
            self.assembler.add(Op.REFUSE, each, 0 if column is None else column + 1, comment=each.name)
        return found

    def forget(self, before: int) -> None:
        """Discard cached instances beyond the first ``before``: their steps may be skipped at run time. Those that use
        the position of a stream become unavailable, since it cannot be determined again later."""
        for scope, instance in self.cached[before:]:
            scope.members.pop(instance.id, None)
            scope.lists.pop(instance.id, None)
            scope.failures.pop(instance.id, None)
            if instance.value is not None and uses_position(instance.value):
                what = f'an expression uses "{instance.id}" of a stream after a part that may be absent'
                scope.members[instance.id] = Unavailable(what)
        del self.cached[before:]

    @property
    def is_in_content(self) -> bool:
        """Return whether the content of a compressed block is being read."""
        return any(each.is_content for each in self.streams)

    @property
    def counts_items(self) -> bool:
        """Return whether all items count towards the limit, since positions may lead to the same items repeatedly, and
        a compressed block may expand to any number of them."""
        if self.is_in_content:
            return True
        rows = self.spec.rows
        return rows is not None and any(
            map(self.spec.is_at_position, (step for path in rows.row_paths for step in path))
        )

    def stream_number(self, scope: ObjectScope, *, across: bool = True) -> int:
        """Return the number of the open stream that an object is read from. ``across``: also if the content of a
        compressed block is being read and the stream is outside it. Raises ``NotForEngineError``."""
        stream = scope.stream
        if stream is not None and stream not in self.streams:
            stream = stream.itself
        if stream is None or stream not in self.streams:
            raise NotForEngineError(f"an expression uses the stream of {'::'.join(scope.struct.path)} after its end")
        number = self.streams.index(stream)
        if not across and any(each.is_content for each in self.streams[number + 1 :]):
            raise NotForEngineError("a position outside a compressed block is used inside its content")
        return number

    def of_stream(self, scope: ObjectScope, name: str, of_row: bool) -> StackCode:
        """Return the position or the size of the stream that an object is read from, or whether it is at its end. The
        position of an outer stream is that after the sub-stream that is read. ``of_row``: for a column."""
        number = self.stream_number(scope)
        innermost = self.streams[-1].itself is self.streams[number].itself
        if name not in ("pos", "size", "eof") or not (innermost or name == "size" or not of_row):
            raise NotForEngineError(f'an expression uses "_io.{name}" of an outer stream')
        of_input = name != "pos" and number == 0 and not self.bounded
        if of_input and (name == "size" or len(self.streams) > 1):
            raise NotForEngineError(f'an expression uses "_io.{name}" of the input')
        self.run.flush_aligned(f'an expression uses "_io.{name}"')
        if of_input:
            ended = Scalar("_io.eof", BOOLEAN, self.path_conditions)
            self.assembler.stream(ended, 3, 0)
            return StackCode((ended,), BOOLEAN)
        last = max(n for n, each in enumerate(self.streams) if each.itself is self.streams[number].itself)
        number = last if innermost or name != "size" else number
        found = []
        for what, each in ((0 if innermost else 2, "pos"), (1, "size")):
            if name in (each, "eof"):
                scalar = Scalar(f"_io.{each}", Interval(0, (1 << 62) - 1), self.path_conditions)
                self.assembler.stream(scalar, what, number)
                found.append(StackCode((scalar,), scalar.interval))
        return found[0] if name != "eof" else joined(tuple(found), Code.EQUAL, BOOLEAN)

    def column(self, scope: ObjectScope, name: str) -> ColumnNode | None:
        """Return the column that a field of ``scope`` fills; ``None`` if it fills none."""
        return self.fills.get(scope, {}).get(name)

    def fixed_size(self, scope: ObjectScope, field: Attribute) -> int | None:
        """Return the size of the field in bytes if it is the same in every row, else ``None``."""
        if isinstance(field.size, FixedSize):
            return field.size.size
        if field.fixed_size is not None:
            return field.fixed_size
        if isinstance(field.size, ExpressionSize):
            return self.compiler(scope).compile(field.size.expression).constant
        return None

    def size(self, scope: ObjectScope, size: ExpressionSize, name: str) -> tuple[Scalar, int]:
        """Return the register that contains a size, and the constant to be added to it."""
        compiled, addend = self.compiler(scope).size(size.expression)
        return self.assembler.temporary(compiled, f"size of {name}", speculative=True), addend
