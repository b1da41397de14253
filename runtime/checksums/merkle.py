"""The merkle root of the transactions of a Bitcoin block: the double SHA-256 of pairs of hashes, of which those of the
transactions, without their witnesses (BIP 141), are the first."""

from __future__ import annotations

from collections.abc import Callable

WITNESSES = 1
EXTENSION = 8
"""Litecoin's flag of a transaction that stands for an extension block."""
OUTPUT = 36
"""Of an input, the number of bytes before its script: the transaction and the number of an output."""

Digest = Callable[[bytes], bytes]


def merkle_root(twice: Digest, data: bytes) -> bytes:
    """Return the merkle root of the transactions in what follows the head of a block. ``twice``: the double SHA-256.

    Transactions that are repeated could have the same root (CVE-2012-2459): if two hashes of a pair are equal, the
    result is that of all bytes, as for what is no list of transactions.
    """
    try:
        hashes = _Transactions(bytes(data)).hashes(twice)
    except IndexError:
        hashes = []
    while len(hashes) > 1:
        if any(left == right for left, right in zip(hashes[::2], hashes[1::2], strict=False)):
            hashes = []
            break
        hashes += hashes[-1:] * (len(hashes) % 2)
        hashes = [twice(left + right) for left, right in zip(hashes[::2], hashes[1::2], strict=True)]
    return hashes[0] if hashes else twice(bytes(data))


class _Transactions:
    """Reads transactions. Raises ``IndexError`` where bytes are missing."""

    def __init__(self, data: bytes) -> None:
        self._data = data
        self._at = 0

    def hashes(self, twice: Digest) -> list[bytes]:
        """Return the hashes of all transactions."""
        # One by one: their number may be anything.
        found: list[bytes] = []
        count = self._compact_size()
        while len(found) < count:
            found.append(twice(self._next()))
        return found

    def _take(self, size: int) -> bytes:
        self._at += size
        if self._at > len(self._data):
            raise IndexError
        return self._data[self._at - size : self._at]

    def _compact_size(self) -> int:
        first = self._take(1)[0]
        return first if first < 253 else int.from_bytes(self._take(1 << (first - 252)), "little")

    def _skip_all(self, before: int, after: int) -> int:
        """Pass so many scripts with a size, and the bytes around each. Return their number, which comes first."""
        left = count = self._compact_size()
        while left:
            self._take(before)
            self._take(self._compact_size())
            self._take(after)
            left -= 1
        return count

    def _next(self) -> bytes:
        """Return the bytes of the next transaction that its hash covers."""
        version, begin, flag = self._take(4), self._at, 0
        has_flag = self._compact_size() == 0
        if has_flag:
            flag = self._take(1)[0]
            begin = self._at
        else:
            self._at = begin
        inputs = self._skip_all(OUTPUT, 4)
        self._skip_all(8, 0)
        covered = self._data[begin : self._at]
        if flag & WITNESSES:
            while inputs:
                self._skip_all(0, 0)
                inputs -= 1
        self._take(1 if flag & EXTENSION else 0)
        return version + covered + self._take(4)
