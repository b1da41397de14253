"""Variables: both readers agree about what is carried from unit to unit, on valid and damaged inputs."""

from __future__ import annotations

import struct
from random import Random
from typing import Any

import pytest
import wireloom
from hypothesis import given
from wireloom import Format, engine
from wireloom.format.registry import get as format_of

from ..unit.columns_backend.specs import format_of as spec_format
from ..vectors.cases import HERE
from .agreement import agreed
from .damage import damaged
from .strategies import bounded, randoms, some

SPEC = """
meta:
  id: made
  -wireloom: {rows: blocks.body.content.as<sample>, columns: [number, value, scaled, count, base, order]}
seq:
  - {id: blocks, type: block, repeat: eos}
instances:
  order: {value: 0, -wireloom: {variable: true}}
  base: {value: -7, -wireloom: {variable: true}}
  scales: {value: '[3, 4]', -wireloom: {variable: true}}
types:
  block:
    seq:
      - {id: kind, type: u1}
      - {id: len, type: u1}
      - {id: body, type: body, size: len}
      - {id: end, type: u1, valid: len}
  body:
    seq:
      - id: content
        type: {switch-on: _parent.kind, cases: {1: order, 2: scale, 3: samples_base, 4: sample, 5: sums}}
  order:
    seq: [{id: order, type: u1, valid: {max: 1}}]
    instances:
      next: {value: order, -wireloom: {sets: _root.order}}
  scale:
    seq: [{id: scale, type: s2le}]
    instances:
      next: {value: scale, -wireloom: {sets: _root.scales}}
  samples_base:
    seq: [{id: base, type: u8le}]
    instances:
      next: {value: base * 2 - _root.base, -wireloom: {sets: _root.base}}
  sample:
    meta: {endian: {switch-on: _root.order, cases: {0: le, 1: be}}}
    seq:
      - {id: number, type: u2}
      - {id: value, type: s4}
      - {id: pad, size: _root.base & 1}
    instances:
      scaled: {value: 'value * _root.scales[number]', if: number < _root.scales.size}
      count: {value: _root.scales.size}
      base: {value: _root.base}
      order: {value: _root.order}
  sums:
    seq:
      - {id: items, type: item, repeat: eos}
      - {id: rest, size: sum & 0}
    instances:
      sum: {value: 1, -wireloom: {variable: true}}
      last: {value: sum, -wireloom: {sets: _root.base}}
  item:
    seq: [{id: size, type: u1}]
    instances:
      next: {value: _parent.sum + size, -wireloom: {sets: _parent.sum}}
"""


def block(kind: int, body: bytes) -> bytes:
    return bytes((kind, len(body))) + body + bytes([len(body)])


def sample(sign: str, number: int, value: int, pad: int) -> bytes:
    return block(4, struct.pack(sign + "Hi", number, value) + bytes(pad))


GOOD = b"".join([
    sample("<", 0, 5, 1), sample("<", 2, 6, 1), block(2, b"\xff\xff"), sample("<", 2, 6, 1),
    block(1, b"\1"), sample(">", 1, -9, 1), block(3, struct.pack("<Q", 4)), sample(">", 9, -9, 1),
    block(5, b"\1\2\3"), sample(">", 2, 2, 1), block(5, b"\1\2"), sample(">", 2, 2, 0), block(1, b"\0"),
    block(2, b"\1\1"), sample("<", 3, 1 << 30, 0),
])  # fmt: skip
ROWS = [
    (0, 5, 15, 2, -7, 0), (2, 6, None, 2, -7, 0), (2, 6, -6, 3, -7, 0), (1, -9, -36, 3, -7, 1), (9, -9, None, 3, 15, 1),
    (2, 2, -2, 3, 7, 1), (2, 2, -2, 3, 4, 1), (3, 1 << 30, 257 << 30, 4, 4, 0),
]  # fmt: skip
READERS: tuple[dict[str, Any], ...] = (
    {},
    {"recover": True},
    {"batch_rows": 1},
    {"batch_rows": 3, "recover": True},
    {"mode": "failfast"},
    {"max_record": 12, "recover": True},
)


