"""Names of attributes and instances of objects, and error messages about those whose reading ended."""

from __future__ import annotations

from collections.abc import Collection
from functools import lru_cache

from ..base.report import NESTED
from ..objects.errors import unset
from ..objects.structs import Struct

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
