"""Plain rows written by the engine: the same bytes as by the rows' classes, and the same errors."""

from __future__ import annotations

import io
import random
import struct
from typing import Any

import pyarrow as pa
import pytest
import wireloom
from hypothesis import given, settings
from hypothesis import strategies as st
from wireloom import engine
from wireloom.format import registry
from wireloom.writing import RowEncoder, columns

from ...examples import examples
from ...writing import bytes_of
from ..specs import format_of

pytestmark = pytest.mark.skipif(not engine.available, reason="the engine is not there")

KINDS = ["u1", "s1", *(f"{sign}{size}" for sign in "us" for size in (2, 4, 8)), "f4", "f8"]
EVERY_KIND = "\n".join(
    [
        "meta: {{id: every_kind, endian: {order}, -wireloom: {{rows: items}}}}",
        "seq: [{{id: items, type: item, repeat: eos}}]",
        "types:",
        "  item:",
        "    seq:",
        *(f"      - {{{{id: field_{kind}, type: {kind}}}}}" for kind in KINDS),
        "      - {{id: size, type: u2}}",
        "      - {{id: text, type: str, encoding: UTF-8, size: size}}",
    ]
)


def by_class(format: Any, batch: pa.RecordBatch) -> bytes:
    encoder = RowEncoder(format)
    encoder.plain = None
    return b"".join(encoder.encode(batch))


def by_engine(format: Any, batch: pa.RecordBatch, **options: Any) -> bytes:
    encoder = RowEncoder(format, **options)
    assert encoder._columns is not None
    return b"".join(bytes(block) for block in encoder.blocks(batch))


def batch_of(format: str, rows: int, randomness: random.Random) -> pa.RecordBatch:
    payloads = [
        randomness.randbytes(randomness.choice([0, 1, 30, 63, 64, 252, 253, 254, 255, 600])) for _ in range(rows)
    ]
    payloads = [
        bytes(b"\xfe\xfd\0"[each % 3] if randomness.random() < 0.5 else each for each in one) for one in payloads
    ]
    values: dict[str, Any] = {"payload": pa.array(payloads, pa.binary())}
    if format == "word_stuffed_log":
        values["generation"] = pa.array([randomness.getrandbits(32) for _ in range(rows)], pa.uint32())
    if format == "edgemq_segment":
        values["fmt"] = pa.array([randomness.getrandbits(8) for _ in range(rows)], pa.uint8())
        values["tenant"] = pa.array([randomness.getrandbits(32) for _ in range(rows)], pa.uint32())
        times = pa.array([randomness.getrandbits(43) for _ in range(rows)], pa.int64())
        values["ts"] = times.cast(pa.timestamp("ms", "UTC"))
    return pa.record_batch(values)


@pytest.mark.parametrize("format", ["edgemq_segment", "word_stuffed_log", "cobs_log"])
def test_parts_of_batches_whose_buffers_begin_before_them_give_the_bytes_of_the_class(format: str) -> None:
    found, batch = registry.get(format), batch_of(format, 60, random.Random(1))
    for part in (batch, batch.slice(20, 30)):
        assert by_engine(found, part) == by_class(found, part)


