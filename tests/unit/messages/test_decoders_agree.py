"""The engine's decoder and that of the generated classes return the same rows and the same problems."""

from __future__ import annotations

import json
from collections.abc import Sequence
from functools import cache
from pathlib import Path
from random import Random
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from wireloom import Format, engine
from wireloom.format import registry
from wireloom.format.message_program import MessageProgram
from wireloom.rows.select import decoder_of

from ...differential.damage import WIRE, damaged
from ...examples import examples
from ..columns_backend.message_specs import AGGREGATE, KINDS, STREAM, computed_spec
from ..columns_backend.specs import format_of
from .random_specs import random_spec
from .units import Outcome, enveloped, outcome
from .wire_inputs import Messages

pytestmark = pytest.mark.skipif(not engine.available, reason="the engine is not there to agree with")

VECTORS = Path(__file__).parents[2] / "vectors"
DEEP = """
meta:
  id: deep
  -wireloom:
    message: {type: node, columns: [n, label]}
types:
  node:
    -wireloom:
      message:
        max-depth: 4
        fields:
          - {id: n, number: 1, type: uint32}
          - {id: next, number: 2, type: node}
          - {id: more, number: 3, type: node, label: repeated}
          - {id: by_name, number: 4, type: node, map-key: string}
          - {id: label, number: 5, type: string}
"""

TABLE = """
meta:
  id: table
  -wireloom:
    message: {type: unit, rows: items, columns: [text]}
types:
  unit:
    -wireloom:
      message:
        fields:
          - {id: items, number: 1, type: item, label: repeated}
          - {id: table, number: 2, type: string, label: repeated}
  item:
    -wireloom: {message: {fields: [{id: i, number: 1, type: KIND}]}}
    instances:
      text: {value: '_parent.table[i]'}
"""

WORDED_ALIKE = ("index", "value", "magic", "length", "digest")
"""The reasons whose sentences do not name a field inside the message."""

DEFAULTS = """
meta:
  id: defaults
  -wireloom:
    message: {type: sample, columns: []}
enums:
  color: {0: red, 7: blue}
types:
  sample:
    -wireloom:
      message:
        syntax: proto2
        fields:
          - {id: n, number: 1, type: int32, default: -3}
          - {id: t, number: 2, type: bytes, default: dflt}
          - {id: b, number: 3, type: bool, default: true}
          - {id: c, number: 4, type: color, default: blue}
          - {id: d, number: 5, type: double, default: 1.5}
          - {id: absent, number: 6, type: int32}
    instances:
      same_n: {value: n}
      more: {value: n + 1}
      chosen: {value: 'b ? t.length : 0'}
      is_blue: {value: 'c == color::blue'}
      same_c: {value: c}
      size: {value: t.length, if: n == -3}
      nothing: {value: absent + n}
"""


def program_of(format: Format) -> MessageProgram:
    program = format.message_program
    assert program is not None, format.engine_refusal
    return program


def agree(
    format: Format,
    units: Sequence[bytes],
    wanted: Sequence[int] | None = None,
    *,
    capacity: int = 1 << 20,
    **options: bool,
) -> Outcome:
    """Decode the units in both ways; return the result."""
    numbers = tuple(range(len(format.columns)) if wanted is None else wanted)
    by_engine, by_objects = (
        outcome(decoder_of(name, format, numbers, **options), format, numbers, units, capacity=capacity)
        for name in ("columns", "objects")
    )
    shown = [each.hex() for each in units]
    assert by_engine.counts == by_objects.counts, shown
    assert [found_wrong(each) for each in by_engine.problems] == [found_wrong(each) for each in by_objects.problems], (
        shown
    )
    assert by_engine.wholes == by_objects.wholes, shown
    assert by_engine.rows == by_objects.rows, shown
    assert by_engine.units == by_objects.units, shown
    for one, other in zip(by_engine.problems, by_objects.problems, strict=True):
        assert one.detail
        assert other.detail
        # In a message one names the invalid value, the other its field.
        assert one.offset == other.offset or one.reason == "message", shown
        assert one.detail == other.detail or one.reason not in WORDED_ALIKE, shown
    return by_engine


