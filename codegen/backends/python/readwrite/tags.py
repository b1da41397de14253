"""What a switch is on: it follows from the class of the object that an attribute holds, which has to fit it."""

from __future__ import annotations

from ....expression.nodes import Attribute as Member
from ....expression.nodes import BooleanLiteral, Name, Node
from ....expression.types import BitsType, BytesType, EnumType, FloatType, IntegerType, StringType, Type, UserType
from ....expression.walk import walk
from ....model.model import Attribute, Struct, Switch
from ..names import field_name
from ..scope import ClassScope
from ..view import Lines

PLAIN: tuple[tuple[tuple[type[Type], ...], str], ...] = (
    ((StringType,), "str"),
    ((BytesType,), "bytes"),
    ((IntegerType, BitsType), "int"),
    ((FloatType,), "float"),
)
"""Types whose values are no objects of a spec, and Python's classes of them."""


def tag_lines(scope: ClassScope, attribute: Attribute, slot: str) -> Lines:
    """Have an attribute that a switch is on follow from the class of what is held; ``slot``: where that is kept."""
    switch = attribute.switch
    tag = _tag(scope, switch.on) if switch is not None else None
    if switch is None or tag is None:
        return ()
    holder, owner, name = tag
    target = holder.attribute(name)
    if target is None or not _may_follow(target):
        return ()
    cases = []
    for case in switch.cases:
        if not isinstance(case.type, UserType) or case.type.opaque:
            continue
        if case.match is None or any(isinstance(each, Name) for each in walk(case.match)):
            # Other values come to this class as well.
            match = "None"
        else:
            match = scope.text(case.match, attribute)
        class_name = scope.module.class_of(case.type.path)
        cases.append(scope.code("readwrite/tag_case", class_name=class_name, match=match))
    if not cases:
        return ()
    place = "self" if owner is None else scope.text(owner, attribute)
    return (scope.code("readwrite/follow_tag", slot=slot, holder=place, name=field_name(name), cases=cases),)


def case_line(scope: ClassScope, attribute: Attribute, case: Attribute, value: str) -> Lines:
    """The check that what is held is of the class that a case has; of switches between objects."""
    switch = attribute.switch
    if switch is None or not any(isinstance(each.type, UserType) for each in switch.cases):
        return ()
    kind = case.type.base if isinstance(case.type, EnumType) else case.type
    if isinstance(kind, UserType):
        wanted = "" if kind.opaque else scope.module.class_of(kind.path)
    else:
        wanted = next((scope.annotations.builtin(name) for types, name in PLAIN if isinstance(kind, types)), "")
    if not wanted:
        return ()
    given = {"words": _words(switch.on), "on": _on_text(scope, attribute, switch)}
    return (scope.code("readwrite/check_case", id=attribute.id, value=value, wanted=wanted, **given),)


def _tag(scope: ClassScope, on: Node) -> tuple[Struct, Node | None, str] | None:
    """The attribute that a switch is on: the type that has it, whose it is (``None``: the object's own), its name."""
    match on:
        case Name(id) if scope.struct.attribute(id) is not None:
            return scope.struct, None, id
        case Member(value, name) if isinstance(value.type, UserType) and not value.type.opaque:
            if any(isinstance(each, Name) and each.id in ("_index", "_") for each in walk(value)):
                return None
            return scope.spec.struct(value.type.path), value, name
    return None


def _may_follow(target: Attribute) -> bool:
    kind = target.type.base if isinstance(target.type, EnumType) else target.type
    plain = target.repeat is None and target.switch is None and target.checksum is None and not target.given
    return plain and isinstance(kind, IntegerType | BitsType | StringType)


def _words(node: Node) -> str:
    """What a switch is on, in the words of the spec as far as they are short."""
    match node:
        case Name(id):
            return id
        case Member(value, name):
            return f"{_words(value)}.{name}"
    return "switch-on"


def _on_text(scope: ClassScope, attribute: Attribute, switch: Switch) -> str:
    if all(isinstance(case.match, BooleanLiteral) for case in switch.cases if case.match is not None):
        return scope.text(switch.on, attribute)
    return f"on_{field_name(attribute.id)}"
