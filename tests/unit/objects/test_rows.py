"""The root of a format with rows: its prologue, and rows one by one."""

import io
import textwrap

import pytest
from wireloom.objects import ChecksumError, MemoryStream, ValidationNotEqualError

from .compiling import root_of

SPEC = textwrap.dedent(
    """
    meta:
      id: made
      endian: le
      -wireloom: {rows: rows, columns: [value], parent-columns: [scale]}
    seq:
      - {id: magic, contents: LOG}
      - {id: scale, type: u1}
      - {id: sum, type: u4, -wireloom: {checksum: {algorithm: crc32, over: [magic, scale]}}}
      - {id: rows, type: row, repeat: eos}
    types:
      row:
        seq: [{id: raw, type: u1}]
        instances: {value: {value: raw * _root.scale}}
    """
)


def sample():
    kind = root_of(SPEC)
    return kind(scale=3, rows=[kind.Row(raw=1), kind.Row(raw=2)]).to_bytes()


def test_the_prologue_is_read_before_the_rows():
    kind = root_of(SPEC)
    root = kind()
    root._io = MemoryStream(sample())
    root._read_prologue()
    assert (root.scale, root._io.pos()) == (3, 8)
    assert not hasattr(root, "rows")
    assert kind.Row(root._io, root, root).value == 3


def test_rows_one_by_one_know_their_root():
    kind = root_of(SPEC)
    for source in (MemoryStream(sample()), io.BytesIO(sample())):
        assert [row.value for row in kind.iter_rows(source)] == [3, 6]
    assert [row.value for row in kind.from_bytes(sample()).rows] == [3, 6]


@pytest.mark.parametrize(("place", "error"), [(0, ValidationNotEqualError), (3, ChecksumError), (4, ChecksumError)])
def test_a_damaged_prologue_gives_no_rows(place, error):
    data = bytearray(sample())
    data[place] ^= 1
    with pytest.raises(error):
        next(root_of(SPEC).iter_rows(MemoryStream(bytes(data))))


def test_a_checksum_over_the_rows_is_verified_after_them():
    kind = root_of(SPEC.replace("over: [magic, scale]", "over: rows"))
    with pytest.raises(ChecksumError):
        kind.from_bytes(sample())