def found_wrong(problem: Any) -> tuple[int, str, int]:
    return problem.unit, problem.reason, problem.rows


def units_of(format: Format, random: Random, count: int, odd: float) -> list[bytes]:
    """Return random units, most of which are valid, and some damaged ones."""
    program = program_of(format)
    messages = Messages(random, program.types, odd)
    units = []
    for _ in range(count):
        message = messages.message()
        if random.random() < odd:
            message = damaged(random, message, WIRE)
        unit = enveloped(message, program.envelope.prefix) if program.envelope.digest else message
        units.append(damaged(random, unit, WIRE) if random.random() < odd / 2 else unit)
    return units


@cache
def formats() -> dict[str, Format]:
    return {
        "aggregate": format_of(AGGREGATE),
        "stream": format_of(STREAM),
        "ack": format_of(STREAM).of_table("ack"),
        "kinds": format_of(KINDS),
        "computed": format_of(computed_spec()),
    }


@pytest.mark.slow
@pytest.mark.parametrize("name", ["aggregate", "stream", "ack", "kinds", "computed"])
@given(data=st.data())
@settings(max_examples=examples(60))
def test_fixed_programs(name: str, data: st.DataObject) -> None:
    format = formats()[name]
    random = data.draw(st.integers(0, 1 << 32).map(Random))
    odd = data.draw(st.sampled_from([0.0, 0.03, 0.3]))
    wanted = data.draw(st.none() | st.sets(st.integers(0, len(format.columns) - 1)).map(sorted))
    agree(
        format,
        units_of(format, random, 12, odd),
        wanted,
        capacity=data.draw(st.sampled_from([1, 3, 1 << 20])),
        null_rows=data.draw(st.booleans()),
        verify=data.draw(st.booleans()),
    )


@pytest.mark.slow
@given(seed=st.integers(0, 1 << 32), odd=st.sampled_from([0.0, 0.03, 0.3]), null_rows=st.booleans())
@settings(max_examples=examples(120))
def test_random_programs(seed: int, odd: float, null_rows: bool) -> None:
    random = Random(seed)
    format = format_of(random_spec(random))
    units = units_of(format, random, 16, odd)
    agree(format, units, null_rows=null_rows)
    some = [number for number in range(len(format.columns)) if random.random() < 0.4]
    agree(format, units, some, null_rows=null_rows, capacity=4)


@pytest.mark.slow
@pytest.mark.parametrize("name", ["aggregate", "stream", "kinds"])
@given(units=st.lists(st.binary(max_size=24), max_size=8))
def test_random_bytes(name: str, units: list[bytes]) -> None:
    agree(formats()[name], units)


@pytest.mark.parametrize("depth", range(1, 8))
def test_depth(depth: int) -> None:
    format = format_of(DEEP)
    units = []
    for tag in (b"\x12", b"\x1a", b"\x22"):
        for unit in (b"", b"\x2a\1a", b"\xff"):
            for _ in range(depth):
                unit = tag + bytes([len(unit)]) + unit
            units.append(unit)
    units += [b"\x33" * depth + b"\x34" * depth, b"\x12\x14" + b"\x33" * 10 + b"\x34" * 10]
    agree(format, units)
    wanted = (0,)
    for maximum in (1, 2, 6):
        outcomes = [
            outcome(decoder_of(name, format, wanted, max_depth=maximum), format, wanted, units)
            for name in ("columns", "objects")
        ]
        assert outcomes[0].counts == outcomes[1].counts
        assert [found_wrong(each) for each in outcomes[0].problems] == [
            found_wrong(each) for each in outcomes[1].problems
        ]


