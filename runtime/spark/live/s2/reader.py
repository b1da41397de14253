"""Reads ranges of streams in the tasks, and plans them on the driver."""

from __future__ import annotations

import logging
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from typing import TYPE_CHECKING, Any, ClassVar, TypeVar

from pyspark.sql.datasource import InputPartition

from ....base.dataclass import dataclass
from ....base.errors import WireloomError
from ....s2.places import place_of
from ....s2.reading import LostRecordsError
from ....s2.streams import first_of, streams_of, tail_of
from ...errors import HideTraceback
from ..source import LiveBatchReader
from .options import EARLIEST, S2ReadOptions

if TYPE_CHECKING:
    import pyarrow as pa

LOG = logging.getLogger(__name__)
REQUESTS = 16
"""Maximum number of concurrent requests."""
ADVICE = "failOnDataLoss=false continues with the existing records"
Result = TypeVar("Result")


@dataclass(frozen=True)
class Range:
    """Records ``begin`` … ``end`` (exclusive) of a stream. ``earliest``: records that no longer exist at its beginning
    count as not requested."""

    stream: str
    begin: int
    end: int
    earliest: bool = False


class S2Partition(InputPartition):
    """The input of one task."""

    def __init__(self, index: int, range: Range) -> None:
        super().__init__(index)
        self.range = range


def partitions_of(ranges: Sequence[Range]) -> list[S2Partition]:
    """Return Spark's partitions of the ranges."""
    return [S2Partition(index, each) for index, each in enumerate(ranges)]


class S2Planning:
    """Requests the positions of the streams that options name."""

    def __init__(self, options: S2ReadOptions) -> None:
        self._options = options

    def streams(self) -> list[str]:
        """Return the current streams."""
        options = self._options
        if options.stream is not None:
            return [options.stream]
        return streams_of(options.basin, options.stream_prefix or "", endpoint=options.endpoint)

    def tails(self, streams: Iterable[str]) -> dict[str, int]:
        """Return the ends of the streams."""
        options = self._options
        return _each(streams, lambda name: tail_of(options.basin, name, endpoint=options.endpoint).seq_num)

    def begin(self, streams: Iterable[str]) -> dict[str, int]:
        """Return the positions at which reading of the streams begins, according to option ``start``."""
        return _each(streams, lambda name: self._position(name, "start", self._options.start))

    def ranges(self) -> list[Range]:
        """Return the ranges of a batch read."""
        options = self._options
        names = self.streams()
        begins, ends = self.begin(names), self.tails(names)
        if options.end is not None:
            wanted = _each(names, lambda name: self._position(name, "end", options.end or ""))
            ends = {name: min(end, wanted[name]) for name, end in ends.items()}
        found = [Range(name, begins[name], ends[name]) for name in names if begins[name] < ends[name]]
        return list(self.divided(found))

    def _position(self, name: str, option: str, text: str) -> int:
        options = self._options
        place = {"seq_num": 0} if text == EARLIEST else place_of(f"option {option}", text)
        if "tail_offset" in place:
            tail = tail_of(options.basin, name, endpoint=options.endpoint).seq_num
            return max(0, tail - place["tail_offset"])
        if text == EARLIEST or "timestamp" in place:
            return first_of(options.basin, name, endpoint=options.endpoint, **place)
        return place["seq_num"]

    def divided(self, ranges: Iterable[Range]) -> Iterable[Range]:
        """Yield the ranges in parts of at most ``maxRecordsPerPartition`` records."""
        most = self._options.max_records_per_partition
        for each in ranges:
            step = most or each.end - each.begin
            for begin in range(each.begin, each.end, step):
                yield Range(each.stream, begin, min(begin + step, each.end), each.earliest)

    def between(self, start: Mapping[str, int], end: Mapping[str, int]) -> list[Range]:
        """Return the ranges between two offsets."""
        found = []
        for name, last in sorted(end.items()):
            first = start.get(name)
            if first is None or first > last:
                # The stream was created, or created anew, after the query had begun.
                found.append(Range(name, 0, last, earliest=True))
            else:
                found.append(Range(name, first, last))
        return list(self.divided(each for each in found if each.begin < each.end))

    def checked_tails(self, start: Mapping[str, int]) -> dict[str, int]:
        """Return the ends of the streams: those of ``start`` and new ones. If a stream is gone, or ends before its
        position in ``start``, raises ``WireloomError`` with ``failOnDataLoss``; otherwise a stream that is gone keeps
        its position."""
        there = self.streams()
        found = self.tails(there)
        for name, begin in start.items():
            problem = None
            if name not in found:
                problem = "is gone"
            elif found[name] < begin:
                problem = (
                    f"ends at {found[name]}, before record {begin}, which is the next one to read: was the stream "
                    "deleted and created again?"
                )
            if problem is not None:
                if self._options.fail_on_data_loss:
                    raise WireloomError(problem, path=f"s2://{self._options.basin}/{name}", advice=ADVICE)
                LOG.warning("s2://%s/%s: %s", self._options.basin, name, problem)
                found.setdefault(name, begin)
        return found


