"""Kinds of rows compared with plain ones, and rows inside units: compressed blocks."""

from __future__ import annotations

import random
import struct
import tempfile
from collections.abc import Callable, Iterator
from functools import partial
from pathlib import Path

import wireloom
import zstandard

from .data import drain
from .measure import Comparison, Work

ROWS = """
meta: {{id: {id}, endian: le, -wireloom: {{rows: rows, columns: [{columns}]}}}}
seq: [{{id: rows, type: row, repeat: eos}}]
types:
  row:
    seq:
      - {{id: at, type: u8}}
      - {{id: kind, type: u1}}
      - {{id: len, type: u1}}
      - {{id: body, size: len}}
{more}
"""

PLAIN = 38
"""Size in bytes of a plain row."""
KINDS = {
    "plain": ("at, kind, body", ""),
    "text": ("at, kind, text", "      - {id: text, size: 8, type: str, encoding: UTF-8}"),
    "computed": ("at, sum, body", "    instances: {sum: {value: at + kind}}"),
    "optional": ("at, kind, more", "      - {id: more, type: u4, if: kind < 2}"),
    "switched": ("at, kind, more", "      - {id: more, type: {switch-on: kind, cases: {0: u4, _: u2}}}"),
}

BLOCKS = """
meta: {id: bench_blocks, endian: le, -wireloom: {rows: units.body.rows, columns: [at, kind, body]}}
seq: [{id: units, type: unit, repeat: eos}]
types:
  unit:
    seq:
      - {id: len, type: u4}
      - {id: body, type: body, size: len, -wireloom: {codec: zstd}}
  body:
    seq: [{id: rows, type: row, repeat: eos}]
  row:
    seq:
      - {id: at, type: u8}
      - {id: kind, type: u1}
      - {id: len, type: u1}
      - {id: body, size: len}
"""


VALUES = """
meta: {{id: {id}, endian: le, -wireloom: {{rows: rows}}}}
seq: [{{id: rows, type: row, repeat: eos}}]
types:
  row:
    seq:
{fields}
  varint: {{-wireloom: {{varint: {{order: le}}}}}}
"""


def comparisons(size: int) -> Iterator[Comparison]:
    with tempfile.TemporaryDirectory() as folder:
        yield from _kinds(Path(folder), size)
        yield from _varints(Path(folder), size)
        yield from _blocks(Path(folder), size)


def _loaded(folder: Path, id: str, text: str) -> wireloom.Format:
    (folder / f"{id}.ksy").write_text(text)
    return wireloom.load_spec(folder / f"{id}.ksy")


def _row(chance: random.Random, number: int, *, body: int) -> tuple[int, bytes]:
    kind = chance.randrange(4)
    return kind, struct.pack("<QBB", number, kind, body) + chance.randbytes(body)


def _kinds(folder: Path, size: int) -> Iterator[Comparison]:
    """Compare the time per row: every row counts as ``PLAIN`` bytes."""
    more: dict[str, Callable[[int], bytes]] = {
        "plain": lambda kind: b"",
        "text": lambda kind: b"some tex",
        "computed": lambda kind: b"",
        "optional": lambda kind: b"1234" if kind < 2 else b"",
        "switched": lambda kind: b"1234" if kind == 0 else b"12",
    }
    works = {}
    for name, (columns, attributes) in KINDS.items():
        chance = random.Random(11)
        rows = [_row(chance, number, body=28) for number in range(2000)]
        data = b"".join(row + more[name](kind) for kind, row in rows)
        times = max(1, size // 4 // len(data))
        format = _loaded(folder, f"bench_{name}", ROWS.format(id=f"bench_{name}", columns=columns, more=attributes))
        works[name] = Work(f"{name} rows", PLAIN * len(rows) * times, partial(drain, format, data * times))
    titles = {
        "text": "a text column",
        "computed": "a computed column",
        "optional": "an attribute with an if",
        "switched": "a switch of two arms",
    }
    for name, title in titles.items():
        note = f"all count as {PLAIN} bytes, so that the ratio is that of the times of a row"
        yield Comparison(f"rows with {title}, beside plain rows", works[name], works["plain"], target=0.67, note=note)


def _varints(folder: Path, size: int) -> Iterator[Comparison]:
    """Compare the time per value: every value counts as eight bytes."""
    for count in (1, 3, 8, 20):
        chance = random.Random(14)
        values = [chance.randrange(1 << chance.randrange(1, 14)) for _ in range(2000 * count)]
        inputs = {"varint": b"".join(map(_natural, values)), "u8": struct.pack(f"<{len(values)}Q", *values)}
        times = max(1, size // 8 // (8 * len(values)))
        works = {}
        for type, data in inputs.items():
            fields = "\n".join(f"      - {{id: f{number}, type: {type}}}" for number in range(count))
            format = _loaded(folder, f"bench_{type}_{count}", VALUES.format(id=f"bench_{type}_{count}", fields=fields))
            works[type] = Work(f"rows of {type}", 8 * len(values) * times, partial(drain, format, data * times))
        title = f"rows of {count} varints of a byte or two, beside fields of eight bytes"
        note = "all values count as eight bytes, so that the ratio is that of the times of a value"
        yield Comparison(title, works["varint"], works["u8"], target=0.67, note=note)


def _blocks(folder: Path, size: int) -> Iterator[Comparison]:
    format = _loaded(folder, "bench_blocks", BLOCKS)
    chance = random.Random(12)
    words = [chance.randbytes(8) for _ in range(500)]

    def row(number: int) -> bytes:
        return struct.pack("<QBB", number, number % 4, 96) + b"".join(chance.choices(words, k=12))

    contents = [b"".join(map(row, range(5000))) for _ in range(4)]
    blocks = [zstandard.ZstdCompressor(level=3).compress(each) for each in contents]
    times = max(1, size // sum(map(len, contents)))
    data = b"".join(struct.pack("<I", len(each)) + each for each in blocks) * times
    decompressor = zstandard.ZstdDecompressor()

    def alone() -> None:
        for _ in range(times):
            for each in blocks:
                decompressor.decompress(each)

    raw = times * sum(map(len, contents))
    yield Comparison(
        "rows of 106 bytes in zstd blocks → Arrow",
        Work("wireloom", raw, partial(drain, format, data)),
        Work("python-zstandard, block by block", raw, alone),
        target=0.85,
        note=f"{sum(map(len, contents)) / sum(map(len, blocks)):.1f} to 1",
    )


def _natural(left: int) -> bytes:
    found = bytearray()
    while left > 127:
        found.append(left & 127 | 128)
        left >>= 7
    return bytes((*found, left))
