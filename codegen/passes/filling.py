"""Values that a writer fills in, in the order of their dependencies."""

from __future__ import annotations

from collections.abc import Iterator, Mapping

from ..expression.nodes import Binary, IntegerLiteral, MemberAccess, Name, Node
from ..tree import Attribute, Fill, StoredChecksum


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
