"""Capacities of which a multiple, reduced to 64 bits, is small."""

from __future__ import annotations

import struct

import pytest
from wireloom.engine import _engine

from .calls import changed, fill_arena


@pytest.mark.parametrize("capacity", [2**31, 2**32, 2**61, 2**61 + 1, 2**62, 2**63 - 1])
@pytest.mark.parametrize("offsets", [False, True])
def test_refused(capacity: int, offsets: bool) -> None:
    with pytest.raises(ValueError, match="capacity must be 0 to 2147483647"):
        _engine.fill_arena(*changed("fill_arena", _7=capacity, _8=bytes(7), _9=offsets))


def test_rows_without_columns() -> None:
    given = changed("fill_arena", _7=2**31 - 1, _8=bytes(7), _9=False, _10=bytearray(), _11=())
    assert _engine.fill_arena(*given)[0] == 3


def test_arenas_that_lack_a_byte() -> None:
    size = len(fill_arena()[10])
    assert _engine.fill_arena(*changed("fill_arena", _10=bytearray(size)))[0] == 3
    with pytest.raises(ValueError, match=f"the arena has {size - 1} bytes, it needs {size}"):
        _engine.fill_arena(*changed("fill_arena", _10=bytearray(size - 1)))
    with pytest.raises(ValueError, match=f"the arena has {size - 1} bytes, it needs {size}"):
        _engine.export_arena(*changed("export_arena", _4=bytearray(size - 1)))


@pytest.mark.parametrize("used", [-1, -(2**31), 51])
def test_arenas_whose_offsets_are_not_those_of_a_fill(used: int) -> None:
    given = changed("export_arena")
    rows, arena = given[6], given[4]
    # The payloads' offsets are at the position where the last one says how much of the buffer of 50 bytes is used.
    last = struct.pack("=i", 43)
    place = arena.index(last)
    arena[place : place + 4] = struct.pack("=i", used)
    assert rows == 3
    with pytest.raises(ValueError, match="not what a fill has left"):
        _engine.export_arena(*given)
