"""The columns of fragments that concern their record: the log that it is of, in files that are used
again, and its compression before it was split."""

from __future__ import annotations

from bisect import bisect_left
from collections.abc import Callable, Mapping

import pyarrow as pa
import pyarrow.compute as pc

from ..base.errors import UnsupportedError
from ..codecs import BLOCK_CODECS, CodecError, unsupported
from ..format.description import Fragments
from ..rows.numbers import bytes_array, constant
from ..rows.reader import Filled, Status
from .options import AS_A_WHOLE

Found = Mapping[int, pa.Array]
"""The columns of the fragments at a place of the input; empty without any."""


class LogNumbers:
    """The log to which the fragments of one input belong. ``column``: the number of the column that identifies it; the
    log is that of the first fragment that has a value."""

    def __init__(self, column: int) -> None:
        self.column = column
        self._number: pa.Scalar | None = None
        self._is_over = False
        """Whether the last fragment so far is of an older log."""

    def own(self, arrays: Mapping[int, pa.Array]) -> pa.Array | None:
        """Return a mask of the fragments that are not of an older log; ``None`` if none has a number."""
        logs = arrays[self.column]
        if logs.null_count == len(logs):
            return None
        if self._number is None:
            self._number = logs.drop_null()[0]
        return pc.or_kleene(pc.equal(logs, self._number), pc.is_null(logs))

    def left_over(
        self, filled: Filled, following: Callable[[], Found], unverified: Callable[[int], Found], *, is_last: bool
    ) -> frozenset[int]:
        """Return the offsets of the damaged ranges of a fill that are left of an older log.

        A new log ends somewhere inside a record of the old one, so that the bytes up to the next record of the old one
        are no record. Such a range is followed by a fragment of an older log or by nothing, or it begins with a header
        of another log, as the trailer does with which Pebble ends a log; a range that begins like a fragment of the
        new log is damage nevertheless, and so is one before another fragment of it. RocksDB's and Pebble's readers end
        there, with the exception of Pebble's if a later fragment says that the bytes before it had reached the disk.
        ``following``: returns the first fragments after the fill; ``unverified``: those at an offset, whose checksums
        may be wrong; ``is_last``: whether nothing is after those that ``following`` looks at.
        """
        own = self.own(filled.arrays) if filled.rows else None
        begins = [each.begin for each in filled.damages]
        if filled.status in (Status.TRUNCATED, Status.LOST):
            begins.append(filled.position)
        found: set[int] = set()
        if begins and self._number is not None:
            offsets = filled.offsets.to_pylist() if filled.offsets is not None else []
            for begin in begins:
                number = bisect_left(offsets, begin)
                head = unverified(begin)
                if number < len(offsets):
                    is_old = own is not None and not own[number].as_py()
                elif after := following():
                    is_old = self._begins_with_old(after)
                else:
                    is_old = is_last or self._is_after_old(own, number) or self._begins_with_old(head)
                if is_old and not self._begins_with_own(head):
                    found.add(begin)
        self._is_over = self._is_after_old(own, filled.rows)
        return frozenset(found)

    def _is_after_old(self, own: pa.Array | None, number: int) -> bool:
        """Return whether the fragment before a number is of an older log."""
        return self._is_over if not number else own is not None and not own[number - 1].as_py()

    def _begins_with_old(self, arrays: Found) -> bool:
        own = self.own(arrays) if arrays else None
        return own is not None and not own[0].as_py()

    def _begins_with_own(self, arrays: Found) -> bool:
        return bool(arrays) and arrays[self.column][0].equals(self._number)


class RecordCodecs:
    """Decompresses the records of one input. A record whose codec column is null is compressed like the previous one
    that has a codec."""

    def __init__(self, fragments: Fragments) -> None:
        self._names = dict(fragments.codecs)
        self._most = fragments.most
        self._last: int | None = None
        self.unsupported: str | None = None
        """What is said about the first codec that is not supported."""
        self.are_known = False
        """Whether what the first records said holds for all: other byte ranges of the input know nothing else."""

    def known(self, chosen: pa.Array) -> pa.Array:
        """Return the codec values of the next fragments; null while no fragment has specified one."""
        if chosen.null_count == len(chosen) and self._last is None:
            return chosen
        if self.are_known and chosen.null_count:
            self._check_same(chosen)
        if chosen.null_count:
            chosen = pc.fill_null_forward(chosen)
            if chosen.null_count and self._last is not None:
                chosen = chosen.fill_null(constant(self._last, chosen.type))
        if len(chosen) and chosen[-1].is_valid:
            self._last = chosen[-1].as_py()
        return chosen

    def _check_same(self, chosen: pa.Array) -> None:
        """Raise ``UnsupportedError`` if records change the compression of later ones."""
        others = [each for each in pc.unique(chosen.drop_null()).to_pylist() if each != self._last]
        if others:
            raise UnsupportedError(
                "records are not compressed with the codec of the first ones, so the file cannot be read in byte "
                f"ranges: {AS_A_WHOLE}"
            )

    def expanded(self, records: pa.Array, chosen: pa.Array) -> tuple[pa.Array, list[tuple[int, str]]]:
        """Return the content of records, and the numbers of those without any, each with the reason."""
        if chosen.null_count == len(chosen):
            return records, []
        names = {value: "none" if value is None else self._names.get(value) for value in pc.unique(chosen).to_pylist()}
        if all(each == "none" for each in names.values()):
            return records, []
        content: list[bytes] = []
        broken: list[tuple[int, str]] = []
        for number, (record, value) in enumerate(zip(records, chosen.to_pylist(), strict=True)):
            data, name = memoryview(record.as_buffer() or b""), names[value]
            try:
                if name is None:
                    raise unsupported(value, dict.fromkeys(self._names.values()))
                content.append(BLOCK_CODECS[name].decompress(data, self._most))
            except CodecError as error:
                if error.reason == "unsupported":
                    self.unsupported = self.unsupported or error.message
                broken.append((number, error.reason or "codec"))
                content.append(b"")
        return bytes_array(content, pa.binary()), broken
