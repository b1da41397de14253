"""The extension keys: their result in the model. ``test_mistakes`` has what is refused."""

from __future__ import annotations

import pytest
from wireloom.codegen.tree.leaves import Timestamp

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


def test_the_limit_of_rows_is_64_mib_unless_the_spec_says_another() -> None:
    assert compiled(BODY, HEAD + "    rows: rows\n").max_record == 64 * 1024 * 1024
    assert compiled(BODY, HEAD + "    rows: rows\n    max-record: 0x1000\n").max_record == 4096


def refused(meta: str, body: str = BODY) -> list[str]:
    """Return the diagnostics, with lines counted from the first one of ``meta``."""
    shift = meta.count("\n")
    found = []
    for each in said(body, HEAD + meta):
        line, rest = each.split(":", 1)
        found.append(f"{int(line) + shift}:{rest}")
    return found


@pytest.mark.parametrize(
    ("body", "message"),
    [
        (
            "seq: [{id: rows, type: u1, repeat: eos}]\n",
            "each attribute on the path to the rows must have a user-defined type, but 'rows' is u1",
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


@pytest.mark.parametrize(("rule", "zone"), [("ms", "UTC"), ("{unit: ms}", "UTC"), ("{unit: ms, zone: none}", None)])
def test_times_are_those_of_utc_unless_the_spec_says_otherwise(rule: str, zone: str | None) -> None:
    at = compiled(f"seq: [{{id: at, type: u8, -wireloom: {{timestamp: {rule}}}}}]\n").root.attributes[0]
    assert at.logical == Timestamp("ms", zone)


def test_without_selectable_other_columns_and_those_of_units_are() -> None:
    rows = compiled(INSIDE, HEAD + "    rows: batches.body.rows\n    columns: [text]\n").tables[0]
    assert (rows.columns, rows.selectable) == (("text",), ("len", "first"))


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


@pytest.mark.parametrize(("type", "found"), [("type: f4", "f4le"), ("type: str, size: 4", "text")])
def test_what_a_checksum_must_be(type: str, found: str) -> None:
    body = f"seq:\n  - {{id: x, {type}, -wireloom: {{checksum: {{algorithm: crc32c, over: x, replace: 0}}}}}}\n"
    message = said(f"{body}")[-1]
    assert message.endswith(f"error: crc32c must be an integer, or plain bytes of a constant size, found {found}")


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
