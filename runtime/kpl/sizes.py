"""Computes the size in bytes of an aggregated record before it is written."""

from __future__ import annotations

from collections.abc import Iterable

FRAME_SIZE = 20
"""Number of bytes around the message: 4 before it and an MD5 digest of 16 after it."""


def varint_size(value: int) -> int:
    """Return the size in bytes of the shortest varint of an unsigned integer.

    >>> [varint_size(each) for each in (0, 127, 128, 2**64 - 1)]
    [1, 1, 2, 10]
    """
    return (max(value.bit_length(), 1) + 6) // 7


def delimited_size(size: int) -> int:
    """Return the size in bytes of a length-delimited field with content of ``size`` bytes and a tag of one byte.

    >>> delimited_size(0), delimited_size(128)
    (2, 131)
    """
    return 1 + varint_size(size) + size


def text_size(text: str) -> int:
    """Return the size in bytes of a text field."""
    return delimited_size(len(text.encode()))


def tag_size(key: str, value: str | None) -> int:
    """Return the size in bytes of a ``Tag`` in its ``Record``."""
    return delimited_size(text_size(key) + (0 if value is None else text_size(value)))


def record_size(
    partition_key_index: int,
    explicit_hash_key_index: int | None,
    data_size: int,
    tags: Iterable[tuple[str, str | None]] = (),
) -> int:
    """Return the size in bytes of a ``Record`` in its ``AggregatedRecord``.

    >>> record_size(0, None, 9)
    15
    """
    inner = 1 + varint_size(partition_key_index) + delimited_size(data_size)
    if explicit_hash_key_index is not None:
        inner += 1 + varint_size(explicit_hash_key_index)
    inner += sum(tag_size(key, value) for key, value in tags)
    return delimited_size(inner)