def test_declared_defaults_are_computed_with() -> None:
    format = format_of(DEFAULTS)
    fields = {"n": -3, "t": b"dflt", "b": True, "c": 7, "d": "1.5", "absent": None}
    computed = {"same_n": -3, "more": -2, "chosen": 4, "is_blue": True, "same_c": 7, "size": 4}
    assert agree(format, [b""]).rows == [{**fields, **computed, "nothing": None}]
    (row,) = agree(format, [b"\x08\5\x12\0\x18\0\x20\0\x30\1"]).rows
    assert (row["same_n"], row["more"], row["chosen"], row["is_blue"], row["size"]) == (5, 6, 0, False, None)
    assert row["nothing"] == 6


@pytest.mark.slow
def test_random_inputs_give_rows_and_every_reason() -> None:
    found = [
        agree(format_of(random_spec(random)), units_of(format_of(random_spec(Random(seed))), random, 60, 0.1))
        for seed in range(20)
        for random in [Random(seed)]
    ]
    assert sum(len(each.rows) for each in found) > 100
    reasons = {problem.reason for each in found for problem in each.problems}
    assert {"message", "index", "value", "length"} <= reasons


# Vectors -------------------------------------------------------------------------------------------------------------


def rows_of_file(*path: str) -> list[dict[str, Any]]:
    with VECTORS.joinpath(*path).open(encoding="utf-8") as file:
        return [json.loads(line) for line in file]


def blob_of(row: dict[str, Any]) -> bytes:
    if "blob_hex" in row:
        return bytes.fromhex(row["blob_hex"])
    return (VECTORS / "kpl" / row["blob_file"]).read_bytes()


@pytest.mark.slow
@pytest.mark.parametrize("name", ["valid", "unusual", "plain", "malformed", "hash_range"])
@pytest.mark.parametrize("null_rows", [False, True])
def test_kpl_vectors(name: str, null_rows: bool) -> None:
    format = registry.get("kpl_aggregated_record")
    blobs = [blob_of(each) for each in rows_of_file("kpl", f"{name}.jsonl")]
    found = agree(format, blobs, null_rows=null_rows)
    assert len(found.counts) == len(blobs)
    agree(format, blobs, (2, 3), null_rows=null_rows, verify=False)


KIND_OF = {"AppendInput": "append_input", "AppendAck": "append_ack", "ReadBatch": "read_batch"}


@pytest.mark.slow
@pytest.mark.parametrize("kind", KIND_OF.values())
def test_s2_vectors(kind: str) -> None:
    format = registry.get("s2_messages").of_table(kind)
    units = [
        bytes.fromhex(each["hex"]) for each in rows_of_file("s2", "messages.jsonl") if KIND_OF.get(each["type"]) == kind
    ]
    assert agree(format, units).rows
    # Frames whose body is not compressed contain a message after their four bytes.
    bodies = [
        bytes.fromhex(each["hex"])[4:]
        for name in ("frames", "malformed")
        for each in rows_of_file("s2", f"{name}.jsonl")
        if "hex" in each and KIND_OF.get(each.get("type", "")) == kind
    ]
    agree(format, bodies)
    damages = Random(7)
    agree(format, [damaged(damages, each, WIRE) for each in units for _ in range(20)], null_rows=True)


@pytest.mark.parametrize("index", [2, (1 << 32) + 2, (1 << 63) - 1, 1 << 63, (1 << 64) - 1])
@pytest.mark.parametrize("kind", ["uint64", "int64"])
def test_indices_without_an_item_are_worded_alike(kind: str, index: int) -> None:
    format = format_of(TABLE.replace("KIND", kind))
    written = bytearray()
    value = index
    while value > 0x7F:
        written.append(value & 0x7F | 0x80)
        value >>= 7
    item = b"\x08" + bytes([*written, value])
    (problem,) = agree(format, [b"\x0a" + bytes([len(item)]) + item + b"\x12\x01a\x12\x01b"]).problems
    named = "of that index" if index >= 1 << 63 else str(index)
    assert problem.detail == f"row 0, text: there is no item {named}, the table has 2"
