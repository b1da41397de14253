"""Two versions of the types of a spec: fields that came, went, moved or were renamed, and enums."""

from __future__ import annotations

from collections.abc import Iterator
from difflib import SequenceMatcher

from ..model.layout import all_structs
from ..model.model import Attribute, Enum, Instance, Spec, Struct
from ..model.types import Path, Type, UserType
from .change import COLUMNS, WIRE, Change, Level
from .describe import optional_text, path_text, type_text
from .fields import Fields, facts


class Types:
    """Goes through the types of two specs side by side, from their roots on."""

    def __init__(self, old: Spec, new: Spec) -> None:
        self.old = old
        self.new = new
        self._fields = Fields(old, new)
        self._seen: set[tuple[Path, Path]] = set()

    def changes(self) -> Iterator[Change]:
        """What became of all types, those that nothing uses included."""
        yield from self._structs(self.old.root, self.new.root)
        before = {path_text(each.path, self.old.name): each for each in all_structs(self.old.root)}
        after = {path_text(each.path, self.new.name): each for each in all_structs(self.new.root)}
        met_before, met_after = {old for old, _ in self._seen}, {new for _, new in self._seen}
        for name, struct in before.items():
            if name in after:
                yield from self._structs(struct, after[name])
            elif struct.path not in met_before:
                yield Change(Level.BREAKING, WIRE, name, "this type was removed")
        for name, struct in after.items():
            if name not in before and struct.path not in met_after:
                yield Change(Level.COMPATIBLE, WIRE, name, "this type was added")

    def _structs(self, old: Struct, new: Struct) -> Iterator[Change]:
        if (old.path, new.path) in self._seen:
            return
        self._seen.add((old.path, new.path))
        name = "" if new.path == self.new.root.path else path_text(new.path, self.new.name)
        was = "" if old.path == self.old.root.path else path_text(old.path, self.old.name)
        if was != name:
            text = f"this type is called {name or 'like the format'} now"
            yield Change(Level.BREAKING, WIRE, was or "the root", text)
        yield from self._members(name, old, new)
        yield from self._computed(name, old, new)
        yield from _enums(old, new, self.old.name, self.new.name)
        if [type_text(each.type, self.old.name) for each in old.parameters] != [
            type_text(each.type, self.new.name) for each in new.parameters
        ]:
            yield Change(Level.BREAKING, WIRE, name or "the root", "its parameters are others")
        if old.endian != new.endian:
            yield Change(Level.BREAKING, WIRE, name or "the root", "its byte order is decided otherwise")
        if optional_text(old.to_string) != optional_text(new.to_string):
            yield Change(Level.COMPATIBLE, WIRE, name or "the root", "its objects are shown as another text")

    def _members(self, name: str, old: Struct, new: Struct) -> Iterator[Change]:
        before, after = [each.id for each in old.attributes], [each.id for each in new.attributes]
        renamed = self._renamed(old, new)
        for one, other in renamed.items():
            yield Change(
                Level.BREAKING, WIRE, _place(name, one), f"is called {other} now; its bytes are where they were"
            )
        for id in before:
            if id not in after and id not in renamed:
                text = f"was removed ({self._shown(old, id, self.old)}); what follows lies elsewhere"
                last = before[-1] == id
                yield Change(Level.BREAKING, WIRE, _place(name, id), text if not last else text.partition(";")[0])
        for id in after:
            if id not in before and id not in renamed.values():
                text = f"was added ({self._shown(new, id, self.new)}); files from before do not have it"
                yield Change(Level.BREAKING, WIRE, _place(name, id), text)
        stayed = [id for id in before if id in after]
        if stayed != [id for id in after if id in before]:
            order = ", ".join(id for id in after if id in before)
            yield Change(Level.BREAKING, WIRE, name or "the root", f"its fields come in another order: {order}")
        for id in before:
            was, now = old.attribute(id), new.attribute(renamed.get(id, id))
            if was is not None and now is not None:
                if id not in renamed:
                    yield from self._fields.attributes(_place(name, id), was, now)
                yield from self._below(was, now)

    def _renamed(self, old: Struct, new: Struct) -> dict[str, str]:
        """Fields that stand where one of another name stood, with the same bytes."""
        before, after = [each.id for each in old.attributes], [each.id for each in new.attributes]
        found: dict[str, str] = {}
        for tag, a, b, c, d in SequenceMatcher(None, before, after, autojunk=False).get_opcodes():
            if tag != "replace" or b - a != d - c:
                continue
            for one, other in zip(old.attributes[a:b], new.attributes[c:d], strict=True):
                moved = one.id in after or other.id in before
                if not moved and facts(one, self.old.name) == facts(other, self.new.name):
                    found[one.id] = other.id
        return found

    def _shown(self, struct: Struct, id: str, spec: Spec) -> str:
        attribute = struct.attribute(id)
        assert attribute is not None
        known = facts(attribute, spec.name)
        plain = attribute.type.__class__.__name__ in ("IntegerType", "FloatType", "BitsType")
        return known["type"] if plain or not known["type"] else f"{known['type']}, size {known['size']}"

    def _computed(self, name: str, old: Struct, new: Struct) -> Iterator[Change]:
        for instance in old.instances:
            other = new.instance(instance.id)
            if other is None:
                if new.attribute(instance.id) is None:
                    yield Change(Level.BREAKING, WIRE, _place(name, instance.id), "this instance was removed")
                continue
            yield from self._fields.instances(_place(name, instance.id), instance, other)
            yield from self._below(instance, other)
        for instance in new.instances:
            if old.instance(instance.id) is None and old.attribute(instance.id) is None:
                yield Change(Level.COMPATIBLE, WIRE, _place(name, instance.id), "this instance was added")

    def _below(self, old: Attribute | Instance, new: Attribute | Instance) -> Iterator[Change]:
        others = _types(new)
        for case, one in _types(old).items():
            other = others.get(case)
            if isinstance(one, UserType) and isinstance(other, UserType) and not one.opaque and not other.opaque:
                yield from self._structs(self.old.struct(one.path), self.new.struct(other.path))


def _types(field: Attribute | Instance) -> dict[str, Type]:
    """The types of a field: one, or one for each case of its switch."""
    attribute = field if isinstance(field, Attribute) else field.attribute
    if attribute is not None and attribute.switch is not None:
        return {optional_text(each.match): each.type for each in attribute.switch.cases}
    return {"": attribute.type if attribute is not None else field.type}


def _place(struct: str, id: str) -> str:
    return f"{struct}.{id}" if struct else id


def _enums(old: Struct, new: Struct, old_root: str, new_root: str) -> Iterator[Change]:
    before = {path_text(each.path, old_root): each for each in old.enums}
    after = {path_text(each.path, new_root): each for each in new.enums}
    for name, enum in before.items():
        if name in after:
            yield from _labels(name, enum, after[name])
        else:
            yield Change(Level.BREAKING, WIRE, name, "this enum was removed")
    for name in after:
        if name not in before:
            yield Change(Level.COMPATIBLE, WIRE, name, "this enum was added")


def _labels(name: str, old: Enum, new: Enum) -> Iterator[Change]:
    before, after = ({each.value: each.label for each in enum.labels} for enum in (old, new))
    for value, label in before.items():
        if value not in after:
            yield Change(Level.BREAKING, COLUMNS, name, f"{value} ({label}) has no name any more")
        elif after[value] != label:
            yield Change(Level.BREAKING, COLUMNS, name, f"{value} is called {after[value]} now, and was {label}")
    for value, label in after.items():
        if value not in before:
            yield Change(Level.COMPATIBLE, COLUMNS, name, f"{value} has a name now: {label}")
