"""Varints: types with the key ``varint``, and those of Kaitai's gallery, are integers: ``length.value`` becomes
``length``.

A type is kept if anything uses more of it than the integer, such as its groups.
"""

from __future__ import annotations

import hashlib
from collections.abc import Iterable, Iterator, Mapping
from typing import Any

from wireloom.base.dataclass import fields, is_dataclass, replace

from ..expression.nodes import MemberAccess, Name, Node
from ..expression.types import ListType, Path, Type, UnionType, UserType, VarintType
from ..expression.unparsing import unparse
from ..expression.walk import children, expressions_in, mapped
from ..spec.syntax import Section
from ..spec.varints import INTEGER, varint_rule
from ..tree import Struct
from ..tree.leaves import OwnSize

Varints = Mapping[Path, VarintType]

KAITAI = {
    "35cafe071895dc57": ("le", 10, 10, 1),
    "c779237bc0900f4e": ("le", 8, 0, 127),
    "290deb5dcf3fa076": ("be", 8, 0, 127),
}
"""The versions of ``vlq_base128_le`` and ``vlq_base128_be`` by the digest of their content: the order, and the groups
that count, the maximum number of bytes, and the largest value of the last one."""


def varint_of(path: Path, extensions: Section | None) -> VarintType | None:
    """Return the varint that a type with the key ``varint`` is; ``None`` for other types."""
    rule = varint_rule(extensions) if extensions is not None else None
    if rule is None:
        return None
    return VarintType(path, rule.order, rule.groups, rule.groups, rule.end - 1, rule.zigzag)


def _kaitai_varint(struct: Struct) -> VarintType | None:
    """Return the varint that a type of Kaitai's gallery is: one with its name and content."""
    if struct.path[-1] not in ("vlq_base128_le", "vlq_base128_be"):
        return None
    parts = [
        f"{each.id} {each.type.path[len(struct.path) :] if isinstance(each.type, UserType) else each.type}"
        for one in struct.all_structs
        for each in one.attributes
    ]
    parts += map(unparse, expressions_in(struct))
    found = KAITAI.get(hashlib.sha256("\n".join(parts).encode("utf-8", "surrogatepass")).hexdigest()[:16])
    return None if found is None else VarintType(struct.path, *found)


def with_varints(roots: Mapping[str, Struct], tables: Iterable[tuple[Path, tuple[str, ...]]]) -> dict[str, Struct]:
    """Return the outermost types with integers in place of varints. ``tables``: the type and the path of attributes to
    the rows of each table of the first one; types on the path are kept."""
    known = {each.path: each for root in roots.values() for each in root.all_structs}
    kept = {path for begin, names in tables for path in _types_on_path(known[begin], names, known)}
    found = {path: each.varint or _kaitai_varint(each) for path, each in known.items() if path not in kept}
    varints: Varints = {path: each for path, each in found.items() if each is not None}
    # Most specs have none, and the search for other uses takes a fifth of the time of loading.
    varints = _only_integers(varints, known.values()) if varints else varints
    return dict(roots) if not varints else {name: _rewritten(root, varints) for name, root in roots.items()}


def _types_on_path(root: Struct, names: tuple[str, ...], known: Mapping[Path, Struct]) -> Iterator[Path]:
    """Yield the types of the attributes on the path to the rows."""
    struct: Struct | None = root
    for name in names:
        attribute = struct.attribute(name) if struct is not None else None
        struct = None
        if attribute is not None and isinstance(attribute.type, UserType):
            yield attribute.type.path
            struct = known.get(attribute.type.path)


def _only_integers(varints: Varints, known: Iterable[Struct]) -> Varints:
    """Return the varint types of which expressions use only the integer value."""
    refused: set[Path] = set()
    for struct in known:
        if any(struct.path[: len(path)] == path for path in varints):
            continue
        for attribute in struct.all_attributes:
            cases = attribute.switch.cases if attribute.switch is not None else ()
            plain = isinstance(attribute.size, OwnSize) and attribute.terminator is None and attribute.process is None
            plain &= all(isinstance(each.size, OwnSize) or not _paths(each.type) for each in cases)
            if not plain or attribute.arguments or attribute.parent is not None or attribute.framing is not None:
                refused |= _paths(attribute.type)
        refused |= {path for each in struct.parameters for path in _paths(each.type)}
        for node in expressions_in(struct):
            refused |= _otherwise_used(node, varints)
    return {path: each for path, each in varints.items() if path not in refused}


def _paths(type: Type) -> set[Path]:
    """Return the paths of the user types in a type."""
    if isinstance(type, ListType):
        return _paths(type.item)
    if is_dataclass(type) and hasattr(type, "members"):
        return {path for each in type.members for path in _paths(each)}
    return {type.path} if isinstance(type, UserType) else set()


def _otherwise_used(node: Node, varints: Varints) -> set[Path]:
    """Return the varint types of which an expression uses another member than the integer value."""
    found: set[Path] = set()
    waiting = [node]
    while waiting:
        current = waiting.pop()
        for each in children(current):
            if isinstance(each.type, UserType) and each.type.path in varints:
                integer = isinstance(current, MemberAccess) and current.name == INTEGER
                if not integer or (isinstance(each, Name) and each.id in ("_parent", "_root")):
                    found.add(each.type.path)
            waiting.append(each)
    return found


def _rewritten(part: Any, varints: Varints) -> Any:
    """Return a part of a model with types and expressions replaced."""
    if isinstance(part, Node):
        return _node(part, varints)
    if isinstance(part, UserType | ListType | UnionType):
        return _type(part, varints)
    if isinstance(part, tuple):
        made = tuple(_rewritten(each, varints) for each in part)
        return part if all(one is other for one, other in zip(made, part, strict=True)) else made
    if not is_dataclass(part) or isinstance(part, type | Type):
        return part
    if isinstance(part, Struct) and part.path in varints:
        return part
    updates = {}
    for each in fields(part):
        value = getattr(part, each.name)
        new = _rewritten(value, varints)
        if new is not value:
            updates[each.name] = new
    return replace(part, **updates) if updates else part


def _type(type: Type, varints: Varints) -> Type:
    if isinstance(type, ListType):
        item = _type(type.item, varints)
        return type if item is type.item else ListType(item)
    if isinstance(type, UnionType):
        members = tuple(_type(each, varints) for each in type.members)
        return type if members == type.members else UnionType(tuple(dict.fromkeys(members)))
    return varints[type.path] if isinstance(type, UserType) and type.path in varints else type


def _node(node: Node, varints: Varints) -> Node:
    if isinstance(node, MemberAccess) and isinstance(node.value.type, UserType) and node.value.type.path in varints:
        return _node(node.value, varints)
    changed = mapped(node, lambda child: _node(child, varints))
    type = None if node.type is None else _type(node.type, varints)
    return changed if type is node.type else replace(changed, type=type)
