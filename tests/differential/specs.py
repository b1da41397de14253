"""Generated specs: tables with all of wireloom's extensions, and plain ones that Kaitai's own compiler also accepts."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, replace
from random import Random
from typing import Any

import yaml
from wireloom.format.program import Stuffing
from wireloom.objects import stuff

from ..stuffings import FRAMINGS as STUFFED
from . import content, scalars, types
from .checks import checksum, checksum_values
from .instances import column_expression, instance
from .pieces import Expression, Number, Parts, Piece, Scope, Values, Writer, any_expression, condition, settled

MOST_TYPES = 6
SUMS = ("crc32c", "crc-32/bzip2", "crc-24/openpgp", "adler32", "fletcher32", "sum16be", "internet", "xxh32")

InputWriter = Callable[[Random, Values], bytes]


@dataclass
class Made:
    """A spec, and a function that writes inputs of it."""

    spec: dict[str, Any]
    write: InputWriter

    @property
    def text(self) -> str:
        """Return the spec as YAML."""
        return str(yaml.dump(self.spec, Dumper=yaml.CSafeDumper, sort_keys=False))


class Maker:
    """Makes one spec. ``table``: only what can be part of a table's row, and with checksums."""

    def __init__(self, random: Random, *, table: bool) -> None:
        self.random = random
        self.table = table
        self.endian = self.file_endian = random.choice(["le", "be"])
        self.types: dict[str, Any] = {}
        self.depth = 0

    def declare(
        self, outer: Scope, *, ends: bool, parameters: tuple[Number, ...] = (), fills: bool = False
    ) -> types.Declared:
        """Declare a new user type. It may use its parameters, and what its parent has read before it."""
        body: dict[str, Any] = {"-wireloom": {"trailing-bytes": "refuse"}} if fills else {}
        name = self.add(body)
        own = [replace(each, name=f"p{place}") for place, each in enumerate(parameters)]
        above = [each for each in outer.numbers if each.name[0] != "_" and self.random.random() < 0.4]
        scope = Scope(table=self.table)
        scope.numbers += [*own, *(replace(each, name=f"_parent.{each.name}") for each in above)]
        scope.numbers += [each for each in outer.numbers if each.name.startswith("_root.")]
        order, endian = self.byte_order(body, scope), self.endian
        self.endian = "computed" if order is not None else self.file_endian
        self.depth += 1
        pieces = self.fields(self.random.randint(1, 3), scope, ends=ends)
        self.depth -= 1
        self.endian = endian
        if parameters:
            body["params"] = [{"id": each.name, "type": "s8"} for each in own]
        body["seq"] = [each for piece in pieces for each in piece.attributes]
        self.add_instances(body, scope)
        write = written(pieces) if order is None else in_order(order, written(pieces))
        return types.Declared(name, write, [each for each in scope.numbers if each.name.startswith("f")])

    def add(self, body: dict[str, Any]) -> str:
        """Return the name of a new type with the given body."""
        name = f"t{len(self.types)}"
        self.types[name] = body
        return name

    def byte_order(self, body: dict[str, Any], scope: Scope) -> Expression | None:
        """Give some types a byte order that is determined when they are read; return the condition of ``le``."""
        if not self.table or not scope.numbers or self.random.random() < 0.7:
            return None
        little = condition(self.random, scope.numbers)
        cases = self.random.choice([{"3": "le", "7": "be"}, {"3": "le", "_": "be"}])
        body["meta"] = {"endian": {"switch-on": f"({little.text}) ? 3 : 7", "cases": cases}}
        return little

    def fields(self, count: int, scope: Scope, *, ends: bool) -> list[Piece]:
        pieces: list[Piece] = []
        for number in range(count):
            piece = self.field(f"f{number}", scope, ends=ends and number == count - 1)
            pieces.append(piece)
            scope.add(piece)
            if piece.ends:
                break
        # A terminator that is not consumed is written by what follows, so something must follow.
        pieces[-1].attributes[-1].pop("consume", None)
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
            lambda: scalars.few_bits(random, name, endian),
        ]
        if self.table:
            choices.append(lambda: scalars.varint(random, name, endian))
        if ends:
            choices += [lambda: content.rest(random, name, scope, text=random.random() < 0.5)] * 3
        if deeper:
            choices += [lambda: types.object_of_type(random, name, scope, self)] * 2
        choices.append(lambda: types.until(random, name, scope, self))
        if deeper:
            choices.append(lambda: types.object_of_type(random, name, scope, self, repeated=True))
        if deeper and scope.numbers:
            choices += [lambda: types.switch(random, name, scope, self)] * 2
        if scope.numbers and self.table:
            choices.append(lambda: types.chosen_size(random, name, scope))
        if self.table:
            choices.append(lambda: content.compressed(random, name, scope))
            choices.append(lambda: types.chain(random, name, self))
            choices += [lambda: types.measured(random, name, scope, self)] * deeper
        else:
            choices.append(lambda: content.ruled(random, name, scope))
            choices.append(lambda: content.processed(random, name, scope))
        piece = random.choice(choices)()
        return types.optional(random, piece, scope.numbers) if random.random() < 0.15 else piece

    def add_instances(self, body: dict[str, Any], scope: Scope) -> None:
        """Add computed values."""
        names = [f"i{number}" for number in range(self.random.choice([0, 0, 1, 2] if self.table else [0, 1, 2, 4]))]
        if names and self.table:
            sums = checksum_values(self.random, body["seq"])
            numbers = [Number(each, 0, small=False) for each in sums if each.startswith("number")]
            seen = replace(scope, numbers=[*scope.numbers, *numbers])
            body["instances"] = self.computed(names, seen) | sums
        elif names:
            body["instances"] = {name: instance(self.random, scope) for name in names}

    def computed(self, names: list[str], scope: Scope) -> dict[str, Any]:
        """Return the computed values of a table's rows, including those of optional attributes and of each other."""
        random, seen = self.random, replace(scope, numbers=[*scope.numbers, *scope.maybe])
        found: dict[str, Any] = {}
        for name in names:
            is_number = random.random() < 0.5
            found[name] = {"value": (any_expression if is_number else column_expression)(random, seen)}
            if random.random() < 0.3:
                compared = f"{any_expression(random, seen, 1)} {random.choice(['<', '==', '!='])}"
                found[name]["if"] = f"{compared} {random.choice([number.name for number in seen.numbers] or ['3'])}"
            seen.numbers += [Number(name, 0, small=False)] if is_number else []
        return found


