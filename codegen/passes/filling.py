"""Values that a writer fills in, in the order of their dependencies, and objects that it creates because everything in
them is filled in."""

from __future__ import annotations

from collections.abc import Iterator, Mapping

from wireloom.base.dataclass import replace

from ..expression.nodes import Binary, IntegerLiteral, MemberAccess, Name, Node
from ..expression.types import UserType
from ..tree import Attribute, Fill, Spec, StoredChecksum, Struct
from ..wire import ExpressionSize, OwnSize


def fills_of(
    fields: tuple[Attribute, ...], solved: Mapping[str, Node], covers: tuple[StoredChecksum, ...]
) -> Iterator[Fill]:
    """Return the fields to fill in: constants first, then lengths, counts and values equal to them, then checksums of
    known values, and finally those of what has been written."""
    for field in fields:
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
    yield from (Fill(name, "solved", value) for name, value in solved.items())
    late = [each for each in covers if each.value is None and not each.of_object]
    yield from (Fill(each.attribute.id, "checksum before", checksum=each) for each in covers if each not in late)
    yield from (Fill(each.attribute.id, "checksum after", checksum=each) for each in _inside_out(late))


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
    made = tuple(Fill(each.id, "made") for each in struct.attributes if each.id not in filled and _is_made(spec, each))
    structs = tuple(_filled(spec, each) for each in struct.structs)
    # Before lengths that are solved for, since they need the size of the object.
    return replace(struct, fills=(*made, *struct.fills), structs=structs)


def _is_made(spec: Spec, field: Attribute) -> bool:
    """Return whether the field is a single object of a type of this spec of which each field is filled in."""
    kind = field.type
    if (
        not isinstance(kind, UserType)
        or kind.opaque
        or not spec.owns(kind)
        or not isinstance(field.size, OwnSize | ExpressionSize)
    ):
        return False
    if field.repeat is not None or field.condition is not None or field.switch is not None or field.process is not None:
        return False
    if field.arguments or field.terminator is not None or field.pad_right is not None:
        return False
    struct = spec.struct(kind.path)
    filled = {each.id for each in struct.fills}
    plain = struct.message is None and struct.read_only is None and not struct.parameters
    return plain and bool(struct.attributes) and all(each.id in filled for each in struct.attributes)
