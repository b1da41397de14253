"""Values on which a switch depends: they are derived from the class of the object in a field, which has to match."""

from __future__ import annotations

from ....expression.nodes import BooleanLiteral, MemberAccess, Name, Node
from ....expression.types import BitsType, BytesType, FloatType, IntegerType, StringType, Type, UserType
from ....expression.walk import names_in
from ....tree import Attribute, Struct, Switch
from ..names import field_name
from ..scope import ClassScope
from ..view import Lines

PLAIN: tuple[tuple[tuple[type[Type], ...], str], ...] = (
    ((StringType,), "str"),
    ((BytesType,), "bytes"),
    ((IntegerType, BitsType), "int"),
    ((FloatType,), "float"),
)
"""Types whose values are not objects of a spec, and their Python classes."""


def tag_lines(scope: ClassScope, field: Attribute, slot: str) -> Lines:
    """Return the statements that derive the field on which a switch depends from the class of the value; ``slot``: the
    attribute with the value.
    """
    switch = field.switch
    tag = _tag(scope, switch.on) if switch is not None else None
    if switch is None or tag is None:
        return ()
    holder, owner, name = tag
    target = holder.attribute(name)
    if target is None or not _may_follow(target):
        return ()
    cases = []
    for matches, form in (*switch.branches, *([((None,), switch.otherwise)] if switch.otherwise is not None else [])):
        if not isinstance(form.type, UserType) or form.type.opaque:
            continue
        for each in matches:
            # If a name matches, or the default does, other values lead to this class as well.
            varies = each is None or names_in(each)
            match = "None" if each is None or varies else scope.text(each, field)
            cases.append(f"({scope.module.class_of(form.type.path)}, {match})")
    if not cases:
        return ()
    place = "self" if owner is None else scope.text(owner, field)
    return (scope.call("follow_tag", "self", repr(slot), place, repr(field_name(name)), *cases),)


def case_line(scope: ClassScope, field: Attribute, case: Attribute, value: str) -> Lines:
    """Return the check that the value is of the class that a case requires, for switches with objects."""
    switch = field.switch
    if switch is None or not field.object_types:
        return ()
    kind = case.type.on_wire
    if isinstance(kind, UserType):
        wanted = "" if kind.opaque else scope.module.class_of(kind.path)
    else:
        wanted = next((scope.annotations.builtin(name) for types, name in PLAIN if isinstance(kind, types)), "")
    if not wanted:
        return ()
    on = repr(_words(switch.on)), _on_text(scope, field, switch)
    return (scope.call("check_case", repr(field.id), value, wanted, *on),)


def as_case(scope: ClassScope, field: Attribute, case: Attribute, value: str) -> str:
    """Return ``value`` cast to the type of a case; a type checker knows it as any of the types of the switch."""
    annotation = scope.annotations.of(case.type)
    # An instance stores ``None`` if no case matches the value.
    may_be_none = value.startswith("self._m_") and field.unmatched
    if annotation == scope.annotations.of(field.type) and not may_be_none:
        return value
    return f"{scope.use('cast')}({annotation!r}, {value})"


def _tag(scope: ClassScope, on: Node) -> tuple[Struct, Node | None, str] | None:
    """Return the field on which a switch depends: the type that has it, the object that has it (``None``: the object
    itself), its name.
    """
    match on:
        case Name(id) if scope.struct.attribute(id) is not None:
            return scope.struct, None, id
        case MemberAccess(value, name) if isinstance(value.type, UserType) and not value.type.opaque:
            if not names_in(value).isdisjoint(("_index", "_")):
                return None
            return scope.spec.struct(value.type.path), value, name
    return None


def _may_follow(target: Attribute) -> bool:
    kind = target.type.on_wire
    plain = target.repeat is None and target.switch is None and not target.is_checksum and not target.given
    return plain and isinstance(kind, IntegerType | BitsType | StringType)


def _words(node: Node) -> str:
    """Return the expression of a switch as in the spec if it is short."""
    match node:
        case Name(id):
            return id
        case MemberAccess(value, name):
            return f"{_words(value)}.{name}"
    return "switch-on"


def _on_text(scope: ClassScope, field: Attribute, switch: Switch) -> str:
    if all(isinstance(each, BooleanLiteral) for matches, _ in switch.branches for each in matches):
        return scope.text(switch.on, field)
    return f"on_{field_name(field.id)}"
