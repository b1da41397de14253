"""Random messages of a set of types, as bytes: valid in every form of the wire format."""

from __future__ import annotations

import struct
from random import Random

from wireloom.format.message_rules import FieldKind, FieldRule, Label, MessageSet, WireType
from wireloom.objects.messages import FLOATS, INTEGERS, fixed_code, wire_type

NUMBERS = (
    0,
    0,
    1,
    1,
    2,
    3,
    7,
    127,
    128,
    300,
    -1,
    2**31 - 1,
    -(2**31),
    2**32 - 1,
    2**32,
    2**63 - 1,
    -(2**63),
    2**64 - 1,
)
TEXTS = (b"", b"a", b"b", b"7", b"-12", b"+5", b"x1", "é€".encode(), b"\xff", b"\xe2\x82", b"\xed\xa0\x80", b"ok\0")
PLAUSIBLE = (0, 1, 2, 8, 10, 18, 26, 127, 128, 255)
"""Bytes that have a meaning in many places."""


def varint(value: int, padding: int = 0) -> bytes:
    """Return a varint of 64 bits with ``padding`` bytes more than it needs."""
    value &= (1 << 64) - 1
    made = bytearray()
    while value > 0x7F:
        made.append(value & 0x7F | 0x80)
        value >>= 7
    made.append(value)
    for _ in range(min(padding, 10 - len(made))):
        made[-1] |= 0x80
        made.append(0)
    return bytes(made)


def delimited(number: int, content: bytes) -> bytes:
    """Return a field with a length."""
    return varint(number << 3 | WireType.LENGTH_DELIMITED) + varint(len(content)) + content


class Messages:
    """Makes messages. ``odd``: the probability that a field is not as the type defines it."""

    def __init__(self, random: Random, types: MessageSet, odd: float = 0.1) -> None:
        self.random = random
        self.types = types.messages
        self.odd = odd

    def message(self, type: int = 0, depth: int = 0) -> bytes:
        """Return a message of that type."""
        rule, random = self.types[type], self.random
        parts = [self._field(each, depth) for each in rule.fields if each.label is Label.REQUIRED and self._likely()]
        leaves = [each for each in rule.fields if each.kind is not FieldKind.MESSAGE]
        fields = rule.fields if depth < 4 else leaves
        for _ in range(random.randrange(7)):
            if not fields or random.random() < self.odd:
                parts.append(self._odd(rule.fields))
            else:
                parts.append(self._field(random.choice(fields), depth))
        random.shuffle(parts)
        return b"".join(parts)

    def _likely(self) -> bool:
        return self.random.random() > self.odd / 3

    def _field(self, rule: FieldRule, depth: int) -> bytes:
        random = self.random
        if rule.key is not None:
            entry = self._single(FieldRule("key", 1, rule.key, Label.OPTIONAL), depth) if self._likely() else b""
            value = FieldRule("value", 2, rule.kind, Label.OPTIONAL, message=rule.message, values=rule.values)
            entry += self._single(value, depth + 1) if self._likely() else b""
            return delimited(rule.number, entry)
        if rule.label is not Label.REPEATED:
            return self._single(rule, depth)
        count = random.randrange(4)
        if wire_type(rule.kind) != WireType.LENGTH_DELIMITED and random.random() < 0.5:
            return delimited(rule.number, b"".join(self._value(rule, depth) for _ in range(count)))
        return b"".join(self._single(rule, depth) for _ in range(count))

    def _single(self, rule: FieldRule, depth: int) -> bytes:
        tag = varint(rule.number << 3 | wire_type(rule.kind), self._padding())
        return tag + self._value(rule, depth)

    def _padding(self) -> int:
        return self.random.choice((1, 2, 9)) if self.random.random() < self.odd / 4 else 0

    def _value(self, rule: FieldRule, depth: int) -> bytes:
        """Return a value without its tag."""
        random = self.random
        if rule.kind is FieldKind.MESSAGE:
            content = self.message(rule.message, depth + 1)
            return varint(len(content), self._padding()) + content
        if rule.kind in (FieldKind.BYTES, FieldKind.STRING):
            good = rule.kind is FieldKind.BYTES or random.random() < self.odd
            content = random.choice(TEXTS if good else TEXTS[:8])
            return varint(len(content), self._padding()) + content
        code = fixed_code(rule.kind)
        if rule.kind in FLOATS:
            return struct.pack(f"<{code}", random.choice((0.0, -0.0, 1.5, float("inf"), float("nan"), random.random())))
        number = random.choice(rule.values) if rule.values and random.random() < 0.7 else random.choice(NUMBERS)
        if code:
            size = struct.calcsize(f"<{code}")
            return (number & (1 << 8 * size) - 1).to_bytes(size, "little")
        if rule.kind in INTEGERS and INTEGERS[rule.kind].zigzag:
            number = number << 1 ^ number >> 63
        return varint(number, self._padding())

    def _odd(self, fields: tuple[FieldRule, ...]) -> bytes:
        """Return an unknown field, a known one with another wire type, a group, or garbage."""
        random = self.random
        known = (
            random.choice(fields).number
            if fields and random.random() < 0.5
            else random.choice((15, 16, 1000, 536870911))
        )
        match random.randrange(8):
            case 0:
                return varint(known << 3) + varint(random.choice(NUMBERS))
            case 1:
                return varint(known << 3 | 1) + bytes(8)
            case 2:
                return varint(known << 3 | 5) + b"\1\2\3\4"
            case 3:
                return delimited(known, random.choice(TEXTS))
            case 4:
                inner = b"".join(self._odd(()) for _ in range(random.randrange(2)))
                return varint(known << 3 | 3) + inner + varint(known << 3 | 4)
            case 5:
                return varint(known << 3) + b"\xff" * 9 + random.choice((b"\1", b"\2", b"\x7f"))
            case 6:
                return random.choice(
                    (b"\0\0", b"\7", varint(known << 3 | 4), varint(known << 3 | 3), b"\x80" * 10 + b"\1")
                )
        return delimited(random.choice((2000, known)), random.randbytes(random.randrange(6)))