def in_order(little: Expression, write: Writer) -> Writer:
    """Return the writer of an object whose byte order is determined when it is read."""

    def ordered(random: Random, values: Values) -> Parts:
        values["-order"] = "<" if little.value(values) else ">"
        return write(random, values)

    return ordered


def written(pieces: list[Piece]) -> Writer:
    """Return the writer of the pieces in sequence."""

    def write(random: Random, values: Values) -> Parts:
        return tuple(part for piece in pieces for part in piece.write(random, values))

    return write


def plain_spec(random: Random, id: str) -> Made:
    """Return a spec in Kaitai's language without extensions."""
    maker = Maker(random, table=False)
    scope = Scope()
    pieces = maker.fields(random.randint(2, 6), scope, ends=True)
    body: dict[str, Any] = {"seq": [each for piece in pieces for each in piece.attributes]}
    maker.add_instances(body, scope)
    meta = {"id": id, "endian": maker.endian, "encoding": "UTF-8"}
    spec = {"meta": meta, **body, "types": maker.types, "enums": {"kind": scalars.ENUM}}
    write = written(pieces)
    return Made(spec, lambda random, values: settled(write(random, values)))


FRAMINGS = (
    *STUFFED,
    ({"delimiter": 0x0A, "stuffing": "none"}, Stuffing.NONE, b"\n"),
    ({"delimiter": [0x0D, 0x0A, 0x0D], "stuffing": "none"}, Stuffing.NONE, b"\r\n\r"),
)


def table_spec(random: Random) -> Made:
    """Return a spec of a table: rows between delimiters, or consecutive rows, possibly after a header."""
    maker = Maker(random, table=True)
    framing = random.choice(FRAMINGS) if random.random() < 0.4 else None
    scope = Scope(table=True)
    before: list[Piece] = []
    if framing is None and random.random() < 0.3:
        before = [scalars.count(random, f"h{number}", maker.endian) for number in range(random.randint(1, 2))]
        scope.numbers += [replace(each, name=f"_root.{each.name}") for piece in before for each in piece.numbers]
    first = scalars.count(random, "n", maker.endian)
    scope.add(first)
    # A row may extend to the end of the input.
    ends = framing is not None or random.random() < 0.15
    pieces = [first, *maker.fields(random.randint(1, 6), scope, ends=ends)]
    if not pieces[-1].ends and framing is None and ends:
        pieces.append(content.rest(random, "z", scope, text=random.random() < 0.5))
    elif not pieces[-1].ends and framing is None:
        # Rows consist of whole bytes.
        pieces.append(scalars.count(random, "z", maker.endian))
    row: dict[str, Any] = {"seq": [each for piece in pieces for each in piece.attributes]}
    maker.add_instances(row, scope)
    for attribute in row["seq"]:
        decorate(random, attribute)
    rows: dict[str, Any] = {"id": "rows", "type": "row", "repeat": "eos"}
    extension: dict[str, Any] = {"rows": "rows"}
    write = rows_writer(before, pieces)
    if framing is not None:
        rows["-wireloom"] = {"framing": framing[0]}
        write = framed_writer(pieces, framing[1], framing[2])
    elif before and not pieces[-1].ends and random.random() < 0.5:
        extension["parent-columns"] = ["h0"]
    meta = {"id": "sample", "endian": maker.endian, "-wireloom": extension}
    root = [*(each for piece in before for each in piece.attributes), rows]
    spec = {
        "meta": meta,
        "seq": root,
        "types": {"row": row, **maker.types, **scalars.VARINT_TYPES},
        "enums": {"kind": scalars.ENUM},
    }
    return Made(spec, write)


def decorate(random: Random, attribute: dict[str, Any]) -> None:
    """Give some attributes a logical type."""
    if "enum" in attribute and random.random() < 0.5:
        attribute.setdefault("-wireloom", {})["labels"] = True
    elif str(attribute.get("type"))[:2] in ("u8", "s8", "u4") and len(attribute) == 2 and random.random() < 0.3:
        attribute["-wireloom"] = {"timestamp": random.choice(["s", "ms", "us", "ns"])}


def rows_writer(before: list[Piece], pieces: list[Piece]) -> InputWriter:
    write_before, write_row = written(before), written(pieces)

    def write(random: Random, _: Values) -> bytes:
        head: Values = {}
        parts = write_before(random, head)
        given = {f"_root.{name}": value for name, value in head.items()}
        for _ in range(random.randrange(6)):
            parts += write_row(random, dict(given))
        return settled(parts)

    return write


def framed_writer(pieces: list[Piece], stuffing: Stuffing, delimiter: bytes) -> InputWriter:
    write_row = written(pieces)

    def write(random: Random, _: Values) -> bytes:
        rows = [settled(write_row(random, {})) for _ in range(random.randrange(6))]
        return b"".join((each if stuffing == Stuffing.NONE else stuff(each, stuffing)) + delimiter for each in rows)

    return write
