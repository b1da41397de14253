"""The columns of a table of messages, in order, and their sources, as in the engine's program."""

from __future__ import annotations

from collections.abc import Mapping

from wireloom.base.dataclass import dataclass, replace
from wireloom.format.message_program import (
    ColumnSource,
    FieldSource,
    LookupSource,
    MarkSource,
    RowNumberSource,
)

from ...expression.fold import fold
from ...expression.nodes import Binary, Cast, IntegerLiteral, MemberAccess, Name, Node, Subscript
from ...expression.types import BytesType, EnumType, IntegerType, ListType, StringType, UserType
from ...tree import Attribute, Instance, Spec
from ...tree.leaves import IntegerText, UnitColumn, UnitKind
from ..base import refuse
from ..python.names import field_name
from .arrow import BOOLEAN, INTEGERS, LABELS, ArrowType, list_type
from .computed import InvalidUnits, compute
from .field_arrow import field_of, field_type, message_field_type, message_type
from .instructions import Listing
from .message_paths import FieldPath, MessageNames, MessagePath, enclosing_messages
from .refusal import NotForEngineError, Refusal

SHOWN = ("dictionary", "timestamp")
"""Prefixes of the names of types that show a number in another form."""


@dataclass(frozen=True)
class MessageColumn:
    """One column. ``attribute``: its name in the generated class of the message ``up`` levels above the row; empty
    unless it is a field or an instance. Other attributes are as in ``wireloom.format.description.Column``.

    ``is_json``: messages are shown as text. ``source``: where the engine takes the values from; ``None`` if it cannot,
    for the reason ``refused``. ``listing``: for a computed column, the steps of its program.
    """

    name: str
    type: ArrowType
    default: bool
    attribute: str = ""
    up: int = 0
    doc: str = ""
    labels: tuple[tuple[int, str], ...] = ()
    derived: bool = False
    same_as: str = ""
    is_json: bool = False
    source: ColumnSource | None = None
    listing: Listing | None = None
    refused: Refusal | None = None

    @property
    def refusal(self) -> str:
        """Return the reason as a sentence; '' if there is none."""
        return "" if self.refused is None else self.refused.sentence

    @property
    def lookup(self) -> str:
        """Return ``wireloom.format.description.Column.lookup`` for this column."""
        if not isinstance(self.source, LookupSource):
            return ""
        return "integer" if self.source.integer else "item"


def message_columns(spec: Spec, kind: UnitKind) -> tuple[MessageColumn, ...]:
    """Return the default columns, then the selectable ones. Raises ``SpecError`` if one has no Arrow type."""
    paths = MessageNames(spec, enclosing_messages(spec, kind), kind.rows)
    listed = [(each, True) for each in kind.columns] + [(each, False) for each in kind.selectable]
    columns = [
        _counted(kind, each, default) if isinstance(each, str) else _column(paths, each, default)
        for each, default in listed
    ]
    inputs = {
        each.source: each.name
        for each in reversed(columns)
        if isinstance(each.source, FieldSource) and not each.type.name.startswith(SHOWN) and not each.is_json
    }
    invalid = InvalidUnits(kind.whole, kind.mark if kind.mark in kind.columns + kind.selectable else "")
    for number, (each, _) in enumerate(listed):
        if isinstance(each, UnitColumn) and columns[number].source is None:
            columns[number] = _computed(paths, each, columns[number], inputs, invalid)
    # If the items are given, the numbers of their positions are not required.
    indices = {each.source.index for each in columns if isinstance(each.source, LookupSource)}
    return tuple(replace(each, derived=True) if each.source in indices else each for each in columns)


def _counted(kind: UnitKind, name: str, default: bool) -> MessageColumn:
    """Return the column with the number of the row, or the mark."""
    if name == kind.row_number:
        doc = "Number of the row in its unit, from 0."
        return MessageColumn(name, INTEGERS[4, True], default, doc=doc, derived=True, source=RowNumberSource())
    doc = "True for a row of a message; false for a unit that is not a message and is one row."
    return MessageColumn(name, BOOLEAN, default, doc=doc, derived=True, source=MarkSource())


def _column(paths: MessageNames, column: UnitColumn, default: bool) -> MessageColumn:
    struct = paths.spec.struct(column.path)
    found = struct.attribute(column.name) or struct.instance(column.name)
    if found is None:
        refuse(struct.position, f'the column "{column.name}" is not a field of {"::".join(struct.path)}')
    message = MessagePath(column.up, (), struct)
    made = MessageColumn(column.name, BOOLEAN, default, field_name(column.name), column.up, found.doc)
    if isinstance(found, Attribute):
        field = FieldPath(column.up, (found,), struct)
        return _labelled(paths, found, _of_field(paths, found, field, made))
    source = instance_source(paths, message, found)
    type = _instance_type(paths.spec, found)
    same_as = ""
    if isinstance(source, FieldSource) and found.value is not None:
        if isinstance(found.value, Name) and struct.attribute(found.value.id) is not None:
            same_as = field_name(found.value.id)
        shown = paths.find(found.value, message)
        if isinstance(shown, FieldPath):
            type = message_field_type(paths.spec, replace(shown.attribute, logical=found.logical))
    derived = not same_as and not isinstance(source, LookupSource)
    return _labelled(paths, found, replace(made, type=type, source=source, same_as=same_as, derived=derived))


