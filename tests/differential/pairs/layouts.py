"""Where the rows are: at the root, in units of every kind, between delimiters, in records in pieces, at positions."""

from __future__ import annotations

import zlib
from collections.abc import Callable, Iterable
from typing import Any

from wireloom.codecs import BLOCK_CODECS
from wireloom.format.program import Stuffing
from wireloom.objects import stuff

from ...stuffings import FRAMINGS
from ..specs import Made
from .layout_parts import ROWS, head_of, holder_bytes, holder_of, order_of, rows_of, some, unit_of
from .positions import indexed, placed, slotted
from .shape import Construct, Shape


def at_root(shape: Shape) -> Made:
    """Return rows up to the end of the input."""
    seq = [*shape.attributes([*shape.before, *shape.in_unit]), ROWS | {"repeat": "eos"}]
    return Made(
        shape.spec({"seq": seq}, "rows"),
        lambda *_: head_of(shape) + unit_of(shape) + b"".join(rows_of(shape, some(shape, 9))),
    )


def counted(shape: Shape) -> Made:
    """Return a counted number of rows with something after them, so that the input is read as a whole."""
    seq = [
        *shape.attributes([*shape.before, *shape.in_unit]),
        {"id": "many", "type": "u1"},
        ROWS | {"repeat": "expr", "repeat-expr": "many"},
        {"id": "trailer", "contents": [0xEE, 0xEF]},
    ]

    def write(*_: Any) -> bytes:
        rows = rows_of(shape, some(shape, 9))
        return head_of(shape) + unit_of(shape) + bytes([len(rows)]) + b"".join(rows) + b"\xee\xef"

    return Made(shape.spec({"seq": seq}, "rows"), write)


def until_last(shape: Shape) -> Made:
    """Return rows up to one that says that it is the last."""
    seq = [
        *shape.attributes([*shape.before, *shape.in_unit]),
        ROWS | {"repeat": "until", "repeat-until": "_.n == 0 or _io.eof"},
    ]
    return Made(
        shape.spec({"seq": seq}, "rows"),
        lambda *_: head_of(shape) + unit_of(shape) + b"".join(rows_of(shape, 1 + some(shape, 9))),
    )


def in_units(shape: Shape) -> Made:
    """Return units without a size, each with a counted number of rows."""
    shape.add_type(
        "unit",
        [
            *shape.attributes(shape.in_unit),
            {"id": "many", "type": "u1"},
            ROWS | {"repeat": "expr", "repeat-expr": "many"},
        ],
    )
    seq = [*shape.attributes(shape.before), {"id": "units", "type": "unit", "repeat": "eos"}]

    def unit() -> bytes:
        rows = rows_of(shape, some(shape, 4))
        return unit_of(shape) + bytes([len(rows)]) + b"".join(rows)

    return Made(
        shape.spec({"seq": seq}, "units.rows"),
        lambda *_: head_of(shape) + b"".join(unit() for _ in range(some(shape, 4))),
    )


def sized(more: dict[str, Any], wrap: Callable[[bytes], bytes] = bytes) -> Callable[[Shape], Made]:
    """Return the layout of units whose body has a size and these keys."""

    def layout(shape: Shape) -> Made:
        shape.types["holder"] = holder_of(shape)
        shape.add_type("unit", [{"id": "len", "type": "u2"}, {"id": "body", "type": "holder", "size": "len", **more}])
        seq = [*shape.attributes(shape.before), {"id": "units", "type": "unit", "repeat": "eos"}]

        def unit() -> bytes:
            body = wrap(holder_bytes(shape))
            return len(body).to_bytes(2, order_of(shape)) + body

        return Made(
            shape.spec({"seq": seq}, "units.body.rows"),
            lambda *_: head_of(shape) + b"".join(unit() for _ in range(some(shape, 4))),
        )

    return layout


def whole_groups(shape: Shape) -> Made:
    """Return groups of units with checksums, of which a damaged one costs the group."""
    shape.extension["unit"] = "groups"
    return checked(shape)


