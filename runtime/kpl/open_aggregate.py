"""An aggregate to which records can be added, whose exact size is known before each addition."""

from __future__ import annotations

from collections.abc import Iterable

from .message import aggregate, looks_aggregated
from .records import KinesisRecord, UserRecord

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


MEMORY = 1000
"""Approximate memory in bytes of an aggregate without its records."""
RECORD_MEMORY = 300
"""Approximate memory in bytes of a record without its data."""


class OpenAggregate:
    """Records of one shard. ``single``: as in ``Aggregator``; ``shard_id``: the id of that shard, if known; ``memory``:
    the approximate memory in bytes that it uses."""

    def __init__(self, single: str, shard_id: str | None) -> None:
        self.records: list[UserRecord] = []
        self.memory = MEMORY
        self._single = single
        self._shard_id = shard_id
        self._partition_keys: dict[str, int] = {}
        self._explicit_hash_keys: dict[str, int] = {}
        self._message_size = 0

    @property
    def size(self) -> int:
        """Return the exact size in bytes of the current result of ``made``."""
        if self._is_plain():
            return len(self.records[0].data)
        return FRAME_SIZE + self._message_size

    def size_with(self, record: UserRecord) -> int:
        """Return the exact size in bytes of the aggregate with one more record."""
        return FRAME_SIZE + self._message_size + self._added(record)

    @property
    def outer_size(self) -> int:
        """Return the size in bytes of the outer partition key, which is that of the first record."""
        return len(self.records[0].partition_key.encode())

    def append(self, record: UserRecord) -> None:
        """Add a record."""
        self._message_size += self._added(record)
        self._partition_keys.setdefault(record.partition_key, len(self._partition_keys))
        if record.explicit_hash_key is not None:
            self._explicit_hash_keys.setdefault(record.explicit_hash_key, len(self._explicit_hash_keys))
        self.records.append(record)
        self.memory += RECORD_MEMORY + len(record.data)

    def made(self) -> KinesisRecord:
        """Build the Kinesis record of the buffered records (at least one)."""
        first = self.records[0]
        is_plain = self._is_plain()
        data = first.data if is_plain else aggregate(self._partition_keys, self._explicit_hash_keys, self.records)
        return KinesisRecord(
            data,
            first.partition_key,
            first.explicit_hash_key,
            len(self.records),
            aggregated=not is_plain,
            shard_id=self._shard_id,
        )

    def _is_plain(self) -> bool:
        return len(self.records) == 1 and is_sent_plain(self.records[0], self._single)

    def _added(self, record: UserRecord) -> int:
        """Return the number of bytes by which the message grows: those of the record, and of its keys if
        they are new."""
        partition_key = self._partition_keys.get(record.partition_key)
        growth = 0
        if partition_key is None:
            partition_key = len(self._partition_keys)
            growth += text_size(record.partition_key)
        explicit_hash_key = None
        if record.explicit_hash_key is not None:
            explicit_hash_key = self._explicit_hash_keys.get(record.explicit_hash_key)
            if explicit_hash_key is None:
                explicit_hash_key = len(self._explicit_hash_keys)
                growth += text_size(record.explicit_hash_key)
        return growth + record_size(partition_key, explicit_hash_key, len(record.data), record.tags)


def is_sent_plain(record: UserRecord, single: str) -> bool:
    """Return whether a single record is sent without aggregation."""
    return single == "plain" and not record.tags and not looks_aggregated(record.data)
