"""The first bytes of messages, and detection of the framing of an input."""

from __future__ import annotations

import re
from collections.abc import Callable, Collection, Mapping
from typing import Any, cast

from ..codecs import ZSTD_MAGIC
from ..format.description import Format
from ..format.message_rules import FieldKind, FieldRule, Label, WireType
from ..objects.messages.descriptors import descriptor_of
from ..objects.messages.kinds import wire_type

CONFIRMING_UNITS = 3
"""Number of consecutive units, or fields of a message, that count as proof."""
MOST_EMPTY = 16
"""Maximum number of lengths of 0 that are skipped at the beginning. Later ones may be the first bytes of other
lengths."""
SEARCHED = 1 << 16
"""Number of bytes in which the beginning of units is searched for if the input does not begin with one."""
SHOWN = 1 << 20
"""Number of bytes that such units end in."""
MOST_VARINT = 10
JSON_OBJECT = re.compile(rb"\{\s*(?:\"\w+\"\s*:|\})")
"""What a message in JSON begins with. After ``{``, the tag or the length of a group or a message, this is no field."""
LATER_LINE = re.compile(rb"\n\{\s*\"\w+\"\s*:")
LONGEST_NAME = 256
"""Number of bytes in which the first name ends."""
SIZED: Mapping[int, int] = {WireType.VARINT: 0, WireType.LENGTH_DELIMITED: 0, WireType.FIXED64: 8, WireType.FIXED32: 4}
"""Size in bytes of a field's content by its wire type; 0: its content begins with a varint."""

Length = Callable[[memoryview, int], tuple[int, int]]
"""Like ``wireloom.units.framing.Prefixed.length``."""


def read_varint(view: memoryview, position: int) -> tuple[int, int]:
    """Return the varint at ``position`` and the position after it; ``(0, 0)`` if more bytes are needed, and ``(-1, 0)``
    if it has more than 64 bits."""
    value = 0
    for number, byte in enumerate(view[position : position + MOST_VARINT]):
        value |= (byte & 0x7F) << (7 * number)
        if byte < 0x80:
            return (value, position + number + 1) if value < 1 << 64 else (-1, 0)
    return (0, 0) if len(view) - position < MOST_VARINT else (-1, 0)


def first_bytes(format: Format) -> frozenset[int]:
    """Return the bytes with which a unit begins: those of the tag of one of its fields, of its prefix, or of a
    compressed unit."""
    compressed = ZSTD_MAGIC[:1] if format.message is not None and format.message.codec else b""
    if format.message is not None and format.message.prefix:
        return frozenset(format.message.prefix[:1] + compressed)
    rules = descriptor_of(cast(Any, format.message_class)).rule.fields
    return frozenset(compressed).union(*map(_tag_bytes, rules))


def _tag_bytes(rule: FieldRule) -> tuple[int, ...]:
    """Return the first byte of each tag that a field may have."""
    types = {WireType.LENGTH_DELIMITED if rule.key is not None else wire_type(rule.kind)}
    if rule.label is Label.REPEATED and rule.kind not in (FieldKind.STRING, FieldKind.BYTES, FieldKind.MESSAGE):
        types.add(WireType.LENGTH_DELIMITED)
    return tuple(tag & 0x7F | (0x80 if tag > 0x7F else 0) for tag in (rule.number << 3 | each for each in types))


def shown_framing(
    format: Format, view: memoryview, at_end: bool, lengths: Mapping[str, Length], max_record: int
) -> str | None:
    """Return the first of several framings that matches the beginning of an input; if that is damaged, the first one
    that matches units further on, or else the first of all. Returns ``None`` if more of the input is needed.
    ``lengths``: the function of each framing that reads a length; ``whole`` uses none."""
    begins = first_bytes(format)
    truncated: list[str] = []
    if "lines" in lengths and bytes(view[:1]) == b"{":
        if JSON_OBJECT.match(view):
            return _json_framing(view, at_end, lengths)
        if len(view) < LONGEST_NAME and not at_end:
            return None
    for word, length in lengths.items():
        fits = (
            False
            if word == "lines"
            else (
                _is_message(view, begins, at_end)
                if word == "whole"
                else _are_units(view, length, begins, at_end, max_record, MOST_EMPTY)
            )
        )
        if fits:
            return word
        if fits is None:
            if not at_end:
                return None
            # The input ends inside its only message.
            truncated.append(word)
    if truncated:
        return next((each for each in truncated if each != "whole"), "whole")
    if not at_end and len(view) < SHOWN:
        return None
    # Never more of it, so that the framing does not depend on how much is in memory.
    near, ends = view[:SHOWN], at_end and len(view) <= SHOWN
    if "lines" in lengths and LATER_LINE.search(near[:SEARCHED]):
        return "lines"
    for index in range(1, min(len(near), SEARCHED)):
        for word, length in lengths.items():
            if word not in ("whole", "lines") and _are_units(near[index:], length, begins, ends, max_record, 0):
                return word
    return next(iter(lengths))


def _json_framing(view: memoryview, at_end: bool, words: Collection[str]) -> str | None:
    """Return the framing of messages in JSON: ``whole`` if the first line neither ends like one, nor is followed by
    another one; ``None`` if more of the input is needed."""
    near = bytes(view[:SHOWN])
    first, _, others = near.partition(b"\n")
    if not others and not at_end and len(view) < SHOWN:
        return None
    is_line = first.rstrip().endswith(b"}") or others.lstrip()[:1] in (b"{", b"")
    return "lines" if is_line or "whole" not in words else "whole"


def _are_units(
    view: memoryview, length: Length, begins: frozenset[int], at_end: bool, max_record: int, most_empty: int
) -> bool | None:
    """Return whether consecutive units are found; ``None`` if the view ends before that is known."""
    position = found = empty = 0
    while found < CONFIRMING_UNITS:
        size, start = length(view, position)
        if size < 0 or size > max_record or empty > most_empty:
            return False
        if not start:
            return True if found and at_end else None
        if not size:
            empty += 1
        elif start < len(view) and view[start] not in begins:
            return False
        elif start + size > len(view):
            return True if found and at_end else None
        else:
            found += 1
        position = start + size
    return True


def field_end(view: memoryview, position: int) -> int:
    """Return the position after the field at ``position``; 0 if it extends beyond the view, and -1 if it is not a
    field."""
    tag, position = read_varint(view, position)
    wire = tag & 7
    if not position or tag >> 3 == 0 or wire not in SIZED:
        return 0 if not position and tag == 0 else -1
    size = SIZED[wire]
    if size == 0:
        value, position = read_varint(view, position)
        if not position:
            return value
        size = value if wire == WireType.LENGTH_DELIMITED else 0
    return position + size if size <= len(view) - position else 0


def field_ends(view: memoryview, position: int) -> list[int]:
    """Return the positions after each of the consecutive fields from ``position`` on."""
    found = []
    while position < len(view) and (end := field_end(view, position)) > 0:
        found.append(end)
        position = end
    return found


def _is_message(view: memoryview, begins: frozenset[int], at_end: bool) -> bool | None:
    """Return whether the input is a single message; ``None`` if the view ends before that is known."""
    position = 0
    for _ in range(CONFIRMING_UNITS):
        if position == len(view):
            return True if at_end and position else None
        if view[position] not in begins:
            return False
        position = field_end(view, position)
        if position <= 0:
            return False if position < 0 else None
    return True
