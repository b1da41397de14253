"""The lowering of row types: the steps, and the one sentence if the engine cannot run them."""

from __future__ import annotations

import pytest
from wireloom.codegen.backends.columns import BACKEND
from wireloom.format.program import TIME_UNITS, ChecksumRule, Kind, Op, Outcome, Reason, Step, Storage, Stuffing

from .cases import SPECS
from .specs import compiled, planned, spec_text

EDGEMQ = """
seq:
  - {id: len, type: u4be, valid: {min: 13}}
  - {id: crc32c, type: u4be, -wireloom: {checksum: {algorithm: crc32c, over: payload}}}
  - {id: fmt, type: u1}
  - {id: tenant, type: u4be}
  - {id: ts_millis, type: u8be}
  - {id: payload, size: len - 13}
instances:
  ts: {value: ts_millis, -wireloom: {timestamp: ms}}
"""


def test_a_frame() -> None:
    program, refusal = compiled(spec_text(EDGEMQ, meta="columns: [fmt, tenant, ts, payload]\nselectable: [len]"))
    assert refusal is None
    assert program is not None
    assert program.steps == (
        Step(Op.NEED, 4),
        Step(Op.REGISTER_FIXED, 0, Kind.U4BE, 0),
        Step(Op.COLUMN_FIXED, 4, Kind.U4BE, 0),
        Step(Op.CHECK_RANGE, 0, Outcome.LOST | Reason.LENGTH << 8, 13, 0xFFFFFFFF),
        Step(Op.NEED, 17),
        Step(Op.REGISTER_FIXED, 1, Kind.U4BE, 0),
        Step(Op.COLUMN_FIXED, 0, Kind.U1, 4),
        Step(Op.COLUMN_FIXED, 1, Kind.U4BE, 5),
        Step(Op.REGISTER_FIXED, 2, Kind.U8BE, 9),
        Step(Op.MARK, 0, 0, 17),
        Step(Op.BYTES_REGISTER, 0, 0, -13),
        Step(Op.COLUMN_BYTES, 3, 0),
        Step(Op.MARK, 1, 1),
        Step(Op.CHECKSUM, 0, 1, 0, 1),
        Step(Op.COLUMN_TIMESTAMP, 2, 2, TIME_UNITS.index("ms")),
        Step(Op.END),
    )
    assert program.columns == (Storage.FIXED8, Storage.FIXED32, Storage.FIXED64, Storage.VARIABLE, Storage.FIXED32)
    assert program.checksums == (ChecksumRule("crc32c", 0xFFFFFFFF, 0xFFFFFFFF),)
    assert (program.registers, program.spans, program.marks) == (3, 1, 2)


def test_fields_that_nothing_needs_have_no_register() -> None:
    program, _ = compiled(
        spec_text("seq:\n  - {id: a, type: u4}\n  - {id: b, type: u2}", meta="columns: [b]\nselectable: []")
    )
    assert program is not None
    assert program.registers == 0
    assert program.steps == (Step(Op.NEED, 6), Step(Op.COLUMN_FIXED, 0, Kind.U2LE, 4), Step(Op.END))


def test_long_stretches_are_passed_over() -> None:
    row = "seq:\n  - {id: a, type: u1}\n  - {id: b, size: 100000}\n  - {id: c, size: 60000}\n  - {id: d, size: 60000}"
    program, _ = compiled(spec_text(row, meta="columns: [a]\nselectable: []"))
    assert program is not None
    assert [(step.op, step.a or step.c) for step in program.steps] == [
        (Op.NEED, 1),
        (Op.COLUMN_FIXED, 0),
        (Op.BYTES_FIXED, 100_000),
        (Op.NEED, 60_000),
        (Op.NEED, 60_000),
        (Op.END, 0),
    ]


def test_delimiter_and_stuffing_are_part_of_the_program() -> None:
    program, _ = compiled(SPECS["framed"])
    assert program is not None
    assert program.delimiter == b"\xfe\xfd"
    assert program.stuffing is Stuffing.WORD


def test_presets_are_those_that_rows_use() -> None:
    program, _ = compiled(SPECS["prologue"])
    assert program is not None
    assert program.preset == ("width", "base")


@pytest.mark.parametrize("name", SPECS)
def test_the_emitted_source_is_the_program(name: str) -> None:
    plan = planned(SPECS[name])
    texts = {each.path.rpartition("/")[2]: each.text for each in BACKEND.files(plan)}
    emitted: dict[str, object] = {}
    exec(texts["columns.py"], emitted)
    program, _ = compiled(SPECS[name])
    assert emitted["PROGRAM"] == program
    assert program is not None
    package: dict[str, object] = {"__doc__": ""}
    exec(texts["__init__.py"], package)
    assert len(package["FORMAT"].columns) == len(program.columns)  # type: ignore[attr-defined]


REFUSED = {
    "encoding": ("{id: a, type: str, size: 4, encoding: Shift_JIS}", "the encoding Shift_JIS"),
    "process": ("{id: a, size: 4, process: 'xor([5, 6])'}", "by several bytes"),
    "float with valid": ("{id: a, type: f4, valid: {min: 1}}", '"a" is a float with "valid"'),
    "bytes with valid": ("{id: a, size: 1, valid: {expr: '_.max == 3'}}", 'uses ".max"'),
    "too large": ("{id: a, type: u8}\n- {id: b, size: a * a * a + 1}", "127 bits"),
    "wide shift": ("{id: a, type: u1}\n- {id: b, size: a << 128}", "shifts by 128 bits"),
    "switch of floats and integers": (
        "{id: b, type: u1}\n- {id: a, type: {switch-on: b, cases: {1: f4, 2: u2}}}",
        "floats and other numbers",
    ),
    "compressed switch": (
        "{id: b, type: u1}\n- {id: a, size: 4, type: {switch-on: b, cases: {1: pair}}, -wireloom: {codec: lz4}}",
        'the type of "a" is a switch, and it is compressed: give each type an attribute of its own, with "if"',
    ),
}


@pytest.mark.parametrize("field", ["{id: a, type: u1, repeat: eos}", "{id: a, size-eos: true}"])
def test_rows_that_may_take_what_is_left_are_read_as_a_whole(field: str) -> None:
    program, refusal = compiled(spec_text(f"seq: [{field}]"))
    assert refusal is None
    assert program is not None
    assert program.whole


@pytest.mark.parametrize("name", REFUSED)
def test_refusals(name: str) -> None:
    field, sentence = REFUSED[name]
    types = "pair:\n  seq:\n    - {id: x, type: u1}\n    - {id: y, type: u1}"
    row = "seq:\n" + "\n".join(f"  {line}" for line in f"- {field}".split("\n"))
    program, refusal = compiled(spec_text(row, types=types, meta="columns: [a]"))
    assert program is None
    assert refusal is not None
    assert sentence in refusal


def test_rows_of_a_size_are_read_as_units() -> None:
    row = "seq:\n  - {id: a, type: u1}\n  - {id: rest, size-eos: true}"
    program, refusal = compiled(spec_text(row, attribute="size: 5"))
    assert refusal is None
    assert program is not None
    assert [each.op for each in program.steps][:2] == [Op.LIMIT_FIXED, Op.ROW]
