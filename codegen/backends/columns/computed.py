"""Value instances of message types as column programs, whose rows are rows of other columns of the table."""

from __future__ import annotations

from collections.abc import Mapping

from wireloom.base.dataclass import dataclass, field
from wireloom.format.message_program import ComputedSource, FieldSource, InputSource
from wireloom.format.program import Op, Stuffing

from ...expression.fold import fold
from ...expression.nodes import MemberAccess, Name, Node
from ...expression.types import BytesType, ComputedIntegerType, StringType, Type, UserType
from ...tree import Attribute, Instance, Struct
from ...tree.leaves import Timestamp
from .arrow import ArrowType, computed_integer, number_interval
from .assembler import Assembler
from .computed_text import is_spanned
from .encodings import UTF8
from .expression import Compiler
from .field_arrow import field_of
from .instructions import Label, Listing, Operation, RemovableOperation
from .interval import BOOLEAN, Interval
from .items import ListItem, Resolved, Series
from .message_paths import FieldPath, MessageNames, MessagePath
from .path_conditions import conjuncts
from .refusal import NotForEngineError
from .stack_code import StackCode, fitted, stored_kind
from .symbols import ObjectScope, Scalar, Span, Unavailable
from .text_steps import TextMaker

SIZES = Interval(0, (1 << 31) - 1)


@dataclass(frozen=True)
class Computed:
    """A computed column: where its values come from, the steps of its program, and its type."""

    source: ComputedSource
    listing: Listing
    type: ArrowType


@dataclass(frozen=True)
class InvalidUnits:
    """How a table shows invalid units, each of which is one row; empty if it does not.

    - ``bytes_column``: the column that holds the bytes of an invalid unit.
    - ``mark``: the boolean column that is false in that row.
    """

    bytes_column: str = ""
    mark: str = ""


def compute(
    paths: MessageNames,
    message: MessagePath,
    instance: Instance,
    columns: Mapping[FieldSource, str],
    type: ArrowType,
    invalid: InvalidUnits,
) -> Computed:
    """Return the program of a value instance of a message.

    Args:
        paths: The names in expressions.
        message: The message that has the instance.
        instance: The instance.
        columns: The columns to compute from.
        type: The type of the column, unless the values need another integer type.
        invalid: The column of units that are no messages.

    Raises:
        NotForEngineError: If the value cannot be computed from columns.
    """
    if instance.value is None or instance.checks or instance.logical is not None:
        raise NotForEngineError(f'the column "{instance.id}" is computed and has "valid" or a logical type')
    inputs = _Inputs(paths, columns)
    assembler, absent = inputs.assembler, Label()
    beginning = assembler.insertion_point()
    compiler = inputs.compiler(message)
    conditions = () if instance.condition is None else conjuncts(fold(instance.condition))
    tested: list[StackCode] = []
    for each in conditions:
        tested.append(compiler.compile(each))
        held = assembler.temporary(tested[-1], f"is {instance.id} there?", speculative=True)
        assembler.add(Op.SKIP_IF_ZERO, held, 1, absent, comment=held.name)
    if is_spanned(instance.value):
        value = StackCode((span := compiler.clean(instance.value),), SIZES)
        assembler.column_bytes(0, span, instance.id)
    else:
        value = compiler.compile(instance.value)
        if isinstance(instance.type, ComputedIntegerType):
            type = computed_integer(value.interval)
        kind = stored_kind(value.interval, type)
        if kind is None:
            raise NotForEngineError("an expression computes with values other than numbers, booleans, bytes and text")
        kept = Scalar(instance.id, value.interval, speculative=True)
        assembler.compute(kept, fitted(value, type), instance.id)
        assembler.add(Op.COLUMN_REGISTER, 0, kept, kind, comment=instance.id)
    if not inputs.found or any(each.constant is not None for each in (value, *tested)):
        raise NotForEngineError(f'the value or condition of the column "{instance.id}" is the same in every row')
    if any(each.column == invalid.bytes_column for each in inputs.found):
        if not invalid.mark:
            raise NotForEngineError(f'it requires "{invalid.bytes_column}" and a "mark" of the rows without a message')
        mark, what = Scalar(invalid.mark, BOOLEAN), "is it the row of a message?"
        beginning.instructions.append(
            Operation(Op.INPUT, mark, inputs.input(InputSource(invalid.mark)), comment=mark.name)
        )
        beginning.instructions.append(Operation(Op.SKIP_IF_ZERO, mark, 1, absent, comment=what))
    # A column that no step has filled is null.
    assembler.bind(absent)
    assembler.add(Op.END)
    assert type.storage is not None
    listing = assembler.finish((type.storage,), (), b"", Stuffing.NONE)
    if any(each.op is Op.TEXT_PART for each in listing.program.steps):
        # ``max_computed`` would have to count its characters.
        raise NotForEngineError("an expression cuts text")
    return Computed(ComputedSource(tuple(inputs.found), listing.program), listing, type)


