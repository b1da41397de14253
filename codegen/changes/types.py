"""Two versions of the types of a spec: fields that were added, removed, moved or renamed, and enums."""

from __future__ import annotations

from collections.abc import Iterator

from ..expression.types import Path, UserType
from ..model.layout import framing_members
from ..tree import Attribute, Instance, Spec, Struct
from ..tree.leaves import Enum
from .change import CHECKS, COLUMNS, WIRE, Change, Severity
from .describe import optional_text, path_text, type_text
from .fields import Fields, facts
from .messages import rule_changes
from .renames import Renames, entry_types, enums_of, structs_of, types_of


class Types:
    """Traversal of the types of two specs side by side, from their roots. ``old`` is translated to the names of
    ``new``, except for the names of types and enums (``renames.translated``).
    """

    def __init__(self, old: Spec, new: Spec, renames: Renames) -> None:
        self.old = old
        self.new = new
        self._renames = renames
        self._fields = Fields(old, new, renames.enums)
        self._before, self._after = structs_of(old), structs_of(new)
        self._framing = framing_members(self._before.values()), framing_members(self._after.values())
        self._seen: set[tuple[Path, Path]] = set()

    def changes(self) -> Iterator[Change]:
        """Yield the changes of all types, including unused ones."""
        for one, other in entry_types(self.old, self.new):
            yield from self._structs(self._before[one], self._after[other])
        before = {path_text(each.path, self.old.name): each for each in self.old.root.all_structs}
        after = {path_text(each.path, self.new.name): each for each in self.new.root.all_structs}
        met_before, met_after = {old for old, _ in self._seen}, {new for _, new in self._seen}
        for name, struct in before.items():
            unused = struct.path not in met_before
            if unused and name in after and after[name].path not in met_after:
                yield from self._structs(struct, after[name])
            elif unused and name not in after:
                # The field that used it, and now has another type or is removed, reports what breaks.
                yield Change(Severity.COMPATIBLE, WIRE, name, "this type was removed")
        for name, struct in after.items():
            if name not in before and struct.path not in met_after:
                yield Change(Severity.COMPATIBLE, WIRE, name, "this type was added")
        yield from self._enums()

    def _structs(self, old: Struct, new: Struct) -> Iterator[Change]:
        if (old.path, new.path) in self._seen:
            return
        self._seen.add((old.path, new.path))
        name = "" if new.path == self.new.root.path else path_text(new.path, self.new.name)
        was = "" if old.path == self.old.root.path else path_text(old.path, self.old.name)
        same = self._renames.types.get(old.path) == new.path
        if was != name and same:
            text = f"this type and its class were renamed to {name or 'the name of the format'}"
            yield Change(Severity.COMPATIBLE, WIRE, was or "the root", text)
        elif was != name:
            # Its differences are reported below.
            yield Change(Severity.COMPATIBLE, WIRE, name or "the root", f"replaces {was or 'the root'}")
        if same:
            yield from self._renamed(name, self._renames.members.get(old.path, {}), old, new)
        yield from self._members(name, old, new)
        yield from self._computed(name, old, new)
        if [type_text(each.type, self.old.name) for each in old.parameters] != [
            type_text(each.type, self.new.name) for each in new.parameters
        ]:
            yield Change(Severity.BREAKING, WIRE, name or "the root", "its parameters changed")
        yield from rule_changes(name or "the root", old.message, new.message)
        if old.endian != new.endian:
            yield Change(Severity.BREAKING, WIRE, name or "the root", "its byte order is determined differently")
        if old.fills_stream != new.fills_stream:
            severity = Severity.BREAKING if new.fills_stream else Severity.COMPATIBLE
            what = "refused" if new.fills_stream else "skipped"
            yield Change(severity, CHECKS, name or "the root", f"bytes after its attributes are now {what}")
        if optional_text(old.to_string) != optional_text(new.to_string):
            yield Change(Severity.COMPATIBLE, WIRE, name or "the root", "the text of its objects changed")

    def _renamed(self, name: str, names: dict[str, str], old: Struct, new: Struct) -> Iterator[Change]:
        for one, other in names.items():
            was, now = old.attribute(other), new.attribute(other)
            if was is not None and now is not None and was.anonymous:
                yield Change(
                    Severity.COMPATIBLE, WIRE, _place(name, other), "now has a name; its position is unchanged"
                )
            elif now is not None:
                text = "no longer has a name" if now.anonymous else f"was renamed to {other}"
                yield Change(Severity.BREAKING, WIRE, _place(name, one), f"{text}; its position is unchanged")
            elif new.instance(other) is not None:
                yield Change(
                    Severity.BREAKING, COLUMNS, _place(name, one), f"was renamed to {other}; its value is unchanged"
                )
            else:
                yield Change(Severity.COMPATIBLE, WIRE, _place(name, one), f"this parameter was renamed to {other}")

    def _members(self, name: str, old: Struct, new: Struct) -> Iterator[Change]:
        before, after = [each.id for each in old.attributes], [each.id for each in new.attributes]
        for id in before:
            if id not in after:
                text = f"was removed ({self._shown(old, id, self.old)}); the following fields move"
                last = before[-1] == id
                yield Change(Severity.BREAKING, WIRE, _place(name, id), text if not last else text.partition(";")[0])
        for id in after:
            if id not in before:
                text = f"was added ({self._shown(new, id, self.new)}); older files do not contain it"
                yield Change(self._added(new, id), WIRE, _place(name, id), text)
        stayed = [id for id in before if id in after]
        if stayed != [id for id in after if id in before]:
            order = ", ".join(id for id in after if id in before)
            # The fields of a message are identified by their numbers.
            severity = Severity.COMPATIBLE if new.message is not None else Severity.BREAKING
            yield Change(severity, WIRE, name or "the root", f"the order of its fields changed: {order}")
        for id in stayed:
            was, now = old.attribute(id), new.attribute(id)
            assert was is not None
            assert now is not None
            yield from self._fields.attributes(_place(name, id), was, now)
            yield from self._below(was, now)

    def _added(self, struct: Struct, id: str) -> Severity:
        """Return the severity of a removed or added field; a field that may be absent from a message breaks no
        reader."""
        attribute = struct.attribute(id)
        message = attribute.message if attribute is not None else None
        return Severity.BREAKING if message is None or message.label == "required" else Severity.COMPATIBLE

    def _shown(self, struct: Struct, id: str, spec: Spec) -> str:
        attribute = struct.attribute(id)
        assert attribute is not None
        known = facts(attribute, spec.name)
        plain = attribute.type.__class__.__name__ in ("IntegerType", "FloatType", "BitsType")
        return known["type"] if plain or not known["type"] else f"{known['type']}, size {known['size']}"

    def _computed(self, name: str, old: Struct, new: Struct) -> Iterator[Change]:
        for instance in old.instances:
            other = new.instance(instance.id)
            if other is not None:
                area = self._area((old.path, instance.id), (new.path, other.id))
                yield from self._fields.instances(_place(name, instance.id), instance, other, area)
                yield from self._below(instance, other)
            elif new.attribute(instance.id) is None and not _is_column(self.old, old, instance):
                area = WIRE if instance.attribute is not None else COLUMNS
                yield Change(Severity.BREAKING, area, _place(name, instance.id), "this instance was removed")
        for instance in new.instances:
            fresh = old.instance(instance.id) is None and old.attribute(instance.id) is None
            if fresh and not _is_column(self.new, new, instance):
                area = WIRE if instance.attribute is not None else COLUMNS
                yield Change(Severity.COMPATIBLE, area, _place(name, instance.id), "this instance was added")

    def _area(self, old: tuple[Path, str], new: tuple[Path, str]) -> str:
        """Return the area of a change of a computed value, which changes the wire if a size, count or condition depends
        on it.
        """
        return WIRE if old in self._framing[0] or new in self._framing[1] else COLUMNS

    def _below(self, old: Attribute | Instance, new: Attribute | Instance) -> Iterator[Change]:
        others = types_of(new)
        for case, one in types_of(old).items():
            other = others.get(case)
            if isinstance(one, UserType) and isinstance(other, UserType) and not one.opaque and not other.opaque:
                yield from self._structs(self._before[one.path], self._after[other.path])

    def _enums(self) -> Iterator[Change]:
        before, after = enums_of(self.old), enums_of(self.new)
        for path, enum in before.items():
            name, other = path_text(path, self.old.name), self._renames.enums.get(path)
            if other is None:
                # The field that used it, and no longer has names for its values, reports what breaks.
                yield Change(Severity.COMPATIBLE, WIRE, name, "this enum was removed")
                continue
            now = path_text(other, self.new.name)
            if name != now:
                yield Change(Severity.COMPATIBLE, WIRE, name, f"this enum and its class were renamed to {now}")
            yield from _labels(now, enum, after[other])
        for path in after:
            if path not in self._renames.enums.values():
                yield Change(Severity.COMPATIBLE, WIRE, path_text(path, self.new.name), "this enum was added")


def _is_column(spec: Spec, struct: Struct, instance: Instance) -> bool:
    """Return whether it is a column of the table, whose changes are reported with the table."""
    return any(
        (struct.path in rows.types and instance.id in (*rows.columns, *rows.selectable))
        or (struct.path == spec.root.path and instance.id in rows.parent_columns)
        for rows in spec.tables
    )


def _place(struct: str, id: str) -> str:
    return f"{struct}.{id}" if struct else id


def _labels(name: str, old: Enum, new: Enum) -> Iterator[Change]:
    before, after = ({each.value: each.label for each in enum.labels} for enum in (old, new))
    for value, label in before.items():
        if value not in after:
            yield Change(Severity.BREAKING, COLUMNS, name, f"{value} ({label}) no longer has a name")
        elif after[value] != label:
            yield Change(Severity.BREAKING, COLUMNS, name, f"{value} was renamed: {label} → {after[value]}")
    for value, label in after.items():
        if value not in before:
            yield Change(Severity.COMPATIBLE, COLUMNS, name, f"{value} now has a name: {label}")
