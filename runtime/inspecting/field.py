"""A field of a record, with its bytes and its properties for display, and the names in its objects."""

from __future__ import annotations

from collections.abc import Collection, Iterator
from functools import lru_cache
from typing import Any

from ..base.dataclass import dataclass, field
from ..base.report import NESTED
from ..objects.errors import unset
from ..objects.structs import Struct

MOST_FIELDS = 5000
"""Maximum number of fields of a tree; later ones are omitted."""


@dataclass
class Field:
    """An attribute, an item of a list, or an instance.

    ``[begin, end)``: its bytes, as offsets in the content of the record; ``begin`` is -1 if it has none there: a
    computed value, or one inside decompressed bytes. ``checked``: whether the checksum is valid; ``None`` if the field
    is not a checksum, or not verified. ``problem``: the error of the field. ``owner``: the class, or the message type,
    of which it is an attribute or an instance; empty for items of lists.
    """

    name: str
    value: Any = None
    begin: int = -1
    end: int = -1
    children: list[Field] = field(default_factory=list)
    computed: bool = False
    checked: bool | None = None
    problem: str | None = None
    doc: str = ""
    owner: str = ""

    @property
    def size(self) -> int:
        """Return the number of its bytes."""
        return self.end - self.begin

    def within(self, base: int) -> tuple[int, int]:
        """Return the offset of its bytes relative to ``base``, and their number, both without the bytes before
        ``base``; -1 and 0 if it has none.
        """
        begin = max(self.begin, base)
        return (begin - base, max(0, self.end - begin)) if self.begin >= 0 else (-1, 0)

    def walk(self, depth: int = 0) -> Iterator[tuple[int, Field]]:
        """Yield the field and all fields inside it, each with its depth."""
        yield depth, self
        for child in self.children:
            yield from child.walk(depth + 1)


CLASSES = 4096
"""Number of classes whose instance names are cached."""


@lru_cache(CLASSES)
def instance_names(kind: type[Struct]) -> tuple[str, ...]:
    """Return the names of the instances of a generated class, in the order of the spec."""
    members = ((name, member) for each in reversed(kind.__mro__) for name, member in vars(each).items())
    return tuple(name for name, member in members if isinstance(member, property) and not name.startswith("_"))


def next_field(struct: Struct, read: Collection[str]) -> str:
    """Return the first attribute that has not been read; ``?`` if there is none."""
    return next((name for name in struct._fields if name not in read), "?")


def named_by(struct: Struct, error: BaseException) -> str | None:
    """Return the attribute or instance of ``struct`` to which an error refers by its place in the spec."""
    path = (getattr(error, "src_path", None) or "").rsplit("/", 2)
    if len(path) == 3 and path[1] == "seq" and path[2].isdigit() and int(path[2]) < len(struct._fields):
        return struct._fields[int(path[2])]
    return path[2] if len(path) == 3 and path[1] == "instances" else None


def sentence_of(error: BaseException, reason: str = "") -> str:
    """Return the message of an error without the place in the spec; if there is none, the reason, or the name of its
    class.
    """
    if isinstance(error, RecursionError):
        return NESTED
    if isinstance(error, AttributeError):
        error = unset(error)
    path = getattr(error, "src_path", None)
    text = str(error).removeprefix(f"{path}: ") if path else str(error)
    head, found, rest = text.partition("validation failed: ")
    if found and (not head or head.startswith("at pos")):
        text = rest
    return text or reason or type(error).__name__
