"""Checksums of a row, over bytes, lists, content and all of it."""

from __future__ import annotations

import zlib
from collections.abc import Callable
from random import Random

from wireloom.checksums import algorithm, function

from ..pieces import Parts, Piece, Values, settled
from .fields import Attribute, field, joined, length_of
from .shape import Construct, Shape


def checksum(name: str, id: str, rule: Attribute, size: int, stored: Callable[[bytes, Random], bytes]) -> Construct:
    """Return a construct of bytes and their checksum."""

    def of(random: Random) -> bytes:
        data = bytes([3]) + random.randbytes(3)
        return data + stored(data[1:], random)

    return field(
        name,
        {"id": f"{id}_len", "type": "u1"},
        {"id": f"{id}_data", "size": f"{id}_len"},
        {
            "id": id,
            "-wireloom": {"checksum": {"over": f"{id}_data", **rule}},
            **({"size": size} if size else {"type": "u4le"}),
        },
        of=of,
    )


def crc(data: bytes, _: Random) -> bytes:
    return zlib.crc32(data).to_bytes(4, "little")


POLY = {"width": 16, "poly": 0x1021, "init": 0xFFFF, "refin": True, "refout": True, "xorout": 0xFFFF}


def x25(data: bytes, _: Random) -> bytes:
    return function(algorithm("crc-16/ibm-sdlc"))(data, len(data)).to_bytes(2, "little")


def over_the_row(shape: Shape) -> None:
    """Add a checksum over everything that is in the row so far, and over itself, whose bytes count as zeros."""
    covered = [*shape.row]
    rule = {"checksum": {"algorithm": "crc32", "over": ["n", "total"], "replace": 0, "if": "n != 3"}}

    def write(random: Random, values: Values) -> Parts:
        parts = tuple(part for each in covered for part in each.write(random, values))
        data = settled(parts)
        return (data, zlib.crc32(data + bytes(4)).to_bytes(4, "little"))

    attributes = shape.attributes(covered)
    shape.row[:] = [Piece([*attributes, {"id": "total", "type": "u4le", "-wireloom": rule}], write)]


def over_a_list(shape: Shape) -> None:
    """Add a checksum over a list, whose items have no bytes in some rows."""
    rule = {"checksum": {"algorithm": "sum16", "over": "cells"}}
    attributes = [
        {"id": "cells", "size": "n & 1", "repeat": "expr", "repeat-expr": "2"},
        {"id": "sum_of_cells", "type": "u2le", "-wireloom": rule},
    ]

    def write(random: Random, values: Values) -> Parts:
        data = random.randbytes(2 * (values["n"] & 1))
        return (data, int(function(algorithm("sum16"))(data, len(data))).to_bytes(2, "little"))

    shape.row.append(Piece(attributes, write))


CHECKSUMS = (
    checksum("checksum", "sum", {"algorithm": "crc32", "stored": "_ ^ 1"}, 0,
             lambda data, _: (zlib.crc32(data) ^ 1).to_bytes(4, "little")),
    checksum("checksum with an extra byte", "longer", {"algorithm": "crc32", "extra": "longer_len * 2"}, 0,
             lambda data, _: zlib.crc32(data + bytes([2 * len(data)])).to_bytes(4, "little")),
    checksum("checksum with a condition", "perhaps", {"algorithm": "crc32", "if": "perhaps != 0"}, 0,
             lambda data, random: random.choice([crc(data, random), bytes(4)])),
    checksum("checksum with parameters", "crc", {"algorithm": POLY, "endian": "le"}, 2, x25),
    checksum("checksum with other values", "other_sum",
             {"algorithm": "crc32", "initial": 0xFFFFFFFF, "final-xor": 0, "endian": "le"}, 4,
             lambda data, _: (zlib.crc32(data) ^ 0xFFFFFFFF).to_bytes(4, "little")),
    Construct("checksum of the row", "field", over_the_row),
    Construct("checksum of a list", "field", over_a_list),
    field("checksum of content",
          {"id": "inside_sum", "type": "u4le",
           "-wireloom": {"checksum": {"algorithm": "crc32", "over": "content", "content": True}}},
          {"id": "len_i", "type": "u1"}, {"id": "content", "size": "len_i", "-wireloom": {"codec": "zlib"}},
          of=joined(lambda _: zlib.crc32(b"abc").to_bytes(4, "little"), length_of(lambda _: zlib.compress(b"abc")))),
)  # fmt: skip
