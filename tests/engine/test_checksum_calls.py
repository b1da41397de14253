"""Calls of the engine's checksums from Python: any bytes-like data, and the value of the preceding bytes."""

import hashlib
import zlib
from collections.abc import Callable
from typing import Any

import crc32c as peer
import pytest
import xxhash
from wireloom import engine
from wireloom.checksums import CHECKSUMS, Algorithm, Family

pytestmark = pytest.mark.skipif(not engine.available, reason="the engine is not there")

PEERS: dict[str, Callable[..., int]] = {"crc32c": peer.crc32c, "crc32": zlib.crc32, "adler32": zlib.adler32}
WHOLE: dict[str, Callable[[bytes], Any]] = {
    "xxh32": xxhash.xxh32_intdigest,
    "xxh64": xxhash.xxh64_intdigest,
    "xxh3_64": xxhash.xxh3_64_intdigest,
    "md5": lambda data: hashlib.md5(data).digest(),
    "sha1": lambda data: hashlib.sha1(data).digest(),
    "sha256": lambda data: hashlib.sha256(data).digest(),
    "sha256d": lambda data: hashlib.sha256(hashlib.sha256(data).digest()).digest(),
}
DATA = bytes(range(256)) * 257
SIZES = (0, 1, 9, 16384, 16385, len(DATA))


def ours(name: str) -> Callable[..., Any]:
    return engine.checksum(CHECKSUMS[name].packed())


@pytest.mark.parametrize("name", PEERS)
@pytest.mark.parametrize("size", SIZES)
def test_the_same_as_others_compute(name: str, size: int) -> None:
    compute, theirs, data = ours(name), PEERS[name], DATA[:size]
    for given in (data, bytearray(data), memoryview(data), memoryview(DATA)[:size]):
        assert compute(given) == theirs(data)
        assert compute(given, 0x1EAD1EEF) == theirs(data, 0x1EAD1EEF)
    assert compute(data[size // 2 :], compute(data[: size // 2])) == theirs(data)


@pytest.mark.parametrize("name", WHOLE)
def test_the_same_as_others_compute_at_once(name: str) -> None:
    for size in (*range(260), *SIZES):
        assert ours(name)(memoryview(DATA)[:size]) == WHOLE[name](DATA[:size]), size


@pytest.mark.parametrize("seed", [0, 1, 2**32 - 1, 2**64 - 1])
def test_seeds(seed: int) -> None:
    for size in (*range(300), 1000, 1024, 1025, 2000, 2048, 2049, 5000):
        assert ours("xxh3_64")(DATA[:size], seed) == xxhash.xxh3_64_intdigest(DATA[:size], seed)
        assert ours("xxh64")(DATA[:size], seed) == xxhash.xxh64_intdigest(DATA[:size], seed)
        assert ours("xxh32")(DATA[:size], seed % 2**32) == xxhash.xxh32_intdigest(DATA[:size], seed % 2**32)


@pytest.mark.parametrize("name", PEERS)
@pytest.mark.parametrize("arguments", [(), (1,), ("text",), (b"", 1, 2), (b"", "1"), (b"", None), (None,)])
def test_other_arguments_are_refused(name: str, arguments: tuple[Any, ...]) -> None:
    with pytest.raises(TypeError):
        ours(name)(*arguments)
    with pytest.raises(BufferError):
        ours(name)(memoryview(DATA)[::2])
    with pytest.raises(TypeError):
        ours("md5")(b"", 1)


@pytest.mark.parametrize(
    "algorithm",
    [
        Algorithm("", Family.CRC, 2),
        Algorithm("", Family.CRC, 65),
        Algorithm("", Family.CRC, 16, polynomial=0x10000),
        Algorithm("", Family.CRC, 16, 2),
        Algorithm("", Family.FLETCHER, 16, 2),
        Algorithm("", Family.SUM_LE, 32, 8),
        Algorithm("", Family.SHA1, 256),
        Algorithm("", Family.XXH3, 32),
    ],
)
def test_parameters_that_no_algorithm_has_are_refused(algorithm: Algorithm) -> None:
    with pytest.raises(ValueError, match="there is no such checksum"):
        engine.checksum(algorithm.packed())
    for packed in (b"", algorithm.packed()[:-1], algorithm.packed() + b"\0"):
        with pytest.raises(ValueError, match="there is no such checksum"):
            engine.checksum(packed)
    with pytest.raises(TypeError):
        engine.encode(
            ((3, 2, None, 0),), None, None, first=0, rows=1, checksum=(len, 0, 0, -1), delimiter=b"",
            stuffing=b"\0", padding=0, max_record=10, out=bytearray(100),
        )  # fmt: skip


def test_a_digest_is_no_checksum_of_an_encoded_row() -> None:
    with pytest.raises(ValueError, match="there is no such checksum"):
        engine.encode(
            ((3, 2, None, 0),), None, None, first=0, rows=1, checksum=(ours("md5"), 0, 0, -1), delimiter=b"",
            stuffing=b"\0", padding=0, max_record=10, out=bytearray(100),
        )  # fmt: skip
