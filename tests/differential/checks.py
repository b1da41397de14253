"""A checksum over some of the attributes."""

from __future__ import annotations

import re
import struct
from collections.abc import Callable
from random import Random
from typing import Any, Literal

import crc32c
from wireloom.checksums import CHECKSUMS, Algorithm, algorithm, function

from .pieces import Parts, Piece, Values, settled


def checksum(random: Random, pieces: list[Piece]) -> list[Piece]:
    """Return the pieces with a checksum among them, over some pieces before or after it."""
    covered = [number for number, piece in enumerate(pieces) if is_coverable(piece)]
    if not covered:
        return pieces
    first = random.choice(covered)
    last = max(number for number in range(first, len(pieces)) if coherent(pieces, first, number))
    at = random.choice([each for each in range(len(pieces) + 1) if each <= first or each > last])
    if at == len(pieces) and pieces[-1].ends:
        at = first
    name = random.choice(sorted(CHECKSUMS)) if random.random() < 0.5 else random.choice(["crc32", "crc32c"])
    over = [pieces[first].attributes[0]["id"], pieces[last].attributes[-1]["id"]]
    rule = {"algorithm": name, "over": over[0] if over[0] == over[1] else over}
    attribute, stored = field(random, algorithm(name), rule)
    if name == "crc32c" and attribute.get("type") in ("u4le", "u4be") and random.random() < 0.3:
        return covering_itself(pieces, attribute)
    compute = function(algorithm(name))
    inside = pieces[first : last + 1]

    def write_inside(random: Random, values: Values) -> Parts:
        parts = tuple(part for each in inside for part in each.write(random, values))
        values["-covered"] = settled(parts)
        return (*write_sum(random, values), *parts) if at <= first else parts

    def write_sum(_: Random, values: Values) -> Parts:
        return (stored(compute(values["-covered"])),)

    attributes = [each for piece in inside for each in piece.attributes]
    if at == first:
        return [
            *pieces[:first],
            Piece([attribute, *attributes], write_inside, ends=inside[-1].ends),
            *pieces[last + 1 :],
        ]
    if at < first:
        return pieces
    joined = Piece(attributes, write_inside, ends=inside[-1].ends)
    return [*pieces[:first], joined, *pieces[last + 1 : at], Piece([attribute], write_sum), *pieces[at:]]


def field(random: Random, of: Algorithm, rule: dict[str, Any]) -> tuple[dict[str, Any], Callable[[Any], bytes]]:
    """Return an attribute that contains such a checksum, and a function that returns its bytes."""
    attribute: dict[str, Any] = {"id": "sum", "-wireloom": {"checksum": rule}}
    if of.is_digest:
        attribute["size"] = size = random.randint(1, of.size)
        return attribute, lambda digest: bytes(digest[:size])
    order = random.choice(["le", "be"])
    name: Literal["little", "big"] = "little" if order == "le" else "big"
    size = next(each for each in (1, 2, 4, 8) if each >= of.size)
    if random.random() < 0.2:
        size = attribute["size"] = random.randint(of.size, size)
        rule["endian"] = order
        return attribute, lambda sum: int(sum).to_bytes(size, name)
    attribute["type"] = f"{random.choice('uus')}{size}" + (order if size > 1 else "")
    if random.random() < 0.3:
        rule["stored"] = "(_ << 3) ^ (_ >> 5) + 0x9d"
        mask = (1 << 8 * size) - 1
        return attribute, lambda sum: (((sum << 3) ^ (sum >> 5) + 0x9D) & mask).to_bytes(size, name)
    return attribute, lambda sum: int(sum).to_bytes(size, name)


def covering_itself(pieces: list[Piece], attribute: dict[str, Any]) -> list[Piece]:
    """Return the pieces after a checksum of all of them and of itself, whose bytes count as 0xff."""
    if not coherent(pieces, 0, len(pieces) - 1):
        return pieces
    rule = attribute["-wireloom"]["checksum"]
    rule |= {"over": ["sum", pieces[-1].attributes[-1]["id"]], "replace": 0xFF, "initial": 0, "final-xor": 0}
    code = "<I" if attribute["type"] == "u4le" else ">I"

    def write(random: Random, values: Values) -> Parts:
        parts = tuple(part for each in pieces for part in each.write(random, values))
        # The library begins with all bits set and inverts the result; the rule does neither.
        state = crc32c.crc32c(b"\xff" * 4 + settled(parts), 0xFFFFFFFF) ^ 0xFFFFFFFF
        return (struct.pack(code, state), *parts)

    attributes = [each for piece in pieces for each in piece.attributes]
    return [Piece([attribute, *attributes], write, ends=pieces[-1].ends)]


def is_coverable(piece: Piece) -> bool:
    """Return whether a piece always exists, and consists of whole bytes."""
    return all("if" not in each and not str(each.get("type", "")).startswith("b") for each in piece.attributes)


def coherent(pieces: list[Piece], first: int, last: int) -> bool:
    return all(is_coverable(each) for each in pieces[first : last + 1])


def checksum_values(random: Random, attributes: list[dict[str, Any]]) -> dict[str, Any]:
    """Return instances that are checksums of some of the attributes, by name; in ``number…`` they are integers."""
    whole = [number for number, each in enumerate(attributes) if not re.match(r"b\d", str(each.get("type")))]
    found: dict[str, Any] = {}
    for place in range(random.choice([0, 1, 2]) if whole else 0):
        name = random.choice(sorted(CHECKSUMS))
        ends = sorted(random.choices(whole, k=2 * random.randint(1, 3)))
        runs = [list(dict.fromkeys((first, last))) for first, last in zip(ends[::2], ends[1::2], strict=True)]
        # Each run begins after the one before it.
        runs = [each for number, each in enumerate(runs) if number == 0 or each[0] > runs[number - 1][-1]]
        over = [[attributes[each]["id"] for each in run] for run in runs]
        key = "digest" if algorithm(name).is_digest else "number"
        found[f"{key}{place}"] = {"-wireloom": {"checksum": {"algorithm": name, "over": over}}}
    return found
