"""How Python calls the engine's checksums: any bytes-like data, and the value of what comes before."""

import zlib
from collections.abc import Callable
from typing import Any

import crc32c as peer
import pytest
from wireloom import engine

pytestmark = pytest.mark.skipif(not engine.available, reason="the engine is not there")

PEERS: dict[int, Callable[..., int]] = {1: peer.crc32c, 2: zlib.crc32}
DATA = bytes(range(256)) * 257


@pytest.mark.parametrize("number", PEERS)
@pytest.mark.parametrize("size", [0, 1, 9, 16384, 16385, len(DATA)])
def test_the_same_as_others_compute(number: int, size: int) -> None:
    ours, theirs, data = engine.checksums[number], PEERS[number], DATA[:size]
    for given in (data, bytearray(data), memoryview(data), memoryview(DATA)[:size]):
        assert ours(given) == theirs(data)
        assert ours(given, 0xDEADBEEF) == theirs(data, 0xDEADBEEF)
    assert ours(data[size // 2 :], ours(data[: size // 2])) == theirs(data)


@pytest.mark.parametrize("number", PEERS)
@pytest.mark.parametrize("arguments", [(), (1,), ("text",), (b"", 1, 2), (b"", "1"), (b"", None), (None,)])
def test_other_arguments_are_refused(number: int, arguments: tuple[Any, ...]) -> None:
    with pytest.raises(TypeError):
        engine.checksums[number](*arguments)
    with pytest.raises(BufferError):
        engine.checksums[number](memoryview(DATA)[::2])
