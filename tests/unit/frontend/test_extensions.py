"""The extension keys: what they become in the model, and what is refused."""

from __future__ import annotations

import pytest
from wireloom.codegen.model.model import Checksum, Choice, Framing, Labels, Rows, Spec, Timestamp

from tests.unit.frontend.specs import compiled, said

HEAD = """meta:
  id: demo
  endian: le
  encoding: UTF-8
  -wireloom:
"""

BODY = """
seq:
  - {id: magic, contents: abc}
  - {id: version, type: u1}
  - {id: rows, type: row, repeat: eos}
types:
  row:
    seq:
      - {id: len, type: u4}
      - {id: crc, type: u4}
      - {id: at, type: u8}
      - {id: kind, type: u1, enum: kinds}
      - {id: inner, type: inner}
      - {id: payload, size: len}
      - {id: tags, type: u1, repeat: expr, repeat-expr: 2}
      - {type: u1}
    instances:
      twice: {value: len * 2}
      far: {pos: 0, type: u1}
      whole: {value: inner}
  inner: {seq: [{id: x, type: u1}]}
enums: {kinds: {1: one}}
"""


def spec(meta: str, body: str = BODY) -> Spec:
    return compiled(body, HEAD + meta)


def refused(meta: str, body: str = BODY) -> list[str]:
    """What is said, lines counted from the first one of ``meta``."""
    shift = meta.count("\n")
    found = []
    for each in said(body, HEAD + meta):
        line, rest = each.split(":", 1)
        found.append(f"{int(line) + shift}:{rest}")
    return found


def test_rows() -> None:
    meta = "    rows: rows\n    columns: [at, payload]\n    selectable: [len, twice]\n    parent-columns: [version]\n"
    assert spec(meta).rows == Rows("rows", ("demo", "row"), ("at", "payload"), ("len", "twice"), ("version",))


def test_columns_that_are_not_named() -> None:
    rows = spec("    rows: rows\n").rows
    assert rows is not None
    assert rows.columns == ("len", "crc", "at", "kind", "payload", "twice")
    assert rows.selectable == ()
    rows = spec("    rows: rows\n    columns: [payload, tags, inner]\n").rows
    assert rows is not None
    assert rows.columns == ("payload", "tags", "inner")
    assert rows.selectable == ("len", "crc", "at", "kind", "twice")


def test_the_rest_of_meta() -> None:
    found = spec(
        "    rows: rows\n    codec: zstd\n    max-record: 0x1000\n    path: '{region}/x/{day}.log'\n"
        "    options:\n      stride: {doc: How far., padding: {short: 0, long: 13}, default: short}\n"
    )
    assert (found.codec, found.max_record, found.path_pattern) == ("zstd", 4096, "{region}/x/{day}.log")
    assert found.choices == (Choice("stride", (("short", 0), ("long", 13)), "short", "How far."),)


def test_defaults() -> None:
    found = spec("    rows: rows\n    options: {pad: {padding: {none: 0, some: 4}}}\n")
    assert (found.codec, found.max_record, found.path_pattern) == ("none", 64 * 1024 * 1024, None)
    assert found.choices[0].default == "auto"


