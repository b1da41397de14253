"""Properties of expressions that determine the place of a statement."""

from __future__ import annotations

from collections.abc import Iterator

from ....expression.nodes import Name, Node
from ....expression.types import Path, StreamType, UserType
from ....expression.walk import walk
from ....tree import Attribute, Struct
from ..scope import ClassScope


def asks_stream(scope: ClassScope, node: Node | None) -> bool:
    """Return whether an expression depends on a stream, which ``_check`` must not use."""
    return node is not None and any(
        isinstance(each.type, StreamType) or (isinstance(each, Name) and each.id == "_io")
        for _, each in _reached(scope, node)
    )


def asks_place(scope: ClassScope, node: Node) -> bool:
    """Return whether an expression depends on an instance at a position, so that it must be evaluated where a reader
    evaluates it.
    """
    instances = (scope.spec.instance(struct, each) for struct, each in _reached(scope, node))
    return any(each is not None and each[1].attribute is not None for each in instances)


def _reached(scope: ClassScope, node: Node) -> Iterator[tuple[Struct, Node]]:
    """Yield the nodes of an expression and of the value instances on which it depends, each with the type that contains
    it.
    """
    waiting: list[tuple[Struct, Node]] = [(scope.struct, node)]
    seen: set[tuple[Path, str]] = set()
    while waiting:
        struct, whole = waiting.pop()
        for each in walk(whole):
            yield struct, each
            found = scope.spec.instance(struct, each)
            if found is not None and found[1].value is not None and (found[0].path, found[1].id) not in seen:
                seen.add((found[0].path, found[1].id))
                waiting.append((found[0], found[1].value))


def item_name(field: Attribute) -> str:
    """Return the local variable for an item of a repeated field."""
    return f"item_{field.id}"


def arguments_ask_stream(scope: ClassScope, field: Attribute) -> bool:
    """Return whether the arguments of ``process`` depend on a stream."""
    process = field.process
    return process is not None and any(asks_stream(scope, each) for each in process.arguments)


def arguments_of(scope: ClassScope, field: Attribute, kind: UserType) -> tuple[tuple[str, Node], ...]:
    """Return the parameters of the type of a field, each with its argument."""
    if kind.opaque:
        return ()
    names = (each.id for each in scope.spec.struct(kind.path).parameters)
    return tuple(zip(names, field.arguments, strict=False))
