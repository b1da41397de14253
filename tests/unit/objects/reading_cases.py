"""Specs that each use one feature of the language, with bytes and the result of reading them."""

import zlib

CASES = {
    "integers": (
        """
        seq:
          - {id: a, type: u1}
          - {id: b, type: s2}
          - {id: c, type: u4be}
          - {id: d, type: s8be}
        """,
        "ff feff 01020304 fffffffffffffffe",
        {"a": 255, "b": -2, "c": 0x01020304, "d": -2},
    ),
    "floats": (
        """
        seq:
          - {id: a, type: f4}
          - {id: b, type: f8be}
        """,
        "0000c03f 4004000000000000",
        {"a": 1.5, "b": 2.5},
    ),
    "bits": (
        """
        seq:
          - {id: a, type: b1}
          - {id: b, type: b3}
          - {id: c, type: b12}
          - {id: d, type: u1}
        """,
        "dabc 07",
        {"a": True, "b": 5, "c": 0xABC, "d": 7},
    ),
    "little-endian bits": (
        """
        seq:
          - {id: a, type: b4le}
          - {id: b, type: b12le}
        """,
        "21 43",
        {"a": 1, "b": 0x432},
    ),
    "bits around numbers of which there are none": (
        """
        seq:
          - {id: n, type: b5}
          - {id: a, type: u2, repeat: expr, repeat-expr: n}
          - {id: b, type: b2}
          - {id: c, type: f4, repeat: expr, repeat-expr: n}
          - {id: d, type: b9le}
        """,
        "05 7f",
        {"n": 0, "a": [], "b": 2, "c": [], "d": 0xFF},
    ),
    "contents": ("seq: [{id: a, contents: [0x50, 'K']}]", "504b", {"a": b"PK"}),
    "bytes": (
        """
        seq:
          - {id: len, type: u1}
          - {id: a, size: len * 2 - 1}
          - {id: b, size-eos: true}
        """,
        "02 616263 6465",
        {"a": b"abc", "b": b"de"},
    ),
    "text": (
        """
        seq:
          - {id: a, type: str, size: 3, encoding: UTF-8}
          - {id: b, type: strz, encoding: ASCII}
          - {id: c, type: str, size: 4, encoding: UTF-16LE}
          - {id: d, type: str, size-eos: true, encoding: UTF-8}
        """,
        "e282ac 616200 61006200 c3a9",
        {"a": "€", "b": "ab", "c": "ab", "d": "é"},
    ),
    "padding and terminators inside a size": (
        """
        seq:
          - {id: a, size: 4, pad-right: 0x20}
          - {id: b, size: 4, terminator: 0}
          - {id: c, size: 4, terminator: 0, include: true}
          - {id: d, size: 4, terminator: 0, pad-right: 0x2e}
        """,
        "61622020 61006363 61006363 61002e2e",
        {"a": b"ab", "b": b"a", "c": b"a\0", "d": b"a"},
    ),
    "terminators": (
        """
        seq:
          - {id: a, terminator: 0x7c}
          - {id: b, terminator: 0x7c, include: true}
          - {id: c, terminator: 0x7c, consume: false}
          - {id: d, terminator: 0x7c}
          - {id: e, terminator: 0x7c, eos-error: false}
        """,
        "61 7c 62 7c 63 7c 64",
        {"a": b"a", "b": b"b|", "c": b"c", "d": b"", "e": b"d"},
    ),
    "enum": (
        """
        seq:
          - {id: a, type: u1, enum: animal}
          - {id: b, type: u1, enum: animal}
        enums:
          animal: {1: cat, 2: dog}
        """,
        "02 07",
        {"a.name": "dog", "b": 7},
    ),
    "condition": (
        """
        seq:
          - {id: flag, type: u1}
          - {id: a, type: u2, if: flag == 1}
          - {id: b, type: u1, if: flag != 1}
        """,
        "01 0203",
        {"a": 0x0302, "b": None},
    ),
    "repetition to the end": ("seq: [{id: a, type: u2, repeat: eos}]", "0100 0200", {"a": [1, 2]}),
    "repetition by count": (
        """
        seq:
          - {id: n, type: u1}
          - {id: a, type: u1, repeat: expr, repeat-expr: n}
          - {id: b, size: 2, repeat: expr, repeat-expr: 2}
        """,
        "03 010203 61626364",
        {"a": [1, 2, 3], "b": [b"ab", b"cd"]},
    ),
    "a negative count is none": (
        "seq: [{id: n, type: s1}, {id: a, type: u1, repeat: expr, repeat-expr: n}]",
        "ff",
        {"a": []},
    ),
    "repetition until": (
        "seq: [{id: a, type: s1, repeat: until, repeat-until: _ == -1 or _index == 5}]",
        "01 02 ff 03",
        {"a": [1, 2, -1]},
    ),
    "nested types": (
        """
        seq:
          - {id: a, type: pair}
          - {id: b, type: pair, repeat: expr, repeat-expr: 2}
        types:
          pair:
            seq: [{id: x, type: u1}, {id: y, type: pair_half}]
            types:
              pair_half: {seq: [{id: z, type: u1}]}
        """,
        "0102 0304 0506",
        {"a.x": 1, "a.y.z": 2, "b[1].y.z": 6},
    ),
    "parametric types": (
        """
        seq:
          - {id: n, type: u1, -wireloom: {given: true}}
          - {id: a, type: 'block(n, true)'}
          - {id: b, type: 'block(_index + 1, false)', repeat: expr, repeat-expr: 2}
        types:
          block:
            params: [{id: size, type: u1}, {id: upper, type: bool}]
            seq: [{id: data, size: size}, {id: more, type: u1, if: upper}]
        """,
        "02 616205 63 6465",
        {"a.data": b"ab", "a.more": 5, "b[0].data": b"c", "b[1].data": b"de", "b[1].size": 2},
    ),
    "sub-streams": (
        """
        seq:
          - {id: a, type: rest, size: 3}
          - {id: b, type: rest, size-eos: true}
        types:
          rest: {seq: [{id: x, type: u1}, {id: y, size-eos: true}], instances: {end: {value: _io.size}}}
        """,
        "01 6162 02 636465",
        {"a.y": b"ab", "a.end": 3, "b.y": b"cde", "b.end": 4},
    ),
    "parents and the root": (
        """
        seq: [{id: n, type: u1, -wireloom: {given: true}}, {id: a, type: outer}]
        types:
          outer: {seq: [{id: m, type: u1, -wireloom: {given: true}}, {id: b, type: inner}]}
          inner: {seq: [{id: data, size: _parent.m + _root.n}]}
        """,
        "01 02 616263",
        {"a.b.data": b"abc"},
    ),
    "switch": (
        """
        seq:
          - {id: kind, type: u1}
          - {id: a, type: {switch-on: kind, cases: {1: u1, 2: one, _: u2}}}
          - {id: b, size: 2, type: {switch-on: kind, cases: {1: one}}}
        types:
          one: {seq: [{id: x, type: u1}]}
        """,
        "02 07 6162",
        {"a.x": 7, "b": b"ab"},
    ),
    "a switch on text": (
        """
        seq:
          - {id: kind, type: str, size: 1, encoding: ASCII}
          - {id: a, type: {switch-on: kind, cases: {'"x"': u1, '"y"': u2}}}
        """,
        "79 0102",
        {"a": 0x0201},
    ),
    "a switch that nothing matches": (
        "seq: [{id: kind, type: u1}, {id: a, type: {switch-on: kind, cases: {1: u1}}}]",
        "05",
        {"a": None},
    ),
    "value instances": (
        """
        seq: [{id: a, type: u1}, {id: b, type: u1, if: a > 1}]
        instances:
          twice: {value: a * 2}
          thrice: {value: twice + a}
          maybe: {value: b}
          text: {value: 'a == 1 ? "one" : "many"'}
          kind: {value: a, enum: kind}
          none: {value: a, if: a > 1}
        enums: {kind: {1: single}}
        """,
        "01",
        {"twice": 2, "thrice": 3, "maybe": None, "text": "one", "kind.name": "single", "none": None},
    ),
    "instances at positions": (
        """
        seq: [{id: at, type: u1}, {id: n, type: u1}]
        instances:
          there: {pos: at, size: n}
          pairs: {pos: 2, type: pair, repeat: expr, repeat-expr: 2}
        types:
          pair: {seq: [{id: x, type: u1}], instances: {back: {io: _root._io, pos: 0, type: u1}}}
        """,
        "03 02 616263",
        {"there": b"bc", "pairs[1].x": 0x62, "pairs[0].back": 3, "_io.pos()": 2},
    ),
    "process": (
        """
        seq:
          - {id: a, size: 2, process: xor(0xff)}
          - {id: b, size: 3, process: 'xor([1, 2])'}
          - {id: c, size: 1, process: rol(3)}
          - {id: d, size: 1, process: ror(3)}
          - {id: e, size-eos: true, process: zlib}
        """,
        "fefd 606060 24 24" + zlib.compress(b"hello").hex(),
        {"a": b"\1\2", "b": b"aba", "c": b"\x21", "d": b"\x84", "e": b"hello"},
    ),
    "names that Python reserves": (
        """
        seq: [{id: class, type: u1}, {id: self, type: u1}, {id: close, type: u1}, {id: int, type: u1}]
        instances: {property: {value: class + self}, lambda: {value: property}}
        enums: {from: {1: import, 2: real}}
        """,
        "01 02 03 04",
        {"class_": 1, "self_": 2, "close_": 3, "int": 4, "property_": 3, "lambda_": 3, "From.real_.value": 2},
    ),
    "names of the runtime": (
        """
        seq: [{id: write_stream, type: write_stream}, {id: kaitai_stream, type: kaitai_stream}, {id: some, type: u1}]
        types:
          write_stream: {seq: [{id: packed, type: u1}, {id: item, type: u2be}]}
          kaitai_stream: {seq: [{id: any, type: u1, enum: int_enum}], instances: {x: {value: _root.some + 1}}}
        enums: {int_enum: {1: one}}
        """,
        "01 0002 01 05",
        {"write_stream.item": 2, "kaitai_stream.any.name": "one", "kaitai_stream.x": 6},
    ),
    "anonymous attributes": ("seq: [{type: u1}, {id: a, type: u1}]", "01 02", {"_unnamed0": 1, "a": 2}),
    "a number as text": (
        "seq: [{id: a, type: u1}]\nto-string: 'f\"<{a}>\"'",
        "07",
        {"__str__()": "<7>"},
    ),
}
