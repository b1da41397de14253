"""Row types of all kinds that the engine runs, and a few valid rows of each."""

import zlib

import crc32c

from .specs import spec_text

FRAMED = """
-wireloom:
  framing: {delimiter: [0xfe, 0xfd], stuffing: word}
"""

SPECS = {
    "integers": spec_text(
        """
        seq:
          - {id: a, type: u1}
          - {id: b, type: s2be}
          - {id: c, type: u4}
          - {id: d, type: s8be}
          - {id: e, type: f4}
          - {id: f, type: f8be}
          - {id: g, type: s1}
        """
    ),
    "sizes": spec_text(
        """
        seq:
          - {id: len, type: u1, valid: {min: 3, max: 40}}
          - {id: kind, type: u1, valid: {any-of: [0, 1, 2, 3, 7, 9]}}
          - {id: body, size: len - 3}
          - {id: tail, size: 'kind * 2 + (len & 1)'}
        """
    ),
    "checks": spec_text(
        """
        seq:
          - {id: magic, contents: [0xAB]}
          - {id: a, type: u1, valid: 7}
          - {id: b, type: u2, valid: {expr: '_ % 2 == 0 or a == 7'}}
          - {id: len, type: u1, valid: {max: 9}}
          - {id: body, size: len}
          - {id: end, contents: [1, 2]}
        """,
        meta="columns: [a, b, body]\nselectable: [len]",
    ),
    "optional": spec_text(
        """
        seq:
          - {id: flags, type: u1}
          - {id: a, type: u2, if: 'flags & 1 != 0'}
          - {id: len, type: u1, if: 'flags & 2 != 0', valid: {max: 20}}
          - {id: body, size: len, if: 'flags & 2 != 0'}
          - {id: b, type: u1, if: 'flags & 2 != 0 and len > 3'}
          - {id: c, type: f4, if: 'flags & 4 != 0'}
        instances:
          a_or_zero: {value: 'flags & 1 != 0 ? a : 0'}
          a_twice: {value: a * 2, if: 'flags & 1 != 0'}
          both: {value: 'flags & 1 != 0 and a > 100'}
        """
    ),
    "text": spec_text(
        """
        seq:
          - {id: name, type: str, size: 6, encoding: UTF-8, pad-right: 0x20}
          - {id: word, type: strz, encoding: UTF-8}
          - {id: short, type: str, size: 5, terminator: 0x2c, include: true, encoding: ASCII}
          - {id: raw, size: 4, pad-right: 0}
          - {id: raw_size, type: u1}
        instances:
          kept: {value: raw.length}
        """
    ),
    "terminated": spec_text(
        """
        seq:
          - {id: line, type: str, terminator: 0x0a, encoding: UTF-8}
          - {id: kept, terminator: 0x2c, include: true}
          - {id: peeked, terminator: 0x3b, consume: false}
          - {id: semicolon, type: u1}
        """
    ),
    "nested": spec_text(
        """
        seq:
          - {id: len, type: u1, valid: {max: 30}}
          - {id: head, type: head(len), size: len}
          - {id: plain, type: pair}
        instances:
          x: {value: head.x + plain.left}
          id_of_row: {value: plain.left}
        """,
        meta="columns: [len, x, id_of_row]",
        types="""
        head:
          params: [{id: total, type: u1}]
          seq:
            - {id: x, type: u1}
            - {id: rest, size: total - 1}
        pair:
          seq:
            - {id: left, type: u1, valid: {max: 200}}
            - {id: right, type: u1, if: left > 5}
        """,
    ),
    "bits": spec_text(
        """
        seq:
          - {id: version, type: b3}
          - {id: flag, type: b1}
          - {id: wide, type: b12}
          - {id: after, type: u1}
          - {id: low, type: b5le}
          - {id: high, type: b11le}
          - {id: end, type: u1}
        instances:
          half: {value: wide / 2}
        """
    ),
    "enums": spec_text(
        """
        seq:
          - {id: kind, type: u1, enum: kind, -wireloom: {labels: true}}
          - {id: strict, type: u1, enum: kind, valid: {in-enum: true}}
          - {id: body, size: 'strict == kind::two ? 2 : 1'}
        enums:
          kind: {1: one, 2: two, 9: nine}
        """
    ),
    "times": spec_text(
        """
        seq:
          - {id: s, type: s8, -wireloom: {timestamp: s}}
          - {id: ms, type: u8, -wireloom: {timestamp: ms}}
          - {id: us, type: u8, -wireloom: {timestamp: {unit: us}}}
          - {id: ns, type: s8, -wireloom: {timestamp: ns}}
        """
    ),
    "checksum": spec_text(
        """
        seq:
          - {id: len, type: u1, valid: {max: 60}}
          - {id: crc, type: u4, -wireloom: {checksum: {algorithm: crc32c, over: [len, body], replace: 0}}}
          - {id: body, size: len}
        """
    ),
    "prologue": spec_text(
        """
        seq:
          - {id: a, type: u1}
          - {id: body, size: _root.width}
        instances:
          sum: {value: a + _root.base}
        """,
        before="- {id: width, type: u1, valid: {max: 9}}\n- {id: base, type: s4be}",
        meta="columns: [a, body, sum]\nparent-columns: [base]",
    ),
    "framed": spec_text(
        """
        seq:
          - {id: a, type: u1, valid: {max: 100}}
          - {id: name, type: strz, encoding: UTF-8, eos-error: false}
          - {id: rest, size-eos: true}
        """,
        attribute=FRAMED,
    ),
    "framed sub-streams": spec_text(
        """
        seq:
          - {id: len, type: u1}
          - {id: inner, type: inner, size: len}
          - {id: rest, size-eos: true}
        instances:
          x: {value: inner.x}
        """,
        meta="columns: [len, x, rest]",
        attribute=FRAMED,
        types="""
        inner:
          seq:
            - {id: x, type: u1}
            - {id: more, size-eos: true}
        """,
    ),
    "computed": spec_text(
        """
        seq:
          - {id: a, type: u1}
          - {id: b, type: s4}
          - {id: c, type: u8}
        instances:
          big: {value: c}
          product: {value: b * c}
          flag: {value: 'a > 3 and b < 0'}
          quotient: {value: b / 7}
          remainder: {value: b % 7}
          negative: {value: 'b % -7'}
          shifted: {value: '(b << 3) ^ (c >> 5)'}
          picked: {value: 'a < 10 ? b : a * 1000'}
          inverted: {value: '~b'}
        """
    ),
    "divisions": spec_text(
        """
        seq:
          - {id: a, type: u1}
          - {id: b, type: s1}
          - {id: body, size: a / b, if: a < 100}
          - {id: flag, type: u1, if: 'b == 0 or a / b > 3'}
        instances:
          quotient: {value: a / b}
          guarded: {value: 'b == 0 ? -1 : a % b'}
          also: {value: 'b != 0 and 10 / b > 1'}
        """
    ),
    "arrays": spec_text(
        """
        seq:
          - {id: count, type: u1}
          - {id: numbers, type: u2be, repeat: expr, repeat-expr: count % 5}
          - {id: triple, type: u1, repeat: expr, repeat-expr: 3}
          - {id: less, type: f4, repeat: expr, repeat-expr: count - 3, if: count < 6}
          - {id: blocks, size: 3, repeat: expr, repeat-expr: 2}
          - {id: last, type: u1}
        """
    ),
    "arrays in frames": spec_text(
        """
        seq:
          - {id: len, type: u1, valid: {max: 9}}
          - {id: inner, type: inner, size: len}
          - {id: numbers, type: u2, repeat: eos}
        """,
        attribute=FRAMED,
        types="""
        inner:
          seq:
            - {id: words, type: u4, repeat: eos}
        """,
    ),
    "checked bits": spec_text(
        """
        seq:
          - {id: version, type: b4, valid: {max: 3}}
          - {id: count, type: b4}
          - {id: body, size: count}
        """
    ),
    "objects of bits": spec_text(
        """
        seq:
          - {id: time, type: time}
          - {id: low, type: b8le}
          - {id: high, type: b8}
          - {id: flags, type: flags, size: 2}
          - {id: end, type: u1, if: time.hour > 3}
        instances:
          hour: {value: time.hour}
        """,
        types="""
        time:
          seq:
            - {id: minute, type: b6, valid: {max: 59}}
            - {id: hour, type: b10}
        flags:
          seq:
            - {id: first, type: b3, valid: {max: 5}}
            - {id: second, type: b7}
        """,
    ),
    "optional objects": spec_text(
        """
        seq:
          - {id: flags, type: u1, valid: {max: 7}}
          - {id: head, type: head, if: 'flags & 1 != 0'}
          - {id: sized, type: head, size: 6, if: 'flags & 2 != 0'}
          - {id: tail, size: 'flags & 1 != 0 ? head.len : 1'}
        instances:
          len: {value: head.len, if: 'flags & 1 != 0'}
        """,
        meta="columns: [flags, tail, len]",
        types="""
        head:
          seq:
            - {id: len, type: u1, valid: {max: 9}}
            - {id: crc, type: u4, if: len > 2, -wireloom: {checksum: {algorithm: crc32, over: data}}}
            - {id: data, size: len}
        """,
    ),
    "instances of the root": spec_text(
        """
        seq:
          - {id: a, type: u1}
          - {id: wide, type: u4, if: _root.is_wide}
        """,
        before="- {id: version, type: u1}",
    )
    + """
instances:
  is_wide: {value: version > 4}
""",
}

