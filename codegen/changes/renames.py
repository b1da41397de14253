"""Renames between two specs: types, enums, their labels, fields, instances, parameters.

Parts derived from a renamed name are not changes of their own: if a length is renamed, the size that refers to it is
still the same. So the older spec is translated to the names of the newer one before the two are compared
(``translated``).
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from difflib import SequenceMatcher
from typing import Any, TypeVar

from wireloom.base.dataclass import dataclass, field, fields, is_dataclass, replace

from ..expression import nodes
from ..expression.fold import fold
from ..expression.nodes import Node
from ..expression.types import EnumType, ListType, Path, Type, UserType
from ..expression.unparsing import spec_text
from ..expression.walk import mapped
from ..tree import Attribute, Checksum, Instance, Spec, Struct
from ..tree.leaves import Enum, Parameter
from .describe import path_text, type_text
from .fields import facts

Named = TypeVar("Named", Attribute, Instance, Parameter)


@dataclass
class Renames:
    """Renames from the older spec to the newer one. ``types`` includes types that kept their names."""

    types: dict[Path, Path] = field(default_factory=dict)
    enums: dict[Path, Path] = field(default_factory=dict)
    labels: dict[Path, dict[str, str]] = field(default_factory=dict)
    """By enum of the older spec: its labels, each with the label that has its value now."""
    members: dict[Path, dict[str, str]] = field(default_factory=dict)
    """By type of the older spec: its attributes, instances and parameters."""


def structs_of(spec: Spec) -> dict[Path, Struct]:
    """Return all types of a spec and of its imports, by path."""
    return {each.path: each for each in spec.family}


def enums_of(spec: Spec) -> dict[Path, Enum]:
    """Return all enums, by path."""
    return {enum.path: enum for struct in structs_of(spec).values() for enum in struct.enums}


def entry_types(old: Spec, new: Spec) -> list[tuple[Path, Path]]:
    """Return the types at which reading begins in both specs: the roots, and the messages with tables."""
    kinds = {each.name: each.message for each in new.units.kinds} if new.units is not None else {}
    before = old.units.kinds if old.units is not None else ()
    messages = [(each.message, kinds[each.name]) for each in before if each.name in kinds]
    return [(old.root.path, new.root.path), *messages]


def find_renames(old: Spec, new: Spec) -> Renames:
    """Return the renames, found by following types from the roots."""
    return _Finder(old, new).found


def types_of(member: Attribute | Instance) -> dict[str, Type]:
    """Return the types of a field: one, or one for each case of its switch."""
    attribute = member if isinstance(member, Attribute) else member.attribute
    if attribute is not None and attribute.switch is not None:
        cases = attribute.switch.cases
        return {"_" if each.match is None else spec_text(each.match): each.type for each in cases}
    return {"": attribute.type if attribute is not None else member.type}


class _Finder:
    def __init__(self, old: Spec, new: Spec) -> None:
        self.found = Renames()
        self._roots = old.name, new.name
        self._old, self._new = structs_of(old), structs_of(new)
        self._old_enums, self._new_enums = enums_of(old), enums_of(new)
        self._enums()
        waiting = entry_types(old, new)
        while waiting:
            one, other = waiting.pop(0)
            if one in self.found.types or one not in self._old or other not in self._new:
                continue
            if self._namesake(one) not in (other, None) and len(one) > 1:
                continue  # the field has another type, and its former type still exists
            self.found.types[one] = other
            waiting.extend(self._below(self._old[one], self._new[other]))

    def _enums(self) -> None:
        """Pair the enums with equal names; others may be paired later."""
        for path in self._old_enums:
            self._same_enum(path, self._moved(path))

    def _moved(self, path: Path) -> Path:
        """Return a path with the name of the newer spec, in case the spec as a whole was renamed."""
        return (self._roots[1], *path[1:]) if path[:1] == (self._roots[0],) else path

    def _namesake(self, path: Path) -> Path | None:
        found = self._moved(path)
        return found if found in self._new else None

    def _same_enum(self, one: Path, other: Path) -> None:
        if one in self.found.enums or other in self.found.enums.values():
            return
        if one not in self._old_enums or other not in self._new_enums:
            return
        self.found.enums[one] = other
        after = {each.value: each.label for each in self._new_enums[other].labels}
        labels = self._old_enums[one].labels
        self.found.labels[one] = {each.label: after[each.value] for each in labels if each.value in after}

    def _below(self, old: Struct, new: Struct) -> Iterator[tuple[Path, Path]]:
        """Yield the pairs of types that the fields of a pair have; enums are paired on the way."""
        names = self.found.members.setdefault(old.path, {})
        parameters = [[type_text(each.type, root) for each in one.parameters] for one, root in self._rooted(old, new)]
        if parameters[0] == parameters[1]:
            pairs = zip(old.parameters, new.parameters, strict=True)
            names.update({one.id: other.id for one, other in pairs if one.id != other.id})
        self._renamed_attributes(names, old, new)
        for each in old.instances:
            other = new.instance(names.get(each.id, each.id)) or self._renamed_instance(each, old, new)
            if other is not None:
                if other.id != each.id:
                    names[each.id] = other.id
                yield from self._types(each, other)
        for attribute in old.attributes:
            now = new.attribute(names.get(attribute.id, attribute.id))
            if now is not None:
                yield from self._types(attribute, now)

    def _types(self, old: Attribute | Instance, new: Attribute | Instance) -> Iterator[tuple[Path, Path]]:
        after = types_of(new)
        for case, one in types_of(old).items():
            other = after.get(case)
            if isinstance(one, UserType) and isinstance(other, UserType) and not one.opaque and not other.opaque:
                yield one.path, other.path
            before, now = _item(one), _item(other)
            if isinstance(before, EnumType) and isinstance(now, EnumType):
                self._same_enum(before.path, now.path)

    def _renamed_attributes(self, names: dict[str, str], old: Struct, new: Struct) -> None:
        """Add the renames of fields that have the same position and bytes but another name."""
        before, after = [each.id for each in old.attributes], [each.id for each in new.attributes]
        for tag, a, b, c, d in SequenceMatcher(None, before, after, autojunk=False).get_opcodes():
            if tag != "replace" or b - a != d - c:
                continue
            for one, other in zip(old.attributes[a:b], new.attributes[c:d], strict=True):
                moved = one.id in after or other.id in before
                if not moved and self._facts(one, old, 0) == self._facts(other, new, 1):
                    names[one.id] = other.id

    def _renamed_instance(self, instance: Instance, old: Struct, new: Struct) -> Instance | None:
        if instance.value is None or new.attribute(instance.id) is not None:
            return None
        value = spec_text(self._words(0).node(instance.value, old.path))
        for each in new.instances:
            fresh = each.value is not None and old.instance(each.id) is None and old.attribute(each.id) is None
            if fresh and each.value is not None and spec_text(self._words(1).node(each.value, new.path)) == value:
                return each
        return None

    def _facts(self, attribute: Attribute, struct: Struct, side: int) -> dict[str, str]:
        """Return the layout of an attribute's bytes. Types of the spec count as equal, since their changes are reported
        separately.
        """
        known = facts(self._words(side).value(attribute, struct.path), self._roots[side])
        if isinstance(attribute.type, UserType):
            known["type"] = ""
        return known

    def _words(self, side: int) -> _Translation:
        return _Translation(self._roots[side], self._roots[1], self.found if side == 0 else Renames())

    def _rooted(self, old: Struct, new: Struct) -> Iterable[tuple[Struct, str]]:
        return zip((old, new), self._roots, strict=True)


def translated(new: Spec, spec: Spec, renames: Renames) -> Spec:
    """Return a spec with renamed parts named as in another one, and with constants folded; types keep their paths.

    Args:
        new: The spec with the new names.
        spec: The spec to translate.
        renames: The renames from ``spec`` to ``new``.
    """
    words = _Translation(spec.name, new.name, renames)
    imports = tuple(replace(each, root=words.struct(each.root)) for each in spec.imports)
    return replace(spec, root=words.struct(spec.root), imports=imports)


class _Translation:
    """Translation of parts of a spec to the names of another. ``root``: its name; ``other``: the name of the other
    spec.
    """

    def __init__(self, root: str, other: str, renames: Renames) -> None:
        self._root = root
        self._other = other
        self._renames = renames
        self._last = {one[-1]: two[-1] for one, two in renames.types.items() if len(one) > 1 and one[-1] != two[-1]}

    def struct(self, struct: Struct) -> Struct:
        """Return a translated type and all types inside it."""
        inner = tuple(self.struct(each) for each in struct.structs)
        found: Struct = self._fields(struct, struct.path)
        return replace(found, structs=inner)

    def value(self, value: Any, owner: Path) -> Any:
        """Return any translated part of the type ``owner``."""
        if isinstance(value, Node):
            return self.node(value, owner)
        if isinstance(value, tuple):
            return tuple(self.value(each, owner) for each in value)
        if isinstance(value, Attribute):
            attribute = self._named(value, owner)
            return replace(attribute, condition=_unless_true(attribute.condition))
        if isinstance(value, Instance):
            instance = self._named(value, owner)
            return replace(instance, condition=_unless_true(instance.condition))
        if isinstance(value, Parameter):
            return self._named(value, owner)
        if isinstance(value, Checksum):
            names = self._renames.members.get(owner, {})
            return replace(value, first=names.get(value.first, value.first), last=names.get(value.last, value.last))
        if is_dataclass(value) and not isinstance(value, type | Type | Struct):
            return self._fields(value, owner)
        return value

    def node(self, node: Node, owner: Path) -> Node:
        """Return a translated expression inside the type ``owner``."""
        return fold(self._node(node, owner))

    def _named(self, value: Named, owner: Path) -> Named:
        found: Named = self._fields(value, owner)
        return replace(found, id=self._renames.members.get(owner, {}).get(value.id, value.id))

    def _fields(self, value: Any, owner: Path) -> Any:
        kept = [each.name for each in fields(value) if each.name not in ("structs", "enums", "parents", "position")]
        return replace(value, **{name: self.value(getattr(value, name), owner) for name in kept})

    def _node(self, node: Node, owner: Path) -> Node:
        inner = mapped(node, lambda child: self._node(child, owner))
        match inner:
            case nodes.Name(id):
                return replace(inner, id=self._renames.members.get(owner, {}).get(id, id))
            case nodes.MemberAccess(value, name) if isinstance(value.type, UserType):
                return replace(inner, name=self._renames.members.get(value.type.path, {}).get(name, name))
            case nodes.EnumMember(_, label) if isinstance(inner.type, EnumType):
                enum = inner.type.path
                label = self._renames.labels.get(enum, {}).get(label, label)
                return replace(inner, path=(self._path(enum, self._renames.enums),), label=label)
            case nodes.Cast() if isinstance(inner.type, UserType):
                return replace(inner, target=self._path(inner.type.path, self._renames.types))
            case nodes.SizeOf(target):
                *outer, last = target.split("::")
                return replace(inner, target="::".join([*outer, self._last.get(last, last)]))
        return inner

    def _path(self, path: Path, now: dict[Path, Path]) -> str:
        return path_text(now[path], self._other) if path in now else path_text(path, self._root)


def _unless_true(condition: Node | None) -> Node | None:
    return None if condition == nodes.BooleanLiteral(True) else condition


def _item(type: Type | None) -> Type | None:
    return type.item if isinstance(type, ListType) else type