class S2StreamPlanning(S2Planning):
    """Plans the batches of a streaming query. An offset is the sequence number of the next record of each stream."""

    def __init__(self, options: S2ReadOptions) -> None:
        super().__init__(options)
        self._is_fixed = False
        self._fixed: dict[str, int] | None = None
        self._tails: dict[str, int] = {}

    def initial(self) -> dict[str, Any]:
        """Return the first offset, see ``live.stream.StreamPlanning``."""
        return dict(sorted(self.begin(self.streams()).items()))

    def fix(self) -> None:
        """Restrict planning to existing records, see ``live.stream.StreamPlanning``."""
        self._is_fixed = True

    def latest(self, start: Mapping[str, Any], limit: int | None) -> dict[str, Any]:
        """Return the end offset of the next batch, see ``live.stream.StreamPlanning``."""
        self._tails = self._fixed if self._fixed is not None else self.checked_tails(start)
        self._fixed = self._tails if self._is_fixed else None
        return limited(start, self._tails, limit)

    def progress(self) -> dict[str, Any]:
        """Return the ends of the streams."""
        return dict(sorted(self._tails.items()))

    def partitions(self, start: Mapping[str, Any], end: Mapping[str, Any]) -> list[S2Partition]:
        """Return the partitions of a batch, see ``live.stream.StreamPlanning``."""
        return partitions_of(self.between(start, end))


def _each(names: Iterable[str], ask: Callable[[str], Result]) -> dict[str, Result]:
    several = list(names)
    if len(several) < 2:
        return {name: ask(name) for name in several}
    with ThreadPoolExecutor(min(REQUESTS, len(several))) as pool:
        return dict(zip(several, pool.map(ask, several), strict=True))


def limited(start: Mapping[str, int], tails: Mapping[str, int], most: int | None) -> dict[str, int]:
    """Return the end of a batch of at most ``most`` records: streams with few records are read to their ends, and the
    others get equal shares of the rest.

    >>> limited({"a": 0, "b": 0, "c": 5}, {"a": 100, "b": 100, "c": 7}, 22)
    {'a': 10, 'b': 10, 'c': 7}
    """
    waiting = {name: max(0, end - start.get(name, 0)) for name, end in tails.items()}
    if most is None or sum(waiting.values()) <= most:
        return dict(sorted(tails.items()))
    ends: dict[str, int] = {}
    for index, (name, count) in enumerate(sorted(waiting.items(), key=lambda each: (each[1], each[0]))):
        share = min(count, most // (len(waiting) - index))
        most -= share
        if not share and name not in start:
            # The stream has not been begun yet.
            continue
        begin = start.get(name, 0)
        # A stream that was created anew is read from its beginning.
        ends[name] = tails[name] if tails[name] < begin else begin + share
    return dict(sorted(ends.items()))


STREAM = "_stream"
NUMBER = "seq_num"
PATIENCE = 60.0
"""Seconds of continuous failures after which a task fails; Spark then runs it again."""
BATCH_ROWS = 8192
"""Maximum number of rows of a batch."""


class S2Reader(LiveBatchReader):
    """The batch reader of streams, between two positions."""

    computed: ClassVar[tuple[str, ...]] = (STREAM,)
    options: S2ReadOptions

    def planning(self) -> S2StreamPlanning:
        """Return the planning of a streaming query."""
        return S2StreamPlanning(self.options)

    def partitions(self) -> Sequence[InputPartition]:
        """Return a partition for each stream, up to its current end. Raises ``WireloomError``."""
        with HideTraceback():
            return partitions_of(S2Planning(self.options).ranges())

    def read(self, partition: InputPartition) -> Iterator[pa.RecordBatch]:
        """Yield the batches of one partition. Raises ``WireloomError``, also for lost records if
        ``failOnDataLoss`` is on."""
        if not isinstance(partition, S2Partition):
            # If there are no ranges, Spark reads a partition of its own making.
            return
        with HideTraceback():
            try:
                yield from self._read(partition.range)
            except LostRecordsError as error:
                error.advice = ADVICE
                raise

    def _read(self, wanted: Range) -> Iterator[pa.RecordBatch]:
        from ....reading.batching import coalesced
        from ....s2.reading import StreamReading
        from ...read.casting import Caster

        options = self.options
        caster = Caster(self.targets)
        # Rows have to be counted even if Spark reads only null columns.
        columns = [each.source for each in self.targets if each.source is not None] or [NUMBER]
        with StreamReading(
            options.basin,
            wanted.stream,
            wanted.begin,
            end=wanted.end,
            columns=list(dict.fromkeys(columns)),
            lost="raise" if options.fail_on_data_loss else "report",
            endpoint=options.endpoint,
            patience=PATIENCE,
            from_earliest=wanted.earliest,
        ) as reading:
            for batch in coalesced(reading, BATCH_ROWS):
                yield caster.cast(batch, {STREAM: wanted.stream})
