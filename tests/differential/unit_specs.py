"""Generated specs of tables whose rows are inside units, and of units inside others."""

from __future__ import annotations

import zlib
from collections.abc import Callable
from dataclasses import replace
from random import Random
from typing import Any

from wireloom.checksums import algorithm, function
from wireloom.codecs import BLOCK_CODECS

from . import scalars
from .pieces import Scope, Values, settled
from .specs import SUMS, Made, Maker, decorate, written

RootWriter = Callable[[Random, Callable[[Random], bytes]], bytes]


def unit_spec(random: Random) -> Made:
    """Return a spec of a table whose rows are inside units: one, a counted number, those up to the end of a sub-stream,
    or those up to one that says that it is the last; possibly one level deeper."""
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
    # Rows at a position in the stream of the object that contains them.
    placed = sized and shape != "one" and random.random() < 0.3
    # Rows in the bytes of an object that has already been read.
    slotted = not placed and codec is None and shape != "one" and random.random() < 0.2
    trailer = (
        []
        if (shape == "end" and not placed and not slotted) or random.random() < 0.6
        else [{"id": "mark", "contents": [0xAB, 0xCD]}]
    )
    holder: dict[str, Any] = {"seq": [*before, rows, *trailer]}
    if placed:
        holder = {
            "seq": [{"id": "at", "type": "u1"}, *before, *trailer],
            "instances": {"rows": at_position(rows, "at")},
        }
    if slotted:
        slot = {"id": "slot", "type": "slot", "size": "slot_size"}
        holder = {
            "seq": [{"id": "slot_size", "type": "u2le"}, *before, slot, *trailer],
            "instances": {"rows": {"io": "slot._io", **at_position(rows, "0")}},
        }
    unit: dict[str, Any] = holder
    path, made_by = "units.rows", random.choice(SUMS)
    if sized:
        sum = {"checksum": {"algorithm": made_by, "over": "body", "continues": "len"}}
        crc = [{"id": "crc", "type": "u4le", "-wireloom": sum}] if random.random() < 0.4 else []
        # The engine does not support a switch with compressed forms.
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
    if slotted:
        declared["slot"] = {}
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
        head, parts = (parts, ()) if slotted else ((), parts)
        for left in reversed(range(rows)):
            parts += write_row(random, dict(given))
            if shape == "until":
                parts += (bytes([left]),)
        if slotted:
            data = settled(parts)
            parts = (len(data).to_bytes(2, "little") + settled(head) + data,)
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
    """Return the type of a unit that contains a counted number of units, and possibly a checksum of them."""
    members = {"id": "members", "type": "unit", "repeat": "expr", "repeat-expr": "many"}
    seq: list[dict[str, Any]] = [{"id": "sync", "contents": [0x47]}, {"id": "many", "type": "u1"}, members]
    if random.random() < 0.4:
        sum = {"checksum": {"algorithm": "crc32", "over": ["many", "members"]}}
        seq.append({"id": "sum", "type": "u4le", "-wireloom": sum})
    return {"seq": seq}


def at_position(attribute: dict[str, Any], position: str) -> dict[str, Any]:
    """Return the same attribute as an instance."""
    return {"pos": position, **{key: value for key, value in attribute.items() if key != "id"}}


def root_of_units(random: Random, unit: dict[str, Any], type: str) -> tuple[dict[str, Any], RootWriter]:
    """Return the root and the writer of an input: units up to its end; or one, a counted number, or those up to one
    that says that it is the last, with something around them, so that the input is read as a whole. They may be at a
    position, or each at its own."""
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
    """Return units from a position on."""
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
    """Return units whose positions are in an index at the end of the input."""
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
