"""Made-up specs: tables with all that wireloom adds, and plain ones that Kaitai's own compiler takes as well."""

from __future__ import annotations

import zlib
from collections.abc import Callable
from dataclasses import dataclass, replace
from random import Random
from typing import Any

import yaml
from wireloom.checksums import algorithm, function
from wireloom.codecs import BLOCK_CODECS
from wireloom.format import Stuffing
from wireloom.objects import stuff

from . import content, scalars, types
from .checks import checksum
from .instances import instance
from .pieces import Expression, Number, Parts, Piece, Scope, Values, Writer, any_expression, condition, settled

MOST_TYPES = 6
SUMS = ("crc32c", "crc-32/bzip2", "crc-24/openpgp", "adler32", "fletcher32", "sum16be", "internet", "xxh32")

InputWriter = Callable[[Random, Values], bytes]
RootWriter = Callable[[Random, Callable[[Random], bytes]], bytes]


@dataclass
class Made:
    """A spec and what writes inputs of it."""

    spec: dict[str, Any]
    write: InputWriter

    @property
    def text(self) -> str:
        """The spec as YAML."""
        return str(yaml.safe_dump(self.spec, sort_keys=False))


class Maker:
    """Makes one spec. ``table``: only what can be a table's row, and with checksums."""

    def __init__(self, random: Random, *, table: bool) -> None:
        self.random = random
        self.table = table
        self.endian = self.file_endian = random.choice(["le", "be"])
        self.types: dict[str, Any] = {}
        self.depth = 0

    def declare(self, outer: Scope, *, ends: bool, parameters: tuple[Number, ...] = ()) -> types.Declared:
        """A new user type. It may use its parameters, and what its parent read before it."""
        name = f"t{len(self.types)}"
        body: dict[str, Any] = {}
        self.types[name] = body
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

    def byte_order(self, body: dict[str, Any], scope: Scope) -> Expression | None:
        """Give some types a byte order that is decided when they are read; returns what is true for ``le``."""
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
        # A terminator that is left to what follows is written by that, so something has to follow.
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
        else:
            choices.append(lambda: content.ruled(random, name, scope))
            choices.append(lambda: content.processed(random, name, scope))
        piece = random.choice(choices)()
        return types.optional(random, piece, scope.numbers) if random.random() < 0.15 else piece

    def add_instances(self, body: dict[str, Any], scope: Scope) -> None:
        """Values that are computed."""
        names = [f"i{number}" for number in range(self.random.choice([0, 0, 1, 2] if self.table else [0, 1, 2, 4]))]
        if names and self.table:
            body["instances"] = {name: {"value": any_expression(self.random, scope)} for name in names}
        elif names:
            body["instances"] = {name: instance(self.random, scope) for name in names}


def in_order(little: Expression, write: Writer) -> Writer:
    """What writes an object whose byte order is decided when it is read."""

    def ordered(random: Random, values: Values) -> Parts:
        values["-order"] = "<" if little.value(values) else ">"
        return write(random, values)

    return ordered


def written(pieces: list[Piece]) -> Writer:
    """What writes the pieces one after another."""

    def write(random: Random, values: Values) -> Parts:
        return tuple(part for piece in pieces for part in piece.write(random, values))

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
    write = written(pieces)
    return Made(spec, lambda random, values: settled(write(random, values)))


FRAMINGS = (
    ({"delimiter": [0xFE, 0xFD], "stuffing": "word"}, Stuffing.WORD, b"\xfe\xfd"),
    ({"delimiter": 0, "stuffing": "cobs"}, Stuffing.COBS, b"\0"),
    ({"delimiter": 0x0A, "stuffing": "none"}, Stuffing.NONE, b"\n"),
    ({"delimiter": [0x0D, 0x0A, 0x0D], "stuffing": "none"}, Stuffing.NONE, b"\r\n\r"),
)


def table_spec(random: Random) -> Made:
    """A spec of a table: rows between delimiters, or back to back and perhaps with something before them."""
    maker = Maker(random, table=True)
    framing = random.choice(FRAMINGS) if random.random() < 0.4 else None
    scope = Scope(table=True)
    before: list[Piece] = []
    if framing is None and random.random() < 0.3:
        before = [scalars.count(random, f"h{number}", maker.endian) for number in range(random.randint(1, 2))]
        scope.numbers += [replace(each, name=f"_root.{each.name}") for piece in before for each in piece.numbers]
    first = scalars.count(random, "n", maker.endian)
    scope.add(first)
    pieces = [first, *maker.fields(random.randint(1, 6), scope, ends=framing is not None)]
    if not pieces[-1].ends and framing is None:
        # Rows are whole bytes.
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
    elif before and random.random() < 0.5:
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


