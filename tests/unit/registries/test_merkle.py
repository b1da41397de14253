"""Merkle roots of Bitcoin's transactions, with and without the engine, against python-bitcoinlib."""

from __future__ import annotations

import hashlib
from random import Random

import pytest
from bitcoin.core import CBlock
from hypothesis import given, settings
from hypothesis import strategies as st
from wireloom.checksums import algorithm, function
from wireloom.checksums.functions import WRITTEN_OUT

from ...examples import examples

MERKLE = algorithm("bitcoin-merkle")
FUNCTIONS = {"engine": function(MERKLE), "python": WRITTEN_OUT[MERKLE.family](MERKLE)}


def twice(data: bytes) -> bytes:
    return hashlib.sha256(hashlib.sha256(data).digest()).digest()


def size(number: int) -> bytes:
    return bytes([number]) if number < 253 else b"\xfd" + number.to_bytes(2, "little")


def sized(numbers: Random, *sizes: int) -> bytes:
    content = numbers.randbytes(numbers.choice(sizes))
    return size(len(content)) + content


def transaction(numbers: Random, flag: int | None = None) -> tuple[bytes, bytes]:
    """Return a transaction and its hash. ``flag``: the one of the serialisation with witnesses."""
    version, lock_time, count = numbers.randbytes(4), numbers.randbytes(4), numbers.randint(1, 3)
    inputs = [numbers.randbytes(36) + sized(numbers, 0, 20, 107, 300) + numbers.randbytes(4) for _ in range(count)]
    outputs = [numbers.randbytes(8) + sized(numbers, 0, 22, 260) for _ in range(numbers.randint(1, 3))]
    spent = size(count) + b"".join(inputs) + size(len(outputs)) + b"".join(outputs)
    hash = twice(version + spent + lock_time)
    if flag is None:
        return version + spent + lock_time, hash
    items = [[sized(numbers, 0, 33, 72) for _ in range(numbers.randint(0, 3))] for _ in inputs if flag & 1]
    witnesses = b"".join(size(len(each)) + b"".join(each) for each in items)
    return version + bytes([0, flag]) + spent + witnesses + bytes(flag >> 3) + lock_time, hash


def transactions(seed: int, count: int) -> list[tuple[bytes, bytes]]:
    numbers = Random(seed)
    return [transaction(numbers, numbers.choice([None, 1, 1, 8, 9])) for _ in range(count)]


def body(parts: list[tuple[bytes, bytes]]) -> bytes:
    return size(len(parts)) + b"".join(each for each, _ in parts)


@pytest.mark.parametrize("compute", FUNCTIONS.values(), ids=FUNCTIONS)
@pytest.mark.parametrize("count", [*range(1, 20), 255])
def test_the_root_is_that_of_another_implementation(compute: object, count: int) -> None:
    assert callable(compute)
    parts = transactions(count, count)
    assert compute(body(parts)) == CBlock.build_merkle_tree_from_txids([hash for _, hash in parts])[-1]
    # An extension block of Litecoin may follow.
    assert compute(body(parts) + b"abc") == compute(body(parts))


@pytest.mark.parametrize("compute", FUNCTIONS.values(), ids=FUNCTIONS)
@pytest.mark.parametrize(("count", "repeated"), [(3, 1), (5, 1), (6, 2), (7, 1), (12, 4)])
def test_repeated_transactions_have_another_root(compute: object, count: int, repeated: int) -> None:
    """Those that would have the same one (CVE-2012-2459)."""
    assert callable(compute)
    parts = transactions(count, count)
    longer = parts + parts[-repeated:]
    roots = [CBlock.build_merkle_tree_from_txids([hash for _, hash in each])[-1] for each in (parts, longer)]
    assert roots[0] == roots[1] == compute(body(parts))
    assert compute(body(longer)) == twice(body(longer))


@settings(max_examples=examples(2000), deadline=None)
@given(st.integers(0, 100), st.integers(0, 5), st.lists(st.tuples(st.integers(0), st.integers(0, 255))), st.integers(0))
def test_both_agree_on_any_bytes(seed: int, count: int, changes: list[tuple[int, int]], cut: int) -> None:
    data = bytearray(body(transactions(seed, count)))
    for place, value in changes:
        data[place % len(data)] = value
    found = bytes(data[: len(data) - cut % len(data)] if cut % 2 else data)
    assert FUNCTIONS["engine"](found) == FUNCTIONS["python"](found)


@pytest.mark.parametrize("compute", FUNCTIONS.values(), ids=FUNCTIONS)
@pytest.mark.parametrize("data", [b"", b"\0", b"\1", b"\xff" + b"\xff" * 8, b"\1" + bytes(4) + b"\xff" * 9, b"\xfd\0"])
def test_what_is_no_list_of_transactions(compute: object, data: bytes) -> None:
    assert callable(compute)
    assert compute(data) == twice(data)
