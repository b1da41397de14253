"""Instances as lazy properties: computed, or read at a position, on first access."""

from __future__ import annotations

from itertools import islice

from wireloom.base.dataclass import replace

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
    MemberAccess,
    Name,
    Node,
    StringLiteral,
    TableLiteral,
    Unary,
)
from ...expression.types import AnyStructType, BooleanType, EnumType, UnionType, UserType
from ...expression.walk import children, walk
from ...passes.variables import follows_variables
from ...tree import Instance
from ...tree.leaves import IntegerText
from .absence import needs_what_may_be_absent
from .docstrings import described, named
from .names import field_name
from .reading import read_lines
from .scope import INSTANCE, ClassScope
from .statements import attempt, block, when
from .variables import begin_text
from .view import Lines, MethodView

_LEAVES = (Name, EnumMember, BooleanLiteral, FloatLiteral, IntegerLiteral, StringLiteral, TableLiteral)
_CHEAP = (*_LEAVES, MemberAccess, Unary, Binary, Comparison, Logical, Conditional, Cast)
MAX_CHEAP = 8
"""A value instance with at most this many nodes, including those of the instances that it computes, is computed at each
access; others are cached.
"""


def is_cached(scope: ClassScope, instance: Instance) -> bool:
    """Return whether the value is cached once it is known. Values that cost no more than a cache lookup are not cached,
    and so change along with the fields.
    """
    if instance.value is None:
        return True
    if scope.own and (instance.variable or instance.sets is not None):
        return True
    if follows_variables(scope.spec, scope.struct, instance):
        # Valid until the end of the object, whose value is cached; the outermost object has no end.
        return scope.own and scope.struct is not scope.spec.root
    if _is_costly(instance):
        return True
    left = MAX_CHEAP
    waiting = [(scope.struct, instance.value)]
    while waiting and left >= 0:
        struct, node = waiting.pop()
        left -= 1
        waiting += [(struct, each) for each in children(node)]
        found = scope.spec.instance(struct, node)
        if found is not None and not _is_costly(found[1]):
            waiting += [(found[0], each) for each in (found[1].value, found[1].condition) if each is not None]
    return left < 0


def _is_costly(instance: Instance) -> bool:
    """Return whether the value is cached regardless of the instances it uses."""
    if instance.value is None:
        return True
    found = list(islice(walk(instance.value), MAX_CHEAP + 1))
    return len(found) > MAX_CHEAP or not all(map(_is_cheap, found))


def _is_cheap(node: Node) -> bool:
    return isinstance(node, _CHEAP) and not (isinstance(node, Name) and node.id == "_io")


def slot(instance: Instance) -> str:
    """Return the name of the attribute that caches the value, as in Kaitai's classes."""
    return f"_m_{field_name(instance.id)}"


def instance_method(scope: ClassScope, instance: Instance) -> MethodView:
    """Return the property of an instance; ``scope`` is the scope of its class."""
    scope = replace(scope, places=INSTANCE)
    kept = f"self.{slot(instance)}"
    if instance.attribute is not None:
        lines = _keeping(instance, _read(scope, instance, kept))
    elif instance.value is not None and scope.own and instance.variable:
        lines = _keeping(instance, (f"{kept} = {begin_text(scope, instance)}",))
    elif (
        instance.value is not None
        and is_cached(scope, instance)
        and follows_variables(scope.spec, scope.struct, instance)
    ):
        lines = (_if_cached(instance), *_plain_value(scope, instance, instance.value))
    elif instance.value is not None and is_cached(scope, instance):
        lines = _keeping(instance, _cached_value(scope, instance, instance.value, kept))
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


def condition_method(scope: ClassScope, name: str, condition: Node) -> MethodView:
    """Return the property ``name`` that says whether an object meets a condition of a table; ``scope`` is the scope of
    its class."""
    instance = Instance(name, condition.type or BooleanType(), value=condition)
    scope = replace(scope, places=INSTANCE)
    return MethodView(
        signature=f"{name}(self) -> {scope.annotations.of_instance(instance)}",
        lines=_plain_value(scope, instance, condition),
        decorators=("property",),
    )


