"""Writes records to the end of a log so that each accepted record can be found, even if others append to it.

A record is accepted when it is in the file between two delimiters, or between the file's beginning and a delimiter.
Existing bytes of a file that is only appended to do not change, and readers need only the two delimiters to find the
record between them. Nothing that others write, tear or repair afterwards can therefore remove an accepted record.

The delimiter after a record is written together with it, in one call. The one before it may be missing if another
writer was killed in the middle of a record, or if the disk was full. Three measures ensure that it exists:

- The look. Before each write the file's end is read, and the missing bytes of a delimiter are written with the record.
- The lock. From the look to the end of the write an advisory lock is held, so that no record of another writer is seen
  partly written or is torn in between. The system releases the lock of a writer that is killed.
- The check. After the write, its offset shows whether others have written since the look nevertheless: some do not take
  the lock, some file systems have none, and waiting for it is limited. In that case the bytes before the record have to
  be a delimiter. If they are not, the record has become part of a torn one, and is written again.

The end of the file need not be read if it is still that of this writer's last record. If it cannot be read, or the
offset is not known, a write begins with a delimiter.
"""

from __future__ import annotations

from contextlib import suppress

from ..base.errors import WireloomError
from ..codecs import has_magic
from ..format.description import Format
from ..objects import KaitaiStructError
from ..objects.stuffing import unstuff
from .calls import Calls
from .target import FileLock, Target

WINDOW = 64 * 1024
"""Number of bytes at the end of a file that are searched first for the beginning of its last frame."""


def overlaps_itself(delimiter: bytes) -> bool:
    """Return whether the beginning of a delimiter equals its end, so that after a part of another one it would be found
    too early.

    >>> overlaps_itself(b"\\n\\n"), overlaps_itself(b"\\r\\n")
    (True, False)
    """
    return any(delimiter.startswith(delimiter[size:]) for size in range(1, len(delimiter)))


def missing_delimiter(format: Format, calls: Calls, descriptor: int) -> bytes:
    """Return the missing bytes of the delimiter at the end of the file: none, all, or the rest of a torn one. All of it
    is returned if the end cannot be read.

    A last byte ``FE`` is either the torn half of ``FE FD``, or the last byte of a record whose whole delimiter is
    missing. The record decides: its checksum is valid with or without that byte. If it is valid in neither case, the
    record itself is torn, and nothing can be lost.
    """
    delimiter = format.delimiter
    tail = calls.tail(descriptor, len(delimiter))
    if tail is None:
        return delimiter
    if not tail or tail.endswith(delimiter):
        return b""
    torn = next((size for size in range(len(delimiter) - 1, 0, -1) if tail.endswith(delimiter[:size])), 0)
    # No record ends with the beginning of a delimiter that overlaps itself.
    if torn and not overlaps_itself(delimiter) and _holds(format, _last_frame(format, calls, descriptor)):
        return delimiter
    return delimiter[torn:]


def _last_frame(format: Format, calls: Calls, descriptor: int) -> bytes:
    """Return the bytes after the last delimiter; truncated at the front if they are longer than any record."""
    size = WINDOW
    while True:
        data = calls.tail(descriptor, size) or b""
        at = data.rfind(format.delimiter)
        if at >= 0:
            return data[at + len(format.delimiter) :]
        if len(data) < size or size > format.max_record:
            return data
        size *= 8


def _holds(format: Format, frame: bytes) -> bool:
    """Return whether a frame is a valid record with a valid checksum."""
    try:
        format.row_class.from_bytes(unstuff(frame, format.stuffing))
    except (KaitaiStructError, ValueError, EOFError):
        return False
    return True


TRIES = 3
"""Number of times a record is written before an error is raised; the same as in the reference implementation."""
REWRITES = 20
"""Number of times a record is written again because the bytes before it, written by others, are not a delimiter. More
conflicts are unlikely, but the offsets of a file system may be meaningless."""


class AppendError(WireloomError):
    """A record could not be appended; ``__cause__`` is the system's error, ``None`` if writes were incomplete."""