def checked(shape: Shape) -> Made:
    """Return units with a checksum over their bodies, which are themselves inside of counted groups."""
    shape.types["holder"] = holder_of(shape)
    sum = {"checksum": {"algorithm": "crc32", "over": "body"}}
    shape.add_type(
        "unit",
        [
            {"id": "crc", "type": "u4", "-wireloom": sum},
            {"id": "len", "type": "u2"},
            {"id": "body", "type": "holder", "size": "len"},
        ],
    )
    shape.add_type(
        "group",
        [
            {"id": "total", "type": "u1"},
            {"id": "units", "type": "unit", "repeat": "expr", "repeat-expr": "total"},
        ],
    )
    seq = [*shape.attributes(shape.before), {"id": "groups", "type": "group", "repeat": "eos"}]

    def unit() -> bytes:
        body = holder_bytes(shape)
        order = order_of(shape)
        return zlib.crc32(body).to_bytes(4, order) + len(body).to_bytes(2, order) + body

    def group() -> bytes:
        units = [unit() for _ in range(some(shape, 3))]
        return bytes([len(units)]) + b"".join(units)

    return Made(
        shape.spec({"seq": seq}, "groups.units.body.rows"),
        lambda *_: head_of(shape) + b"".join(group() for _ in range(some(shape, 3))),
    )


def compressed(shape: Shape) -> Made:
    """Return units whose bodies are compressed with a codec that a number selects."""
    codecs = dict(enumerate(("none", "zstd", "lz4", "zlib", "gzip", "snappy")))
    codec = {"switch-on": "kind", "cases": codecs, "max-expanded": 3000}
    shape.types["holder"] = holder_of(shape)
    shape.add_type(
        "unit",
        [
            {"id": "kind", "type": "u1"},
            {"id": "len", "type": "u2"},
            {"id": "body", "type": "holder", "size": "len", "-wireloom": {"codec": codec}},
        ],
    )
    seq = [*shape.attributes(shape.before), {"id": "units", "type": "unit", "repeat": "eos"}]

    def unit() -> bytes:
        kind = shape.random.choice([*codecs])
        body = BLOCK_CODECS[codecs[kind]].compress(holder_bytes(shape))
        return bytes([kind]) + len(body).to_bytes(2, order_of(shape)) + body

    return Made(
        shape.spec({"seq": seq}, "units.body.rows"),
        lambda *_: head_of(shape) + b"".join(unit() for _ in range(some(shape, 4))),
    )


def in_a_case(shape: Shape) -> Made:
    """Return rows that are one of several kinds of records."""
    shape.add_type("note", [{"id": "note", "type": "u1", "valid": {"max": 200}}])
    shape.add_type(
        "record",
        [
            {"id": "kind", "type": "u1"},
            *shape.attributes(shape.in_unit),
            {"id": "len", "type": "u2"},
            {"id": "body", "size": "len", "type": {"switch-on": "kind", "cases": {1: "row", 2: "note"}}},
        ],
    )
    seq = [*shape.attributes(shape.before), {"id": "records", "type": "record", "repeat": "eos"}]

    def record() -> bytes:
        kind = shape.random.choice([1, 1, 1, 2, 3])
        body = rows_of(shape, 1)[0] if kind == 1 else b"\7"
        return bytes([kind]) + unit_of(shape) + len(body).to_bytes(2, order_of(shape)) + body

    return Made(
        shape.spec({"seq": seq}, "records.body.as<row>"),
        lambda *_: head_of(shape) + b"".join(record() for _ in range(some(shape, 9))),
    )


def on_two_paths(shape: Shape) -> Made:
    """Return rows alone and in blocks of several."""
    shape.types["holder"] = holder_of(shape)
    shape.add_type(
        "record",
        [
            {"id": "kind", "type": "u1"},
            {"id": "len", "type": "u2"},
            {"id": "body", "size": "len", "type": {"switch-on": "kind", "cases": {1: "row", 2: "holder"}}},
        ],
    )
    seq = [*shape.attributes(shape.before), {"id": "records", "type": "record", "repeat": "eos"}]

    def record() -> bytes:
        kind = shape.random.choice([1, 2])
        body = rows_of(shape, 1)[0] if kind == 1 else holder_bytes(shape)
        return bytes([kind]) + len(body).to_bytes(2, order_of(shape)) + body

    return Made(
        shape.spec({"seq": seq}, ["records.body.as<row>", "records.body.as<holder>.rows"]),
        lambda *_: head_of(shape) + b"".join(record() for _ in range(some(shape, 9))),
    )