@dataclass(eq=False)
class _Inputs:
    """The columns that an instance is computed from: their values become members of the objects in expressions when
    these use them. ``messages``: the message of each object."""

    paths: MessageNames
    columns: Mapping[FieldSource, str]
    found: dict[InputSource, int] = field(default_factory=dict)
    assembler: Assembler = field(default_factory=Assembler)
    messages: dict[ObjectScope, MessagePath] = field(default_factory=dict)

    def compiler(self, message: MessagePath) -> _RowCompiler:
        """Return the compiler of expressions that are written in a message."""
        scope = None
        for up in range(len(self.paths.types) - 1, message.up - 1, -1):
            enclosing = self.paths.enclosing(up)
            budget = self.paths.budget
            scope = ObjectScope(self.paths.spec, enclosing.struct, scope, budget=budget)
            self.messages[scope] = enclosing
        assert scope is not None
        return _RowCompiler(scope, of_row=True, maker=TextMaker(self.assembler, lambda: None), inputs=self)

    def declare(self, scope: ObjectScope, name: str) -> None:
        """Add the field ``name`` of an object to its members. Raises ``NotForEngineError`` if it is in no column."""
        attribute, instance = scope.struct.attribute(name), scope.struct.instance(name)
        if instance is not None and instance.checks:
            raise NotForEngineError(f'an expression uses "{name}", which has "valid"')
        if attribute is None or name in scope.members or name in scope.lists:
            return
        above, repeated = self.messages[scope], field_of(attribute).label == "repeated"
        found = FieldPath(above.up, (*above.steps, attribute), scope.struct)
        if isinstance(attribute.type, UserType) and not repeated and not field_of(attribute).json:
            inner = ObjectScope(scope.spec, scope.spec.struct(attribute.type.path), scope)
            self.messages[inner] = MessagePath(found.up, found.steps, inner.struct)
            scope.members[name] = inner
            return
        column, path = self._column(found)
        if repeated:
            scope.lists[name] = _ColumnItems(name, (), self, column, path, attribute, scope.struct)
            return
        scope.members[name] = self._value(name, InputSource(column, path), attribute.type, attribute, scope.struct)

    def _column(self, found: FieldPath) -> tuple[str, tuple[str, ...]]:
        """Return the column that contains a field, and the names that lead to the field in it."""
        numbers = tuple(field_of(each).number for each in found.steps)
        for taken in range(len(numbers), 0, -1):
            column = self.columns.get(FieldSource(numbers[:taken], found.up))
            if column is not None and not any(field_of(each).json for each in found.steps[taken:]):
                return column, tuple(each.id for each in found.steps[taken:])
        raise NotForEngineError(self.paths.why_no_input(found))

    def _value(
        self, name: str, source: InputSource, type: Type, attribute: Attribute, owner: Struct
    ) -> Scalar | Span | Unavailable:
        why = why_not(attribute, type, owner)
        if why:
            return Unavailable(why)
        interval = number_interval(type)
        return self.span(name, source, type) if interval is None else self.number(name, source, interval)

    def number(self, name: str, source: InputSource, interval: Interval, item: int = 0) -> Scalar:
        """Return the register of a number, a boolean, or the size of a list. ``item``: the number of an item from 1,
        or 0 for the value of the row."""
        scalar = Scalar(name, interval, may_fail=True)
        operation = Operation(Op.INPUT, scalar, self.input(source), item, comment=name)
        self.assembler.instructions.append(RemovableOperation(operation, scalar))
        return scalar

    def span(self, name: str, source: InputSource, type: Type | None, item: int = 0) -> Span:
        """Return the span of bytes or text; ``item`` as for ``number``."""
        text = isinstance(type, StringType)
        span = Span(name, text=text, encoding=UTF8 if text else None, made=True)
        self.assembler.instructions.append(
            RemovableOperation(Operation(Op.INPUT_BYTES, span, self.input(source), item, comment=name), span)
        )
        return span

    def input(self, source: InputSource) -> int:
        """Return the number of an input."""
        return self.found.setdefault(source, len(self.found))


def why_not(attribute: Attribute, type: Type, owner: Struct) -> str:
    """Return why expressions in the engine cannot use a field, or an item of it; empty if they can."""
    if isinstance(attribute.logical, Timestamp):
        return f'an expression computes with the timestamp "{attribute.id}"'
    if isinstance(type.on_wire, StringType) and owner.message is not None and owner.message.syntax == "proto2":
        return f'an expression uses the text "{attribute.id}" of proto2, which need not be UTF-8'
    if isinstance(type, BytesType | StringType) or number_interval(type) is not None:
        return ""
    return f'an expression computes with "{attribute.id}", which is no number, boolean, bytes or text'


