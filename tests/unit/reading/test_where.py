"""Rows that a condition selects for a table: both readers skip the others, and damage is reported regardless of the
condition."""

import random

import pytest
import wireloom

from ...differential.agreement import agreed
from ...examples import examples, strided
from ..specs import format_of

SPEC = """
meta:
  id: ops
  endian: le
  -wireloom:
    tables:
      fives: {rows: frames, where: opcode == 5}
      long: {rows: frames, where: "note.length > 2 and _parent.version < 9", columns: [opcode, share]}
      parts: {rows: frames.parts, where: "_parent.opcode != 5 and code >= 3", columns: [opcode, code]}
      lists: {rows: frames, where: big, columns: [opcode, parts, extra]}
      sevens: {rows: frames, where: extra == 7, columns: [opcode, extra]}
      partly: {rows: frames, where: opcode != 1, unsupported: opcode == 4 or extra == 8, columns: [opcode, note]}
seq:
  - {id: version, type: u1}
  - {id: frames, type: frame, repeat: eos}
types:
  frame:
    seq:
      - {id: opcode, type: u1}
      - {id: len, type: u1}
      - {id: note, size: len, type: str, encoding: ASCII}
      - {id: num, type: u1, valid: {max: 5}}
      - {id: parts, type: part, repeat: expr, repeat-expr: num}
      - {id: extra, type: u1, if: opcode == 5}
    instances:
      share: {value: 510 / (note.length - 2)}
      big: {value: num > 1 and 6 / (len - 2) > 0}
  part:
    seq: [{id: code, type: u1}]
"""
FRAMED = """
meta:
  id: lines
  -wireloom: {rows: lines, where: level >= 0x32}
seq:
  - {id: lines, type: line, repeat: eos, -wireloom: {framing: {delimiter: 10, stuffing: none}}}
types:
  line:
    seq:
      - {id: level, type: u1, valid: {min: 0x30}}
      - {id: text, size-eos: true}
"""
COUNTED = """
meta: {id: steps, -wireloom: {rows: steps, where: count.value > 200}}
seq:
  - {id: steps, type: step, repeat: eos}
types:
  step: {seq: [{id: count, type: varint}]}
  varint: {-wireloom: {varint: le}}
"""


def frame(opcode: int, note: bytes, parts: list[int], extra: int = 0) -> bytes:
    tail = bytes([extra]) if opcode == 5 else b""
    return bytes([opcode, len(note)]) + note + bytes([len(parts), *parts]) + tail


DATA = b"\1" + b"".join(
    [
        frame(5, b"abc", [1, 2], 7),
        frame(4, b"d", [3, 4]),
        frame(5, b"", [], 8),
        frame(2, b"hello", [9, 9]),
        frame(1, b"x", [3]),
    ]
)
ROWS = {
    "fives": [("abc", 7), ("", 8)],
    "long": [(5, 510), (2, 170)],
    "parts": [(4, 3), (4, 4), (2, 9), (2, 9), (1, 3)],
    "lists": [(5, [{"code": 1}, {"code": 2}], 7), (2, [{"code": 9}, {"code": 9}], None)],
    "sevens": [(5, 7)],
}
COLUMNS = {"fives": ["note", "extra"]}


@pytest.fixture(scope="module")
def ops() -> wireloom.Format:
    return format_of(SPEC)


@pytest.mark.parametrize("table", ROWS)
def test_a_table_has_the_rows_that_meet_its_condition(ops: wireloom.Format, table: str) -> None:
    found, report = wireloom.read_with_report(ops, DATA, table=table, columns=COLUMNS.get(table))
    assert [tuple(each.values()) for each in found.to_pylist()] == ROWS[table]
    assert (report.clean, report.rows) == (True, len(ROWS[table]))
    agreed(ops, DATA, table=table)


