"""Traversal of trees: children, all nodes, depth, changed copies."""

from __future__ import annotations

import operator
from collections.abc import Callable, Iterator
from typing import TYPE_CHECKING, Any, TypeVar

from wireloom.base.dataclass import fields, is_dataclass, replace

from .nodes import MemberAccess, Name, Node
from .types import Type

if TYPE_CHECKING:
    from _typeshed import DataclassInstance

Part = TypeVar("Part", bound="DataclassInstance")

_names: dict[type, tuple[str, ...]] = {}
"""The names of the fields of each dataclass, none for other classes, cached: looking them up is most of the work of a
traversal."""

_searched: dict[type, tuple[str, ...]] = {}
"""The names of the fields of each class that may hold expressions, cached: all but those that do not count in
comparisons, such as positions."""

_WITHOUT_EXPRESSIONS = frozenset({type(None), bool, int, str, bytes})
"""Types of most fields."""


def _field_names(kind: type) -> tuple[str, ...]:
    found = _names.get(kind)
    if found is None:
        found = _names[kind] = tuple(each.name for each in fields(kind)) if is_dataclass(kind) else ()
    return found


def children(node: Node) -> tuple[Node, ...]:
    """Return the nodes directly below, from left to right."""
    # Kept in the node, which never changes: trees are walked many times.
    found: tuple[Node, ...] | None = node.__dict__.get("_children")
    if found is None:
        found = node.__dict__["_children"] = tuple(_children(node))
    return found


def _children(node: Node) -> Iterator[Node]:
    for name in _field_names(type(node)):
        value = getattr(node, name)
        if isinstance(value, Node):
            yield value
        elif isinstance(value, tuple):
            yield from (item for item in value if isinstance(item, Node))


def walk(node: Node) -> Iterator[Node]:
    """Yield the node and all below it, a parent before its children."""
    waiting = [node]
    while waiting:
        current = waiting.pop()
        yield current
        waiting.extend(reversed(children(current)))


def names_in(node: Node | None) -> set[str]:
    """Return the bare names in an expression."""
    return set() if node is None else {each.id for each in walk(node) if isinstance(each, Name)}


def all_names(part: object) -> set[str]:
    """Return the bare names, and those of members, in the expressions of any part of the tree of a spec."""
    nodes = (node for expression in expressions_in(part) for node in walk(expression))
    return {each.id if isinstance(each, Name) else each.name for each in nodes if isinstance(each, Name | MemberAccess)}


def depth(node: Node) -> int:
    """Return the number of levels of the tree; 1 for a leaf. It does not recurse, since it guards functions that do."""
    deepest = 0
    waiting = [(node, 1)]
    while waiting:
        current, level = waiting.pop()
        deepest = max(deepest, level)
        waiting.extend((child, level + 1) for child in children(current))
    return deepest


def mapped(node: Node, change: Callable[[Node], Node]) -> Node:
    """Return a copy with changed direct children, or the node itself if no child changed."""
    updates: dict[str, Any] = {}
    for name in _field_names(type(node)):
        value = getattr(node, name)
        new: Any = value
        if isinstance(value, Node):
            new = change(value)
        elif isinstance(value, tuple) and any(isinstance(item, Node) for item in value):
            new = tuple(change(item) if isinstance(item, Node) else item for item in value)
            if all(one is other for one, other in zip(new, value, strict=True)):
                new = value
        if new is not value:
            updates[name] = new
    return replace(node, **updates) if updates else node


def updated(part: Part, **values: Any) -> Part:
    """Return a copy of a dataclass with these values of its fields, or the part itself if it has them already.

    Most parts of a model stay the same in most phases, and copying them takes longer than comparing.
    """
    same = all(_is_same(getattr(part, name), value) for name, value in values.items())
    return part if same else replace(part, **values)


def _is_same(one: object, other: object) -> bool:
    """Return whether two values are the same object, or tuples of the same objects."""
    if isinstance(one, tuple) and isinstance(other, tuple):
        return len(one) == len(other) and all(map(operator.is_, one, other))
    return one is other


def expressions_in(part: object) -> Iterator[Node]:
    """Yield the outermost expressions in any part of the tree of a spec, in the order of its fields."""
    waiting = [part]
    while waiting:
        current = waiting.pop()
        if isinstance(current, Node):
            yield current
        elif isinstance(current, tuple):
            waiting.extend(reversed(current))
        elif not isinstance(current, (type, Type)):
            values = map(current.__getattribute__, _searched_names(type(current)))
            waiting.extend(each for each in values if type(each) not in _WITHOUT_EXPRESSIONS)


def _searched_names(kind: type) -> tuple[str, ...]:
    """Return the names of the fields that may hold expressions, the last one first."""
    found = _searched.get(kind)
    if found is None:
        declared = fields(kind) if is_dataclass(kind) else ()
        found = _searched[kind] = tuple(each.name for each in reversed(declared) if each.compare)
    return found
