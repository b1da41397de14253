"""Messages as other writers may encode them, and after damage: the same fields in other forms."""

from __future__ import annotations

from random import Random
from typing import Any

VARINT, FIXED64, LENGTH, BEGIN, END, FIXED32 = range(6)
MESSAGE, STRING, BYTES = 11, 9, 12
FIXED = {1: 8, 6: 8, 16: 8, 2: 4, 7: 4, 15: 4}
"""Size in bytes of a value by ``FieldDescriptor.TYPE_…``, for types that are not varints."""

SMALL = [bytes([value]) for value in range(0x80)]
"""The varints of one byte."""

Field = tuple[int, int, bytes]
"""Number, wire type, and the bytes after the tag (of a length-delimited field without the length)."""


def varint(value: int, extra: int = 0) -> bytes:
    """Return a varint with ``extra`` bytes more than it needs, ten at most."""
    if value <= 0x7F and not extra:
        return SMALL[value]
    found = bytearray()
    while value > 0x7F:
        found.append(value & 0x7F | 0x80)
        value >>= 7
    found.append(value)
    for _ in range(min(extra, 10 - len(found))):
        found[-1] |= 0x80
        found.append(0)
    return bytes(found)


def tag(number: int, wire_type: int) -> bytes:
    return varint(number << 3 | wire_type)


def split_varint(data: bytes, at: int) -> tuple[int, int]:
    value = shift = 0
    while True:
        value |= (data[at] & 0x7F) << shift
        shift, at = shift + 7, at + 1
        if data[at - 1] < 0x80:
            return value, at


def parsed(data: bytes) -> list[Field]:
    """Return the fields of a valid message without groups."""
    found, at = [], 0
    while at < len(data):
        key, at = split_varint(data, at)
        begin = at
        match key & 7:
            case 0:
                _, at = split_varint(data, at)
            case 1:
                at += 8
            case 2:
                size, begin = split_varint(data, at)
                at = begin + size
            case _:
                at += 4
        found.append((key >> 3, key & 7, data[begin:at]))
    return found


def has_long_tag(data: bytes, descriptor: Any) -> bool:
    """Return whether a valid message has a tag of more than five bytes or 32 bits, itself or in nested messages."""
    at, open_groups = 0, 0
    while at < len(data):
        begin = at
        key, at = split_varint(data, at)
        if at - begin > 5 or key >> 32:
            return True
        field = descriptor.fields_by_number.get(key >> 3) if not open_groups else None
        match key & 7:
            case 0:
                _, at = split_varint(data, at)
            case 1:
                at += 8
            case 2:
                size, begin = split_varint(data, at)
                at = begin + size
                held = field is not None and field.type == MESSAGE
                if held and has_long_tag(data[begin:at], field.message_type):
                    return True
            case 3:
                open_groups += 1
            case 4:
                open_groups -= 1
            case _:
                at += 4
    return False