@pytest.mark.parametrize(
    ("meta", "message"),
    [
        ("    rows: raws\n", "1:11: error: the root has no attribute 'raws'; did you mean 'rows'?"),
        ("    rows: version\n", "1:11: error: the rows must repeat to the end: 'version' needs repeat: eos"),
        ("    columns: [len]\n", "1:5: error: 'columns' needs the key 'rows' beside it"),
        ("    rows: rows\n    columns: [paylod]\n", "2:15: error: demo::row has no attribute or instance 'paylod'; did you mean 'payload'?"),
        ("    rows: rows\n    columns: [len, len]\n", "2:20: error: the column 'len' is there already"),
        ("    rows: rows\n    columns: [len]\n    selectable: [len]\n", "3:18: error: the column 'len' is there already"),
        ("    rows: rows\n    columns: [far]\n", "2:15: error: 'far' is read elsewhere (pos) and is no column"),
        ("    rows: rows\n    columns: len\n", "2:14: error: expected a list, found the text 'len'"),
        ("    rows: rows\n    parent-columns: [verson]\n", "2:22: error: the root has no attribute or instance 'verson' before the rows; did you mean 'version'?"),
        ("    rows: rows\n    parent-columns: [rows]\n", "2:22: error: the root has no attribute or instance 'rows' before the rows"),
        ("    rows: rows\n    colums: []\n", "2:5: error: unknown key 'colums' in meta/-wireloom; did you mean 'columns'?"),
        ("    codec: lz4\n", "1:12: error: expected zstd, gzip or none, found the text 'lz4'"),
        ("    rows: rows\n    max-record: 0\n", "2:17: error: expected an integer from 1 to 1099511627776, found the number 0"),
        ("    rows: rows\n    path: '{a}/{a}'\n", "2:11: error: the pattern of paths has the column 'a' is there already"),
        ("    rows: rows\n    path: '{len}/x'\n", "2:11: error: the pattern of paths has the column 'len' is there already"),
        ("    rows: rows\n    path: '{a}{b}'\n", "2:11: error: the pattern of paths has two names without anything between them"),
        ("    rows: rows\n    path: 'a}/{b'\n", "2:11: error: the pattern of paths has a brace without its partner"),
        ("    rows: rows\n    path: '{A}'\n", "2:11: error: the pattern of paths has 'A' is no name of a column"),
        ("    rows: rows\n    options: {s: {padding: {}}}\n", "2:28: error: an option needs at least one value"),
        ("    rows: rows\n    options: {s: {}}\n", "2:18: error: an option has no key 'padding'"),
        ("    rows: rows\n    options: {s: {padding: {auto: 1}}}\n", "2:28: error: 'auto' is no value: it stands for the reader's choice"),
        ("    rows: rows\n    options: {s: {padding: {a: 1}, default: b}}\n", "2:45: error: the default must be a or auto, found 'b'"),
        ("    rows: rows\n    options: {s: {padding: {a: -1}}}\n", "2:32: error: expected an integer from 0 to 2147483647, found the number -1"),
        ("    rows: rows\n    options: {s: {padding: {a: 1}}, t: {padding: {a: 1}}}\n", "2:14: error: one option with padding is all there can be"),
    ],
)  # fmt: skip
def test_refused_in_meta(meta: str, message: str) -> None:
    assert refused(meta) == [message]


@pytest.mark.parametrize(
    ("body", "message"),
    [
        ("seq: [{id: rows, type: u1, repeat: eos}]\n", "the rows must be of a type of the spec: 'rows' is of none"),
        (
            "seq: [{id: rows, type: r, repeat: expr, repeat-expr: 3}]\ntypes: {r: {}}\n",
            "the rows must repeat to the end",
        ),
        (
            "seq: [{id: rows, type: r, repeat: eos}, {id: z, type: u1}]\ntypes: {r: {}}\n",
            "the rows take all that is left, but 'z' stands behind them",
        ),
    ],
)
def test_rows_that_cannot_be(body: str, message: str) -> None:
    (found,) = refused("    rows: rows\n", body)
    assert message in found


CHECKED = """
seq:
  - {id: a, size: 2}
  - id: crc
    type: u4
    -wireloom: {checksum: %s}
  - {id: b, type: u2}
  - {id: c, size-eos: true}
"""


