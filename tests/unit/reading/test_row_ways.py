"""Rows on several ways: both readers agree on valid and damaged inputs; incompatible paths are refused."""

import random
import struct

import pytest
import wireloom
from wireloom import SpecError

from ...differential.agreement import agreed
from ...examples import examples
from ..specs import format_of

SPEC = """
meta:
  id: notes
  endian: le
  -wireloom:
    rows:
      - records.body.as<note>
      - records.body.as<block>.content.records.body.as<note>
      - records.body.as<pages>.pages.notes
    columns: [number, text]
seq:
  - {id: records, type: record, repeat: eos}
types:
  record:
    seq:
      - {id: kind, type: u1, valid: {min: 1}}
      - {id: len, type: u1}
      - {id: body, size: len, type: {switch-on: kind, cases: {1: note, 2: block, 3: pages}}}
  block:
    seq:
      - {id: sum, type: u1, -wireloom: {checksum: {algorithm: sum8, over: content}}}
      - {id: content, type: content, size-eos: true}
  content:
    seq: [{id: records, type: inner, repeat: eos}]
  inner:
    seq:
      - {id: kind, type: u1}
      - {id: len, type: u1}
      - {id: body, size: len, type: {switch-on: kind, cases: {1: note}}}
  pages:
    seq: [{id: pages, type: page, repeat: eos}]
  page:
    seq:
      - {id: num_notes, type: u1}
      - {id: notes, type: note, size: 5, repeat: expr, repeat-expr: num_notes}
  note:
    seq:
      - {id: number, type: u2, valid: {max: 999}}
      - {id: text, type: str, size-eos: true, encoding: ASCII}
"""


SEVERAL = (
    SPEC.replace("pages.notes\n", "pages.notes\n      - records.body.as<short>\n").replace(
        "3: pages}", "3: pages, 4: short}"
    )
    + """
  short:
    seq:
      - {id: size, type: u2}
      - {id: text, type: str, size-eos: true, encoding: ASCII}
    instances:
      number: {value: size % 900, if: size != 1}
"""
)
"""Rows of two types: a number is read in one, and computed in the other."""
UNFIT = """
  blob:
    seq:
      - {id: number, type: u2}
      - {id: text, size-eos: true}
  wide:
    seq:
      - {id: number, type: u8}
      - {id: text, type: str, size-eos: true, encoding: ASCII}
"""


def packed(kind: int, body: bytes) -> bytes:
    return bytes((kind, len(body))) + body


def note(number: int, text: str = "abc") -> bytes:
    return struct.pack("<H", number) + text.encode()


def block(*records: bytes) -> bytes:
    content = b"".join(records)
    return packed(2, bytes((sum(content) % 256,)) + content)


DATA = (
    packed(1, note(1))
    + block(packed(1, note(2)), packed(7, b"?"), packed(1, note(3, "")))
    + packed(9, b"unknown")
    + packed(3, b"\2" + note(4) + note(5) + b"\0" + b"\1" + note(6))
    + packed(1, note(7, "the end"))
)


def numbers(format: wireloom.Format, data: bytes) -> list[int]:
    found: list[int] = wireloom.read(format, data)["number"].to_pylist()
    return found


def test_rows_come_in_the_order_of_the_input() -> None:
    format = format_of(SPEC)
    assert not format.engine_refusal
    assert numbers(format, DATA) == [1, 2, 3, 4, 5, 6, 7]
    assert not format.read_only
    agreed(format, DATA)
    agreed(format, DATA, batch_rows=1)


def test_damage_costs_the_unit_that_it_is_in() -> None:
    format = format_of(SPEC)
    for place, left in ((2, [2, 3, 4, 5, 6, 7]), (11, [1, 4, 5, 6, 7]), (38, [1, 2, 3, 5, 6, 7])):
        damaged = bytearray(DATA)
        damaged[place + 1] = 0xFF
        assert numbers(format, bytes(damaged)) == left, place


