"""The messages and enums of a set of files: the ones a spec needs, their names in it, and references to them."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import TYPE_CHECKING

from wireloom.base.dataclass import dataclass, field

from .names import Names, type_names

if TYPE_CHECKING:
    from google.protobuf.descriptor_pb2 import DescriptorProto, EnumDescriptorProto, FileDescriptorProto

MESSAGES, ENUMS, NESTED_MESSAGES, NESTED_ENUMS, FIELDS, MEMBERS = 4, 5, 3, 4, 2, 2
"""Numbers of fields of ``FileDescriptorProto``, ``DescriptorProto`` and ``EnumDescriptorProto``: the elements of paths
in ``SourceCodeInfo``.
"""


@dataclass(eq=False)
class Declaration:
    """A message or an enum. ``full_name`` begins with a dot; ``path`` is its path in the file, as in
    ``SourceCodeInfo``; ``name`` is its name in the spec.
    """

    full_name: str
    file: FileDescriptorProto
    path: tuple[int, ...]
    outer: Declaration | None
    message: DescriptorProto | None = None
    enum: EnumDescriptorProto | None = None
    inner: list[Declaration] = field(default_factory=list)
    name: str = ""

    @property
    def spec_path(self) -> tuple[str, ...]:
        """Return its name in the spec, preceded by the names of the enclosing messages."""
        return (*(self.outer.spec_path if self.outer is not None else ()), self.name)

    @property
    def top(self) -> Declaration:
        """Return the outermost enclosing message."""
        return self.outer.top if self.outer is not None else self

    def all(self) -> Iterator[Declaration]:
        """Yield the declaration itself and all declarations inside it."""
        yield self
        for each in self.inner:
            yield from each.all()


class Declarations:
    """The declarations of the main file, the last of ``files``, and those of other files on which they depend."""

    def __init__(self, files: Sequence[FileDescriptorProto], root_name: str) -> None:
        self.root_name = root_name
        self._reached: dict[str, frozenset[str]] = {}
        tops = [each for file in files for each in _tops(file)]
        self.by_name = {each.full_name: each for top in tops for each in top.all()}
        main = [each for each in tops if each.file is files[-1]]
        needed = self._needed(main)
        self.tops = [*main, *(each for each in tops if each not in main and each in needed)]
        self._name(self.tops, type_names())

    def _needed(self, main: list[Declaration]) -> set[Declaration]:
        found: set[Declaration] = set()
        waiting = list(main)
        while waiting:
            top = waiting.pop()
            if top in found:
                continue
            found.add(top)
            messages = (each.message for each in top.all() if each.message is not None)
            names = {one.type_name for message in messages for one in message.field if one.type_name}
            waiting += [self.by_name[name].top for name in sorted(names)]
        return found

    def _name(self, declared: list[Declaration], names: Names) -> None:
        for each in declared:
            package = each.file.package.rpartition(".")[2] if each.outer is None else ""
            each.name = names.add(each.full_name.rpartition(".")[2], package)
            self._name(each.inner, type_names())

    def reached(self, name: str) -> frozenset[str]:
        """Return the full names of a message and of all types to which its fields lead."""
        known = self._reached.get(name)
        if known is not None:
            return known
        found, waiting = {name}, [name]
        while waiting:
            message = self.by_name[waiting.pop()].message
            fields = message.field if message is not None else ()
            inner = {each.type_name for each in fields if each.type_name} - found
            found |= inner
            waiting += inner
        return self._reached.setdefault(name, frozenset(found))

    # References ------------------------------------------------------------------------------------------------------

    def reference(self, target: Declaration, place: Declaration) -> str:
        """Return the shortest name that refers to ``target`` in a field of the message ``place``."""
        path = target.spec_path
        names = ["::".join(path[start:]) for start in range(len(path) - 1, -1, -1)]
        return next((each for each in names if self._meaning(each, place) is target), "::" + "::".join(path))

    def _meaning(self, name: str, place: Declaration) -> Declaration | None:
        """Resolve a name in the dialect: to a type, searched from the inside out, or else to an enum."""
        parts = name.split("::")
        return self._type(parts, place) or self._enum(parts, place)

    def _type(self, parts: Sequence[str], place: Declaration) -> Declaration | None:
        level: Declaration | None = place
        while level is not None:
            found = _descend(level.inner, parts)
            if found is None and level.name == parts[0]:
                found = _descend(level.inner, parts[1:]) if parts[1:] else level
            if found is not None:
                return found
            level = level.outer
        found = _descend(self.tops, parts)
        if found is None and self.root_name == parts[0] and parts[1:]:
            found = _descend(self.tops, parts[1:])
        return found

    def _enum(self, parts: Sequence[str], place: Declaration) -> Declaration | None:
        *types, last = parts
        level = self._type(types, place) if types else place
        if types and level is None:
            return None
        while level is not None:
            found = _enum_in(level.inner, last)
            if found is not None:
                return found
            level = level.outer
        return _enum_in(self.tops, last)


def _descend(declared: Sequence[Declaration], parts: Sequence[str]) -> Declaration | None:
    found: Declaration | None = None
    for part in parts:
        found = next((each for each in declared if each.name == part and each.message is not None), None)
        if found is None:
            return None
        declared = found.inner
    return found


def _enum_in(declared: Sequence[Declaration], name: str) -> Declaration | None:
    return next((each for each in declared if each.name == name and each.enum is not None), None)


def _tops(file: FileDescriptorProto) -> Iterator[Declaration]:
    prefix = f".{file.package}" if file.package else ""
    for index, message in enumerate(file.message_type):
        yield _message(file, message, prefix, (MESSAGES, index), None)
    for index, enum in enumerate(file.enum_type):
        yield Declaration(f"{prefix}.{enum.name}", file, (ENUMS, index), None, enum=enum)


def _message(
    file: FileDescriptorProto, message: DescriptorProto, prefix: str, path: tuple[int, ...], outer: Declaration | None
) -> Declaration:
    found = Declaration(f"{prefix}.{message.name}", file, path, outer, message=message)
    for index, each in enumerate(message.nested_type):
        inner = _message(file, each, found.full_name, (*path, NESTED_MESSAGES, index), found)
        found.inner.append(inner)
    for index, enum in enumerate(message.enum_type):
        name = f"{found.full_name}.{enum.name}"
        found.inner.append(Declaration(name, file, (*path, NESTED_ENUMS, index), found, enum=enum))
    return found