START = {"prologue": b"\3\0\0\1\0", "instances of the root": b"\5"}
"""The bytes before the first row."""

ROWS: dict[str, tuple[bytes, ...]] = {
    "integers": (bytes(range(29)), bytes(28), b"\xff" * 28),
    "sizes": (b"\5\2ab\1\2\3\4\5", b"\4\0a"),
    "checks": (b"\xab\7\4\0\3abc\1\2", b"\xab\7\5\0\0\1\2"),
    "optional": (b"\0", b"\1\x80\0", b"\7\5\6\4abcdz\0\0\x80?", b"\2\0"),
    "text": ("näme ".encode() + b"word\0ab,cdr\0\0\0\5", b"      \0abcde\0\0\0\0\x09"),
    "terminated": (b"line\nkept,peeked;", "ü\n,;".encode()),
    "nested": (b"\3xab\4", b"\4xabcd\x09", b"\1\1\0"),
    "bits": (bytes(range(6)), b"\xff" * 6),
    "enums": (b"\1\2ab", b"\x09\1a", b"c\x09a"),
    "times": (bytes(32), b"\1\x80\0\0\0\0\0\0" * 4, b"\xff" * 32, b"\xff" * 7 + b"\x7f" + bytes(24)),
    "checksum": (b"\3" + crc32c.crc32c(b"\3\0\0\0\0abc").to_bytes(4, "little") + b"abc",),
    "prologue": (b"\1abc", b"\2\0\0\0"),
    "framed": (b"\1name\0rest", b"\5name", b"d\0"),
    "framed sub-streams": (b"\3abcrest", b"\1a", b"\2ab"),
    "computed": (bytes(range(13)), b"\xff" * 13, b"\5" + b"\xff" * 4 + bytes(8)),
    "divisions": (b"\4\2ab", b"\x09\1" + bytes(9) + b"z", b"\xff\xfe", b"\6\4a"),
    "arrays": (b"\2abcd123xyzuvw!", b"\0123xyzuvw!", b"\4abcdefgh123floaxyzuvw!"),
    "arrays in frames": (b"\4abcdefgh", b"\0", b"\x08abcdefgh12"),
    "checked bits": (b"\x13abc", b"\0", b"\x21z"),
    "objects of bits": (b"\1\2\3\4\5\6", b"\4\7\1\1\1\1z"),
    "optional objects": (
        b"\0z",
        b"\1\2abzz",
        b"\2\2abzzzz",
        b"\1\3" + zlib.crc32(b"abc").to_bytes(4, "little") + b"abcxyz",
    ),
    "instances of the root": (b"\1\1\2\3\4", b"\5\0\0\0\0"),
}
"""Valid rows, before stuffing."""