def framed(framing: dict[str, Any], stuffing: Stuffing, delimiter: bytes) -> Callable[[Shape], Made]:
    """Return the layout of rows between delimiters."""

    def layout(shape: Shape) -> Made:
        before = shape.attributes([*shape.before, *shape.in_unit])
        seq = [*before, ROWS | {"repeat": "eos", "-wireloom": {"framing": framing}}]

        def write(*_: Any) -> bytes:
            rows: Iterable[bytes] = rows_of(shape, some(shape, 9))
            if stuffing != Stuffing.NONE:
                rows = [stuff(each, stuffing) for each in rows]
            return b"".join(each + delimiter for each in rows)

        return Made(shape.spec({"seq": seq}, "rows"), write)

    return layout


def in_pieces(shape: Shape) -> Made:
    """Return rows inside of records that are written in pieces."""
    shape.types["holder"] = holder_of(shape)
    shape.add_type(
        "piece",
        [
            {
                "id": "crc",
                "type": "u4le",
                "-wireloom": {"checksum": {"algorithm": "crc32", "over": ["kind", "data"]}},
            },
            {"id": "kind", "type": "u1"},
            {"id": "log", "type": "u1"},
            {"id": "codec", "type": "u1"},
            {"id": "len_data", "type": "u1"},
            {"id": "data", "size": "len_data"},
        ],
    )
    codec = {"switch-on": "codec", "cases": {0: "none", 1: "zstd"}, "max-expanded": 3000}
    fragments = {"kind": "kind", "data": "data", "full": 1, "first": 2, "middle": 3, "last": 4, "skip": 9, "log": "log"}
    seq = [*shape.attributes(shape.before), {"id": "pieces", "type": "piece", "repeat": "eos"}]
    spec = shape.spec({"seq": seq}, "pieces.data.as<holder>.rows")
    extension = spec["meta"]["-wireloom"]
    table = {key: extension.pop(key) for key in [*extension] if key in ("rows", *shape.extension)}
    tables = extension.setdefault("tables", {"main": table})
    tables["pieces"] = {"rows": "pieces", "columns": ["data"], "fragments": fragments | {"codec": codec}}

    def piece(kind: int, data: bytes, codec: int) -> bytes:
        covered = bytes([kind, 7, codec, len(data)]) + data
        return zlib.crc32(covered).to_bytes(4, "little") + covered

    def record() -> bytes:
        codec, most = shape.random.choice([0, 1]), shape.random.choice([7, 40, 250])
        data = BLOCK_CODECS["zstd" if codec else "none"].compress(holder_bytes(shape))
        parts = [data[at : at + most] for at in range(0, len(data), most)] or [b""]
        kinds = [1] if len(parts) == 1 else [2, *[3] * (len(parts) - 2), 4]
        return b"".join(piece(kind, part, codec) for kind, part in zip(kinds, parts, strict=True))

    return Made(spec, lambda *_: head_of(shape) + b"".join(record() for _ in range(some(shape, 4))))


def in_a_stream(stream: str | dict[str, str]) -> Callable[[Shape], Made]:
    """Return rows in a stream that is cut into compressed containers, without regard to the rows."""

    def made(shape: Shape) -> Made:
        return _in_a_stream(shape, stream)

    return made


