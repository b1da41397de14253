"""Values that a writer fills in, as the statements that assign them: constants, defaults, lengths and counts."""

from __future__ import annotations

from wireloom.base.dataclass import replace

from ...expression.nodes import Name, Node
from ...expression.types import UserType
from ...expression.walk import names_in, walk
from ...tree import Attribute, Fill
from ...tree.leaves import Timestamp
from .encoding import Contents
from .names import field_name
from .scope import ClassScope, member, place
from .statements import when
from .view import Lines


def constants(scope: ClassScope) -> Lines:
    """Return the assignments of fixed contents, and of fields with a single valid value."""
    lines: list[str] = []
    for fill in scope.struct.fills:
        field = scope.struct.attribute(fill.id)
        if field is None:
            continue
        if fill.how == "constant" and not has_deferred_condition(field):
            lines.append(f"{member(fill.id)} = {fill.contents!r}")
        elif fill.how == "unless given" and fill.value is not None:
            lines.append(_unless_set(field, _default_text(scope, field, fill.value)))
        elif fill.how == "made" and isinstance(field.type, UserType):
            arguments = ", ".join(scope.text(each, field) for each in field.arguments)
            lines.append(_unless_set(field, f"{scope.module.class_of(field.type.path)}({arguments})"))
    lines.extend(line for field in scope.struct.attributes if field.condition is None for line in absent(field))
    return tuple(lines)


def absent(field: Attribute) -> Lines:
    """Return the assignment of the count that means that there is no time."""
    if not isinstance(field.logical, Timestamp) or field.logical.absent is None:
        return ()
    unset = f"getattr(self, {field_name(field.id)!r}, None) is None"
    return (when(unset, [f"{member(field.id)} = {field.logical.absent}"]),)


def _unless_set(field: Attribute, value: str) -> str:
    return when(f"not hasattr(self, {field_name(field.id)!r})", [f"{member(field.id)} = {value}"])


def _default_text(scope: ClassScope, field: Attribute, value: Node) -> str:
    """Return the text of the value that is written if none was given."""
    return replace(scope.translator(field.position), as_given=True).text(value)


def has_deferred_condition(field: Attribute) -> bool:
    """Return whether the field has a condition that may depend on derived values."""
    return field.condition is not None and "_io" not in names_in(field.condition)


def derivations(scope: ClassScope, fills: list[Fill], wires: dict[str, str], contents: Contents) -> Lines:
    """Return the assignments of lengths and counts. ``wires``, ``contents``: by field, the text of its bytes and of its
    content before compression."""
    lines: list[str] = []
    for fill in fills:
        field = scope.struct.attribute(fill.id.partition(".")[0])
        if fill.value is None or field is None:
            continue
        given = any(scope.struct.instance(each) is not None for each in names_in(fill.value))
        translator = replace(scope.translator(field.position), sizes=wires, contents=contents, as_given=given)
        line = f"{place(fill.id)} = {translator.text(fill.value)}"
        if fill.instance and isinstance(field.type, UserType):
            made = f"{scope.module.class_of(field.type.path)}()"
            arguments = made, repr(field_name(fill.instance)), translator.text(fill.value)
            line = f"{member(fill.id)} = {scope.call('made_from', *arguments)}"
        sized = _optional_of(scope, fill.value) if field.default is not None else None
        if sized is not None and field.default is not None:
            absent = f"{member(fill.id)} = {_default_text(scope, field, field.default)}"
            lines.append(when(is_set(sized), [line], (absent,)))
            continue
        lines.extend(under_condition(scope, field, (line,)))
    return tuple(lines)


def _optional_of(scope: ClassScope, expression: Node) -> Attribute | None:
    """Return the field whose size or length a solved value is, if it is optional."""
    found = (scope.struct.attribute(each.id) for each in walk(expression) if isinstance(each, Name))
    return next((each for each in found if each is not None and each.condition is not None), None)


def is_set(field: Attribute) -> str:
    """Return the text of the condition that a field has a value."""
    return f"getattr(self, {field_name(field.id)!r}, None) is not None"


def under_condition(scope: ClassScope, field: Attribute, lines: Lines) -> Lines:
    """Return ``lines`` under the condition that the field exists."""
    if field.condition is None:
        return lines
    return (when(scope.text(field.condition, field), lines),)
