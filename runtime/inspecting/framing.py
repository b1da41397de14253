"""The fields of the framing of a message, including those of the message."""

from __future__ import annotations

from collections.abc import Callable

from ..units.described import Described, Part
from ..units.framing import Framing
from .field import Field

Inner = Callable[[bytes, int], list[Field]]
"""Function that returns the fields of a message, given its bytes and their offset in the input."""


def framed_fields(
    framing: Framing, stored: bytes, base: int, content: bytes | None, inner: Inner | None
) -> list[Field]:
    """Return the fields of a unit as stored at ``base`` in the input.

    ``content``: the message in it, ``None`` if it is unknown: its stored bytes are then shown, or nothing if it is
    compressed. ``inner``: ``None`` if the message was not read at all.
    """
    view = memoryview(stored)
    parts = framing.described(view) if isinstance(framing, Described) else []
    if inner is None:
        return [Field(each.name, each.value, base + each.begin, base + each.end) for each in parts if not each.is_unit]
    if not parts:
        return _undescribed(stored, base, content, inner)

    def field(part: Part) -> Field:
        made = Field(part.name, part.value, base + part.begin, base + part.end, problem=part.problem)
        made.children = [field(each) for each in part.parts]
        if part.is_unit and not part.is_packed:
            made.children = inner(stored[part.begin : part.end], base + part.begin)
        elif part.is_unit and content is not None:
            made.children = [_without_place(each) for each in inner(content, 0)]
        return made

    return [field(each) for each in parts]


def _undescribed(stored: bytes, base: int, content: bytes | None, inner: Inner) -> list[Field]:
    """Return the fields of a framing that does not describe itself: the bytes before the message, and the message if it
    is found in the stored bytes.
    """
    if content is None:
        return []
    if not stored.endswith(content):
        whole = Field("(framing)", stored, base, base + len(stored))
        return [whole, *(_without_place(each) for each in inner(content, 0))]
    size = len(stored) - len(content)
    framing = [Field("(framing)", stored[:size], base, base + size)] if size else []
    return framing + inner(content, base + size)


def _without_place(each: Field) -> Field:
    """Return the field without offsets, for decompressed bytes, which are not shown."""
    if each.value is None and not each.children and each.problem is None:
        # It exists, but has no fields.
        each.value = []
    each.begin = each.end = -1
    each.children = [_without_place(child) for child in each.children]
    return each