def _in_a_stream(shape: Shape, stream: str | dict[str, str]) -> Made:
    shape.add_type("log", [*shape.attributes([*shape.before, *shape.in_unit]), ROWS | {"repeat": "eos"}])
    shape.add_type(
        "container",
        [
            {"id": "begins", "type": "u1"},
            {"id": "len_data", "type": "u2le"},
            {"id": "data", "size": "len_data", "-wireloom": {"codec": "zlib"}},
        ],
    )
    spec = shape.spec(
        {"seq": [{"id": "containers", "type": "container", "repeat": "eos"}]},
        "containers.data.as<log>.rows",
    )
    extension = spec["meta"]["-wireloom"]
    table = {key: extension.pop(key) for key in [*extension] if key in ("rows", *shape.extension)}
    tables = extension.setdefault("tables", {"main": table})
    tables["containers"] = {"rows": "containers", "columns": ["data"], "stream": stream}

    def make(*_: object) -> bytes:
        rows = rows_of(shape, some(shape, 9))
        joined = head_of(shape) + unit_of(shape) + b"".join(rows)
        begins = {0, *(len(joined) - len(b"".join(rows[number:])) for number in range(len(rows)))}
        made, at = [], 0
        while at < len(joined):
            size = shape.random.choice([0, 1, 7, 40, 250])
            data = zlib.compress(joined[at : at + size])
            made.append(bytes([at in begins]) + len(data).to_bytes(2, "little") + data)
            at += size
        return b"".join(made)

    return Made(spec, make)


def inside_one(shape: Shape) -> Made:
    """Return rows in an object of which there is one."""
    shape.types["holder"] = holder_of(shape)
    seq = [*shape.attributes(shape.before), {"id": "body", "type": "holder"}]
    return Made(shape.spec({"seq": seq}, "body.rows"), lambda *_: head_of(shape) + holder_bytes(shape, 9))


BLOCK = 96


def in_blocks(shape: Shape) -> Made:
    """Return rows in blocks of a fixed size."""
    shape.add_type(
        "block",
        [
            *shape.attributes(shape.in_unit),
            {"id": "many", "type": "u1"},
            ROWS | {"repeat": "expr", "repeat-expr": "many"},
        ],
    )
    seq = [*shape.attributes(shape.before), {"id": "blocks", "type": "block", "repeat": "eos", "size": BLOCK}]

    def block() -> bytes:
        rows = rows_of(shape, 4)
        before = unit_of(shape)
        while len(before) + 1 + len(b"".join(rows)) > BLOCK and rows:
            rows.pop()
        return (before + bytes([len(rows)]) + b"".join(rows)).ljust(BLOCK, b"\0")[:BLOCK]

    return Made(
        shape.spec({"seq": seq}, "blocks.rows"),
        lambda *_: head_of(shape) + b"".join(block() for _ in range(some(shape, 4))),
    )


def turned(data: bytes) -> bytes:
    return bytes(each ^ 0x5A for each in data)


def set_layout(layout: Callable[[Shape], Made]) -> Callable[[Shape], None]:
    def add(shape: Shape) -> None:
        shape.layout = layout

    return add


def layout(name: str, made: Callable[[Shape], Made]) -> Construct:
    return Construct(name, "layout", set_layout(made))


LAYOUTS = (
    layout("rows at the root", at_root),
    layout("counted rows, read as a whole", counted),
    layout("rows up to the last", until_last),
    layout("units", in_units),
    layout("sized units", sized({})),
    layout("groups of units with checksums", checked),
    layout("groups as units", whole_groups),
    layout("compressed units", compressed),
    layout("units with process", sized({"process": "xor(0x5a)"}, turned)),
    layout("units up to a terminator", sized({"terminator": 0xFE}, lambda body: body + b"\xfe..")),
    layout("padded units", sized({"pad-right": 0xFE}, lambda body: body + b"\xfe\xfe")),
    layout("rows in a case", in_a_case),
    layout("rows on two paths", on_two_paths),
    *(layout(f"stuffing: {each[0]['stuffing']}", framed(*each)) for each in FRAMINGS),
    layout(
        "delimited lines", framed({"delimiter": [0xFE, 0xFD, 0xFC], "stuffing": "none"}, Stuffing.NONE, b"\xfe\xfd\xfc")
    ),
    layout("records in pieces", in_pieces),
    layout("stream in containers", in_a_stream("data")),
    layout("stream in containers with beginnings", in_a_stream({"data": "data", "begins": "begins"})),
    layout("rows at a position", placed),
    layout("units in an index", indexed),
    layout("rows within bytes", slotted),
    layout("rows in one object", inside_one),
    layout("blocks", in_blocks),
)
