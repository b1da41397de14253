"""Putting user records into aggregated records, as many as fit."""

from __future__ import annotations

from collections.abc import Iterable

from ..errors import WireloomError
from .message import aggregate, looks_aggregated
from .records import KinesisRecord, UserRecord
from .sizes import FRAME_SIZE, record_size, text_size

TARGET_SIZE = 51_200
"""Bytes after which the Kinesis Producer Library begins a new aggregate."""

MAX_SIZE = 1024 * 1024
"""Bytes of data and partition key that a Kinesis record may have, unless its stream was made for more."""

MODES = ("aggregated", "plain")


class Aggregator:
    """Collects user records and gives out a Kinesis record whenever the next one does not fit any more.

    Its size is known exactly before a record is taken, so nothing is ever too large, lost or sent twice.
    ``target_size``: bytes that an aggregate should not exceed; a record that alone is larger is sent by itself.
    ``max_size``: bytes that the data and the outer partition key may have together. ``single``: whether a record that
    is alone is sent ``aggregated`` or ``plain``, as it is and without its tags and its frame of 20 bytes. A plain
    record that looks like an aggregate is aggregated all the same, so that readers do not take it for one.

    >>> aggregator = Aggregator(target_size=60)
    >>> aggregator.add("first", b"x" * 20) is None
    True
    >>> aggregator.add("second", b"y" * 20).count
    1
    >>> aggregator.flush().partition_key
    'second'
    """

    def __init__(self, *, target_size: int = TARGET_SIZE, max_size: int = MAX_SIZE, single: str = "aggregated") -> None:
        for name, value in (("target_size", target_size), ("max_size", max_size)):
            if isinstance(value, bool) or not isinstance(value, int) or value < 1:
                raise WireloomError(f"{name} is a number of bytes, at least 1, not {value!r}")
        if single not in MODES:
            raise WireloomError(f"single is 'aggregated' or 'plain', not {single!r}")
        self._target_size = target_size
        self._max_size = max_size
        self._single = single
        self._clear()

    def _clear(self) -> None:
        self._records: list[UserRecord] = []
        self._partition_keys: dict[str, int] = {}
        self._explicit_hash_keys: dict[str, int] = {}
        self._message_size = 0

    def __len__(self) -> int:
        """How many records wait for the next flush."""
        return len(self._records)

    @property
    def size(self) -> int:
        """Exact bytes of the aggregate that a flush would make; 0 where nothing waits."""
        return FRAME_SIZE + self._message_size if self._records else 0

    def add(
        self,
        partition_key: str,
        data: bytes,
        explicit_hash_key: str | None = None,
        tags: Iterable[tuple[str, str | None]] = (),
    ) -> KinesisRecord | None:
        """Takes a record. Where it does not fit to those that wait, these are returned and it is the first of the next.

        Raises ``WireloomError``, and changes nothing, for a record that fits no Kinesis record even alone and for an
        explicit hash key that is no decimal number of 128 bits.
        """
        return self.add_record(UserRecord(partition_key, bytes(data), explicit_hash_key, tuple(tags)))

    def add_record(self, record: UserRecord) -> KinesisRecord | None:
        """As ``add``."""
        self._refuse_too_large(record)
        finished = None if self._fits(record) else self.flush()
        self._message_size += self._added(record)
        self._partition_keys.setdefault(record.partition_key, len(self._partition_keys))
        if record.explicit_hash_key is not None:
            self._explicit_hash_keys.setdefault(record.explicit_hash_key, len(self._explicit_hash_keys))
        self._records.append(record)
        return finished

    def flush(self) -> KinesisRecord | None:
        """What waits, as a Kinesis record; ``None`` where nothing does."""
        if not self._records:
            return None
        first = self._records[0]
        aggregated = len(self._records) > 1 or not self._sent_plain(first)
        data = first.data
        if aggregated:
            data = aggregate(self._partition_keys, self._explicit_hash_keys, self._records)
        made = KinesisRecord(data, first.partition_key, first.explicit_hash_key, len(self._records), aggregated)
        self._clear()
        return made

    # Sizes -----------------------------------------------------------------------------------------------------------

    def _added(self, record: UserRecord) -> int:
        """Bytes by which the message grows: the record, and its keys where they are new."""
        partition_key = self._partition_keys.get(record.partition_key)
        grown = 0
        if partition_key is None:
            partition_key = len(self._partition_keys)
            grown += text_size(record.partition_key)
        explicit_hash_key = None
        if record.explicit_hash_key is not None:
            explicit_hash_key = self._explicit_hash_keys.get(record.explicit_hash_key)
            if explicit_hash_key is None:
                explicit_hash_key = len(self._explicit_hash_keys)
                grown += text_size(record.explicit_hash_key)
        return grown + record_size(partition_key, explicit_hash_key, len(record.data), record.tags)

    def _fits(self, record: UserRecord) -> bool:
        if not self._records:
            return True
        size = FRAME_SIZE + self._message_size + self._added(record)
        outer = len(self._records[0].partition_key.encode())
        return size <= self._target_size and size + outer <= self._max_size

    def _sent_plain(self, record: UserRecord) -> bool:
        return self._single == "plain" and not record.tags and not looks_aggregated(record.data)

    def _refuse_too_large(self, record: UserRecord) -> None:
        size = len(record.data) if self._sent_plain(record) else FRAME_SIZE + _size_alone(record)
        whole = size + len(record.partition_key.encode())
        if whole > self._max_size:
            raise WireloomError(
                f"the record has {whole} bytes with its partition key and all that stands around it, and a Kinesis"
                f" record has at most {self._max_size}: send it in parts, or give max_size where the stream takes more",
                reason="limit",
            )


def _size_alone(record: UserRecord) -> int:
    keys = text_size(record.partition_key)
    if record.explicit_hash_key is None:
        return keys + record_size(0, None, len(record.data), record.tags)
    return keys + text_size(record.explicit_hash_key) + record_size(0, 0, len(record.data), record.tags)