def unit_spec(random: Random) -> Made:
    """A spec of a table whose rows are inside of units: one, as many as a count says, those up to the end of a
    sub-stream, or those up to one that says that it is the last; perhaps another level down."""
    maker = Maker(random, table=True)
    shape = random.choice(["count", "end", "until", "one"])
    scope = Scope(table=True)
    head = [scalars.count(random, f"h{number}", maker.endian) for number in range(random.randint(0, 2))]
    scope.numbers += [replace(each, name=f"_parent.{each.name}") for piece in head for each in piece.numbers]
    pieces = [scalars.count(random, "n", maker.endian)]
    scope.add(pieces[0])
    pieces += maker.fields(random.randint(1, 5), scope, ends=False)
    pieces.append(scalars.count(random, "z", maker.endian))
    row: dict[str, Any] = {"seq": [each for piece in pieces for each in piece.attributes]}
    maker.add_instances(row, scope)
    for attribute in row["seq"]:
        decorate(random, attribute)
    rows: dict[str, Any] = {"id": "rows", "type": "row"}
    count = {"id": "many", "type": "u1"}
    before: list[dict[str, Any]] = [each for piece in head for each in piece.attributes]
    if shape == "count":
        before.append(count)
        rows |= {"repeat": "expr", "repeat-expr": "many"}
    elif shape == "end":
        rows["repeat"] = "eos"
    elif shape == "until":
        row["seq"].append(count)
        rows |= {"repeat": "until", "repeat-until": "_.many == 0"}
    sized = shape == "end" or random.random() < 0.5
    codec = random.choice(["zstd", "lz4", "zlib", "none"]) if random.random() < 0.3 else None
    # Rows at a position in the stream of what holds them.
    placed = sized and shape != "one" and random.random() < 0.3
    trailer = (
        [] if (shape == "end" and not placed) or random.random() < 0.6 else [{"id": "mark", "contents": [0xAB, 0xCD]}]
    )
    holder: dict[str, Any] = {"seq": [*before, rows, *trailer]}
    if placed:
        holder = {
            "seq": [{"id": "at", "type": "u1"}, *before, *trailer],
            "instances": {"rows": at_position(rows, "at")},
        }
    unit: dict[str, Any] = holder
    path, made_by = "units.rows", random.choice(SUMS)
    if sized:
        sum = {"checksum": {"algorithm": made_by, "over": "body", "continues": "len"}}
        crc = [{"id": "crc", "type": "u4le", "-wireloom": sum}] if random.random() < 0.4 else []
        # A switch with compressed forms is not for the engine.
        kind = [{"id": "kind", "type": "u1"}] if codec is None and random.random() < 0.4 else []
        type = {"switch-on": "kind", "cases": {1: "holder", 2: "other", 3: "holder"}} if kind else "holder"
        body: dict[str, Any] = {"id": "body", "type": type, "size": "len"}
        if codec is not None:
            body["-wireloom"] = {"codec": {"name": codec, "max-expanded": 300}}
        unit = {"seq": [{"id": "len", "type": "u2le"}, *kind, *crc, body]}
        path = "units.body.rows"
    else:
        crc = kind = []
    extension: dict[str, Any] = {"rows": path}
    if random.random() < 0.5:
        names = [each["id"] for each in row["seq"] if "contents" not in each]
        extension["columns"] = [*names, *(each["id"] for each in before if random.random() < 0.5)]
    declared = {
        "row": row,
        "unit": unit,
        **({"holder": holder} if sized else {}),
        **maker.types,
        **scalars.VARINT_TYPES,
    }
    if kind:
        declared["other"] = {"seq": [{"id": "some", "type": "u1"}]}
    is_grouped = random.random() < 0.4
    outermost = unit
    if is_grouped:
        outermost = declared["group"] = group(random)
        extension["rows"] = path.replace("units", "units.members", 1)
    root, write_root = root_of_units(random, outermost, "group" if is_grouped else "unit")
    if "types" in root:
        declared |= root.pop("types")
        extension["rows"] = extension["rows"].replace("units.", "units.unit.", 1)
    meta = {"id": "sample", "endian": maker.endian, "-wireloom": extension}
    spec = {"meta": meta, **root, "types": declared, "enums": {"kind": scalars.ENUM}}
    write_head, write_row = written(head), written(pieces)

    def write_unit(random: Random) -> bytes:
        values: Values = {}
        parts = write_head(random, values)
        given = {f"_parent.{name}": value for name, value in values.items()}
        rows = 1 if shape == "one" else random.randrange(shape == "until", 5)
        if shape == "count":
            parts += (bytes([rows]),)
        if placed:
            seq = settled((*parts, b"\xab\xcd") if trailer else parts)
            parts = (bytes([1 + len(seq)]) + seq,)
        for left in reversed(range(rows)):
            parts += write_row(random, dict(given))
            if shape == "until":
                parts += (bytes([left]),)
        data = settled((*parts, b"\xab\xcd") if trailer and not placed else parts)
        if not sized:
            return data
        if codec is not None:
            data = BLOCK_CODECS[codec].compress(data)
        stored = function(algorithm(made_by))(data, len(data)).to_bytes(4, "little") if crc else b""
        chosen = bytes([random.choice([1, 1, 3, 2, 4])]) if kind else b""
        return len(data).to_bytes(2, "little") + chosen + stored + data

    def write_group(random: Random) -> bytes:
        members = [write_unit(random) for _ in range(random.randrange(4))]
        data = bytes([len(members)]) + b"".join(members)
        stored = zlib.crc32(data).to_bytes(4, "little") if len(outermost["seq"]) == 4 else b""
        return b"\x47" + data + stored

    return Made(spec, lambda random, _: write_root(random, write_group if is_grouped else write_unit))


