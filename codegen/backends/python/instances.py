"""Instances as lazy properties: computed, or read at a position when they are first asked for."""

from __future__ import annotations

from dataclasses import replace

from ...expression.nodes import Attribute as Member
from ...expression.nodes import (
    Binary,
    BooleanLiteral,
    Cast,
    Comparison,
    Conditional,
    EnumMember,
    FloatLiteral,
    IntegerLiteral,
    Logical,
    Name,
    Node,
    StringLiteral,
    Unary,
)
from ...expression.types import EnumType, UserType
from ...expression.walk import children, walk
from ...model.model import Attribute, Instance, IntegerText, Struct
from .absence import needs_what_may_be_absent
from .docstrings import described, named
from .mentions import is_untyped, mentions_name
from .names import field_name
from .reading import attribute_lines
from .scope import INSTANCE, ClassScope
from .view import Line, Lines, MethodView, block

_LEAVES = (Name, EnumMember, BooleanLiteral, FloatLiteral, IntegerLiteral, StringLiteral)
_CHEAP = (*_LEAVES, Member, Unary, Binary, Comparison, Logical, Conditional, Cast)
MAX_CHEAP = 8
"""A value instance of at most so many of these nodes, with those of the instances that it computes, is computed at each
use; others are kept."""


def is_kept(scope: ClassScope, instance: Instance) -> bool:
    """Whether the value is kept once it is known. What costs no more than a look at where it is kept is not, and so
    follows the attributes when they change."""
    if instance.value is None or _is_costly(instance):
        return True
    left = MAX_CHEAP
    waiting = [(scope.struct, instance.value)]
    while waiting and left >= 0:
        struct, node = waiting.pop()
        left -= 1
        waiting += [(struct, each) for each in children(node)]
        owner, named = _instance(scope, struct, node)
        if named is not None and not _is_costly(named):
            waiting += [(owner, each) for each in (named.value, named.condition) if each is not None]
    return left < 0


def _is_costly(instance: Instance) -> bool:
    """Whether the value is kept whatever the instances in it are."""
    if instance.value is None or mentions_name(instance.value, "_io"):
        return True
    found = list(walk(instance.value))
    return len(found) > MAX_CHEAP or not all(isinstance(each, _CHEAP) for each in found)


def _instance(scope: ClassScope, struct: Struct, node: Node) -> tuple[Struct, Instance | None]:
    """The instance that a node in an expression of ``struct`` names, and its type."""
    match node:
        case Name(id):
            return struct, struct.instance(id)
        case Member(value, name) if isinstance(value.type, UserType) and not value.type.opaque:
            owner = scope.spec.struct(value.type.path)
            return owner, owner.instance(name)
    return struct, None


def slot(instance: Instance) -> str:
    """The name under which the value is kept, as in Kaitai's classes."""
    return f"_m_{field_name(instance.id)}"


def instance_method(scope: ClassScope, instance: Instance) -> MethodView:
    """The property of an instance; ``scope`` is that of the class."""
    scope = replace(scope, places=INSTANCE)
    kept = f"self.{slot(instance)}"
    if instance.attribute is not None:
        lines = _keeping(instance, kept, _read(scope, instance, instance.attribute, kept))
    elif instance.value is not None and is_kept(scope, instance):
        lines = _keeping(instance, kept, _kept_value(scope, instance, instance.value, kept))
    elif instance.value is not None:
        lines = _plain_value(scope, instance, instance.value)
    else:
        raise AssertionError(instance)
    return MethodView(
        signature=f"{field_name(instance.id)}(self) -> {scope.annotations.of_instance(instance)}",
        lines=lines,
        doc=described(instance.doc, instance.doc_ref) or named(scope.module, "instance", instance.id),
        decorators=("property",),
    )


def _keeping(instance: Instance, kept: str, lines: Lines) -> Lines:
    known = block(f"if hasattr(self, {slot(instance)!r}):", [Line(f"return {kept}")])
    return (known, *lines, Line(f"return {kept}"))


def _value_text(scope: ClassScope, instance: Instance, value: Node) -> tuple[Lines, str]:
    """Statements to go first, and the text of the value."""
    translator = scope.translator(instance.position)
    # In a message what is absent ends the evaluation, see ``_absence``.
    text = translator.text(value) if scope.struct.message is not None else translator.nullable_text(value)
    if isinstance(instance.logical, IntegerText):
        text = f"{scope.use('integer_text')}({text})"
    if isinstance(instance.type, EnumType) and not isinstance(value.type, EnumType):
        table = scope.module.table(instance.type.path)
        found = f"{table}.get(raw, raw)"
        absent = scope.struct.message is None and translator.is_nullable(value)
        return (Line(f"raw = {text}"),), f"None if raw is None else {found}" if absent else found
    return (), text


def _plain_value(scope: ClassScope, instance: Instance, value: Node) -> Lines:
    first, text = _value_text(scope, instance, value)
    lines: Lines = (*first, Line(f"return {text}"))
    if is_untyped(value):
        lines = (*first, Line(f"value: {scope.annotations.of(instance.type)} = {text}"), Line("return value"))
    if instance.condition is None:
        return _absence(scope, instance, lines, "return None")
    condition = scope.translator(instance.position).negation(instance.condition)
    return _absence(scope, instance, (block(f"if {condition}:", [Line("return None")]), *lines), "return None")


def _kept_value(scope: ClassScope, instance: Instance, value: Node, kept: str) -> Lines:
    first, text = _value_text(scope, instance, value)
    lines = _conditional(scope, instance, kept, (*first, Line(f"{kept} = {text}")))
    return _absence(scope, instance, lines, f"{kept} = None")


def _absence(scope: ClassScope, instance: Instance, lines: Lines, otherwise: str) -> Lines:
    """What something absent is part of is absent itself."""
    parts = [each for each in (instance.value, instance.condition) if each is not None]
    if not any(needs_what_may_be_absent(scope.module, scope.struct, each) for each in parts):
        return lines
    return block("try:", lines), block(f"except {scope.use('AbsentError')}:", [Line(otherwise)])


def _read(scope: ClassScope, instance: Instance, attribute: Attribute, kept: str) -> Lines:
    """Goes to the position, reads, and comes back. An instance without a position reads where the stream stands."""
    translator = scope.translator(instance.position)
    stream = translator.text(instance.io) if instance.io is not None else "self._io"
    source = f"{scope.source}/instances/{instance.id}"
    lines = attribute_lines(scope, replace(attribute, condition=None), kept, source)
    if instance.pos is not None:
        there = (Line("position = io.pos()"), Line(f"io.seek({translator.text(instance.pos)})"))
        lines = (*there, *lines, Line("io.seek(position)"))
    return _conditional(scope, instance, kept, (Line(f"io = {stream}"), *lines))


def _conditional(scope: ClassScope, instance: Instance, kept: str, lines: Lines) -> Lines:
    if instance.condition is None:
        return lines
    condition = scope.translator(instance.position).text(instance.condition)
    return block(f"if {condition}:", lines), block("else:", [Line(f"{kept} = None")])
