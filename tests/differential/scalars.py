"""Attributes of fixed size: integers, floats, bits, fixed contents."""

from __future__ import annotations

import struct
from random import Random
from typing import Any

from .pieces import Bits, Number, Parts, Piece, Values

CODES = {"u1": "B", "s1": "b", "u2": "H", "s2": "h", "u4": "I", "s4": "i", "u8": "Q", "s8": "q", "f4": "f", "f8": "d"}
ENUM = {1: "one", 2: "two", 9: "nine", 200: "many"}
FLOATS = (0.0, -0.0, 1.5, -2.25, 1e10, float("inf"), float("-inf"), float("nan"), 5e-324)


def ordered(random: Random, word: str, endian: str) -> tuple[str, str]:
    """Return the type with or without a byte order of its own, and its code: that of struct, but with ``?`` for an
    order that the object determines. ``endian``: ``le``, ``be`` or ``computed``."""
    suffix = random.choice(["", "", "le", "be"]) if word[1] != "1" else ""
    return word + suffix, {"be": ">", "le": "<", "computed": "?"}[suffix or endian] + CODES[word]


def pack(code: str, value: Any, values: Values) -> bytes:
    """Return a value in the byte order of its code or its object."""
    return struct.pack(code.replace("?", values.get("-order", "?")), value)


def limits(word: str) -> tuple[int, int]:
    bits = int(word[1]) * 8
    return (0, (1 << bits) - 1) if word[0] == "u" else (-(1 << bits - 1), (1 << bits - 1) - 1)


def packer(name: str, code: str, pick: Any) -> Any:
    def write(random: Random, values: Values) -> Parts:
        values[name] = pick(random)
        return (pack(code, values[name], values),)

    return write


def integer(random: Random, name: str, endian: str) -> Piece:
    """Return any integer, occasionally with a rule or an enum."""
    word = random.choice(["u1", "s1", "u2", "s2", "u4", "s4", "u8", "s8"])
    type, code = ordered(random, word, endian)
    least, most = limits(word)
    attribute: dict[str, Any] = {"id": name, "type": type}

    def any_value(random: Random) -> int:
        return random.choice([random.randint(least, most), random.randint(0, min(20, most)), least, most])

    pick = any_value
    match random.randrange(9):
        case 0:
            chosen = any_value(random)
            attribute["valid"] = str(chosen)
            pick = lambda _: chosen  # noqa: E731
        case 1:
            low, high = sorted((any_value(random), any_value(random)))
            attribute["valid"] = random.choice([{"min": str(low), "max": str(high)}, {"min": str(low)}])
            pick = lambda random: random.randint(low, high)  # noqa: E731
        case 2:
            some = [any_value(random) for _ in range(3)]
            attribute["valid"] = {"any-of": [str(each) for each in some]}
            pick = lambda random: random.choice(some)  # noqa: E731
        case 3:
            attribute["valid"] = {"expr": "_ % 2 == 0"}
            pick = lambda random: any_value(random) & ~1  # noqa: E731
        case 4 if word in ("u1", "u2", "u4"):
            attribute["enum"] = "kind"
            if random.random() < 0.4:
                attribute["valid"] = {"in-enum": True}
            pick = lambda random: random.choice([*ENUM])  # noqa: E731
            return Piece([attribute], packer(name, code, pick))
    return Piece([attribute], packer(name, code, pick), [Number(name, least, False)])


def count(random: Random, name: str, endian: str) -> Piece:
    """Return a small integer that can be used for sizes."""
    type, code = ordered(random, random.choice(["u1", "u1", "u2", "u4", "s4"]), endian)
    least = random.choice([0, 0, 1, 3])
    attribute: dict[str, Any] = {"id": name, "type": type}
    if least or random.random() < 0.3:
        attribute["valid"] = random.choice(
            [{"min": str(least), "max": "40"}, {"max": "12", "min": str(least)}, {"min": str(least)}]
        )
    return Piece([attribute], packer(name, code, lambda random: random.randint(least, 12)), [Number(name, least, True)])