class Mutator:
    """Writes a message again, in another valid form. Entries of maps get no unknown fields:
    with one, Google's implementation in C treats the whole entry as unknown, others do not."""

    def __init__(self, random: Random) -> None:
        self.random = random

    def rewritten(self, data: bytes, descriptor: Any, depth: int = 0) -> bytes:
        """Return the message with its fields in other forms and other fields between them."""
        fields = [one for each in parsed(data) for one in self._forms(each, descriptor, depth)]
        if self.random.random() < 0.5:
            self.random.shuffle(fields)
        if fields and self.random.random() < 0.4:
            fields.insert(self.random.randrange(len(fields) + 1), self.random.choice(fields))
        written = [self._field(each) for each in fields]
        is_entry = descriptor.GetOptions().map_entry
        for _ in range(self.random.choice((0, 0, 1, 2)) if not is_entry else 0):
            written.insert(self.random.randrange(len(written) + 1), self._stranger(descriptor))
        return b"".join(written)

    # Forms of one field ----------------------------------------------------------------------------------------------

    def _forms(self, field: Field, descriptor: Any, depth: int) -> list[Field]:
        number, wire_type, content = field
        known = descriptor.fields_by_number.get(number)
        if known is None:
            return [field]
        if known.type == MESSAGE:
            inner = self.rewritten(content, known.message_type, depth + 1) if depth < 4 else content
            if known.is_repeated or self.random.random() < 0.6:
                return [(number, LENGTH, inner)]
            pieces = [(number, LENGTH, one) for one in self._pieces(content)]
            return pieces or [(number, LENGTH, b"")]
        packable = known.is_repeated and known.type not in (STRING, BYTES)
        if packable and wire_type == LENGTH:
            return self._unpacked(number, content, known.type)
        if packable and self.random.random() < 0.4:
            return [(number, LENGTH, content)]
        return [field]

    def _pieces(self, content: bytes) -> list[bytes]:
        """Return a sub-message in several pieces, which a reader merges."""
        fields = [self._plain(each) for each in parsed(content)]
        cut = self.random.randrange(len(fields) + 1)
        return [b"".join(fields[:cut]), b"".join(fields[cut:])]

    def _unpacked(self, number: int, content: bytes, kind: int) -> list[Field]:
        values, at = [], 0
        while at < len(content):
            end = at + FIXED[kind] if kind in FIXED else split_varint(content, at)[1]
            values.append(content[at:end])
            at = end
        cut = self.random.randrange(len(values) + 1)
        wire_type = {8: FIXED64, 4: FIXED32}.get(FIXED.get(kind, 0), VARINT)
        rest = [(number, LENGTH, b"".join(values[cut:]))]
        return [*((number, wire_type, each) for each in values[:cut]), *rest]

    # Bytes -----------------------------------------------------------------------------------------------------------

    def _plain(self, field: Field) -> bytes:
        number, wire_type, content = field
        size = varint(len(content)) if wire_type == LENGTH else b""
        return tag(number, wire_type) + size + content

    def _field(self, field: Field) -> bytes:
        number, wire_type, content = field
        extra = self.random.choice((0, 0, 0, 1, 2))
        key = varint(number << 3 | wire_type)
        key = varint(number << 3 | wire_type, min(extra, 5 - len(key)))
        if wire_type == LENGTH:
            size = varint(len(content))
            return key + varint(len(content), min(extra, 5 - len(size))) + content
        if wire_type == VARINT:
            value, _ = split_varint(content, 0)
            return key + varint(value, extra)
        return key + content

    def _stranger(self, descriptor: Any) -> bytes:
        """Return an unknown field, or a known one with another wire type."""
        known = list(descriptor.fields_by_number)
        number = self.random.choice([*known, self.random.randint(1, 2**29 - 1)])
        field = descriptor.fields_by_number.get(number)
        kinds = [VARINT, FIXED64, FIXED32, BEGIN]
        if field is not None:
            own = {8: FIXED64, 4: FIXED32}.get(FIXED.get(field.type, 0), VARINT)
            kinds = [each for each in kinds if each != own or field.type in (MESSAGE, STRING, BYTES)]
        return self._unknown(number, self.random.choice(kinds), 0)

    def _unknown(self, number: int, wire_type: int, depth: int) -> bytes:
        key = tag(number, wire_type)
        match wire_type:
            case 0:
                return key + varint(self.random.getrandbits(64))
            case 1:
                return key + self.random.randbytes(8)
            case 2:
                content = self.random.randbytes(self.random.randint(0, 5))
                return key + varint(len(content)) + content
            case 3:
                inside = [
                    self._unknown(self.random.randint(1, 20), self.random.choice((0, 1, 2, 5, 3)), depth + 1)
                    for _ in range(self.random.randint(0, 2) if depth < 3 else 0)
                ]
                return key + b"".join(inside) + tag(number, END)
            case _:
                return key + self.random.randbytes(4)