@pytest.mark.parametrize("order", ["le", "be"])
def test_every_kind_of_number(order: str) -> None:
    format = format_of(EVERY_KIND.format(order=order))
    randomness = random.Random(2)
    rows = 200
    values: dict[str, Any] = {}
    for kind in KINDS:
        type = format.schema.field(f"field_{kind}").type
        raw = randomness.randbytes(rows * type.bit_width // 8)
        if kind[0] == "f":
            raw = struct.pack(f"<{rows}{'fd'[kind[1] == '8']}", *(randomness.uniform(-1e30, 1e30) for _ in range(rows)))
        values[f"field_{kind}"] = pa.Array.from_buffers(type, rows, [None, pa.py_buffer(raw)])
    values["text"] = ["größe" * randomness.randint(0, 9) for _ in range(rows)]
    batch = pa.record_batch(values)
    content = by_engine(format, batch)
    assert content == by_class(format, batch)
    assert wireloom.read(format, content).select(batch.schema.names).equals(pa.Table.from_batches([batch]))


SUM = "type: u4, -wireloom: {checksum: {algorithm: crc32c, over: "
LAYOUTS: dict[str, tuple[str, tuple[str | int | None, ...] | None]] = {
    "numbers": ("{id: a, type: u2}, {id: b, type: s8}, {id: c, type: f4}", ("a", "b", "c")),
    "size": ("{id: n, type: u1}, {id: a, type: u2}, {id: b, size: n - 3}", (3, "a")),
    "two sizes": ("{id: n, type: u1}, {id: m, type: u4, valid: n + 1}, {id: b, size: n}", None),
    "least size": ("{id: n, type: u1, valid: {min: 2}}, {id: b, size: n - 2}", (2,)),
    "size too small": ("{id: n, type: u1, valid: {min: 3}}, {id: b, size: n - 2}", None),
    "half a size": ("{id: n, type: u1}, {id: b, size: n * 2}", None),
    "signed size": ("{id: n, type: s1}, {id: b, size: n}", None),
    "size of text": ("{id: n, type: u2}, {id: t, type: str, encoding: UTF-8, size: n}", (0,)),
    "other text": ("{id: n, type: u2}, {id: t, type: str, encoding: UTF-16LE, size: n}", None),
    "terminated": ("{id: a, type: u2}, {id: t, type: strz, encoding: UTF-8}", None),
    "two strings": ("{id: n, type: u1}, {id: a, size: n}, {id: m, type: u1}, {id: b, size: m}", None),
    "range": ("{id: a, type: u2, valid: {max: 300}}", None),
    "condition": ("{id: a, type: u2}, {id: b, type: u2, if: a > 0}", None),
    "bits": ("{id: a, type: b4}, {id: b, type: b4}", None),
    "orders": ("{id: a, type: u2le}, {id: b, type: u2be}", None),
    "contents": ("{id: magic, contents: ab}, {id: a, type: u2}", None),
    "sum": (f"{{id: s, {SUM}[n, b]}}}}}}, {{id: n, type: u1}}, {{id: b, size: n}}", (None, 0)),
    "sum of numbers": (f"{{id: a, type: u4}}, {{id: c, type: u2}}, {{id: s, {SUM}[a, c]}}}}}}", ("a", "c", None)),
    "computed": ("{id: a, type: u2}], instances: {twice: {value: a * 2}}, doc-ref: [x", ("a",)),
    "default": ("{id: a, type: u2, -wireloom: {default: 7}}, {id: c, type: u2}", ("a", "c")),
}
"""Attributes of rows, and what a writer without the class puts into each number; ``None``: the class writes them."""


@pytest.mark.parametrize("name", LAYOUTS)
def test_layouts(name: str) -> None:
    """The rows are plain exactly where the class takes no other step, and the bytes are the same either way."""
    seq, fields = LAYOUTS[name]
    format = format_of(
        "meta: {id: layout, endian: le, bit-endian: be, -wireloom: {rows: items}}\n"
        "seq: [{id: items, type: item, repeat: eos}]\n"
        f"types: {{item: {{seq: [{seq}]}}}}\n"
    )
    assert (format.plain and format.plain.fields) == fields
    strings = {"a": [b"", b"abc"], "b": [b"abcd", b"xy"], "t": ["", "g\xf6\xdf"]}
    values = {}
    for each in format.columns:
        kind = format.schema.field(each.name).type
        one = strings[each.name] if pa.types.is_binary(kind) or pa.types.is_string(kind) else [1, 3]
        if not each.derived:
            values[each.name] = pa.array(one, kind)
    batch = pa.record_batch(values)
    assert b"".join(RowEncoder(format).encode(batch)) == by_class(format, batch)
    if fields is not None:
        assert by_engine(format, batch) == by_class(format, batch)


@given(st.lists(st.binary(max_size=300), max_size=20), st.sampled_from([1, 64, 4096]))
@settings(max_examples=examples(40), deadline=None)
def test_blocks_of_any_size(payloads: list[bytes], size: int) -> None:
    format = registry.get("cobs_log")
    batch = pa.record_batch({"payload": pa.array(payloads, pa.binary())})
    before, columns.BLOCK = columns.BLOCK, size
    try:
        assert by_engine(format, batch) == by_class(format, batch)
    finally:
        columns.BLOCK = before


def test_padding() -> None:
    found = registry.get("edgemq_segment")
    batch = batch_of("edgemq_segment", 10, random.Random(3))
    rows = RowEncoder(found, padding=bytes(13)).encode(batch)
    assert by_engine(found, batch, padding=bytes(13)) == b"".join(rows)


def test_other_types_of_columns() -> None:
    """What can be cast is; for nulls or other types in an array, the row's class reports the error."""
    rows = {"fmt": [0, 1], "tenant": [1, 2], "ts_millis": [5, 6], "payload": ["a", "b"]}
    plain = pa.table(rows)
    other = pa.table(
        {
            "fmt": pa.array([0, 1], pa.int64()),
            "tenant": pa.array([1, 2]).dictionary_encode(),
            "ts": pa.array([5, 6], pa.timestamp("ms")),
            "payload": pa.array([b"a", b"b"], pa.large_binary()),
        }
    )
    written = []
    for table in (plain, other):
        written.append(bytes_of("edgemq_segment", table, codec="none"))
    assert written[0] == written[1]


@pytest.mark.parametrize("bad", [0, 7, 29])
def test_a_row_that_is_too_large_is_named(bad: int) -> None:
    payloads = [b"x" * (5000 if row == bad else 10) for row in range(30)]
    target = io.BytesIO()
    with pytest.raises(wireloom.WireloomError, match=f"row {bad} has 50.. bytes when written, more than max_record"):
        wireloom.write("cobs_log", {"payload": payloads}, target, max_record=1000)


def test_a_text_that_is_longer_than_its_size_field() -> None:
    format = format_of(
        "meta: {id: short, -wireloom: {rows: items}}\n"
        "seq: [{id: items, type: item, repeat: eos}]\n"
        "types: {item: {seq: [{id: size, type: u1}, {id: body, size: size}]}}\n"
    )
    with pytest.raises(wireloom.WireloomError, match="row 2 cannot be written"):
        wireloom.write(format, {"body": [b"", b"x" * 255, b"x" * 256]}, io.BytesIO())
