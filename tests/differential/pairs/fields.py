"""The attributes of a row."""

from __future__ import annotations

import struct
import zlib
from collections.abc import Callable
from random import Random
from typing import Any

from wireloom.codecs import BLOCK_CODECS

from ..pieces import Bits, Parts, Piece, Values
from ..scalars import VARINT_TYPES
from .shape import Construct, Shape, fixed

Attribute = dict[str, Any]


def field(name: str, *attributes: Attribute, of: Callable[[Random], bytes], end: bool = False) -> Construct:
    """Return a construct of attributes whose bytes a function makes."""

    def add(shape: Shape) -> None:
        piece = Piece([dict(each) for each in attributes], lambda random, _: (of(random),), ends=end)
        if end:
            shape.end = piece
        else:
            shape.row.append(piece)

    return Construct(name, "end" if end else "field", add)


def with_type(name: str, types: dict[str, Any], *attributes: Attribute, of: Callable[[Random], bytes]) -> Construct:
    """Return a construct with types of its own."""
    plain = field(name, *attributes, of=of)

    def add(shape: Shape) -> None:
        shape.types |= types
        plain.add(shape)

    return Construct(name, "field", add)


def value(name: str, **instances: dict[str, Any]) -> Construct:
    """Return a construct of instances of a row."""
    return Construct(name, "field", lambda shape: shape.instances.update(instances))


def pick(*values: bytes) -> Callable[[Random], bytes]:
    return lambda random: random.choice(values)


def some_bytes(most: int, least: int = 0) -> Callable[[Random], bytes]:
    return lambda random: random.randbytes(random.randint(least, most))


def counted(make: Callable[[Random], bytes], most: int = 4) -> Callable[[Random], bytes]:
    """Return the writer of a number and as many items."""

    def of(random: Random) -> bytes:
        count = random.randint(0, most)
        return bytes([count]) + b"".join(make(random) for _ in range(count))

    return of


def length_of(make: Callable[[Random], bytes]) -> Callable[[Random], bytes]:
    """Return the writer of a length and the bytes."""

    def of(random: Random) -> bytes:
        data = make(random)
        return bytes([len(data)]) + data

    return of


def bits(name: str, *widths: int, order: str, end: bool = False) -> Construct:
    attributes = [{"id": f"{name.split()[0]}_{place}", "type": f"b{each}{order}"} for place, each in enumerate(widths)]

    def write(random: Random, _: Values) -> Parts:
        return tuple(Bits(random.getrandbits(each), each, order) for each in widths)

    def add(shape: Shape) -> None:
        piece = Piece([dict(each) for each in attributes], write, ends=end)
        if end:
            shape.end = piece
        else:
            shape.row.append(piece)

    return Construct(name, "end" if end else "field", add)


def of_type(type: str, most: int = 255) -> Callable[[Random], bytes]:
    codes = {"u1": "B", "u2le": "<H", "u4be": ">I", "s8le": "<q", "u8be": ">Q", "f4be": ">f", "f8le": "<d"}
    return lambda random: struct.pack(codes[type], random.choice([0, 1, 7, most]))


def joined(*makes: Callable[[Random], bytes]) -> Callable[[Random], bytes]:
    return lambda random: b"".join(each(random) for each in makes)


def codec_of(random: Random) -> bytes:
    kind = random.choice([*CODEC_CASES])
    data = random.choice([b"", b"ab", b"abc" * 9])
    block = BLOCK_CODECS[CODEC_CASES[kind]].compress(data)
    return bytes([kind, len(data), len(block)]) + block


CODEC_CASES = dict(enumerate(sorted(BLOCK_CODECS)))


def members_of(random: Random) -> bytes:
    """Return a block of several frames or members."""
    data = b"".join(
        BLOCK_CODECS["gzip"].compress(each) for each in random.choice([[b"a"], [b"ab", b"cd"], [b"", b"x"]])
    )
    return bytes([len(data)]) + data


def varint(number: int, *, be: bool = False) -> bytes:
    groups = [number >> shift & 127 for shift in range(0, max(1, number.bit_length()), 7)]
    if be:
        groups.reverse()
    return bytes([*(each | 128 for each in groups[:-1]), groups[-1]])


