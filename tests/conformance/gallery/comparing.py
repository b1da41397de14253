"""Two objects that the classes of two compilers made from the same bytes, compared value by value."""

from __future__ import annotations

import math
from collections import deque
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from enum import IntEnum
from typing import Any

from kaitaistruct import KaitaiStream, KaitaiStruct
from wireloom.objects import AbsentError, EncodingError

MAX_VALUES = 50_000
"""Instances may lead on endlessly; both are traversed in the same order, up to this number of values."""

MAX_DIFFERENCES = 5
"""Further differences give no new information."""

OWN: dict[type, tuple[type[Exception], ...]] = {
    AbsentError: (AttributeError, TypeError),
    EncodingError: (UnicodeDecodeError,),
}
"""Errors that are raised here in place of Python's own, which are not specific enough."""

Result = tuple[Any, Exception | None]
"""A value, or the exception instead of it."""


@dataclass
class Comparison:
    """The result: the number of equal values, and where others differ."""

    same: int = 0
    differences: list[str] = field(default_factory=list)

    @property
    def equal(self) -> bool:
        """Return whether nothing differs."""
        return not self.differences


def attempt(make: Callable[[], Any]) -> Result:
    """Return the value of a call, or the exception that it raises."""
    try:
        return make(), None
    except Exception as error:
        return None, error


def compare(kaitai: Result, ours: Result) -> Comparison:
    """Compare two values with everything inside them, Kaitai's as the expected one."""
    walk = _Walk()
    walk.result("", kaitai, ours)
    while walk.waiting and walk.found.same < MAX_VALUES and len(walk.found.differences) < MAX_DIFFERENCES:
        path, left, right = walk.waiting.popleft()
        walk.members(path, left, right)
    return walk.found


class _Walk:
    def __init__(self) -> None:
        self.found = Comparison()
        self.waiting: deque[tuple[str, KaitaiStruct, KaitaiStruct]] = deque()
        self.partners: dict[int, tuple[KaitaiStruct, KaitaiStruct]] = {}
        """Kaitai's objects and ours, by the identity of the first; both stay alive here."""

    def differ(self, path: str, left: object, right: object) -> None:
        self.found.differences.append(f"{path or '(all)'}: Kaitai has {_shown(left)}, this {_shown(right)}")

    def result(self, path: str, kaitai: Result, ours: Result) -> None:
        if kaitai[1] is None and ours[1] is None:
            self.value(path, kaitai[0], ours[0])
        elif not same_kind(kaitai[1], ours[1]):
            self.differ(path, *(value if error is None else error for value, error in (kaitai, ours)))
        else:
            self.found.same += 1

    def value(self, path: str, left: Any, right: Any) -> None:
        if isinstance(left, list):
            if not isinstance(right, list) or len(left) != len(right):
                self.differ(path, left, right)
                return
            for index, pair in enumerate(zip(left, right, strict=True)):
                self.value(f"{path}[{index}]", *pair)
        elif isinstance(left, KaitaiStruct):
            self.struct(path, left, right)
        elif _same_plain(left, right):
            self.found.same += 1
        else:
            self.differ(path, left, right)

    def struct(self, path: str, left: KaitaiStruct, right: Any) -> None:
        if not isinstance(right, KaitaiStruct) or _class_name(left) != _class_name(right):
            self.differ(path, left, right)
            return
        known = self.partners.get(id(left))
        if known is None:
            self.partners[id(left)] = left, right
            self.waiting.append((path, left, right))
        elif known[1] is not right:
            self.differ(path, "an object that is elsewhere too", "another object")

    def members(self, path: str, left: KaitaiStruct, right: KaitaiStruct) -> None:
        self.family(path, left, right)
        for name in _names(left):
            own = next((each for each in (name, f"{name}_") if hasattr(type(right), each)), name)
            self.result(f"{path}.{name}", _get(left, name), _get(right, own))

    def family(self, path: str, left: KaitaiStruct, right: KaitaiStruct) -> None:
        """Objects of another file's types have no parent and root in Kaitai's classes; here they have."""
        for name in ("_parent", "_root"):
            pair = getattr(left, name), getattr(right, name)
            known = self.partners.get(id(pair[0]))
            if pair[0] is not None and (pair[1] is None or (known is not None and known[1] is not pair[1])):
                self.differ(f"{path}.{name}", *pair)


def _get(struct: KaitaiStruct, name: str) -> Result:
    return attempt(lambda: getattr(struct, name))


def _names(struct: KaitaiStruct) -> Iterator[str]:
    """Yield the attributes and instances of an object of Kaitai's classes."""
    for name in vars(struct):
        if not name.startswith("_") or name.startswith("_unnamed"):
            yield name
    for name, member in vars(type(struct)).items():
        if isinstance(member, property):
            yield name


def _same_plain(left: Any, right: Any) -> bool:
    if isinstance(left, IntEnum):
        return isinstance(right, IntEnum) and left == right and left.name == right.name.rstrip("_")
    if isinstance(left, KaitaiStream):
        return isinstance(right, KaitaiStream) and (left.size(), left.pos()) == (right.size(), right.pos())
    if isinstance(left, float):
        return isinstance(right, float) and (left == right or (math.isnan(left) and math.isnan(right)))
    return type(left) is type(right) and bool(left == right)


def same_kind(kaitai: Exception | None, ours: Exception | None) -> bool:
    """Return whether two exceptions report the same kind of failure."""
    if kaitai is None or ours is None:
        return False
    own = next((OWN[each] for each in type(ours).__mro__ if each in OWN), ())
    return isinstance(ours, type(kaitai)) or isinstance(kaitai, own)


def _class_name(struct: KaitaiStruct) -> str:
    """Return the name without the underscores that avoid collisions."""
    return type(struct).__qualname__.replace("_", "")


def _shown(value: object) -> str:
    if isinstance(value, KaitaiStruct):
        return f"a {type(value).__qualname__}"
    text = repr(value)
    return text if len(text) < 200 else f"{text[:200]}…"
