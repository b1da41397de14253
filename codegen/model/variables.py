"""The keys ``variable`` and ``sets`` of value instances, checked against each other."""

from __future__ import annotations

from collections.abc import Mapping

from ..expression.fold import constant, constant_integer
from ..expression.nodes import ListLiteral, MemberAccess, Name, Node, Subscript, TableLiteral
from ..expression.typer import type_of
from ..expression.types import Path, TableType, assignable, is_float, is_integer, is_number, type_name
from ..spec.diagnostics import Diagnostics
from ..spec.position import Position
from ..tree import Instance, Struct
from ..words import shown
from .layout import references

LEAST, MOST = -(1 << 63), (1 << 63) - 1
"""Smallest and largest value of a variable that is an integer."""


def check_variables(struct: Struct, structs: Mapping[Path, Struct], diagnostics: Diagnostics) -> None:
    """Report variables in types that cannot have them, and instances that set something other than a variable."""
    framed = struct.path == struct.path[:1] and any(each.framing is not None for each in struct.attributes)
    for each in struct.instances:
        if each.position is None:
            continue
        if each.variable:
            problem = "items between delimiters are read independently" if framed else _problem(struct, each)
            if problem:
                diagnostics.error(each.position, f"{shown(each.id)} cannot be a variable: {problem}")
        elif each.sets is not None and each.condition is not None and not isinstance(each.sets, Subscript):
            diagnostics.error(
                each.position,
                f"'sets' and 'if' cannot be used together: {shown(each.id)} sets its variable in every unit",
                hint="put the condition into the value, with the variable's own value otherwise: 'a > 0 ? a : _root.b'",
            )
        elif each.sets is not None:
            _check_target(struct, each, each.sets, structs, diagnostics, each.position)


def _problem(struct: Struct, instance: Instance) -> str:
    if struct.message is not None:
        return "the fields of a message may be in any order"
    if instance.sets is not None or instance.condition is not None:
        return (
            f"{shown('sets' if instance.sets is not None else 'if')} is only allowed on instances that set a variable"
        )
    if isinstance(instance.value, TableLiteral):
        return ""
    items = instance.value.items if isinstance(instance.value, ListLiteral) else (instance.value,)
    numbers = [None if each is None else constant_integer(each) for each in items]
    is_constant_float = instance.value is not None and isinstance(constant(instance.value), float)
    if not is_constant_float and any(each is None or not LEAST <= each <= MOST for each in numbers):
        return "its initial value must be a constant: a signed 64-bit integer, a list of them, or a float such as '0.0'"
    return ""


def _check_target(
    struct: Struct,
    instance: Instance,
    target: Node,
    structs: Mapping[Path, Struct],
    diagnostics: Diagnostics,
    position: Position,
) -> None:
    entry = target.type if isinstance(target, Subscript) else None
    takes_floats = entry is None and target.type is not None and is_float(target.type)
    fits = is_number if takes_floats else is_integer
    if not (fits(instance.type) if entry is None else assignable(instance.type, entry)):
        what = "variables are numbers" if takes_floats else "variables are integers unless they begin with a float"
        what = what if entry is None else f"the values of the table are {type_name(entry)}"
        diagnostics.error(position, f"{what}, but {shown(instance.id)} sets one to {type_name(instance.type)}")
        return
    if struct.message is not None:
        diagnostics.error(position, f"{shown(instance.id)} belongs to a message and cannot set a variable")
        return
    holder, name = next(references(target, struct.path), (None, ""))
    named = target.value if isinstance(target, Subscript) else target
    found = None if holder is None or not _is_enclosing_member(named) else structs[holder].instance(name)
    if found is None or not found.variable or isinstance(found.type, TableType) != (entry is not None):
        wanted = "a value instance with 'variable: true', by a path such as '_root.name' or '_parent.name'"
        if entry is not None:
            wanted = "an entry of a table with 'variable', by a path such as '_root.name[key]' or '_parent.name[key]'"
        diagnostics.error(position, f"{shown(instance.id)} does not set a variable: expected {wanted}")


def _is_enclosing_member(node: Node) -> bool:
    """Return whether an expression is a name after ``_root`` or ``_parent``."""
    if not isinstance(node, MemberAccess) or type_of(node) is None:
        return False
    holder = node.value
    while isinstance(holder, MemberAccess) and holder.name in ("_parent", "_root"):
        holder = holder.value
    return isinstance(holder, Name) and holder.id in ("_parent", "_root")