def group(random: Random) -> dict[str, Any]:
    """The type of a unit with units inside of it, which are counted, and perhaps a checksum of them."""
    members = {"id": "members", "type": "unit", "repeat": "expr", "repeat-expr": "many"}
    seq: list[dict[str, Any]] = [{"id": "sync", "contents": [0x47]}, {"id": "many", "type": "u1"}, members]
    if random.random() < 0.4:
        sum = {"checksum": {"algorithm": "crc32", "over": ["many", "members"]}}
        seq.append({"id": "sum", "type": "u4le", "-wireloom": sum})
    return {"seq": seq}


def at_position(attribute: dict[str, Any], position: str) -> dict[str, Any]:
    """The same as an instance."""
    return {"pos": position, **{key: value for key, value in attribute.items() if key != "id"}}


def root_of_units(random: Random, unit: dict[str, Any], type: str) -> tuple[dict[str, Any], RootWriter]:
    """The root, and what writes an input: units up to its end; or one, as many as a count says, or those up to one that
    says that it is the last, with something around them, so that the input is read as a whole. They may be at a
    position, or each at one of its own."""
    shape = random.choice(["end", "end", "count", "until", "one", "position", "index"])
    if shape == "position":
        return placed_units(random, type)
    if shape == "index":
        return indexed_units(random, type)
    units: dict[str, Any] = {"id": "units", "type": type}
    if shape == "end":
        return {"seq": [units | {"repeat": "eos"}]}, lambda random, unit: b"".join(
            unit(random) for _ in range(random.randrange(5))
        )
    before: list[dict[str, Any]] = [{"id": "version", "type": "u1", "valid": {"max": 250}}]
    if shape == "count":
        before.append({"id": "total", "type": "u1"})
        units |= {"repeat": "expr", "repeat-expr": "total"}
    elif shape == "until":
        unit["seq"] = [*unit["seq"], {"id": "left", "type": "u1"}]
        units |= {"repeat": "until", "repeat-until": "_.left == 0"}
    sums = random.random() < 0.3
    sum = {"checksum": {"algorithm": "crc32", "over": "units"}}
    after: list[dict[str, Any]] = [{"id": "crc", "type": "u4le", "-wireloom": sum}] if sums else []
    if random.random() < 0.5:
        after.append({"id": "last", "contents": [0xEF]})

    def write(random: Random, unit: Callable[[Random], bytes]) -> bytes:
        number = 1 if shape == "one" else random.randrange(shape == "until", 4)
        data = b"".join(unit(random) + (bytes([left]) if shape == "until" else b"") for left in reversed(range(number)))
        head = bytes([3, number] if shape == "count" else [3])
        stored = zlib.crc32(data).to_bytes(4, "little") if sums else b""
        return head + data + stored + (b"\xef" if after and "contents" in after[-1] else b"")

    return {"seq": [*before, units, *after]}, write


def placed_units(random: Random, type: str) -> tuple[dict[str, Any], RootWriter]:
    """Units from a position on."""
    units: dict[str, Any] = {"id": "units", "type": type, "repeat": "eos"}
    if random.random() < 0.5:
        units |= {"if": "at != 0"}
    seq = [{"id": "at", "type": "u2le"}, {"id": "size", "type": "u1", "if": "_io.size > 3 and not _io.eof"}]

    def write(random: Random, unit: Callable[[Random], bytes]) -> bytes:
        between = random.randbytes(random.randrange(1, 5))
        data = b"".join(unit(random) for _ in range(random.randrange(4)))
        return (2 + len(between)).to_bytes(2, "little") + between + data

    return {"seq": seq, "instances": {"units": at_position(units, "at")}}, write


def indexed_units(random: Random, type: str) -> tuple[dict[str, Any], RootWriter]:
    """Units of which an index at the end of the input has the positions."""
    sized = random.random() < 0.5
    entry = {
        "seq": [{"id": "at", "type": "u2le"}, {"id": "size", "type": "u2le"}],
        "instances": {"unit": {"io": "_root._io", "pos": "at", "type": type} | ({"size": "size"} if sized else {})},
    }
    seq = [{"id": "total", "type": "u1"}, {"id": "index", "type": "u2le"}]
    entries = {"pos": "index", "type": "entry", "repeat": "expr", "repeat-expr": "total"}

    def write(random: Random, unit: Callable[[Random], bytes]) -> bytes:
        data, index = b"", b""
        for _ in range(random.randrange(4)):
            made = unit(random)
            index += (3 + len(data)).to_bytes(2, "little") + len(made).to_bytes(2, "little")
            data += made
        return bytes([len(index) // 4]) + (3 + len(data)).to_bytes(2, "little") + data + index

    return {"seq": seq, "instances": {"units": entries}, "types": {"entry": entry}}, write


def decorate(random: Random, attribute: dict[str, Any]) -> None:
    """Gives some attributes a logical type."""
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
