"""The source of each column of a table of messages, as in the engine's program."""

from __future__ import annotations

from wireloom.format.message_program import FieldSource, LookupSource

from ...expression.fold import fold
from ...expression.nodes import Binary, Cast, IntegerLiteral, MemberAccess, Name, Node, Subscript
from ...expression.types import BytesType, IntegerType, StringType
from ...tree import Instance
from ...wire import IntegerText
from .message_paths import FieldFound, Paths, Place
from .message_types import field_of
from .refusal import NotForEngineError

EVERY_BIT = 0xFFFFFFFFFFFFFFFF


def instance_source(paths: Paths, place: Place, instance: Instance) -> FieldSource | LookupSource | None:
    """Return the source of a value instance of the message at ``place`` that is an alias of a field, or an item of a
    table; ``None`` for other instances."""
    value = instance.value
    if value is None or instance.condition is not None or instance.checks:
        return None
    try:
        if isinstance(value, Subscript):
            return _lookup(paths, place, instance, value)
        if isinstance(value, Name | MemberAccess | Cast):
            found = paths.find(value, place)
            return found.source if isinstance(found, FieldFound) and _is_as_it_is(found, instance) else None
    except NotForEngineError:
        pass
    return None


def _is_as_it_is(found: FieldFound, instance: Instance) -> bool:
    """Return whether the instance has the type of the field, so that its value needs no conversion. Timestamps and
    labels need none either."""
    field = field_of(found.attribute)
    if field.json:
        # The column of the field is text, that of an instance contains the message itself.
        return False
    return field.label == "repeated" or instance.type == found.attribute.type


def _lookup(paths: Paths, place: Place, instance: Instance, value: Subscript) -> LookupSource | None:
    masked = _masked(fold(value.index))
    if masked is None:
        return None
    table, index = paths.find(value.value, place), paths.find(masked[0], place)
    if not isinstance(table, FieldFound) or not isinstance(index, FieldFound):
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
