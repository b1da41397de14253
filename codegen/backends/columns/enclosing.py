"""The objects around rows as a writer creates them."""

from __future__ import annotations

from collections.abc import Iterator

from wireloom.format.description import Level

from ...expression.fold import constant_integer, fold
from ...expression.nodes import EnumMember, Name, Node
from ...expression.types import EnumType, IntegerType, Path, UserType
from ...passes.filling import for_each, row_ends
from ...passes.running_checksums import running_checksums_in
from ...tree import Attribute, Rows, Spec, Struct
from ...tree.leaves import RepeatCount
from ..python.names import field_name
from ..source import made
from .arguments import class_reference


def level_sources(spec: Spec, rows: Rows) -> tuple[str, ...]:
    """Return the source of each ``Level`` of a format; empty if a file consists of rows alone."""
    if not has_enclosing(spec, rows):
        return ()
    return tuple(_source(spec, *each) for each in enclosing_steps(spec, rows))


def has_enclosing(spec: Spec, rows: Rows) -> bool:
    """Return whether writing rows requires objects around them."""
    return bool(rows.path or spec.prologue(rows) or rows.sized) or has_running_checksums(spec, rows)


def has_running_checksums(spec: Spec, rows: Rows) -> bool:
    """Return whether checksums of units continue those of the previous units."""
    return rows.streaming and bool(running_checksums_in(spec, spec.top(rows).path))


def enclosing_steps(spec: Spec, rows: Rows) -> Iterator[tuple[Struct, Attribute, Path]]:
    """Yield the types around a row, outermost first, each with the field that leads to the row and the path of the type
    that it leads to."""
    for path, name, kind in rows.steps or ((spec.top(rows).path, rows.attribute, rows.row),):
        struct = spec.struct(path)
        field = struct.attribute(name)
        if field is not None:
            yield struct, field, kind


def _source(spec: Spec, struct: Struct, field: Attribute, path: Path) -> str:
    values = {
        "type": class_reference(spec, struct.path),
        "attribute": field_name(field.id),
        "repeated": field.repeat is not None,
        "most": _most(struct, field.repeat.expression) if isinstance(field.repeat, RepeatCount) else 0,
        "until": row_ends(field),
        "begins": field.begins_with is not None,
        "ends": field.ends_with is not None,
        "notes": 0 if field.ends_with is None else len(for_each(fold(field.ends_with))),
        "indexer": field.indexer,
        "tags": enclosing_tags(spec, struct, field, path),
    }
    return made(Level, values)


def _most(struct: Struct, count: Node) -> int:
    """Return the largest value of an integer of a fixed width that holds a count; 0 if the count is not such an
    integer."""
    field = struct.attribute(count.id) if isinstance(count, Name) else None
    if field is None or not isinstance(field.type, IntegerType):
        return 0
    largest = [constant_integer(each.operands[0]) for each in field.checks if each.rule == "at most"]
    return min([(1 << (8 * field.type.size - field.type.signed)) - 1, *(each for each in largest if each is not None)])


def enclosing_tags(spec: Spec, struct: Struct, field: Attribute, path: Path) -> tuple[tuple[str, int], ...]:
    """Return the attribute, with its integer value, by which a switch chooses the type of a path, if that value is
    unique."""
    if field.switch is None or not isinstance(field.switch.on, Name) or struct.attribute(field.switch.on.id) is None:
        return ()
    found = [
        _constant(spec, each)
        for matches, form in field.switch.branches
        for each in matches
        if isinstance(form.type, UserType) and form.type.path == path
    ]
    return ((field_name(field.switch.on.id), found[0]),) if len(found) == 1 and found[0] is not None else ()


def _constant(spec: Spec, node: Node) -> int | None:
    if isinstance(node, EnumMember) and isinstance(node.type, EnumType):
        return next((each.value for each in spec.enum(node.type.path).labels if each.label == node.label), None)
    return constant_integer(node)
