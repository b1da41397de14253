"""Attributes that no column contains and that a writer cannot fill in."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from ...expression.nodes import Node, ObjectLiteral
from ...expression.types import Path, UserType
from ...expression.walk import names_in, walk
from ...tree import Attribute, Rows, Spec, Struct, is_single_value
from ...tree.leaves import EndOfStreamSize
from ..python.names import field_name
from .arrow import JSON, ArrowType
from .enclosing import enclosing_steps, enclosing_tags, has_enclosing
from .table import TableColumn
from .write_sources import WriteSources


def unfilled(spec: Spec, rows: Rows, columns: Sequence[TableColumn], *, optional: bool = False) -> tuple[str, ...]:
    """Return the attributes that no column contains and that are not filled in: those of the row, and of the objects
    around it, that are always present; if ``optional``, those of the row that have a condition."""
    steps = list(enclosing_steps(spec, rows)) if has_enclosing(spec, rows) else []
    found: list[str] = []
    sources, computed = WriteSources(spec, rows), [each for each in columns if each.instance is not None]
    solved = {(level, name) for each in computed for name, level, _ in sources.solves(each)}
    for number, struct in enumerate([*(each for each, _, _ in steps), spec.struct(rows.row)]):
        up = len(steps) - number
        if optional and up:
            continue
        # Objects are not made from JSON text.
        own = [each for each in columns if each.type != JSON and (each.up == up or (each.parent and number == 0))]
        known = {each.attribute.partition(".")[0] for each in own} | {each.same_as for each in own}
        known |= {name for level, name in solved if level == up}
        if rows.fragments is not None:
            known |= _known_by_pieces(rows.fragments.kind, struct)
        if number < len(steps):
            known |= {field_name(steps[number][1].id), *(name for name, _ in enclosing_tags(spec, *steps[number]))}
        seen = set[Path]()
        found += [one for each in _missing(struct, known, optional) for one in _innermost(spec, struct, each, seen)]
        for prefix, inner in {path for each in own for path in each.structs}:
            known = {each.attribute.removeprefix(prefix).partition(".")[0] for each in own}
            lacking = _missing(spec.struct(inner), known, optional)
            found += [f"{inner[-1]}.{each}" for each in lacking if not _is_solved_around(spec, inner, each)]
    for column in columns:
        if column.type.parts:
            found += _missing_inside(spec, column.type, optional)
    for _, field, _ in () if optional else enclosing_steps(spec, rows):
        for key, node in (("begins-with", field.begins_with), ("ends-with", field.ends_with)):
            found += [f"{each} (in '{key}')" for each in _missing_in_objects(spec, node)]
    return tuple(dict.fromkeys(found))


def _missing_in_objects(spec: Spec, node: Node | None) -> Iterator[str]:
    """Yield the names of the attributes that objects in an expression lack."""
    for each in () if node is None else walk(node):
        if isinstance(each, ObjectLiteral) and isinstance(each.type, UserType):
            struct = spec.struct(each.type.path)
            known = set(map(field_name, each.names))
            yield from (f"{struct.path[-1]}.{name}" for name in _missing(struct, known, optional=False))


def _innermost(spec: Spec, struct: Struct, name: str, seen: set[Path]) -> Iterator[str]:
    """Yield what is missing in an object that a writer could create otherwise: attributes of a header, for example; the
    attribute itself if it is another one. ``seen``: the types so far, each of which is looked at once."""
    field, inner = struct.attribute(name), tuple[str, ...]()
    kind = field.type if field is not None and is_single_value(field) else None
    if isinstance(kind, UserType) and spec.owns(kind) and spec.struct(kind.path).message is None:
        if kind.path in seen:
            return
        seen.add(kind.path)
        lacking = _missing(spec.struct(kind.path), set(), optional=False)
        inner = tuple(each for each in lacking if not struct.fills_in(f"{name}.{each}"))
        yield from (one for each in inner for one in _innermost(spec, spec.struct(kind.path), each, seen))
    if not inner:
        yield f"{struct.path[-1]}.{name}"


def _is_solved_around(spec: Spec, path: Path, name: str) -> bool:
    """Return whether a writer derives an attribute from the sizes and counts around each object of a type."""
    around = (spec.struct(each) for each in spec.struct(path).parents)
    holders = [(each, field) for each in around for field in each.attributes if UserType(path) in field.object_types]
    return bool(holders) and all(each.fills_in(f"{field.id}.{name}") for each, field in holders)


def _known_by_pieces(kind: str, struct: Struct) -> set[str]:
    """Return the attributes of the kind of a piece and of the field that fills up a block."""
    rest = (each.id for each in struct.attributes if isinstance(each.size, EndOfStreamSize) and each.repeat is None)
    return {field_name(kind), *map(field_name, rest)}


def _missing(struct: Struct, known: set[str], optional: bool) -> Iterator[str]:
    """Yield attributes that neither ``known`` nor a default supplies: only conditional ones if ``optional``, else only
    unconditional ones. None if objects of the type are read-only for another reason."""
    if struct.read_only is not None:
        return
    if not optional:
        yield from (each.id for each in struct.parameters)
    for field in struct.attributes:
        is_missing = field_name(field.id) not in known and not _is_filled(struct, field, known)
        if is_missing and optional == (field.condition is not None):
            yield field.id


def _is_filled(struct: Struct, field: Attribute, known: set[str]) -> bool:
    """Return whether a writer fills in a field. A default that depends on an object that is not given does not
    count."""
    used = (each for each in map(struct.attribute, names_in(field.default)) if each is not None)
    if any(field_name(each.id) not in known and each.object_types and each.condition is not None for each in used):
        return False
    return field.is_checksum or struct.fills_in(field.id)


def _missing_inside(spec: Spec, type: ArrowType, optional: bool) -> Iterator[str]:
    """Yield the names of the attributes that the structs in a column lack."""
    if type.owner:
        struct = spec.struct(type.owner)
        known = {field_name(name) for name, each in type.fields if JSON not in (each, each.item)}
        if struct.message is None:
            lacking = _missing(struct, known, optional)
            yield from (
                f"{struct.path[-1]}.{each}" for each in lacking if not _is_solved_around(spec, struct.path, each)
            )
    for _, each in type.fields:
        yield from _missing_inside(spec, each, optional)
    if type.item is not None:
        yield from _missing_inside(spec, type.item, optional)