@pytest.mark.parametrize(
    ("text", "checksum"),
    [
        ("{algorithm: crc32c, over: b}", Checksum("crc32c", "b", "b")),
        ("{algorithm: crc32, over: [b, c]}", Checksum("crc32", "b", "c")),
        (
            "{algorithm: crc32c, over: [a, c], initial: 0, final-xor: 0, replace: 0xff}",
            Checksum("crc32c", "a", "c", 0, 0, 0xFF),
        ),
    ],
)
def test_checksums(text: str, checksum: Checksum) -> None:
    found = compiled(CHECKED % text).root.attribute("crc")
    assert found is not None
    assert found.checksum == checksum


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("{algorithm: crc32c, over: bb}", "5:53: error: a checksum covers attributes of its own type; 'bb' is none of them; did you mean 'b'?"),
        ("{algorithm: crc32c, over: [c, b]}", "5:53: error: 'c' stands behind 'b'"),
        ("{algorithm: crc32c, over: [a, b, c]}", "5:53: error: expected a list of 2 items, found 3"),
        ("{algorithm: crc32c, over: [a, c]}", "5:53: error: the checksum covers its own bytes: give it the key 'replace', the byte that they count as"),
        ("{algorithm: crc-32c, over: b}", "5:39: error: expected crc32c or crc32, found the text 'crc-32c'; did you mean 'crc32c'?"),
        ("{over: b}", "5:27: error: checksum has no key 'algorithm'"),
        ("{algorithm: crc32c}", "5:27: error: checksum has no key 'over'"),
        ("{algorithm: crc32c, over: b, inital: 0}", "5:56: error: unknown key 'inital' in checksum; did you mean 'initial'?"),
        ("{algorithm: crc32c, over: b, initial: 0x100000000}", "5:65: error: expected an integer from 0 to 4294967295, found the number 0x100000000"),
        ("crc32c", "5:27: error: expected checksum as a mapping, found the text 'crc32c'"),
    ],
)  # fmt: skip
def test_refused_checksums(text: str, message: str) -> None:
    assert said(CHECKED % text) == [message]


@pytest.mark.parametrize(
    ("type", "found"),
    [("type: u2", "u2le"), ("type: s4", "s4le"), ("size: 4", "bytes"), ("type: f4", "f4le"), ("type: b32", "b32be")],
)
def test_what_a_checksum_must_be(type: str, found: str) -> None:
    body = f"seq:\n  - {{id: x, {type}, -wireloom: {{checksum: {{algorithm: crc32c, over: x, replace: 0}}}}}}\n"
    (message,) = said(body)
    assert message.endswith(f"error: a checksum must be an unsigned integer of 4 bytes, found {found}")


FRAMED = """
seq:
  - id: rows
    %s
    -wireloom: {framing: %s}
types: {row: {seq: [{id: a, size-eos: true}]}}
"""


def framed(text: str, keys: str = "type: row\n    repeat: eos") -> str:
    return FRAMED % (keys, text)


@pytest.mark.parametrize(
    ("text", "framing"),
    [
        ("{delimiter: [0xfe, 0xfd], stuffing: word}", Framing(b"\xfe\xfd", "word")),
        ("{delimiter: [0], stuffing: cobs}", Framing(b"\0", "cobs")),
        ("{delimiter: 0x0a, stuffing: none}", Framing(b"\n", "none")),
    ],
)
def test_framing(text: str, framing: Framing) -> None:
    assert compiled(framed(text)).root.attributes[0].framing == framing


@pytest.mark.parametrize(
    ("body", "message"),
    [
        (framed("{delimiter: [0, 1], stuffing: cobs}"), "5:38: error: 'cobs' stuffing needs the delimiter 0"),
        (framed("{delimiter: [1], stuffing: cobs}"), "5:38: error: 'cobs' stuffing needs the delimiter 0"),
        (framed("{delimiter: [1], stuffing: word}"), "5:38: error: 'word' stuffing needs a delimiter of two different bytes"),
        (framed("{delimiter: [1, 1], stuffing: word}"), "5:38: error: 'word' stuffing needs a delimiter of two different bytes"),
        (framed("{delimiter: [], stuffing: none}"), "5:38: error: expected a list of 1 to 4 items, found 0"),
        (framed("{delimiter: 0, stuffing: slip}"), "5:51: error: expected word, cobs or none, found the text 'slip'"),
        (framed("{delimiter: 0}"), "5:26: error: framing has no key 'stuffing'"),
        (framed("{delimiter: 0, stuffing: cobs}", "type: row"), "4:26: error: 'framing' needs an attribute of a type of the spec, with repeat: eos"),
        (framed("{delimiter: 0, stuffing: cobs}", "type: row\n    repeat: eos\n    size: 3"), "6:26: error: the delimiters end each item: 'framing' goes with neither size, terminator nor if"),
        ("seq: []\ntypes: {t: {seq: [{id: r, type: row, repeat: eos, -wireloom: {framing: {delimiter: 0, stuffing: cobs}}}]}, row: {}}\n", "2:72: error: 'framing' is for an attribute of the outermost type"),
    ],
)  # fmt: skip
def test_refused_framing(body: str, message: str) -> None:
    assert said(body) == [message]