def test_items_with_rows_that_cannot_be_read_are_reported(ops: wireloom.Format) -> None:
    """A condition that requires an absent value is false."""
    columns = ["opcode", "_error", "_corrupt_record"]
    found, report = wireloom.read_with_report(ops, DATA, table="partly", columns=columns)
    unread = [frame(4, b"d", [3, 4]), frame(5, b"", [], 8)]
    rows = [tuple(each.values()) for each in found.to_pylist()]
    said = "unsupported: it contains rows that readers cannot read, or its codec is not supported"
    assert rows == [(5, None, None), *((None, said, each) for each in unread), (2, None, None)]
    ranges = [(DATA.index(each), len(each), "unsupported") for each in unread]
    assert [(each.offset, each.length, each.reason) for each in report.files[0].damaged] == ranges
    agreed(ops, DATA, table="partly")
    with pytest.raises(wireloom.WireloomError, match="rows that readers cannot read"):
        wireloom.read(ops, DATA, table="partly", mode="failfast")


def test_the_engine_reads_them(ops: wireloom.Format) -> None:
    assert {each: ops.of_table(each).engine_refusal for each in ops.tables} == dict.fromkeys(ops.tables)


@pytest.mark.slow
@pytest.mark.parametrize("table", [*ROWS, "partly"])
def test_both_readers_agree_on_damage(ops: wireloom.Format, table: str) -> None:
    made = random.Random(4)
    places = strided(range(len(DATA)), 3)
    inputs = [DATA[:index] for index in places]
    for index in places:
        inputs += [DATA[:index] + bytes([DATA[index] ^ bits]) + DATA[index + 1 :] for bits in (1, 0x12, 0x80)]
    inputs += [bytes(made.choice(b"\0\1\2\3\5\5\5\7a") for _ in range(made.randrange(50))) for _ in range(examples(60))]
    for number, data in enumerate(inputs):
        agreed(ops, data, table=table, recover=bool(number % 2))


def test_a_damaged_row_is_damage_whatever_the_condition_says(ops: wireloom.Format) -> None:
    damaged = bytearray(DATA)
    damaged[DATA.index(b"hello") + 1] = 0xFF
    found, report = wireloom.read_with_report(ops, bytes(damaged), table="fives")
    assert (found.num_rows, [each.reason for each in report.files[0].damaged]) == (2, ["encoding"])


def test_a_column_that_cannot_be_computed_costs_no_row_that_is_left_out(ops: wireloom.Format) -> None:
    data = b"\1" + frame(2, b"ab", []) + frame(2, b"abc", [])
    assert wireloom.read_with_report(ops, data, table="long")[1].clean
    found, report = wireloom.read_with_report(ops, data, table="fives")
    assert (found.num_rows, report.clean) == (0, True)


def test_a_condition_that_cannot_be_computed_is_damage(ops: wireloom.Format) -> None:
    _, report = wireloom.read_with_report(ops, b"\1" + frame(2, b"ab", [1, 2]), table="lists", check_format=False)
    assert [each.reason for each in report.files[0].damaged] == ["value"]


def test_rows_between_delimiters() -> None:
    lines = format_of(FRAMED)
    data = b"1a\n2b\n\x01c\n3d\n0e\n" * 3
    table, report = wireloom.read_with_report(lines, data)
    assert table["text"].to_pylist() == [b"b", b"d"] * 3
    assert len(report.files[0].damaged) == 3
    for index in range(len(data)):
        agreed(lines, data[:index] + b"\x01" + data[index + 1 :])


def test_conditions_of_varints() -> None:
    steps = format_of(COUNTED)
    assert wireloom.read(steps, b"\x05\xac\x02\x7f\xff\x01").to_pylist() == [{"count": 300}, {"count": 255}]
    agreed(steps, b"\x05\xac\x02\x7f\xff\x01")


@pytest.mark.parametrize(
    ("where", "said"),
    [
        ("opcode", "'where' must be a boolean, found u1"),
        ("nothing == 1", "unable to access 'nothing'"),
        ("opcode ==", "expected"),
    ],
)
def test_mistakes_have_a_place(where: str, said: str) -> None:
    with pytest.raises(wireloom.SpecError, match=said) as caught:
        format_of(SPEC.replace("where: big", f"where: {where}"))
    assert "made.ksy:10:" in str(caught.value)


def test_it_needs_rows() -> None:
    with pytest.raises(wireloom.SpecError, match="'where' requires the key 'rows'"):
        format_of("meta: {id: x, -wireloom: {where: a == 1}}\nseq: [{id: a, type: u1}]\n")
