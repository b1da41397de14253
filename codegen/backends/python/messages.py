"""Message types as classes: their methods in addition to, or instead of, those of other types."""

from __future__ import annotations

from ...expression.types import EnumType, UserType
from ..source import source
from .checksum_proofs import covers_method
from .checksums import computed_text, verify_lines
from .marks import Marks
from .message_rules import message_set
from .module import Module
from .names import field_name
from .scope import ClassScope, member
from .view import MethodView

RULES = ("FieldKind", "FieldRule", "Label", "MessageRule", "MessageSet")


def messages_constant(module: Module) -> str:
    """Return the assignment of ``MESSAGES``; empty for a spec without message types."""
    if not module.message_numbers:
        return ""
    made = source(message_set(module.spec, tuple(module.message_numbers)), {name: module.use(name) for name in RULES})
    return f"MESSAGES = {made}"


def sum_methods(scope: ClassScope) -> list[MethodView]:
    """Return the method that verifies the checksums of a message after its fields have been read, the one that computes
    them before it is written, and the methods that rows require.
    """
    if not scope.struct.verified:
        return []
    lines = ("io = self._io", "super()._read()", *verify_lines(scope, Marks(scope.struct), scope.struct.verified))
    covers = covers_method(scope)
    methods = [MethodView("_read(self) -> None", lines)]
    written = [
        f"{member(each.attribute.id)} = {computed_text(scope, each, f'self.get({field_name(each.value)!r})')}"
        for each in scope.struct.checksums
        if each.value is not None and each.continues is None
    ]
    if written:
        signature = f"_append(self, io: {scope.use('WriteStream')}) -> None"
        methods.append(MethodView(signature, (*written, "super()._append(io)")))
    return methods if covers is None else [*methods, covers]


def types_method(scope: ClassScope) -> MethodView | None:
    """Return the method that returns the classes of sub-messages and enums by field. It is evaluated at run time, since
    types may refer to each other.
    """
    module = scope.module
    pairs: list[str] = []
    for each in scope.struct.attributes:
        if isinstance(each.type, EnumType):
            pairs.append(f"{field_name(each.id)!r}: {module.enum_of(each.type.path)}")
        elif isinstance(each.type, UserType):
            pairs.append(f"{field_name(each.id)!r}: {module.class_of(each.type.path)}")
    if not pairs:
        return None
    key, kind = scope.annotations.builtin("str"), scope.annotations.builtin("type")
    return MethodView(
        signature=f"_types(cls) -> {scope.use('Mapping')}[{key}, {kind}[{scope.use('Any')}]]",
        lines=(f"return {{{', '.join(pairs)}}}",),
        decorators=("classmethod",),
    )
