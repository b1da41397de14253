"""Headers that are damaged, and on which rows may depend: ``recover`` reads the rows that do not."""

from __future__ import annotations

import struct
import zlib
from itertools import chain, pairwise

import pytest

from ..unit.columns_backend.specs import format_of
from .agreement import agreed

SPEC = """
meta: {id: sample, endian: le, -wireloom: {rows: records, RANGES columns: [value]MORE}}
seq:
  - {id: magic, contents: MAGIC}
  - {id: version, type: u1, valid: 1}
  - {id: records, type: record, repeat: eos}
types:
  record:
    seq:
      - {id: len, type: u1}
      - {id: crc, type: u4, -wireloom: {checksum: {algorithm: crc32, over: value}}}
      - {id: value, size: len}
"""
VALUES = [b"one", b"two", b"three", b"four"]


def record(value: bytes) -> bytes:
    return struct.pack("<BI", len(value), zlib.crc32(value)) + value


@pytest.mark.parametrize("ranges", ["", "ranges: search,"])
def test_each_bit_of_a_header_on_which_no_row_depends(ranges: str) -> None:
    format = format_of(SPEC.replace("RANGES", ranges).replace("MORE", ""))
    content = b"MAGIC\1" + b"".join(map(record, VALUES))
    for bit in range(48):
        data = bytearray(content)
        data[bit // 8] ^= 1 << bit % 8
        rows, [report] = agreed(format, bytes(data), recover=True, columns=["value"])
        assert [repr(each) for each in VALUES] == [repr(each) for each in rows["value"]]
        assert report["damaged"] == [[0, 6, "value"]]
        assert report["tail"] == "clean"
        assert agreed(format, bytes(data), recover=True, mode="failfast")[0] == "DamagedInputError"
        if bit < 40:
            # A wrong version is known to be one; after a wrong magic nothing is.
            nothing, [report] = agreed(format, bytes(data), columns=["value"])
            assert (nothing["value"], report["tail"]) == ([], "invalid_value")
        if ranges:
            parts = pairwise([0, 3, 9, 20, 1000])
            found = [agreed(format, bytes(data), recover=True, columns=["value"], byte_range=each) for each in parts]
            assert [*chain(*(each[0]["value"] for each in found))] == rows["value"]
            assert [*chain(*(each[1][0]["damaged"] for each in found))] == [[0, 6, "value"]]


def test_rows_that_depend_on_it_are_not_read() -> None:
    format = format_of(SPEC.replace("RANGES", "").replace("MORE", ", parent-columns: [version]"))
    content = b"MAGIx\1" + b"".join(map(record, VALUES))
    rows, [report] = agreed(format, content, recover=True, columns=["value"])
    assert (rows["value"], report["tail"]) == ([], "invalid_value")
