"""Parts of rows that one byte selects: many rows with each of them, so that the engine reads them in blocks."""

from __future__ import annotations

import random
import struct
from pathlib import Path

import crc32c
import pyarrow.compute as pc
import pytest
import wireloom

from .agreement import agreed

SPEC = """
meta: {id: conditions, endian: le, -wireloom: {rows: rows, columns: [at, kind, more, body, maybe]}}
seq: [{id: rows, type: row, repeat: eos}]
types:
  row:
    seq:
      - {id: at, type: u8}
      - {id: kind, type: u1}
      - {id: len, type: u1}
      - {id: more, type: pair, if: kind < 2}
      - {id: body, type: {switch-on: kind, cases: {0: pair, 1: byte}}}
      - {id: maybe, size: len, if: kind != 1}
  pair:
    seq: [{id: a, type: u2}, {id: b, type: s4}]
  byte:
    seq: [{id: c, type: u1}]
"""


def test_structs_and_bytes_that_only_some_rows_have(tmp_path: Path) -> None:
    path = tmp_path / "conditions.ksy"
    path.write_text(SPEC)
    format = wireloom.load_spec(path)
    chance = random.Random(5)
    rows = []
    for number in range(1000):
        kind, size = chance.randrange(4), chance.randrange(6)
        parts = {0: 12 + size, 1: 7}.get(kind, size)
        rows.append(struct.pack("<QBB", number, kind, size) + chance.randbytes(parts))
    found, files = agreed(format, b"".join(rows))
    assert len(found["at"]) == 1000
    assert not files[0]["damaged"]
    assert any(found["more"])
    assert None in found["more"]


PARTS = """
meta: {id: parts, endian: le, -wireloom: {rows: rows, columns: [COLUMNS]}}
seq: [{id: rows, type: row, repeat: eos}]
types:
  row:
    seq:
      - {id: kind, type: u1}
      - {id: len, type: u1}
      - {id: body, size: len}
      - {id: maybe, type: u4, if: kind < 2}
      - {id: either, type: {switch-on: kind, cases: {0: u4, _: u2}}}
      - {id: size, type: u1}
      - {id: rest, size: size}
      - {id: struct, type: {switch-on: kind, cases: {1: pair, _: byte}}}
      - {id: sound, type: u1, valid: {max: 3}, if: kind != 1}
  pair:
    seq: [{id: a, type: u2}, {id: b, type: s4}]
  byte:
    seq: [{id: c, type: s1}]
"""


@pytest.mark.parametrize("columns", ["kind, maybe, either, struct", "kind, body, maybe, either, rest, struct, sound"])
def test_parts_of_fixed_sizes(columns: str, tmp_path: Path) -> None:
    """Between byte strings; the last row is cut anywhere, and one row is damaged."""
    path = tmp_path / "parts.ksy"
    path.write_text(PARTS.replace("COLUMNS", columns))
    format = wireloom.load_spec(path)
    chance = random.Random(6)

    def row(kind: int, sound: int) -> bytes:
        texts = [chance.randbytes(chance.randrange(5)) for _ in range(2)]
        first, second = (bytes((len(each),)) + each for each in texts)
        middle = chance.randbytes(4 * (kind < 2) + (4 if kind == 0 else 2))
        last = chance.randbytes(6 if kind == 1 else 1) + (bytes((sound,)) if kind != 1 else b"")
        return bytes((kind,)) + first + middle + second + last

    rows = [row(chance.randrange(4), chance.randrange(4)) for _ in range(700)]
    data = b"".join([*rows[:400], row(3, 9), *rows[400:]])
    found, files = agreed(format, data)
    assert (len(found["kind"]), files[0]["tail"]) == (701, "clean")
    for cut in range(1, len(rows[-1]) + 1):
        found, files = agreed(format, data[:-cut])
        assert len(found["kind"]) == 700


HEADED = """
meta: {id: headed, endian: le, -wireloom: {rows: rows, columns: [COLUMNS]}}
seq: [{id: rows, type: row, repeat: eos}]
types:
  row:
    seq:
      - {id: len, type: u1}
      - {id: kind, type: u1}
PARTS
      - {id: last, type: u1}
CHECKSUM
  pair:
    seq: [{id: a, type: u2}, {id: b, type: s4}]
  byte:
    seq: [{id: c, type: s1}]
"""
MAYBE = "      - {{id: part{}, type: u4, if: 6 / kind > 2}}"
EITHER = "      - {{id: part{}, type: {{switch-on: kind, cases: {{1: pair, _: byte}}}}}}"
SIZED = "      - {{id: part{}, size: len - 1}}"
CHECKSUM = "      - {id: crc, type: u4, -wireloom: {checksum: {algorithm: crc32c, over: [len, last]}}}"


def part(kind: str, first: int, size: int) -> bytes:
    sizes = {MAYBE: 4 * (first < 3), EITHER: 6 if first == 1 else 1, SIZED: size - 1}
    return bytes(range(sizes[kind]))


ALL_PARTS = [[MAYBE], [SIZED, EITHER], [EITHER, SIZED, MAYBE, SIZED], [MAYBE, SIZED] * 4 + [EITHER]]


@pytest.mark.parametrize("reads", ["fields", "bytes", "checksum"])
@pytest.mark.parametrize("parts", ALL_PARTS, ids=len)
def test_first_bytes_that_determine_all_sizes(parts: list[str], reads: str, tmp_path: Path) -> None:
    """The last row is cut, and in two rows a size or a condition has no value."""
    columns = [f"part{number}" for number, each in enumerate(parts) if reads != "fields" or each != SIZED]
    lines = "\n".join(each.format(number) for number, each in enumerate(parts))
    text = HEADED.replace("COLUMNS", ", ".join(["kind", *columns, "last"])).replace("PARTS", lines)
    path = tmp_path / "headed.ksy"
    path.write_text(text.replace("CHECKSUM", CHECKSUM if reads == "checksum" else ""))
    format = wireloom.load_spec(path)
    chance = random.Random(7)

    def row(kind: int, size: int) -> bytes:
        middle = b"".join(part(each, kind, size) for each in parts)
        made = bytes((size, kind)) + middle + bytes((chance.randrange(256),))
        return made + struct.pack("<I", crc32c.crc32c(made)) if reads == "checksum" else made

    rows = [row(chance.randrange(1, 5), chance.randrange(1, 40)) for _ in range(300)]
    data, lasts = b"".join(rows), [each[-5 if reads == "checksum" else -1] for each in rows]
    found, files = agreed(format, data)
    assert (found["kind"], found["last"]) == ([each[1] for each in rows], lasts)
    assert files[0]["tail"] == "clean"
    found, _ = agreed(format, data, filter=pc.field("last") < 100)
    assert found["last"] == [each for each in lasts if each < 100]
    for cut in (1, len(rows[-1]) // 2, len(rows[-1]) - 1):
        found, _ = agreed(format, data[:-cut])
        assert found["last"] == lasts[:-1]
    agreed(format, b"".join([*rows[:140], b"\5\0abcdefg", *rows[140:280], b"\0\3", *rows[280:]]), recover=True)