def real(random: Random, name: str, endian: str) -> Piece:
    type, code = ordered(random, random.choice(["f4", "f8"]), endian)
    return Piece([{"id": name, "type": type}], packer(name, code, lambda random: random.choice(FLOATS)))


def bits(random: Random, name: str, _: str) -> Piece:
    """Return a run of bit fields, all of one order, which may end inside a byte."""
    order = random.choice(["", "be", "le"])
    widths = [random.choice([1, 1, 2, 3, 5, 8, 11, 16, 27, 64]) for _ in range(random.randint(1, 4))]
    names = [f"{name}_{number}" for number in range(len(widths))]
    suffixes = ["le" if order == "le" else random.choice(["", "be"]) for _ in widths]
    attributes: list[dict[str, Any]] = []
    numbers = []
    for each, width, suffix in zip(names, widths, suffixes, strict=True):
        attribute = {"id": each, "type": f"b{width}{suffix}"}
        # Expressions do not accept an enum as a number.
        if width > 3 and random.random() < 0.3:
            attribute["enum"] = "kind"
        attributes.append(attribute)
        if width > 1 and "enum" not in attribute:
            numbers.append(Number(each, 0, width in (2, 3)))

    def write(random: Random, values: Values) -> Parts:
        parts = []
        for each, width in zip(names, widths, strict=True):
            value = random.getrandbits(width)
            values[each] = bool(value) if width == 1 else value
            parts.append(Bits(value, width, order))
        return tuple(parts)

    return Piece(attributes, write, numbers)


def few_bits(random: Random, name: str, _: str) -> Piece:
    """Return a list of bit fields."""
    width, order, count = random.choice([1, 3, 4, 8, 12]), random.choice(["be", "le"]), random.randrange(5)
    attribute = {"id": name, "type": f"b{width}{order}", "repeat": "expr", "repeat-expr": str(count)}

    def write(random: Random, values: Values) -> Parts:
        return tuple(Bits(random.getrandbits(width), width, order) for _ in range(count))

    return Piece([attribute], write)


VARINTS: dict[str, Any] = {
    "le": "le",
    "be": "be",
    "le32": {"order": "le", "bits": 32},
    "zigzag": {"order": "le", "signed": "zigzag"},
    "zigzag28": {"order": "be", "signed": "zigzag", "bits": 28},
}
"""The values of the key ``varint``, by name."""
VARINT_TYPES = {f"varint_{name}": {"-wireloom": {"varint": rule}} for name, rule in VARINTS.items()}


def varint(random: Random, name: str, _: str) -> Piece:
    """Return an integer of as many bytes as it needs, occasionally with more than that."""
    type = random.choice(list(VARINTS))
    rule = VARINTS[type] if isinstance(VARINTS[type], dict) else {"order": VARINTS[type]}
    signed, bits = "signed" in rule, rule.get("bits", 63 if rule["order"] == "be" else 64)
    least, most = (-(1 << bits - 1), (1 << bits - 1) - 1) if signed else (0, (1 << bits) - 1)
    small = not signed and random.random() < 0.5

    def write(random: Random, values: Values) -> Parts:
        value = random.choice([random.randint(0, 12)] if small else [least, most, 7, random.randint(least, most)])
        values[f"{name}.value"] = value
        left = (value << 1 if value >= 0 else ~value << 1 | 1) if signed else value
        groups = [left >> shift & 127 for shift in range(0, max(1, left.bit_length()), 7)]
        groups += [0] * random.choice([0, 0, 0, 1]) if len(groups) < bits // 7 else []
        if rule["order"] == "be":
            groups.reverse()
        return (bytes([*(each | 128 for each in groups[:-1]), groups[-1]]),)

    return Piece([{"id": name, "type": f"varint_{type}"}], write, [Number(f"{name}.value", least, small)])


def contents(random: Random, name: str, _: str) -> Piece:
    value = random.choice([b"\xab", b"WL", b"\0\1\2", b"magic!"])

    def write(random: Random, values: Values) -> Parts:
        values[name] = value
        return (value,)

    return Piece([{"id": name, "contents": list(value)}], write)
