"""Attributes that a writer solves value instances for, which are columns."""

from __future__ import annotations

from ...expression.fold import constant_integer
from ...expression.nodes import MemberAccess, Name, Node
from ...expression.types import Path, UserType
from ...passes.solving import solutions
from ...tree import Instance, Rows, Spec, Struct
from ..python.names import field_name
from .table import TableColumn


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