class BlockWriter:
    """Writes records, each with its delimiter, to one file in append mode.

    ``guards``: whether each record is separated from records that others have torn; ``completes``: whether a torn
    delimiter is completed, instead of adding a whole one after it.
    """

    def __init__(
        self,
        format: Format,
        target: Target,
        calls: Calls,
        *,
        guards: bool,
        completes: bool,
    ) -> None:
        self.target = target
        self.unsynced = False
        """Whether data was written since this was last set to false."""
        self._format = format
        self._delimiter = format.delimiter
        self._overlaps = overlaps_itself(format.delimiter)
        self._descriptor = target.descriptor
        self._calls = calls
        self._guards = guards
        self._completes = completes
        self._shared = target.file is None
        """Whether other processes may have inherited the descriptor."""
        self._lock = FileLock(target.descriptor)
        self._begun = False
        self._torn = False
        self._end = -1
        """End offset of the last write if it ended with a delimiter, otherwise -1."""

    def begin(self) -> None:
        """Write the delimiter that is missing at the end of the file. Raises ``AppendError``."""
        with self._lock as locked:
            lead, _ = self._lead(locked)
            if lead:
                self._write([lead])
            self._begun = True

    def put(self, records: list[bytes]) -> None:
        """Write ``records`` with one call and remove those that were accepted from the list.

        If the first of them is not accepted within ``TRIES`` writes, or follows bytes that are not a delimiter in
        ``REWRITES``, a final delimiter is written for the next writer, and ``AppendError`` is raised.
        """
        if not self._guards:
            self._write(records)
            return
        with self._lock as locked:
            self._write(records, locked)
            self._begun = True

    def _write(self, records: list[bytes], locked: bool | None = None) -> None:
        """Write with one call. ``locked``: whether the lock is held; ``None``: the data need not follow a delimiter,
        except after data that this writer has torn."""
        tries = rewrites = 0
        error: OSError | None = None
        while tries < TRIES and rewrites < REWRITES:
            try:
                unlocked = self._delimiter if self._torn else b"", None
                lead, size = unlocked if locked is None else self._lead(locked)
                if size == 0 and not lead and has_magic(records[0]):
                    # Readers would take the log for a compressed stream.
                    lead = self._delimiter
                written = self._calls.write(self._descriptor, b"".join([lead, *records]))
            except OSError as caught:
                error = caught
                tries += 1
                continue
            error = None
            self.unsynced = self.unsynced or written > 0
            through = written - len(lead)
            complete = 0
            while complete < len(records) and through >= len(records[complete]):
                through -= len(records[complete])
                complete += 1
            # A record that ends exactly at the end of the write is not torn.
            self._torn = (self._torn or written > 0) and not (complete and through == 0)
            # Only the first record can have become part of data that others have torn, which is not a failure of this
            # write.
            first = 0 if not complete or locked is None or self._is_apart(lead, size, written) else 1
            is_short = complete < len(records)
            del records[first:complete]
            if not records:
                return
            if complete > first:
                tries = rewrites = 0
            tries += is_short
            rewrites += first
        if self._torn:
            self._separate()
        if rewrites == REWRITES:
            raise AppendError(
                f"a record was written {REWRITES} times and was never found after a delimiter: other processes write "
                "without the lock, or the file system does not support appending; write to a local file system, with "
                "one writer at a time",
                path=self.target.path,
            )
        raise AppendError(
            f"a record could not be appended in {TRIES} tries: {error.strerror or error}"
            if error
            else f"a record could not be appended in {TRIES} tries: the file system wrote only parts of it",
            path=self.target.path,
        ) from error

    def _lead(self, locked: bool) -> tuple[bytes, int | None]:
        """Return the delimiter to write before the next record (empty if it is there), and the file size at which that
        was determined."""
        size = self._calls.size(self._descriptor)
        if size is None:
            return b"" if self._begun else self._delimiter, None
        if self._shared:
            return self._delimiter, size
        if size == self._end or (size == 0 and self._completes):
            return b"", size
        if not self._completes:
            tail = self._calls.tail(self._descriptor, len(self._delimiter))
            return b"" if tail == self._delimiter else self._delimiter, size
        missing = missing_delimiter(self._format, self._calls, self._descriptor)
        if missing and not locked and not self._overlaps:
            # The rest of a torn delimiter would be garbage after the one that another writer is about to write.
            missing = self._delimiter
        return missing, size

    def _is_apart(self, lead: bytes, size: int | None, written: int) -> bool:
        """Return whether the records of the last write of ``written`` bytes, which began with ``lead``, follow a
        delimiter or the file's beginning: ``lead`` was sufficient if the file had ``size`` bytes."""
        if size is None or self._shared:
            return True
        position = self._calls.position(self._descriptor)
        self._end = -1 if self._torn else position
        begin = position - written
        if begin in (0, size):
            return True
        if self._overlaps:
            return False
        if lead:
            return lead == self._delimiter
        width = len(self._delimiter)
        return self._calls.read(self._descriptor, begin - width, width) == self._delimiter

    def _separate(self) -> None:
        """Try to write a delimiter after a torn record, for the next writer."""
        whole = False
        with suppress(OSError):
            whole = self._calls.write(self._descriptor, self._delimiter) == len(self._delimiter)
        # The reference implementation does not remember a missing delimiter.
        self._torn = self._completes and not whole