def test_framing_and_rows() -> None:
    meta = "    rows: rows\n"
    before = "seq:\n  - {id: a, type: u1}\n  - id: rows\n    type: row\n    repeat: eos\n"
    framing = (
        "    -wireloom: {framing: {delimiter: 0, stuffing: cobs}}\ntypes: {row: {seq: [{id: z, size-eos: true}]}}\n"
    )
    (message,) = refused(meta, before + framing)
    assert "rows with 'framing' fill the file, but 'a' stands before them" in message
    options = "    rows: rows\n    options: {s: {padding: {a: 1}}}\n"
    (message,) = refused(options, "seq:\n  - id: rows\n    type: row\n    repeat: eos\n" + framing)
    assert "padding follows rows without 'framing' only" in message


@pytest.mark.parametrize(
    ("text", "timestamp"),
    [
        ("ms", Timestamp("ms", "UTC")),
        ("{unit: ns}", Timestamp("ns", "UTC")),
        ("{unit: s, zone: none}", Timestamp("s", None)),
        ("{unit: us, zone: UTC}", Timestamp("us", "UTC")),
    ],
)
def test_timestamps(text: str, timestamp: Timestamp) -> None:
    body = f"""
    seq:
      - {{id: a, type: u8, -wireloom: {{timestamp: {text}}}}}
    instances:
      b: {{value: a + 1, -wireloom: {{timestamp: {text}}}}}
    """
    found = compiled(body).root
    assert found.attributes[0].logical == timestamp
    assert found.instances[0].logical == timestamp


def test_labels() -> None:
    body = "seq: [{id: a, type: u1, enum: e, -wireloom: {labels: true}}]\nenums: {e: {1: one}}\n"
    assert compiled(body).root.attributes[0].logical == Labels()


@pytest.mark.parametrize(
    ("body", "message"),
    [
        ("seq: [{id: a, size: 8, -wireloom: {timestamp: ms}}]\n", "1:47: error: 'timestamp' needs an integer, this is bytes"),
        ("seq: [{id: a, type: f8, -wireloom: {timestamp: ms}}]\n", "1:48: error: 'timestamp' needs an integer, this is f8le"),
        ("seq: [{id: a, type: u8, repeat: eos, -wireloom: {timestamp: ms}}]\n", "1:61: error: 'timestamp' needs an integer, this is a list of u8le"),
        ("instances: {a: {value: 1.5, -wireloom: {timestamp: ms}}}\n", "1:52: error: 'timestamp' needs an integer, this is a float"),
        ("seq: [{id: a, type: u8, -wireloom: {timestamp: m}}]\n", "1:48: error: expected s, ms, us or ns, found the text 'm'; did you mean 'ms'?"),
        ("seq: [{id: a, type: u8, -wireloom: {timestamp: {zone: UTC}}}]\n", "1:48: error: timestamp has no key 'unit'"),
        ("seq: [{id: a, type: u8, -wireloom: {timestamp: {unit: ms, zone: CET}}}]\n", "1:65: error: expected UTC or none, found the text 'CET'"),
        ("seq: [{id: a, type: u1, -wireloom: {labels: true}}]\n", "1:45: error: 'labels' needs an enum, this is u1"),
        ("seq: [{id: a, type: u1, -wireloom: {labels: false}}]\n", "1:45: error: expected true, found the boolean false"),
        ("instances: {a: {value: 1, -wireloom: {checksum: {}}}}\n", "1:39: error: unknown key 'checksum' in an instance's -wireloom; expected labels or timestamp"),
        ("seq: [{id: a, type: u1, -wireloom: []}]\n", "1:36: error: expected an attribute's -wireloom as a mapping, found a list"),
    ],
)  # fmt: skip
def test_refused_logical_types(body: str, message: str) -> None:
    assert said(body) == [message]
