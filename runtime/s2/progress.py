"""The progress of a read, for requests that continue where the last one ended."""

from __future__ import annotations

from collections.abc import Sequence
from math import ceil
from typing import Any, NamedTuple, Protocol, TypedDict, Unpack

from .config import RecordOptions
from .messages import ReadBatch, SequencedRecord, StreamPosition
from .metering import metered_size


class ReadRange(TypedDict, total=False):
    """The beginning of a read, unless ``seq_num`` is given, and its limits; see ``requests.read_session``."""

    timestamp: int | None
    tail_offset: int | None
    clamp: bool | None
    count: int | None
    bytes: int | None
    until: int | None
    wait: int | None


class ReadArguments(ReadRange, RecordOptions, total=False):
    """Options of all requests to read, in addition to ``seq_num``."""


class Batch(Protocol):
    """Records that were received together, as messages or as a table."""

    @property
    def numbers(self) -> Sequence[int]:
        """Return the sequence number of each record."""
        ...

    @property
    def tail(self) -> StreamPosition | None:
        """Return the end of the stream, if it was reported."""
        ...

    def taken(self, places: Sequence[int]) -> Any:
        """Return the records with these indexes, in order."""
        ...

    def metered(self, places: Sequence[int]) -> int:
        """Return the metered size of the records with these indexes."""
        ...


class MessageBatch(NamedTuple):
    """A batch as a message."""

    message: ReadBatch

    @property
    def numbers(self) -> list[int]:
        """Return the sequence number of each record."""
        return [each.seq_num for each in self.message.records]

    @property
    def tail(self) -> StreamPosition | None:
        """Return the end of the stream, if it was reported."""
        return self.message.tail

    def taken(self, places: Sequence[int]) -> tuple[SequencedRecord, ...]:
        """Return the records with these indexes, in order."""
        return tuple(self.message.records[place] for place in places)

    def metered(self, places: Sequence[int]) -> int:
        """Return the metered size of the records with these indexes."""
        return sum(metered_size(self.message.records[place]) for place in places)


class Progress:
    """A read from a place on, over any number of requests; by default from the stream's end.

    ``next_seq_num``: the number of the first record that has not been received; ``None`` while it is not known.
    ``is_bounded``: whether the read has an end.
    """

    def __init__(self, seq_num: int | None = None, **limits: Unpack[ReadRange]) -> None:
        start = {"seq_num": seq_num, **{name: limits.get(name) for name in ("timestamp", "tail_offset")}}
        if not any(value is not None for value in start.values()):
            start["tail_offset"] = 0
        clamp = limits.get("clamp")
        self._start = {name: value for name, value in (*start.items(), ("clamp", clamp)) if value is not None}
        # The end of the stream may be before a clamped place.
        self._clamped = seq_num if clamp else None
        self.next_seq_num = None if clamp else seq_num
        self._count, self._bytes = limits.get("count"), limits.get("bytes")
        self._until, self._wait = limits.get("until"), limits.get("wait")
        # Since when the stream's end was reached without another record.
        self._tail_at: float | None = None
        self.is_bounded = any(each is not None for each in (self._count, self._bytes, self._until, self._wait))

    @property
    def is_complete(self) -> bool:
        """Return whether the requested number of records, or of bytes, has been received."""
        return self._count == 0 or self._bytes == 0

    def remaining(self, now: float) -> dict[str, Any]:
        """Return the range that is still to be read, as arguments of ``read_session``. ``now``: as for ``took``."""
        wait = self._wait
        if wait is not None and self._tail_at is not None:
            wait = max(0, wait - ceil(max(0.0, now - self._tail_at)))
        return {**self._start, "count": self._count, "bytes": self._bytes, "until": self._until, "wait": wait}

    def took(self, batch: Batch, now: float) -> tuple[Sequence[int], list[tuple[int, int]]]:
        """Process a batch. Return the indexes of its records that had not been received before, and the gaps in the
        sequence numbers, each as the expected number and the one found. ``now``: seconds of a monotonic clock."""
        numbers, tail = batch.numbers, batch.tail
        following = self._expected(numbers, tail)
        places: list[int] = []
        gaps: list[tuple[int, int]] = []
        for place, number in enumerate(numbers):
            if following is not None and number < following:
                continue
            if following is not None and number > following:
                gaps.append((following, number))
            places.append(place)
            following = number + 1
        if not numbers and tail is not None:
            # All records before the tail have been sent, except for missing ones.
            if following is not None and tail.seq_num > following:
                gaps.append((following, tail.seq_num))
            following = max(following or 0, tail.seq_num)
        if places:
            self._tail_at = None if tail is None else now
        elif tail is not None and self._tail_at is None:
            self._tail_at = now
        if following is not None:
            self._go_on_from(following)
        if self._count is not None:
            self._count = max(0, self._count - len(places))
        if self._bytes is not None:
            self._bytes = max(0, self._bytes - batch.metered(places))
        return places, gaps

    def caught_up(self, tail: int) -> bool:
        """Process the server's response that the read begins at or after the stream's end. Return whether there is
        nothing to read for now, as opposed to a stream that ends before the next record."""
        if self.next_seq_num is None and "timestamp" not in self._start:
            self._go_on_from(tail)
        # A time in the future remains the beginning.
        return self.next_seq_num in (None, tail)

    def _go_on_from(self, number: int) -> None:
        self.next_seq_num = number
        self._start = {"seq_num": number}

    def _expected(self, numbers: Sequence[int], tail: StreamPosition | None) -> int | None:
        if self.next_seq_num is not None or self._clamped is None:
            return self.next_seq_num
        first = numbers[0] if numbers else tail.seq_num if tail is not None else 0
        return self._clamped if first >= self._clamped else None
