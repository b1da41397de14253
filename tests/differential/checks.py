"""A checksum over some of the attributes."""

from __future__ import annotations

import struct
import zlib
from random import Random
from typing import Any

import crc32c

from .pieces import Piece, Values


def checksum(random: Random, pieces: list[Piece]) -> list[Piece]:
    """The pieces with a checksum among them, over some that stand before or behind it."""
    covered = [number for number, piece in enumerate(pieces) if is_coverable(piece)]
    if not covered:
        return pieces
    first = random.choice(covered)
    last = max(number for number in range(first, len(pieces)) if coherent(pieces, first, number))
    at = random.choice([each for each in range(len(pieces) + 1) if each <= first or each > last])
    if at == len(pieces) and pieces[-1].ends:
        at = first
    algorithm = random.choice(["crc32", "crc32c"])
    compute = zlib.crc32 if algorithm == "crc32" else crc32c.crc32c
    over = [pieces[first].attributes[0]["id"], pieces[last].attributes[-1]["id"]]
    attribute: dict[str, Any] = {"id": "sum", "type": random.choice(["u4le", "u4be"])}
    attribute["-wireloom"] = {"checksum": {"algorithm": algorithm, "over": over[0] if over[0] == over[1] else over}}
    code = "<I" if attribute["type"] == "u4le" else ">I"
    inside = pieces[first : last + 1]

    def write_inside(random: Random, values: Values) -> bytes:
        values["-covered"] = b"".join(each.write(random, values) for each in inside)
        return struct.pack(code, compute(values["-covered"])) + values["-covered"] if at <= first else values["-covered"]

    def write_sum(_: Random, values: Values) -> bytes:
        return struct.pack(code, compute(values["-covered"]))

    attributes = [each for piece in inside for each in piece.attributes]
    if at == first:
        return [*pieces[:first], Piece([attribute, *attributes], write_inside, ends=inside[-1].ends), *pieces[last + 1 :]]
    if at < first:
        return pieces
    joined = Piece(attributes, write_inside, ends=inside[-1].ends)
    return [*pieces[:first], joined, *pieces[last + 1 : at], Piece([attribute], write_sum), *pieces[at:]]


def is_coverable(piece: Piece) -> bool:
    """Always there, and of whole bytes."""
    return all("if" not in each and not str(each.get("type", "")).startswith("b") for each in piece.attributes)


def coherent(pieces: list[Piece], first: int, last: int) -> bool:
    return all(is_coverable(each) for each in pieces[first : last + 1])
