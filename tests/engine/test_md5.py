"""MD5 of many messages, compared with hashlib."""

from __future__ import annotations

import array
import hashlib
import os
import random
import subprocess
import sys
from collections.abc import Callable, Sequence

import pytest
from hypothesis import given
from hypothesis import strategies as st
from wireloom import engine
from wireloom.engine import one_after_another

MANY = [engine.md5_many, one_after_another]


def numbers(values: Sequence[int], kind: str = "Q") -> array.array[int]:
    return array.array(kind, values)


def expected(source: bytes, begins: Sequence[int], sizes: Sequence[int]) -> bytes:
    return b"".join(
        hashlib.md5(source[begin : begin + size]).digest() for begin, size in zip(begins, sizes, strict=True)
    )


@pytest.fixture(scope="module")
def source() -> bytes:
    return random.Random(7).randbytes(3_000_000)


@pytest.mark.parametrize("many", MANY)
def test_every_small_size(many: Callable[..., bytes], source: bytes) -> None:
    begins, sizes = list(range(301)), list(range(301))
    assert many(source, numbers(begins), numbers(sizes)) == expected(source, begins, sizes)
    ends = [len(source) - size for size in sizes]
    assert many(source, numbers(ends), numbers(sizes)) == expected(source, ends, sizes)


@pytest.mark.parametrize("many", MANY)
def test_buffers_of_all_kinds(many: Callable[..., bytes]) -> None:
    abc, nothing = hashlib.md5(b"abc").digest(), hashlib.md5(b"").digest()
    for kind in "qQ":
        for whole in (b"-abc", bytearray(b"-abc"), memoryview(b"-abc"), array.array("B", b"-abc")):
            assert many(whole, numbers([1, 4], kind), numbers([3, 0], kind)) == abc + nothing
    unaligned = memoryview(b"?" + bytes(numbers([1])))[1:]
    assert many(b"-abc", unaligned, numbers([3])) == abc
    assert many(b"", numbers([0]), numbers([0])) == nothing
    assert many(b"", b"", b"") == b""


def size_lists() -> st.SearchStrategy[list[int]]:
    sizes = st.one_of(st.integers(0, 200), st.integers(0, 3000), st.sampled_from([0, 55, 56, 63, 64, 65, 1000, 60000]))
    return st.lists(sizes, max_size=80)


@given(size_lists(), st.integers(0, 100))
def test_mixed_sizes(source: bytes, sizes: list[int], first: int) -> None:
    begins = [first + 997 * number for number in range(len(sizes))]
    assert engine.md5_many(source, numbers(begins), numbers(sizes)) == expected(source, begins, sizes)


@pytest.mark.parametrize("sizes", [[50_000] * 33, [50_000] * 15 + [2_000_000], [1_000_000], [2_000_000, 0, 1, 900_000]])
def test_blobs(source: bytes, sizes: list[int]) -> None:
    begins = [101 * number for number in range(len(sizes))]
    assert engine.md5_many(source, numbers(begins), numbers(sizes)) == expected(source, begins, sizes)


@pytest.mark.parametrize("many", MANY)
@pytest.mark.parametrize(
    ("begins", "sizes", "message"),
    [
        ([0, 0], [10, 11], "message 1: 11 bytes at 0 are not within the source's 10 bytes"),
        ([11], [0], "message 0: 0 bytes at 11"),
        ([0], [-1], "message 0: -1 bytes at 0"),
        ([-1], [1], "message 0: 1 bytes at -1"),
        ([5], [2**63 - 1], "message 0: 9223372036854775807 bytes at 5"),
        ([-(2**63)], [-(2**63)], "message 0"),
        ([0, 1], [1], "begins has 16 bytes and sizes 8"),
    ],
)
def test_what_is_not_there(many: Callable[..., bytes], begins: list[int], sizes: list[int], message: str) -> None:
    with pytest.raises(ValueError, match=message):
        many(bytes(10), numbers(begins, "q"), numbers(sizes, "q"))


@pytest.mark.parametrize("many", MANY)
def test_numbers_of_other_sizes(many: Callable[..., bytes]) -> None:
    with pytest.raises(ValueError, match="8 bytes per message"):
        many(bytes(10), bytes(4), bytes(4))


CALL = """
import array, random
from wireloom import engine
chance = random.Random(3)
source = chance.randbytes(400_000)
for count in (0, 1, 2, 3, 5, 8, 9, 16, 17, 32, 33, 100):
    sizes = array.array("q", [chance.randrange(chance.choice([1, 100, 5000, 90_000])) for _ in range(count)])
    begins = array.array("q", [chance.randrange(len(source) - size) for size in sizes])
    print(engine.md5_many(source, begins, sizes).hex())
"""


def run_python(**environment: str) -> str:
    done = subprocess.run(
        [sys.executable, "-c", CALL], env={**os.environ, **environment}, capture_output=True, text=True, check=True
    )
    return done.stdout


def test_every_level_and_none() -> None:
    """The digests are the same with all instruction sets, and with hashlib if there is no engine."""
    levels = engine.features()["levels"]
    outputs = {run_python(WIRELOOM_CPU=level) for level in levels} | {run_python(WIRELOOM_ENGINE="objects")}
    assert len(outputs) == 1
    assert engine.features()["md5"] in ("portable", "sse2", "avx2", "avx512", "neon")
