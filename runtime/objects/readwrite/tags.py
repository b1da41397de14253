"""Switches on a tag: the class that a tag requires, and the tag of a class."""

from __future__ import annotations

from typing import Any

from ..declared import UNSET
from ..kaitai import ConsistencyError

ALSO: dict[type, tuple[type, ...]] = {bytes: (bytes, bytearray, memoryview), float: (float, int)}
"""By class: other classes that are accepted in its place."""


def follow_tag(holder: Any, slot: str, owner: Any, tag: str, *cases: tuple[type, object]) -> None:
    """Set the attribute ``tag`` of ``owner`` to the value of the only case with the class of the object that ``holder``
    has in ``slot``, unless it was assigned or already fits. The default case has the value ``None``."""
    value = getattr(holder, slot, None)
    if isinstance(value, list):
        value = value[0] if value else None
    matches = [match for kind, match in cases if isinstance(value, kind)]
    if len(matches) == 1 and matches[0] is not None and getattr(owner, tag, UNSET) != matches[0]:
        owner._follow(tag, matches[0])


def check_case(name: str, value: object, wanted: type, on: str, tag: object) -> None:
    """Check that the content of a switch has the class of the case that the tag selects."""
    if not isinstance(value, ALSO.get(wanted, wanted)):
        expected = f"{wanted.__qualname__}, since {on} is {tag!r}"
        raise ConsistencyError(name, expected, type(value).__qualname__)