def _if_cached(instance: Instance) -> str:
    return when(f"hasattr(self, {slot(instance)!r})", [f"return self.{slot(instance)}"])


def _keeping(instance: Instance, lines: Lines) -> Lines:
    return (_if_cached(instance), *lines, f"return self.{slot(instance)}")


def _value_text(scope: ClassScope, instance: Instance, value: Node) -> tuple[Lines, str]:
    """Return the statements that must come first, and the text of the value."""
    translator = scope.translator(instance.position)
    # In a message an absent operand ends the evaluation, see ``_absence``.
    text = translator.text(value) if scope.struct.message is not None else translator.nullable_text(value)
    if isinstance(instance.logical, IntegerText):
        text = f"{scope.use('integer_text')}({text})"
    if isinstance(instance.type, EnumType) and not isinstance(value.type, EnumType):
        found = f"{scope.module.table(instance.type.path)}.get(raw, raw)"
        absent = scope.struct.message is None and translator.is_nullable(value)
        return (f"raw = {text}",), f"None if raw is None else {found}" if absent else found
    return (), text


def is_untyped(node: Node) -> bool:
    """Return whether a type checker infers ``Any`` for the text of a tree, because a part of it is ``Any``."""
    return any(isinstance(each.type, AnyStructType) for each in walk(node))


def _plain_value(scope: ClassScope, instance: Instance, value: Node) -> Lines:
    lines, text = _value_text(scope, instance, value)
    if is_untyped(value):
        lines += (f"value: {scope.annotations.of(instance.type)} = {text}", "return value")
    else:
        lines += (f"return {text}",)
    if instance.condition is not None:
        absent = scope.translator(instance.position).negation(instance.condition)
        lines = (when(absent, ["return None"]), *lines)
    return _absence(scope, instance, lines, "return None")


def _cached_value(scope: ClassScope, instance: Instance, value: Node, kept: str) -> Lines:
    first, text = _value_text(scope, instance, value)
    lines = _conditional(scope, instance, kept, (*first, f"{kept} = {text}"))
    return _absence(scope, instance, lines, f"{kept} = None")


def _absence(scope: ClassScope, instance: Instance, lines: Lines, otherwise: str) -> Lines:
    """Return the statements that make an instance absent if an operand is absent."""
    parts = [each for each in (instance.value, instance.condition) if each is not None]
    if not any(needs_what_may_be_absent(scope.module, scope.struct, each) for each in parts):
        return lines
    return (attempt(lines, scope.use("AbsentError"), [otherwise]),)


def _read(scope: ClassScope, instance: Instance, kept: str) -> Lines:
    return _conditional(scope, instance, kept, read_in_place(scope, instance, kept))


def read_in_place(scope: ClassScope, instance: Instance, kept: str) -> Lines:
    """Return the statements that seek to the position, read, and seek back. An instance without a position reads at the
    current position of the stream.
    """
    translator = scope.translator(instance.position)
    assert instance.attribute is not None
    steps = scope.instance_steps.get(instance.id, ())
    stream = translator.text(instance.io) if instance.io is not None else "self._io"
    position = translator.text(instance.pos) if instance.pos is not None else ""
    body = read_lines(scope, replace(instance.attribute, condition=None), kept)
    if steps:
        return f"io = {stream}", block(f"with {scope.call('positioned', 'self', 'io', position, *steps)}:", body)
    # If reading fails, the next access reads anew.
    in_parts = instance.attribute.repeat is not None or isinstance(instance.attribute.type, UserType | UnionType)
    if in_parts and scope.own and not scope.module.debug:
        body = (attempt(body, "BaseException", [f"self._unread({slot(instance)!r})", "raise"]),)
    if position:
        body = ("position = io.pos()", f"io.seek({position})", *body, "io.seek(position)")
    return (f"io = {stream}", *body)


def _conditional(scope: ClassScope, instance: Instance, kept: str, lines: Lines) -> Lines:
    if instance.condition is None:
        return lines
    condition = scope.translator(instance.position).text(instance.condition)
    return (when(condition, lines, (f"{kept} = None",)),)