def varints(random: Random) -> bytes:
    number = random.choice([0, 3, 300])
    return varint(number) + varint(number * 99, be=True) + b"\3" + bytes(number & 3)


def sequence_of(random: Random, depth: int = 0) -> bytes:
    if depth == 3 or random.random() < 0.4:
        return bytes([random.choice([0, 2, 4])])
    return bytes([random.choice([1, 3])]) + sequence_of(random, depth + 1)


def in_order(random: Random) -> bytes:
    little = random.random() < 0.5
    return bytes([3 if little else 7]) + struct.pack("<HI" if little else ">HI", 258, 7)


def deciding_floats(random: Random) -> bytes:
    bound, decides = random.choice([0.0, 1.5, 5.25, 201.0, 0.5]), random.choice([0.0, 7.0, -1.5, float("nan")])
    more = bytes([9]) * (decides * 0.5 > bound)
    return struct.pack(">f", bound) + struct.pack("<d", decides) + more + b"\x40\x20\0\0" * int(bound % 3)


PAIR = {"pair": {"seq": [{"id": "key", "type": "u1"}, {"id": "item", "type": "s2le"}]}}
POINT = {"point": {"seq": [{"id": "x", "type": "u1"}, {"id": "y", "type": "u2le", "valid": {"max": "60000"}}]}}
CASES = {
    "one": {"seq": [{"id": "o", "type": "u1"}, {"id": "p", "type": "u1"}]},
    "two": {"seq": [{"id": "len_t", "type": "u1"}, {"id": "t", "type": "str", "size": "len_t", "encoding": "ASCII"}]},
}
FIELDS = (
    field("integers", {"id": "i2", "type": "u2le"}, {"id": "i4", "type": "u4be"}, {"id": "i8", "type": "s8le"},
          of=joined(of_type("u2le", 65535), of_type("u4be", 1 << 31), of_type("s8le", -9))),
    field("integers of 64 bits", {"id": "v8", "type": "u8be"}, of=of_type("u8be", (1 << 64) - 1)),
    field("floats", {"id": "f4", "type": "f4be"}, {"id": "f8", "type": "f8le"},
          of=joined(of_type("f4be"), of_type("f8le"))),
    field("floats that decide", {"id": "fv", "type": "f4be", "valid": {"max": "200.5"}}, {"id": "fd", "type": "f8le"},
          {"id": "fd_more", "type": "u1", "if": "fd * 0.5 > fv"},
          {"id": "fd_items", "type": "f4be", "repeat": "expr", "repeat-expr": "(fv % 3).to_i"}, of=deciding_floats),
    bits("bits", 3, 5, 1, 7, order="be"),
    bits("lowbits", 2, 14, order="le"),
    field("lists of bits", {"id": "nibbles", "type": "b4", "repeat": "expr", "repeat-expr": "4"}, of=some_bytes(2, 2)),
    field("enum", {"id": "kind1", "type": "u1", "enum": "kind"}, of=pick(b"\1", b"\2", b"\x63")),
    field("labels", {"id": "kind2", "type": "u1", "enum": "kind", "-wireloom": {"labels": True}},
          of=pick(b"\1", b"\2", b"\x63")),
    field("valid: in-enum", {"id": "kind3", "type": "u1", "enum": "kind", "valid": {"in-enum": True}},
          of=pick(b"\1", b"\2", b"\2", b"\1", b"\x63")),
    field("timestamp", {"id": "at", "type": "u4be", "-wireloom": {"timestamp": "s"}},
          {"id": "local", "type": "s8le", "-wireloom": {"timestamp": {"unit": "us", "zone": "none"}}},
          {"id": "known", "type": "s2le", "-wireloom": {"timestamp": {"unit": "s", "absent": -1}}},
          of=joined(of_type("u4be", 1 << 31), of_type("s8le", -(1 << 62)), pick(b"\xff\xff", b"\0\0", b"\xfe\xff"))),
    field("decimal", {"id": "paid", "size": "3", "-wireloom": {"decimal": {"form": "packed", "scale": 2}}},
          {"id": "owed", "size": "2", "-wireloom": {"decimal": {"form": "zoned", "signed": False}}},
          of=joined(pick(b"\x12\x34\x5c", b"\0\0\x1d", b"\x99\x99\x9f", b"\x1a\0\x1c", b"\0\0\x11"),
                    pick(b"\xf1\xc2", b"\xf0\xd9", b"\xf1\xf2", b"\xf1\x92"))),
    field("contents", {"id": "fixed", "contents": [0xAB, 0xCD]}, of=pick(b"\xab\xcd")),
    field("valid: one value", {"id": "exact", "type": "u1", "valid": "7"}, of=pick(b"\7", b"\7", b"\7", b"\x08")),
    field("valid: a range", {"id": "ranged", "type": "u2le", "valid": {"min": "2", "max": "500"}},
          of=pick(b"\2\0", b"\3\0", b"\0\1", b"\0\xff")),
    field("valid: any of", {"id": "listed", "type": "u1", "valid": {"any-of": ["1", "2"]}},
          of=pick(b"\1", b"\2", b"\1", b"\3")),
    field("valid: an expression", {"id": "asked", "type": "u1", "valid": {"expr": "_ % 2 == 0"}},
          of=pick(b"\2", b"\4", b"\2", b"\3")),
    field("valid: bytes", {"id": "exactly", "size": "2", "valid": {"eq": "[0x61, 0x62]"}},
          of=pick(b"ab", b"ab", b"ab", b"ac")),
    field("bytes of a size", {"id": "len_b", "type": "u1"}, {"id": "some", "size": "len_b & 7"},
          of=length_of(some_bytes(7))),
    field("text of a size", {"id": "len_t", "type": "u1"},
          {"id": "words", "type": "str", "size": "len_t & 7", "encoding": "UTF-8"},
          of=length_of(pick(b"", b"a", b"\xc3\xa9x", b"\xff", b"abcdefg"))),
    field("terminated text", {"id": "line", "type": "str", "terminator": 0x0A, "encoding": "ASCII"},
          of=pick(b"\n", b"ab\n", b"long line\n")),
    field("terminator that is included", {"id": "named", "terminator": 0x2C, "include": True}, of=pick(b",", b"ab,")),
    field("terminator that is left", {"id": "left", "terminator": 0x2C, "consume": False},
          {"id": "comma", "type": "u1"},
          of=pick(b",", b"ab,")),
    field("terminator in a size", {"id": "cut", "size": "4", "terminator": 0x2C, "eos-error": False},
          of=pick(b"a,..", b"abcd", b",,,,")),
    field("padding", {"id": "padded", "type": "str", "size": "4", "pad-right": 0x20, "encoding": "ASCII"},
          of=pick(b"a   ", b"abcd", b"    ")),
    field("text in other encodings", {"id": "latin", "type": "str", "size": "2", "encoding": "ISO-8859-1"},
          {"id": "wide", "type": "str", "size": "4", "encoding": "UTF-16LE"},
          of=joined(pick(b"\xe9x", b"ab"), pick(b"a\0b\0", b"\x3d\xd8\0\xde", b"\0\xde\0\0"))),
    field("repeat: expr", {"id": "count", "type": "u1", "valid": {"max": "9"}},
          {"id": "items", "type": "u2le", "repeat": "expr", "repeat-expr": "count"}, of=counted(of_type("u2le"))),
    field("repeat: until", {"id": "steps", "type": "u1", "repeat": "until", "repeat-until": "_ == 0 or _index == 5"},
          of=pick(b"\0", b"\1\2\0", b"\7\7\7\7\7\7")),
    with_type("struct", POINT, {"id": "point", "type": "point"}, of=pick(b"\1\2\3", b"\1\xff\xff", b"\0\0\0")),
    with_type("struct of a size", {"short": {"seq": [{"id": "s", "type": "u1"}]}},
              {"id": "len_s", "type": "u1"}, {"id": "short", "type": "short", "size": "len_s"},
              of=length_of(pick(b"a", b"abc", b"a"))),
    with_type("list of structs", PAIR, {"id": "many_pairs", "type": "u1", "valid": {"max": "9"}},
              {"id": "pairs", "type": "pair", "repeat": "expr", "repeat-expr": "many_pairs"},
              of=counted(some_bytes(3, 3))),
    with_type("map", PAIR, {"id": "many_keys", "type": "u1", "valid": {"max": "9"}},
              {"id": "keys", "type": "pair", "repeat": "expr", "repeat-expr": "many_keys",
               "-wireloom": {"map": {"key": "key", "value": "item"}}}, of=counted(some_bytes(3, 3))),
    field("switch among numbers", {"id": "sort", "type": "u1"},
          {"id": "sorted", "type": {"switch-on": "sort", "cases": {1: "u1", 2: "u2le", "_": "u4be"}}},
          of=pick(b"\1\7", b"\2\7\7", b"\3\0\0\0\1")),
    with_type("switch among types", CASES, {"id": "which", "type": "u1"}, {"id": "len_w", "type": "u1"},
              {"id": "chosen", "size": "len_w", "type": {"switch-on": "which", "cases": {1: "one", 2: "two"}}},
              of=pick(b"\1\2\7\2", b"\2\3\2xy", b"\3\1?", b"\4\0")),
    with_type("union", CASES, {"id": "which_u", "type": "u1"}, {"id": "len_u", "type": "u1"},
              {"id": "either", "size": "len_u", "type": {"switch-on": "which_u", "cases": {1: "one", 2: "two"}},
               "-wireloom": {"union": "dense"}},
              of=pick(b"\1\2\7\2", b"\2\3\2xy", b"\3\1?", b"\4\0")),
    field("if", {"id": "flag", "type": "u1"}, {"id": "maybe", "type": "u2le", "if": "flag & 1 == 1"},
          of=pick(b"\0", b"\1\7\7", b"\2")),
    with_type("parameters", {"scaled": {"params": [{"id": "by", "type": "u1"},
                                                   {"id": "sort", "type": "u1", "enum": "kind"}],
                                        "seq": [{"id": "base", "type": "u1"}],
                                        "instances": {"product": {"value": "base * by"}}}},
              {"id": "scaled", "type": "scaled(n, kind::two)"}, {"id": "of_scaled", "size": "scaled.product & 1"},
              of=pick(b"\0", b"\2", b"\4")),
    with_type("parent", {"child": {"seq": [{"id": "c", "type": "u1"}],
                                   "instances": {"above": {"value": "c * 2"}}}},
              {"id": "child", "type": "child", "parent": "_parent"}, of=some_bytes(1, 1)),
    with_type("value of the parent", {"inner": {"seq": [{"id": "c", "type": "u1"}],
                                                "instances": {"both": {"value": "c + _parent.n"}}}},
              {"id": "inner", "type": "inner"}, {"id": "of_inner", "size": "inner.both & 0"}, of=some_bytes(1, 1)),
    field("process: xor", {"id": "masked", "size": "3", "process": "xor(0x5a)"}, of=some_bytes(3, 3)),
    field("process: rol", {"id": "turned", "size": "2", "process": "rol(3)"}, of=some_bytes(2, 2)),
    field("process: zlib", {"id": "len_z", "type": "u1"}, {"id": "deflated", "size": "len_z", "process": "zlib"},
          of=length_of(lambda random: zlib.compress(b"a" * random.randrange(9)))),
    field("codecs", {"id": "codec", "type": "u1"}, {"id": "full", "type": "u1", "-wireloom": {"given": True}},
          {"id": "len_c", "type": "u1"},
          {"id": "packed", "size": "len_c", "-wireloom": {"codec": {
              "switch-on": "codec", "cases": CODEC_CASES, "size-decompressed": "full", "max-expanded": 50}}},
          of=codec_of),
    field("codec of several members", {"id": "len_g", "type": "u1"},
          {"id": "members", "size": "len_g", "-wireloom": {"codec": {"name": "gzip", "max-expanded": 50}}},
          of=members_of),
    with_type("varints", VARINT_TYPES, {"id": "v", "type": "varint_le"}, {"id": "w", "type": "varint_be"},
              {"id": "z", "type": "varint_zigzag28"}, {"id": "of_v", "size": "v.value & 3"},
              of=varints),
    with_type("recursive", {"chain": {"seq": [{"id": "more", "type": "u1"},
                                             {"id": "next", "type": "chain", "if": "more % 2 == 1"}]}},
              {"id": "chain", "type": "chain"}, of=sequence_of),
    with_type("byte order of an object", {"either_order": {
        "meta": {"endian": {"switch-on": "_parent.order", "cases": {3: "le", 7: "be"}}},
        "seq": [{"id": "e2", "type": "u2"}, {"id": "e4", "type": "u4"}]}},
              {"id": "order", "type": "u1"}, {"id": "ordered", "type": "either_order"}, of=in_order),
    with_type("positions in a struct", {"placed": {"seq": [{"id": "where", "type": "u1"}],
                                                   "instances": {"there": {"pos": "where", "type": "u1"},
                                                                 "copy": {"io": "_io", "pos": "0", "size": "1"}}}},
              {"id": "placed", "type": "placed", "size": "3"}, {"id": "of_placed", "size": "placed.there & 1"},
              of=pick(b"\1\0\0", b"\2\0\1x", b"\1\2\0")),
    with_type("within", {"viewed": {"seq": [{"id": "q", "type": "u1"}, {"id": "r", "type": "u2le"}]}},
              {"id": "raw", "size": "3"}, {"id": "viewed", "type": "viewed", "-wireloom": {"within": "raw"}},
              of=some_bytes(3, 3)),
    with_type("columns of a type", {"narrow": {"-wireloom": {"columns": ["k2"]},
                                               "seq": [{"id": "k1", "type": "u1"}, {"id": "k2", "type": "u1"}]}},
              {"id": "narrow", "type": "narrow"}, of=some_bytes(2, 2)),
    with_type("fields of a struct without bytes", {"gauge": {
        "-wireloom": {"columns": ["g", "by", "scaled", "above", "small"]}, "params": [{"id": "by", "type": "u1"}],
        "seq": [{"id": "g", "type": "s2le"}],
        "instances": {"scaled": {"value": "g * 0.25"}, "above": {"value": "g + _parent.n"},
                      "small": {"value": "g < by", "if": "by > 2"}}}},
              {"id": "gauge", "type": "gauge(n)"}, of=some_bytes(2, 2)),
    with_type("map to values without bytes", {"rate": {"seq": [{"id": "r", "type": "u1"}, {"id": "s", "type": "u1"}],
                                                       "instances": {"tenth": {"value": "s * 0.1"}}}},
              {"id": "many_rates", "type": "u1", "valid": {"max": "9"}},
              {"id": "rates", "type": "rate", "repeat": "expr", "repeat-expr": "many_rates",
               "-wireloom": {"map": {"key": "r", "value": "tenth"}}}, of=counted(some_bytes(2, 2))),
    with_type("json", {"document": {
        "-wireloom": {"json": ["letter", "number", "parts", "inside"]},
        "seq": [{"id": "form", "type": "u1", "valid": {"max": "5"}},
                {"id": "number", "type": {"switch-on": "form", "cases": {1: "u2le", 2: "f4le"}}},
                {"id": "parts", "type": "document", "repeat": "expr", "repeat-expr": "form - 2", "if": "form == 4"},
                {"id": "inside", "type": "named", "if": "form == 5"}],
        "instances": {"letter": {"value": 'form == 0 ? "a" : "b"', "if": "form == 0"}}},
        "named": {"-wireloom": {"json": True},
                  "seq": [{"id": "name", "type": "strz", "encoding": "UTF-8"}, {"id": "held", "type": "document"}]}},
              {"id": "document", "type": "document"},
              of=pick(b"\0", b"\1\7\0", b"\2\0\0\x80\x3f", b"\3", b"\4\0\3", b"\5a\"\0\4\3\1xy", b"\4\4\3\0\5\0\0")),
    with_type("types in a type", {"outer": {
        "meta": {"bit-endian": "le", "encoding": "ASCII"}, "enums": {"own": {1: "first"}},
        "types": {"deep": {"seq": [{"id": "d", "type": "b3"}, {"id": "e", "type": "b5"}]}},
        "seq": [{"id": "deep", "type": "deep"}, {"id": "of_own", "type": "u1", "enum": "own"},
                {"id": "word", "type": "str", "size": "1"}]}},
              {"id": "outer", "type": "outer"}, of=pick(b"\xa5\1a", b"\x5a\7z")),
    with_type("instances of another type", {
        "reading": {"params": [{"id": "n", "type": "s4"}], "instances": {"tenfold": {"value": "n * 10"}}},
        "shared": {"-wireloom": {"instances-of": "reading"}, "seq": [{"id": "n", "type": "u1"}]}},
              {"id": "shared", "type": "shared"}, {"id": "of_shared", "size": "shared.tenfold & 1"},
              of=some_bytes(1, 1)),
    # Computed values.
    value("value", twice={"value": "n * 2"}, is_small={"value": "n < 5"}),
    value("value that may fail", share={"value": "100 / n"}),
    value("values that share one that may fail", quotient={"value": "100 / n + n"},
          safe={"value": "n != 0 ? quotient : 0"}, next_one={"value": "n != 0 ? quotient + 1 : 1"}),
    value("value with a condition", on={"value": "100 / (n - 1)", "if": "n > 1"}),
    value("value of text", label={"value": 'n > 3 ? "large" : "n"'}, size={"value": "label.length"}),
    value("value of a list", largest={"value": "[n, 3].max"}),
    value("value of a float", half={"value": "n / 2.0"}),
    value("value of floats that may fail", inverse={"value": "1 / (n - 1.0)"}, above={"value": "inverse > 0.25"},
          whole_half={"value": "(n * -0.5).to_i", "if": "n > 1.5"}),
    value("value that is a time",
          since={"value": "n * 1000", "-wireloom": {"timestamp": {"unit": "ms", "absent": 1000}}}),
    value("value with labels", kind_of={"value": "n", "enum": "kind", "-wireloom": {"labels": True}}),
    value("position of the stream", here={"value": "_io.pos"}),
    value("checksum that is computed", digest={"-wireloom": {"checksum": {"algorithm": "crc32", "over": "n"}}}),
    value("value of the root", of_root={"value": "_root._io.size + n"}),
    # What a row ends with.
    field("size-eos", {"id": "rest", "size-eos": True}, of=some_bytes(5), end=True),
    field("text to the end", {"id": "tail", "type": "str", "size-eos": True, "encoding": "UTF-8"},
          of=pick(b"", b"abc", b"\xff"), end=True),
    field("repeat: eos", {"id": "all", "type": "u2le", "repeat": "eos"}, of=pick(b"", b"abcd", b"abc"), end=True),
    bits("odd bits at the end", 7, order="be", end=True),
    bits("low odd bits at the end", 3, order="le", end=True),
    field("list of bits at the end", {"id": "few", "type": "b3", "repeat": "expr", "repeat-expr": "3"},
          of=some_bytes(2, 2), end=True),
    field("terminator that may be missing", {"id": "open", "terminator": 0x2C, "eos-error": False},
          of=pick(b",", b"ab,"), end=True),
    field("eight bytes at the end", {"id": "last8", "type": "u8be"}, of=of_type("u8be", 1 << 60), end=True),
)  # fmt: skip


