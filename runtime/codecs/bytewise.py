"""The transformations of single bytes that Kaitai's ``process`` names: xor, rol and ror."""

from __future__ import annotations

from itertools import cycle


def xor(data: bytes, key: int | bytes) -> bytes:
    """``process: xor(key)``, its own inverse: combine every byte with the key, or with the key's bytes in turn.

    >>> xor(b"abc", 1), xor(b"abc", b"\\x01\\x02")
    (b'`cb', b'``b')
    """
    if isinstance(key, int):
        return data.translate(bytes(byte ^ key & 0xFF for byte in range(256)))
    return bytes(left ^ right for left, right in zip(data, cycle(key), strict=False)) if key else data


def rotate_left(data: bytes, amount: int) -> bytes:
    """``process: rol(amount)``: rotate each byte's bits towards the high end.

    >>> rotate_left(b"\\x81", 1).hex()
    '03'
    """
    amount %= 8
    return data.translate(bytes((byte << amount & 0xFF) | byte >> (8 - amount) for byte in range(256)))


def rotate_right(data: bytes, amount: int) -> bytes:
    """``process: ror(amount)``: the inverse of ``rotate_left``."""
    return rotate_left(data, -amount)
