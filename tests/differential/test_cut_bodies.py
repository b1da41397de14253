"""Inputs that are read as a whole and end inside a sized body: complete rows count, with both readers, unless a
checksum covers them and ``keep_unverified`` is off."""

from __future__ import annotations

import struct
import zlib
from itertools import product

import pytest

from ..unit.columns_backend.specs import format_of
from .agreement import agreed

SPEC = """
meta: {id: sample, endian: le, -wireloom: {rows: body.PATHrecords}}
seq:
  - {id: size, type: u2}
  - {id: head, size: 1}
  - {id: body, type: body, size: SIZE}
  - {id: crc, type: u4SUM}
types:
  body:
    seq: [BODY]
  group:
    seq:
      - {id: len, type: u1}
      - {id: items, type: items, size: len}
  items:
    seq: [{id: records, type: record, REPEAT}]
  record:
    seq:
      - {id: a, type: u1, valid: {max: 99}}
      - {id: len, type: u1}
      - {id: b, size: len}
      - {id: c, type: u1, if: COND}
    instances:
      total: {value: _parent._io.size}
"""
SUM = ", -wireloom: {checksum: {algorithm: crc32, over: [size, body]}}"
GROUPS = {
    "": "{id: records, type: record, REPEAT}",
    "groups.items.": "{id: groups, type: group, repeat: eos}",
}
REPEATS = {
    "repeat: eos": "a == 1",
    "repeat: until, repeat-until: _.a == 4": "a == 1",
    "repeat: eos, if: true": "a == 2 and not _io.eof",
}


def record(number: int, longest: int) -> bytes:
    return bytes([number, 2]) + b"xy" + b"c" * (number == longest)


@pytest.mark.parametrize("path", GROUPS)
@pytest.mark.parametrize("repeat", REPEATS)
def test_both_readers_keep_complete_rows(path: str, repeat: str) -> None:
    records = [record(number, 2 if "eof" in REPEATS[repeat] else 1) for number in range(5)]
    items = b"".join(records)
    body = 3 * (bytes([len(items)]) + items) if path else items
    start = struct.pack("<H", len(body)) + b"h"
    for size, sum in (("'size + head[0] - 0x68'", ""), ("size", SUM)):
        format = format_of(
            SPEC.replace("BODY", GROUPS[path])
            .replace("PATH", path)
            .replace("REPEAT", repeat)
            .replace("COND", REPEATS[repeat])
            .replace("SIZE", size)
            .replace("SUM", sum)
        )
        assert format.engine_refusal is None
        data = start + body + struct.pack("<I", zlib.crc32(start + body))
        whole, [report] = agreed(format, data)
        assert report["tail"] == "clean"
        assert len(whole["a"]) == (15 if path else 5)
        for cut, keeps in product(range(len(start), len(data)), (False, True)):
            rows, [report] = agreed(format, data[:cut], keep_unverified=keeps)
            assert report["tail"] == "truncated"
            count = len(rows["a"])
            assert all(rows[each] == whole[each][:count] for each in rows)
            ends = [begin + len(records[a]) for begin, a in zip(whole["_offset"], whole["a"], strict=True)]
            assert count == (0 if sum and not keeps else len([each for each in ends if each <= cut]))
        if sum:
            wrong = data[:-1] + bytes([data[-1] ^ 1])
            rows, [report] = agreed(format, wrong)
            assert not any(a is not None for a in rows["a"])
            for mode in ("dropmalformed", "permissive"):
                columns = ["a", "_offset"]
                rows, [report] = agreed(format, wrong, keep_unverified=True, mode=mode, columns=columns)
                assert rows["a"] == whole["a"]
                assert report["damaged"] == [[0, len(data), "checksum"]]
            assert agreed(format, wrong, keep_unverified=True, mode="failfast")[0] == "DamagedInputError"


@pytest.mark.parametrize("path", GROUPS)
def test_checksums_of_rows_count_although_that_of_the_input_does_not(path: str) -> None:
    spec = SPEC.replace("BODY", GROUPS[path]).replace("PATH", path).replace("REPEAT", "repeat: eos")
    spec = spec.replace("SIZE", "size").replace("SUM", SUM).replace("COND", "true")
    own = "{id: c, type: u1, -wireloom: {checksum: {algorithm: sum8, over: [a, b]}}}"
    format = format_of(spec.replace("{id: c, type: u1, if: true}", own))

    def checked(number: int) -> bytes:
        row = bytes([number, 2]) + b"xy"
        return row + bytes([sum(row) & 255])

    items = b"".join(map(checked, range(5)))
    body = bytes([len(items)]) + items if path else items
    start = struct.pack("<H", len(body)) + b"h"
    data = bytearray(start + body + struct.pack("<I", zlib.crc32(start + body)))
    data[len(start) + len(body) - 3] ^= 1
    rows, [report] = agreed(format, bytes(data), keep_unverified=True)
    assert [a for a in rows["a"] if a is not None] == [0, 1, 2, 3]
    assert [each[2] for each in report["damaged"]] == ["checksum", "checksum"]