def _of_field(paths: MessageNames, found: Attribute, path: FieldPath, made: MessageColumn) -> MessageColumn:
    is_json = field_of(found).json
    return replace(made, type=message_field_type(paths.spec, found), source=path.source, is_json=is_json)


def _labelled(paths: MessageNames, found: Attribute | Instance, made: MessageColumn) -> MessageColumn:
    """Return the column with the labels of its enum, if it shows them."""
    if made.type not in LABELS.values() or not isinstance(found.type, EnumType):
        return made
    members = paths.spec.enum(found.type.path).labels
    return replace(made, labels=tuple((each.value, each.label) for each in members))


def _instance_type(spec: Spec, instance: Instance) -> ArrowType:
    """Return the type of a value instance that is an alias of a field, or is computed from fields of any size."""
    type, lists = instance.type, 0
    while isinstance(type, ListType):
        type, lists = type.item, lists + 1
    if isinstance(type, UserType):
        found: ArrowType | None = message_type(spec, type.path, instance)
        for _ in range(lists):
            found = found and list_type(found)
    else:
        found = field_type(spec, instance)
    if found is None:
        refuse(instance.position, f'"{instance.id}" cannot be a column: no Arrow type fits it')
    return found


def _computed(
    paths: MessageNames,
    column: UnitColumn,
    made: MessageColumn,
    inputs: Mapping[FieldSource, str],
    invalid: InvalidUnits,
) -> MessageColumn:
    struct = paths.spec.struct(column.path)
    instance = struct.instance(column.name)
    assert instance is not None
    try:
        computed = compute(paths, MessagePath(column.up, (), struct), instance, inputs, made.type, invalid)
    except NotForEngineError as refusal:
        sentence = f'the column "{made.name}" is computed: {refusal.sentence}'
        return replace(made, refused=Refusal(sentence, refusal.position or instance.position, refusal.expression))
    return replace(made, type=computed.type, source=computed.source, listing=computed.listing)


EVERY_BIT = 0xFFFFFFFFFFFFFFFF


def instance_source(paths: MessageNames, message: MessagePath, instance: Instance) -> FieldSource | LookupSource | None:
    """Return the source of a value instance of the message ``message`` that is an alias of a field, or an item of a
    table; ``None`` for other instances."""
    value = instance.value
    if value is None or instance.condition is not None or instance.checks:
        return None
    try:
        if isinstance(value, Subscript):
            return _lookup(paths, message, instance, value)
        if isinstance(value, Name | MemberAccess | Cast):
            found = paths.find(value, message)
            return found.source if isinstance(found, FieldPath) and _is_as_it_is(found, instance) else None
    except NotForEngineError:
        pass
    return None


def _is_as_it_is(found: FieldPath, instance: Instance) -> bool:
    """Return whether the instance has the type of the field, so that its value needs no conversion. Timestamps and
    labels need none either."""
    field = field_of(found.attribute)
    if field.json:
        # The column of the field is text, that of an instance contains the message itself.
        return False
    return field.label == "repeated" or instance.type == found.attribute.type


def _lookup(paths: MessageNames, message: MessagePath, instance: Instance, value: Subscript) -> LookupSource | None:
    masked = _masked(fold(value.index))
    if masked is None:
        return None
    table, index = paths.find(value.value, message), paths.find(masked[0], message)
    if not isinstance(table, FieldPath) or not isinstance(index, FieldPath):
        return None
    if not isinstance(table.attribute.type, BytesType | StringType) or field_of(table.attribute).key:
        return None
    if field_of(table.attribute).label != "repeated" or field_of(index.attribute).label == "repeated":
        return None
    if not isinstance(index.attribute.type, IntegerType) or index.up > 0:
        return None
    return LookupSource(table.source, index.source, masked[1], isinstance(instance.logical, IntegerText))


def _masked(index: Node) -> tuple[Node, int] | None:
    """Return an index and its bit mask; ``None`` if the mask is not a constant."""
    if not isinstance(index, Binary) or index.operator != "&":
        return index, EVERY_BIT
    for node, mask in ((index.left, index.right), (index.right, index.left)):
        if isinstance(mask, IntegerLiteral):
            return (node, mask.value) if 0 <= mask.value <= EVERY_BIT else None
    return None