@dataclass(eq=False)
class _ColumnItems(Series):
    """The items of a repeated field in a column."""

    inputs: _Inputs
    column: str
    path: tuple[str, ...]
    attribute: Attribute
    owner: Struct
    numbers: dict[Node, tuple[int, Interval]] = field(default_factory=dict)
    members: dict[tuple[Node, int], Scalar | Span] = field(default_factory=dict)
    count: Scalar | None = None

    def __post_init__(self) -> None:
        self.is_open = False
        self.holder = None

    def size(self) -> StackCode:
        """Implement ``Series.size``."""
        if self.count is None:
            self.count = self.inputs.number(f"number of {self.name}", InputSource(self.column, self.path), SIZES)
        return StackCode((self.count,), SIZES)

    def member_of(self, path: Node, index: int) -> Scalar | Span:
        """Return the register or the span of what ``path`` finds in the item ``_`` with an index."""
        source, item, name = InputSource(self.column, self.path, self._names(path)), index + 1, f"{self.name}[{index}]"
        if (path, index) not in self.members:
            made = self.inputs.span(name, source, path.type, item) if is_spanned(path) else None
            self.members[path, index] = made or self.inputs.number(name, source, _interval(path), item)
        return self.members[path, index]

    def number_of(self, path: Node) -> tuple[int, Interval]:
        """Implement ``Series.number_of``."""
        return self._series(path, _interval(path))

    def texts_of(self, path: Node) -> int:
        """Implement ``Series.texts_of``."""
        return self._series(path, SIZES)[0]

    def may_be_absent(self, path: Node) -> bool:
        """Implement ``Series.may_be_absent``."""
        return False

    def _series(self, path: Node, interval: Interval) -> tuple[int, Interval]:
        if path not in self.numbers:
            source = InputSource(self.column, self.path, self._names(path))
            assembler = self.inputs.assembler
            number, assembler.series = assembler.series, assembler.series + 1
            step = Operation(Op.INPUT_ITEMS, number, self.inputs.input(source), comment=f"items of {self.name}")
            assembler.instructions.append(step)
            self.numbers[path] = number, interval
        return self.numbers[path]

    def _names(self, path: Node) -> tuple[str, ...]:
        """Return the names of the fields that lead to a value in an item."""
        names: list[str] = []
        while isinstance(path, MemberAccess):
            names, path = [path.name, *names], path.value
        attribute, owner, spec = self.attribute, self.owner, self.inputs.paths.spec
        is_plain = isinstance(path, Name) and not field_of(attribute).key
        for name in names:
            is_plain &= isinstance(attribute.type, UserType) and not field_of(attribute).json
            if is_plain and isinstance(attribute.type, UserType):
                owner = spec.struct(attribute.type.path)
                attribute = owner.attribute(name) or attribute
                is_plain = attribute.id == name and field_of(attribute).label != "repeated"
        if not is_plain:
            raise NotForEngineError(f'an expression uses an item of "{self.name}" that is not a field in a column')
        why = why_not(attribute, attribute.type, owner)
        if why:
            raise NotForEngineError(why)
        return tuple(names)


def _interval(path: Node) -> Interval:
    interval = None if path.type is None else number_interval(path.type)
    if interval is None:
        raise NotForEngineError("an expression computes with an item that is no number")
    return interval


@dataclass(frozen=True)
class _RowCompiler(Compiler):
    """Compiles expressions whose only variables are ``inputs``."""

    inputs: _Inputs | None = None

    def _name(self, name: str, type: Type | None) -> Resolved:
        assert self.inputs is not None
        self.inputs.declare(self.scope, name)
        return super()._name(name, type)

    def _member(self, owner: Resolved, node: MemberAccess) -> Resolved:
        if isinstance(owner, ListItem) and is_spanned(owner.path) and node.name in ("length", "size"):
            return self._span_size(node.value, self.span(node.value))
        return super()._member(owner, node)

    def _read(self, found: Resolved) -> StackCode:
        return super()._read(self._item_at(found))

    def _item_text(self, item: ListItem) -> Span:
        found = self._item_at(item)
        return found if isinstance(found, Span) else super()._item_text(item)

    @staticmethod
    def _item_at(found: Resolved) -> Resolved:
        """Return the register or the span of an item at a constant index."""
        if isinstance(found, ListItem) and isinstance(found.series, _ColumnItems) and (found.index.constant or 0) >= 0:
            index = found.index.constant
            return found if index is None else found.series.member_of(found.path, index)
        return found

    def _compared_span(self, node: Node) -> Span:
        return self.span(node)

    def _decoded(self, source: Span, name: str) -> Span:
        # Instances of messages replace what is invalid.
        if name.upper() != "UTF-8":
            raise NotForEngineError(f"the engine does not decode {name} in columns of messages")
        return self._maker.decoded(source, UTF8, strict=False)