@pytest.fixture(scope="module")
def made(tmp_path_factory: pytest.TempPathFactory) -> Format:
    path = tmp_path_factory.mktemp("variables") / "made.ksy"
    path.write_text(SPEC)
    return wireloom.load_spec(path)


def test_the_engine_reads_them(made: Format) -> None:
    table = wireloom.read(made, GOOD, mode="failfast")
    assert [tuple(row.values()) for row in table.to_pylist()] == ROWS
    assert made.engine_refusal is None


@bounded(20, thorough=160)
@given(random=randoms)
def test_both_readers_agree(made: Format, random: Random) -> None:
    for data in (GOOD, damaged(random, GOOD), damaged(random, damaged(random, GOOD))):
        for options in some(random, READERS, 3):
            agreed(made, data, **options)


@pytest.mark.skipif(not engine.available, reason="compares the engine with objects")
@bounded(10)
@given(random=randoms)
def test_both_readers_agree_about_packets(random: Random) -> None:
    good = HERE.joinpath("pcapng", "little.pcapng").read_bytes()
    for data in (damaged(random, good), damaged(random, damaged(random, good))):
        for table in ("packets", "blocks", "interfaces"):
            agreed(format_of("pcapng"), data, table=table, recover=True)


FLOATS = """
meta: {id: floats, endian: le, -wireloom: {rows: blocks.rows, unit: blocks}}
seq:
  - {id: start, type: start}
  - {id: blocks, type: block, repeat: eos}
instances:
  scale: {value: 1.5, -wireloom: {variable: true}}
  total: {value: -0.25, -wireloom: {variable: true}}
types:
  start:
    seq: [{id: number, type: u1}]
    instances: {set: {value: number, -wireloom: {sets: _root.scale}}}
  block:
    seq:
      - {id: count, type: u1}
      - {id: rows, type: row, repeat: expr, repeat-expr: count}
      - {id: sum, type: u1, -wireloom: {checksum: {algorithm: sum8, over: rows}}}
      - {id: end, contents: [0xe0]}
    instances:
      mean: {value: 0.0, -wireloom: {variable: true}}
  row:
    seq:
      - {id: kind, type: u1}
      - {id: raw, type: s2}
      - {id: single, type: f4, if: kind == 1}
      - {id: double, type: f8, if: kind == 2}
      - {id: pad, size: '_root.scale > 2.0 ? 1 : 0'}
    instances:
      scaled: {value: raw * _root.scale}
      set:
        value: 'kind == 1 ? single : kind == 2 ? double : kind == 3 ? raw : _root.scale'
        -wireloom: {sets: _root.scale}
      sum: {value: _root.total + scaled, -wireloom: {sets: _root.total}}
      above: {value: _root.total > 10}
      mean: {value: (_parent.mean + raw) / 2, -wireloom: {sets: _parent.mean}}
      quotient: {value: 'raw == 0 and kind == 4 ? 1 / (raw * 1.0) : 0.5', -wireloom: {sets: _root.total}}
"""


@bounded(20, thorough=160)
@given(random=randoms)
def test_both_readers_agree_about_floats(random: Random) -> None:
    floats = spec_format(FLOATS)
    assert floats.engine_refusal is None
    scale = random.randrange(4)
    good, scale = bytes([scale]), float(scale)
    for _ in range(random.randrange(1, 9)):
        rows, count = b"", random.randrange(4)
        for _ in range(count):
            kind, raw = random.randrange(5), random.randrange(-3, 9)
            value = random.choice([1.1, float("nan"), float("inf"), -0.0, 2.5])
            rows += struct.pack("<Bh", kind, raw)
            rows += struct.pack("<f", value) if kind == 1 else struct.pack("<d", value) if kind == 2 else b""
            rows += b"x" * (scale > 2)
            scale = value if kind in (1, 2) else float(raw) if kind == 3 else scale
        good += bytes([count]) + rows + bytes([sum(rows) & 255, 0xE0])
    assert b"\4\0\0" in good or not agreed(floats, good)[1][0]["damaged"]
    for data in (good, damaged(random, good), damaged(random, damaged(random, good))):
        for options in some(random, READERS, 3):
            agreed(floats, data, **options)


