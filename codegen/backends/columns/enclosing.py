"""The objects around rows as a writer creates them, and what a writer cannot fill in of them."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from wireloom.format.description import Level

from ...expression.fold import constant_integer, fold
from ...expression.nodes import EnumMember, MemberAccess, Name, Node, ObjectLiteral
from ...expression.types import EnumType, IntegerType, Path, UserType
from ...expression.walk import names_in, walk
from ...passes.chains import chained_in
from ...passes.solving import solutions
from ...tree import Attribute, Instance, Rows, Spec, Struct
from ...tree.leaves import EndOfStreamSize, RepeatCount
from ..python.iterating import for_each, row_ends
from ..python.names import field_name
from ..source import made
from .arguments import class_reference
from .arrow import ArrowType
from .table import TableColumn


def level_sources(spec: Spec, rows: Rows) -> tuple[str, ...]:
    """Return the source of each ``Level`` of a format; empty if a file consists of rows alone."""
    if not has_enclosing(spec, rows):
        return ()
    return tuple(_source(spec, *each) for each in _steps(spec, rows))


def has_enclosing(spec: Spec, rows: Rows) -> bool:
    """Return whether writing rows requires objects around them."""
    return bool(rows.path or spec.prologue(rows) or rows.sized) or is_chained(spec, rows)


def is_chained(spec: Spec, rows: Rows) -> bool:
    """Return whether checksums of units continue those of the previous units."""
    return rows.streaming and bool(chained_in(spec, spec.top(rows).path))


def _steps(spec: Spec, rows: Rows) -> Iterator[tuple[Struct, Attribute, Path]]:
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
        "tags": _tags(spec, struct, field, path),
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


def _tags(spec: Spec, struct: Struct, field: Attribute, path: Path) -> tuple[tuple[str, int], ...]:
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


# Attributes that value instances are solved for ----------------------------------------------------------------------


def solves(spec: Spec, rows: Rows, column: TableColumn) -> tuple[tuple[str, int, int], ...]:
    """Return the attributes that a writer can solve a value instance for, as ``Column.solves``."""
    instance = column.field
    if not isinstance(instance, Instance) or instance.value is None or column.same_as or column.parent:
        return ()
    if column.look_up is not None:
        return ()
    types = spec.enclosing_types(rows)
    holder = spec.struct(types[len(types) - 1 - column.up])
    found = []
    for each in solutions(spec, holder, instance.value):
        factor = constant_integer(each.factor)
        fixed = spec.struct(each.struct).solved(each.name) is not None
        if not factor or fixed:
            continue
        if each.struct in types and _is_above(each.owner):
            found.append((field_name(each.name), len(types) - 1 - types.index(each.struct), factor))
        elif (member := _inside(spec, holder, each.owner)) is not None and member[0].path in types:
            prefix = ".".join(map(field_name, member[1]))
            found.append((f"{prefix}.{field_name(each.name)}", len(types) - 1 - types.index(member[0].path), factor))
    return tuple(found)


def solved_structs(spec: Spec, rows: Rows, column: TableColumn) -> tuple[tuple[str, Path], ...]:
    """Return the structs of the attributes that a value instance is solved for, as in ``Column.inside``."""
    types = spec.enclosing_types(rows)
    found: dict[str, Path] = {}
    for attribute, up, _ in solves(spec, rows, column):
        struct, prefix = spec.struct(types[len(types) - 1 - up]), ""
        for name in attribute.split(".")[:-1]:
            field = next(each for each in struct.attributes if field_name(each.id) == name)
            assert isinstance(field.type, UserType)
            struct, prefix = spec.struct(field.type.path), f"{prefix}{name}."
            found[prefix] = struct.path
    return tuple(found.items())


def _inside(spec: Spec, holder: Struct, owner: Node | None) -> tuple[Struct, tuple[str, ...]] | None:
    """Return the object itself or the enclosing one that contains the owner of an attribute, and the fields that lead
    to the owner, which a writer creates if they are not given."""
    outer, fields = holder, tuple[str, ...]()
    match owner:
        case Name(name) if name not in ("_parent", "_root"):
            pass
        case MemberAccess(inner, name) if _is_above(inner) and isinstance(inner.type, UserType):
            outer = spec.struct(inner.type.path)
        case MemberAccess(inner, name) if (found := _inside(spec, holder, inner)) is not None:
            outer, fields = found
        case _:
            return None
    struct = outer
    for step in fields:
        field = struct.attribute(step)
        if field is None or not isinstance(field.type, UserType):
            return None
        struct = spec.struct(field.type.path)
    is_made = any(each.id == name and each.how == "made" for each in struct.fills)
    return (outer, (*fields, name)) if is_made else None


def _is_above(owner: Node | None) -> bool:
    """Return whether the owner of an attribute is the object itself or one that encloses it."""
    match owner:
        case None | Name("_parent" | "_root"):
            return True
        case MemberAccess(inner, "_parent"):
            return _is_above(inner)
    return False


# Attributes that cannot be filled in ---------------------------------------------------------------------------------


def unfilled(spec: Spec, rows: Rows, columns: Sequence[TableColumn], *, optional: bool = False) -> tuple[str, ...]:
    """Return the attributes that no column contains and that are not filled in: those of the row, and of the objects
    around it, that are always present; if ``optional``, those of the row that have a condition."""
    steps = list(_steps(spec, rows)) if has_enclosing(spec, rows) else []
    found: list[str] = []
    solved = {(level, name) for each in columns for name, level, _ in solves(spec, rows, each)}
    for number, struct in enumerate([*(each for each, _, _ in steps), spec.struct(rows.row)]):
        up = len(steps) - number
        if optional and up:
            continue
        own = [each for each in columns if each.up == up or (each.parent and number == 0)]
        known = {each.attribute.partition(".")[0] for each in own} | {each.same_as for each in own}
        known |= {name for level, name in solved if level == up}
        if rows.fragments is not None:
            known |= _known_by_pieces(rows.fragments.kind, struct)
        if number < len(steps):
            known |= {field_name(steps[number][1].id), *(name for name, _ in _tags(spec, *steps[number]))}
        found += [f"{struct.path[-1]}.{each}" for each in _missing(struct, known, optional)]
        for prefix, inner in {path for each in own for path in enclosing_structs(spec, struct, each)}:
            known = {each.attribute.removeprefix(prefix).partition(".")[0] for each in own}
            found += [f"{inner[-1]}.{each}" for each in _missing(spec.struct(inner), known, optional)]
    for column in columns:
        found += _missing_inside(spec, column.type, optional)
    for _, field, _ in () if optional else _steps(spec, rows):
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


def _known_by_pieces(kind: str, struct: Struct) -> set[str]:
    """Return the attributes of the kind of a piece and of the field that fills up a block."""
    rest = (each.id for each in struct.attributes if isinstance(each.size, EndOfStreamSize) and each.repeat is None)
    return {field_name(kind), *map(field_name, rest)}


def enclosing_structs(spec: Spec, struct: Struct, column: TableColumn) -> Iterator[tuple[str, Path]]:
    """Yield each enclosing struct of a flattened column, outermost first: the prefix of its name, and its type.

    ``struct``: the type that the column's attribute belongs to.
    """
    prefix = ""
    for name in column.path:
        field = struct.attribute(name)
        if field is None or not isinstance(field.type, UserType):
            return
        struct, prefix = spec.struct(field.type.path), f"{prefix}{field_name(name)}."
        yield prefix, struct.path


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
    return field.is_checksum or any(each.id == field.id for each in struct.fills)


def _missing_inside(spec: Spec, type: ArrowType, optional: bool) -> Iterator[str]:
    """Yield the names of the attributes that the structs in a column lack."""
    if type.owner:
        struct = spec.struct(type.owner)
        known = {field_name(name) for name, _ in type.fields}
        if struct.message is None:
            yield from (f"{struct.path[-1]}.{each}" for each in _missing(struct, known, optional))
    for _, each in type.fields:
        yield from _missing_inside(spec, each, optional)
    if type.item is not None:
        yield from _missing_inside(spec, type.item, optional)