def add_lists_of_bytes(shape: Shape) -> None:
    """Add lists whose items have no bytes in some rows."""

    def write(random: Random, values: Values) -> Parts:
        return (random.randbytes(2 * (values["n"] & 1)),)

    attribute = {"id": "parts", "size": "n & 1", "repeat": "expr", "repeat-expr": "2"}
    shape.row.append(Piece([attribute], write))


def add_slice(shape: Shape) -> None:
    """Add bytes, and a part of them."""
    shape.row.append(Piece([{"id": "head4", "size": "4"}], lambda random, _: (random.randbytes(4),)))
    shape.instances["middle"] = {"value": "head4", "-wireloom": {"slice": {"from": "1", "to": "n"}}}
    shape.instances["first"] = {"value": "head4[n]"}


def add_text_of_bytes(shape: Shape) -> None:
    shape.row.append(fixed({"id": "coded", "size": "2"}, b"ab", b"7f", b"\xff\xfe"))
    shape.instances["decoded"] = {"value": 'coded.to_s("ASCII")'}
    shape.instances["hexadecimal"] = {"value": 'coded.to_s("ASCII").to_i(16)'}


MORE_FIELDS = (
    Construct("lists of bytes", "field", add_lists_of_bytes),
    Construct("slice", "field", add_slice),
    Construct("text of bytes", "field", add_text_of_bytes),
)