LARGE = """
meta:
  id: large
  endian: le
  -wireloom: {rows: units, columns: [use, size]}
seq: [{id: units, type: unit, repeat: eos}]
instances:
  kept: {value: '[7, 8, 9]', -wireloom: {variable: true}}
types:
  unit:
    seq:
      - {id: use, type: u4}
      - {id: many, type: u4}
      - {id: pad, size: '_root.kept[use] & 16'}
      - {id: items, type: item, repeat: expr, repeat-expr: many}
    instances:
      size: {value: _root.kept.size}
  item:
    seq: [{id: number, type: u1}]
    instances:
      put: {value: number, -wireloom: {sets: _root.kept}}
"""


@pytest.mark.slow
@pytest.mark.parametrize("window", [None, 150_000])
def test_what_an_incomplete_unit_adds_takes_the_place_of_no_item(window: int | None) -> None:
    """The third unit uses one of the first items that are kept, and adds more than are kept."""
    units = ((2, 70_000), (5_000, 140_000), (210_000, 1), (9, 0))
    data = b"".join(struct.pack("<II", use, many) + bytes(many) for use, many in units)
    rows, [report] = agreed(spec_format(LARGE), data, columns=["use", "size"], window=window)
    assert rows["size"] == [70_003, 210_003, 210_004]
    # Item 9 is no longer kept.
    assert (report["tail"], report["tail_offset"]) == ("invalid_value", len(data) - 8)


TABLES = """
meta:
  id: tables
  -wireloom: {rows: blocks.body.content.as<sample>, columns: [number, pad, kept, next, known, weight]}
seq:
  - {id: blocks, type: block, repeat: eos}
instances:
  sizes: {-wireloom: {variable: {keys: integer, values: integer}}}
  sums: {-wireloom: {variable: {keys: integer, values: integer}}}
  weights: {-wireloom: {table: {0: 7, 1: -9, 2: 0x100000000, -9: 1}}}
types:
  block:
    seq:
      - {id: kind, type: u1}
      - {id: len, type: u1}
      - {id: body, type: body, size: len}
      - {id: sum, type: u1, -wireloom: {checksum: {algorithm: sum8, over: body}}}
      - {id: end, type: u1, valid: len}
  body:
    seq:
      - {id: content, type: {switch-on: _parent.kind, cases: {1: sizes, 2: sample}}}
  sizes:
    seq: [{id: items, type: size, repeat: eos}]
  size:
    seq: [{id: key, type: s1}, {id: size, type: u1}]
    instances:
      put: {value: size & 3, if: key != 3, -wireloom: {sets: '_root.sizes[key]'}}
      sum: {value: 'key * (_root.sums.has(size) ? _root.sums[size] : 1)', -wireloom: {sets: '_root.sums[size]'}}
  sample:
    seq:
      - {id: number, type: s1}
      - {id: pad, size: '_root.sizes[number]'}
    instances:
      kept: {value: '_root.sums[number]'}
      next: {value: '_root.sums[_root.sizes[number + 1]] + 1'}
      known: {value: '_root.sizes.has(number + 1)'}
      weight: {value: '_root.weights[_root.weights[number]] == 1 ? 1 : _root.weights[number]'}
"""


def checked(kind: int, body: bytes) -> bytes:
    return bytes((kind, len(body))) + body + bytes((sum(body) & 255, len(body)))


@bounded(20, thorough=160)
@given(random=randoms)
def test_both_readers_agree_about_tables(random: Random) -> None:
    tables = spec_format(TABLES)
    assert tables.engine_refusal is None
    good, sizes = b"", {-1: 0, 0: 1, 1: 2, 2: 0}
    for _ in range(random.randrange(1, 40)):
        if random.random() < 0.4:
            pairs = [(random.randrange(-1, 4), random.randrange(8)) for _ in range(random.randrange(3))]
            sizes.update((key, size & 3) for key, size in pairs if key != 3)
            good += checked(1, b"".join(struct.pack("bB", *each) for each in pairs))
        else:
            number = random.randrange(-2, 4)
            good += checked(2, struct.pack("b", number) + bytes(sizes.get(number, 0)))
    for data in (good, damaged(random, good), damaged(random, damaged(random, good))):
        for options in some(random, READERS, 3):
            agreed(tables, data, **options)
