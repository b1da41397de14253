"""Made-up specs: tables with all that wireloom adds, and plain ones that Kaitai's own compiler takes as well."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from random import Random
from typing import Any

import yaml
from wireloom import engine
from wireloom.program import Stuffing

from . import content, scalars, types
from .checks import checksum
from .instances import instance
from .pieces import Piece, Scope, Values, any_expression

MOST_TYPES = 6

Writer = Callable[[Random, Values], bytes]


@dataclass
class Made:
    """A spec and what writes inputs of it."""

    spec: dict[str, Any]
    write: Writer

    @property
    def text(self) -> str:
        """The spec as YAML."""
        return str(yaml.safe_dump(self.spec, sort_keys=False))


class Maker:
    """Makes one spec. ``table``: only what can be a table's row, and with checksums."""

    def __init__(self, random: Random, *, table: bool) -> None:
        self.random = random
        self.table = table
        self.endian = random.choice(["le", "be"])
        self.types: dict[str, Any] = {}
        self.depth = 0

    def declare(self, *, ends: bool, parameters: tuple[str, ...] = ()) -> tuple[str, Writer]:
        """A new user type: its name, and what writes an object of it."""
        name = f"t{len(self.types)}"
        body: dict[str, Any] = {}
        self.types[name] = body
        self.depth += 1
        scope = Scope(table=self.table)
        pieces = self.fields(self.random.randint(1, 3), scope, ends=ends)
        self.depth -= 1
        if parameters:
            body["params"] = [{"id": f"p_{each}", "type": "s8"} for each in parameters]
        body["seq"] = [each for piece in pieces for each in piece.attributes]
        self.add_instances(body, scope)
        return name, written(pieces)

    def fields(self, count: int, scope: Scope, *, ends: bool) -> list[Piece]:
        pieces: list[Piece] = []
        for number in range(count):
            piece = self.field(f"f{number}", scope, ends=ends and number == count - 1)
            # Bits that are not whole bytes and what is no bits may not share a byte by accident.
            pieces.append(piece)
            scope.add(piece)
            if piece.ends:
                break
        if self.table and len(pieces) > 1 and self.random.random() < 0.4:
            pieces = checksum(self.random, pieces)
        return pieces

    def field(self, name: str, scope: Scope, *, ends: bool) -> Piece:
        random, endian = self.random, self.endian
        deeper = self.depth < 2 and len(self.types) < MOST_TYPES
        choices: list[Callable[[], Piece]] = [
            lambda: scalars.integer(random, name, endian),
            lambda: scalars.integer(random, name, endian),
            lambda: scalars.count(random, name, endian),
            lambda: scalars.count(random, name, endian),
            lambda: scalars.real(random, name, endian),
            lambda: scalars.bits(random, name, endian),
            lambda: scalars.contents(random, name, endian),
            lambda: content.sized(random, name, scope, text=False),
            lambda: content.sized(random, name, scope, text=True),
            lambda: content.terminated(random, name, scope, text=True, stream_ends=ends),
            lambda: content.terminated(random, name, scope, text=False, stream_ends=ends),
            lambda: types.array(random, name, scope, self, stream_ends=ends),
        ]
        if ends:
            choices += [lambda: content.rest(random, name, scope, text=random.random() < 0.5)] * 3
        if deeper:
            choices += [lambda: types.object_of_type(random, name, scope, self)] * 2
        if not self.table:
            choices.append(lambda: types.until(random, name, scope, self))
            if deeper:
                choices.append(lambda: types.object_of_type(random, name, scope, self, repeated=True))
            if deeper and scope.numbers:
                choices += [lambda: types.switch(random, name, scope, self)] * 2
        piece = random.choice(choices)()
        return types.optional(random, piece, scope.numbers) if random.random() < 0.15 else piece

    def add_instances(self, body: dict[str, Any], scope: Scope) -> None:
        """Values that are computed."""
        names = [f"i{number}" for number in range(self.random.choice([0, 0, 1, 2] if self.table else [0, 1, 2, 4]))]
        if names and self.table:
            body["instances"] = {name: {"value": any_expression(self.random, scope)} for name in names}
        elif names:
            body["instances"] = {name: instance(self.random, scope) for name in names}


def written(pieces: list[Piece]) -> Writer:
    """What writes the pieces one after another."""

    def write(random: Random, values: Values) -> bytes:
        return b"".join(piece.write(random, values) for piece in pieces)

    return write


def plain_spec(random: Random, id: str) -> Made:
    """A spec of Kaitai's language alone."""
    maker = Maker(random, table=False)
    scope = Scope()
    pieces = maker.fields(random.randint(2, 6), scope, ends=True)
    body: dict[str, Any] = {"seq": [each for piece in pieces for each in piece.attributes]}
    maker.add_instances(body, scope)
    meta = {"id": id, "endian": maker.endian, "encoding": "UTF-8"}
    spec = {"meta": meta, **body, "types": maker.types, "enums": {"kind": scalars.ENUM}}
    return Made(spec, written(pieces))


FRAMINGS = (
    ({"delimiter": [0xFE, 0xFD], "stuffing": "word"}, Stuffing.WORD),
    ({"delimiter": 0, "stuffing": "cobs"}, Stuffing.COBS),
)


def table_spec(random: Random) -> Made:
    """A spec of a table."""
    maker = Maker(random, table=True)
    framed = random.random() < 0.4
    scope = Scope(table=True)
    pieces = maker.fields(random.randint(2, 6), scope, ends=framed)
    row: dict[str, Any] = {"seq": [each for piece in pieces for each in piece.attributes]}
    maker.add_instances(row, scope)
    for attribute in row["seq"]:
        decorate(random, attribute)
    rows: dict[str, Any] = {"id": "rows", "type": "row", "repeat": "eos"}
    write = rows_writer(pieces)
    if framed:
        framing, stuffing = random.choice(FRAMINGS)
        rows["-wireloom"] = {"framing": framing}
        write = framed_writer(pieces, stuffing, bytes([0xFE, 0xFD] if stuffing == Stuffing.WORD else [0]))
    meta = {"id": "sample", "endian": maker.endian, "-wireloom": {"rows": "rows"}}
    spec = {"meta": meta, "seq": [rows], "types": {"row": row, **maker.types}, "enums": {"kind": scalars.ENUM}}
    return Made(spec, write)


def decorate(random: Random, attribute: dict[str, Any]) -> None:
    """Gives some attributes a logical type."""
    if "enum" in attribute and random.random() < 0.5:
        attribute.setdefault("-wireloom", {})["labels"] = True
    elif str(attribute.get("type"))[:2] in ("u8", "s8", "u4") and len(attribute) == 2 and random.random() < 0.3:
        attribute["-wireloom"] = {"timestamp": random.choice(["s", "ms", "us", "ns"])}


def rows_writer(pieces: list[Piece]) -> Writer:
    write_row = written(pieces)

    def write(random: Random, _: Values) -> bytes:
        return b"".join(write_row(random, {}) for _ in range(random.randrange(6)))

    return write


def framed_writer(pieces: list[Piece], stuffing: Stuffing, delimiter: bytes) -> Writer:
    write_row = written(pieces)

    def write(random: Random, _: Values) -> bytes:
        return b"".join(engine.stuff(write_row(random, {}), stuffing) + delimiter for _ in range(random.randrange(6)))

    return write
