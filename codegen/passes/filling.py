"""Values that a writer fills in, in the order of their dependencies, and objects that it creates because everything in
them is filled in.

Lengths and counts are solved from the expressions that a reader uses; so are attributes that must equal an expression
of these by ``valid``.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping

from wireloom.base.dataclass import replace

from ..expression.fold import constant_integer
from ..expression.nodes import (
    Binary,
    ForEach,
    IntegerLiteral,
    MemberAccess,
    Name,
    Node,
)
from ..expression.types import StreamType, UserType
from ..expression.unparsing import spec_text
from ..expression.walk import names_in, walk
from ..tree import Attribute, Fill, Spec, StoredChecksum, Struct, is_single_value
from ..tree.leaves import ExpressionSize, OwnSize, RepeatUntil, WithinSize
from .lengths import value_source


def fills_of(
    fields: tuple[Attribute, ...], solved: Mapping[str, Node], covers: tuple[StoredChecksum, ...]
) -> Iterator[Fill]:
    """Yield the fields of a type that a writer fills in, in the order in which it can.

    Constants come first, then lengths, counts and values equal to them, then checksums of values that are known before
    anything is written, and finally those of bytes already written.

    Args:
        fields: The attributes of the type.
        solved: The values of ``derivations``, by attribute.
        covers: The checksums that are stored in the type.
    """
    for field in fields:
        if target := written_within(field):
            yield Fill(field.id, "within")
            yield Fill(target, "within")
            continue
        if field.repeat is not None:
            if field.default is not None:
                yield Fill(field.id, "unless given", field.default)
            continue
        if field.size_of is not None:
            yield Fill(field.id, "measured")
        elif field.contents is not None:
            yield Fill(field.id, "constant", contents=field.contents)
        elif field.condition is None and field.only is not None and field.id not in solved:
            yield Fill(field.id, "unless given", field.only)
        elif field.default is not None and field.id not in solved:
            yield Fill(field.id, "unless given", field.default)
    for name, value in solved.items():
        id, _, instance = name.partition(":")
        yield Fill(id, "solved", value, instance=instance)
    late = [each for each in covers if each.value is None and not each.of_object]
    yield from (Fill(each.attribute.id, "checksum before", checksum=each) for each in covers if each not in late)
    yield from (Fill(each.attribute.id, "checksum after", checksum=each) for each in _inside_out(late))


def written_within(field: Attribute) -> str:
    """Return the attribute of bytes in which a field is, with dots for one inside of others; '' if it has bytes of its
    own."""
    return spec_text(field.size.expression) if isinstance(field.size, WithinSize) else ""


def _inside_out(covers: list[StoredChecksum]) -> Iterator[StoredChecksum]:
    """Yield checksums, each after those within its range; those that cover each other come last."""
    waiting = list(covers)
    while waiting:
        others = {each.attribute.id for each in waiting}
        ready = [each for each in waiting if not (others & {*each.covered}) - {each.attribute.id}]
        yield from ready or waiting
        waiting = [each for each in waiting if ready and each not in ready]


def measured_size(value: Node | None) -> tuple[str, int] | None:
    """Return the field whose size or count a solved value is, and the number that is added; ``None`` for others."""
    match value:
        case Binary("+" | "-" as operator, MemberAccess(Name(id), "size" | "length"), IntegerLiteral(number)):
            return id, number if operator == "+" else -number
        case MemberAccess(Name(id), "size" | "length"):
            return id, 0
    return None


def with_made(spec: Spec) -> Spec:
    """Return a copy of a spec in which objects that need no value from the caller are filled in, innermost ones
    first."""
    while True:
        root = _filled(spec, spec.root)
        if root == spec.root:
            return spec
        spec = replace(spec, root=root)


def _filled(spec: Spec, struct: Struct) -> Struct:
    filled = {each.id for each in struct.fills}
    others = (each for each in struct.attributes if each.id not in filled)
    made = tuple(Fill(each.id, "made") for each in others if _is_made(spec, struct, each))
    structs = tuple(_filled(spec, each) for each in struct.structs)
    # Before lengths that are solved for, since they need the size of the object.
    return replace(struct, fills=(*made, *struct.fills), structs=structs)


def _is_made(spec: Spec, holder: Struct, field: Attribute) -> bool:
    """Return whether the field is a single object of a type of this spec of which each field is filled in."""
    kind = field.type
    if (
        not isinstance(kind, UserType)
        or kind.opaque
        or not spec.owns(kind)
        or not isinstance(field.size, OwnSize | ExpressionSize)
    ):
        return False
    if not is_single_value(field) or field.process is not None:
        return False
    if any(map(names_in, field.arguments)) or field.terminator is not None or field.pad_right is not None:
        return False
    struct = spec.struct(kind.path)
    filled = {each.id for each in struct.fills}
    filled |= {each.id for each in struct.attributes if holder.fills_in(f"{field.id}.{each.id}")}
    plain = struct.message is None and struct.read_only is None and value_source(struct) is None
    return plain and bool(struct.attributes) and all(each.id in filled for each in struct.attributes)


def always_holds(struct: Struct, field: Attribute) -> bool:
    """Return whether a filled-in value always passes its only check: it is a size plus a number, and the minimum does
    not exceed that number.
    """
    if len(field.checks) != 1 or field.checks[0].rule != "at least":
        return False
    least = constant_integer(field.checks[0].operands[0])
    measured = measured_size(struct.solved(field.id))
    return least is not None and measured is not None and least <= measured[1]


# Items that are written -----------------------------------------------------------------------------------------------


def depends_on_end(expression: Node) -> bool:
    """Return whether an expression depends on the end of the stream, which a writer does not know."""
    used = (each for each in walk(expression) if isinstance(each, MemberAccess) and each.name in ("size", "eof"))
    return any(isinstance(each.value.type, StreamType) for each in used)


def row_ends(field: Attribute) -> bool:
    """Return whether an item of a repeated field alone determines that it is the last one."""
    return isinstance(field.repeat, RepeatUntil) and not depends_on_end(field.repeat.expression)


def for_each(items: Node | None) -> tuple[ForEach, ...]:
    """Return the parts of a list of objects that are created for each item written before."""
    return () if items is None else tuple(each for each in walk(items) if isinstance(each, ForEach))
