"""How Python calls the engine's checksums: any bytes-like data, and the value of what comes before."""

import zlib
from collections.abc import Callable
from typing import Any

import crc32c as peer
import pytest
from wireloom import engine

pytestmark = pytest.mark.skipif(not engine.available, reason="the engine is not there")

PEERS: dict[str, Callable[..., int]] = {"crc32c": peer.crc32c, "crc32": zlib.crc32}
DATA = bytes(range(256)) * 257


@pytest.mark.parametrize("name", PEERS)
@pytest.mark.parametrize("size", [0, 1, 9, 16384, 16385, len(DATA)])
def test_the_same_as_others_compute(name: str, size: int) -> None:
    ours, theirs, data = getattr(engine, name), PEERS[name], DATA[:size]
    for given in (data, bytearray(data), memoryview(data), memoryview(DATA)[:size]):
        assert ours(given) == theirs(data)
        assert ours(given, 0xDEADBEEF) == theirs(data, 0xDEADBEEF)
    assert ours(data[size // 2 :], ours(data[: size // 2])) == theirs(data)


@pytest.mark.parametrize("name", PEERS)
@pytest.mark.parametrize("arguments", [(), (1,), ("text",), (b"", 1, 2), (b"", "1"), (b"", None), (None,)])
def test_other_arguments_are_refused(name: str, arguments: tuple[Any, ...]) -> None:
    with pytest.raises(TypeError):
        getattr(engine, name)(*arguments)
    with pytest.raises(BufferError):
        getattr(engine, name)(memoryview(DATA)[::2])