@pytest.mark.slow
def test_readers_agree_on_damaged_inputs() -> None:
    format, chance = format_of(SPEC), random.Random(4)
    for _ in range(examples(150)):
        damaged = bytearray(DATA)
        for _ in range(chance.choice((1, 1, 3))):
            damaged[chance.randrange(len(damaged))] = chance.choice((0, 1, 2, 3, chance.randrange(256)))
        cut = chance.choice((len(damaged), len(damaged), chance.randrange(len(damaged))))
        agreed(format, bytes(damaged[:cut]), recover=chance.random() < 0.5, batch_rows=chance.choice((1, 1000)))


@pytest.mark.slow
def test_an_input_that_is_read_as_a_whole() -> None:
    spec = SPEC.replace(
        "  - {id: records, type: record, repeat: eos}",
        "  - {id: count, type: u1}\n  - {id: records, type: record, repeat: expr, repeat-expr: count}\n"
        "  - {id: end, contents: END}",
    )
    format = format_of(spec)
    data = b"\5" + DATA + b"END"
    assert not format.engine_refusal
    assert numbers(format, data) == [1, 2, 3, 4, 5, 6, 7]
    for end in range(len(data)):
        agreed(format, data[:end])


def test_conditions_and_units() -> None:
    spec = SPEC.replace("columns: [number, text]", "columns: [number]\n    where: number != 5\n    unit: records")
    assert numbers(format_of(spec), DATA) == [1, 2, 3, 4, 6, 7]


@pytest.mark.parametrize(
    ("ways", "sentence"),
    [
        ("[records.body.as<note>, others]", "all paths to the rows of a table must begin with the same attribute"),
        ("[records.body.as<note>, records.body.as<pages>.pages]", "page has no attribute or instance 'number'"),
        ("[records.body.as<note>, records.body.as<blob>]", 'the column "text" has two types: binary and utf8'),
        ("[records.body.as<note>, records.body.as<wide>]", 'the column "number" has two types: uint64 and uint16'),
        ("[records.body.as<note>, records.body.as<note>]", "one of them leads through the rows of the other"),
        ("[records.body.as<note>, records.body.as<nota>]", "no type nota"),
        ("[]", "expected a list of 1"),
    ],
)
def test_paths_that_do_not_go_together(ways: str, sentence: str) -> None:
    head, rest = SPEC.split("    rows:\n")
    spec = f"{head}    rows: {ways}\n    columns" + rest.partition("    columns")[2]
    spec = spec.replace("types:\n", "  - {id: others, type: note, repeat: eos}\ntypes:\n", 1)
    spec = spec.replace("3: pages}", "3: pages, 4: blob, 5: wide}") + UNFIT
    with pytest.raises(SpecError) as error:
        format_of(spec)
    assert sentence in str(error.value)


def test_what_is_around_the_rows_is_no_column() -> None:
    with pytest.raises(SpecError, match="no attribute or instance"):
        format_of(SPEC.replace("columns: [number, text]", "columns: [number, kind]"))


def test_rows_of_several_types() -> None:
    format = format_of(SEVERAL)
    assert not format.engine_refusal
    data = packed(4, struct.pack("<H", 903) + b"three") + DATA + packed(4, b"\1\0one") + packed(4, b"\0\0")
    rows = wireloom.read(format, data).to_pylist()
    assert [each["number"] for each in rows] == [3, 1, 2, 3, 4, 5, 6, 7, None, 0]
    assert [rows[place]["text"] for place in (0, -2, -1)] == ["three", "one", ""]
    assert wireloom.read(format, data).schema.field("number").type == "uint16"
    chance = random.Random(5)
    for _ in range(examples(100)):
        damaged = bytearray(data)
        damaged[chance.randrange(len(damaged))] = chance.choice((0, 1, 2, 4, 4, chance.randrange(256)))
        agreed(format, bytes(damaged[: chance.choice((len(damaged), chance.randrange(len(damaged))))]))


def test_rows_of_several_types_have_no_condition() -> None:
    spec = SPEC.replace("      - records.body.as<pages>.pages.notes", "      - records.body.as<wide>")
    spec = spec.replace("3: pages}", "3: wide}").replace(
        "columns: [number, text]", "columns: [text]\n    where: number > 1"
    )
    with pytest.raises(SpecError, match="'where' requires rows of one type"):
        format_of(spec + UNFIT)
