"""The extension keys: their result in the model. ``test_mistakes`` has what is refused."""

from __future__ import annotations

import pytest
from wireloom.codegen.tree import Checksum, Rows, Spec
from wireloom.codegen.wire import Choice, Framing, Labels, Timestamp

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
    """Return the diagnostics, with lines counted from the first one of ``meta``."""
    shift = meta.count("\n")
    found = []
    for each in said(body, HEAD + meta):
        line, rest = each.split(":", 1)
        found.append(f"{int(line) + shift}:{rest}")
    return found


def test_rows() -> None:
    meta = "    rows: rows\n    columns: [at, payload]\n    selectable: [len, twice]\n    parent-columns: [version]\n"
    assert spec(meta).tables[0] == Rows(
        "rows", (("demo", "row"),), ("at", "payload"), ("len", "twice"), ("version",), text="rows"
    )


def test_columns_that_are_not_named() -> None:
    rows = spec("    rows: rows\n").tables[0]
    assert rows is not None
    assert rows.columns == ("len", "crc", "at", "kind", "payload", "twice")
    assert rows.selectable == ()
    rows = spec("    rows: rows\n    columns: [payload, tags, inner]\n").tables[0]
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
    ("body", "message"),
    [
        (
            "seq: [{id: rows, type: u1, repeat: eos}]\n",
            "each attribute on the path to the rows must have a user-defined type, which 'rows' does not",
        ),
        (
            "seq: [{id: rows, type: r, repeat: eos, -wireloom: {framing: {delimiter: 0, stuffing: cobs}}},"
            " {id: z, type: u1}]\ntypes: {r: {}}\n",
            "rows with 'framing' must fill the input, but 'z' follows them",
        ),
    ],
)
def test_rows_that_cannot_be(body: str, message: str) -> None:
    (found,) = refused("    rows: rows\n", body)
    assert message in found


def test_padding_of_rows_that_are_read_as_a_whole() -> None:
    options = "    rows: rows\n    options: {pad: {padding: {none: 0, some: 4}}}\n"
    (found,) = refused(options, "seq: [{id: rows, type: r, repeat: expr, repeat-expr: 3}]\ntypes: {r: {}}\n")
    assert "'options' with padding require rows that repeat up to the end of the input" in found


INSIDE = """
seq:
  - {id: version, type: u1}
  - {id: batches, type: batch, repeat: eos}
types:
  batch:
    seq:
      - {id: first, type: u8}
      - {id: len, type: u4}
      - {id: body, type: body, size: len}
      - {id: other, type: batch, if: first == 0}
      - {id: odd, type: {switch-on: len, cases: {1: body, 2: row}}, size: len}
      - {id: orphan, type: body, parent: _root, size: len}
  body:
    seq:
      - {id: rows, type: row, repeat: eos}
  row:
    seq:
      - {id: len, type: u1}
      - {id: text, size: len}
"""


def test_rows_inside_of_units() -> None:
    rows = spec("    rows: batches.body.rows\n", INSIDE).tables[0]
    assert rows is not None
    assert (rows.attribute, rows.path) == ("batches", ("body", "rows"))
    assert rows.types == (("demo", "batch"), ("demo", "body"), ("demo", "row"))
    assert rows.columns == ("len", "text")
    assert rows.selectable == ("first",)
    rows = spec("    rows: batches.body.rows\n    columns: [first, text]\n", INSIDE).tables[0]
    assert rows is not None
    assert (rows.columns, rows.selectable) == (("first", "text"), ("len",))


@pytest.mark.parametrize("path", ["batches.odd.rows", "batches.odd.as<body>.rows", "batches.odd.as<demo::body>.rows"])
def test_rows_in_a_case_of_a_switch(path: str) -> None:
    rows = spec(f"    rows: {path}\n", INSIDE).tables[0]
    assert rows is not None
    assert (rows.path, rows.text) == (("odd", "rows"), path)
    assert rows.types == (("demo", "batch"), ("demo", "body"), ("demo", "row"))


@pytest.mark.parametrize(
    ("path", "message"),
    [
        ("batches.bodies.rows", "demo::batch has no attribute 'bodies'"),
        ("batches.len", "each attribute on the path to the rows must have a user-defined type, which 'len' does not"),
        ("batches.odd", "'odd' has several types: select one, as in odd.as<body>: demo::body or demo::row"),
        ("batches.odd.as<bodies>", "'odd' has no type bodies; expected demo::body or demo::row"),
        ("batches.odd.nothing", "'odd' has no type with the attribute 'nothing'; expected demo::body or demo::row"),
        ("batches.other.other", "the path to the rows contains 'other' of demo::batch twice"),
        ("batches.orphan.rows", "'orphan' has the key 'parent', so it cannot contain rows"),
        ("batches..rows", "expected names separated by dots"),
    ],
)
def test_ways_to_rows_that_cannot_be(path: str, message: str) -> None:
    (found,) = refused(f"    rows: {path}\n", INSIDE)
    assert message in found


def test_columns_around_rows_that_cannot_be() -> None:
    (found,) = refused("    rows: batches.body.rows\n    columns: [text, rows]\n", INSIDE)
    assert "demo::row with its enclosing objects has no attribute or instance 'rows'" in found


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
        ("{algorithm: crc32c, over: b}", Checksum("crc32c", "b", "b", 0xFFFFFFFF, 0xFFFFFFFF)),
        ("{algorithm: crc32, over: [b, c]}", Checksum("crc32", "b", "c", 0xFFFFFFFF, 0xFFFFFFFF)),
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


@pytest.mark.parametrize(("type", "found"), [("type: f4", "f4le"), ("type: str, size: 4", "text")])
def test_what_a_checksum_must_be(type: str, found: str) -> None:
    body = f"seq:\n  - {{id: x, {type}, -wireloom: {{checksum: {{algorithm: crc32c, over: x, replace: 0}}}}}}\n"
    message = said(f"{body}")[-1]
    assert message.endswith(f"error: crc32c must be an integer, or plain bytes of a constant size, found {found}")


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


def test_framing_and_rows() -> None:
    meta = "    rows: rows\n"
    before = "seq:\n  - {id: a, type: u1}\n  - id: rows\n    type: row\n    repeat: eos\n"
    framing = (
        "    -wireloom: {framing: {delimiter: 0, stuffing: cobs}}\ntypes: {row: {seq: [{id: z, size-eos: true}]}}\n"
    )
    (message,) = refused(meta, before + framing)
    assert "rows with 'framing' must fill the input, but 'a' precedes them" in message
    options = "    rows: rows\n    options: {s: {padding: {a: 1}}}\n"
    (message,) = refused(options, "seq:\n  - id: rows\n    type: row\n    repeat: eos\n" + framing)
    assert "'options' with padding require rows without 'framing'" in message


@pytest.mark.parametrize(
    ("text", "timestamp"),
    [
        ("ms", Timestamp("ms", "UTC")),
        ("{unit: ns}", Timestamp("ns", "UTC")),
        ("{unit: s, zone: none}", Timestamp("s", None)),
        ("{unit: us, zone: UTC}", Timestamp("us", "UTC")),
        ("{unit: ms, absent: 0}", Timestamp("ms", "UTC", 0)),
        ("{unit: ns, absent: 0xffffffffffffffff}", Timestamp("ns", "UTC", 2**64 - 1)),
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
