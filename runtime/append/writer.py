"""``AppendWriter``."""

from __future__ import annotations

import os
import threading
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from numbers import Integral, Real
from typing import Any

from ..base.arguments import check_booleans, checks_keywords
from ..base.errors import UnknownNameError, UnsupportedError, WireloomError
from ..base.threads import start
from ..format.description import Format
from ..format.registry import get
from ..writing.encoder import RowEncoder
from ..writing.output import limit_of, replacing
from ..writing.refusals import REPEATED
from ..writing.row_batches import batches_of
from .blocks import AppendError, BlockWriter, overlaps_itself
from .calls import Calls, SystemCalls
from .target import Target, open_for_append, path_of, refuse_name

NEVER, ALWAYS = "never", "always"


class AppendWriter:
    """Appends records to a log of a delimited format.

    Threads may share a writer. Processes may not: a forked process has to open its own. docs/writing.md describes
    what is guaranteed if several processes append to one file.

    - ``target``: a path, created if missing, or a descriptor that was opened with ``O_APPEND`` and stays open after
      ``close``.
    - ``buffer``: 0 writes each record at once. Otherwise records are collected and written together when they have that
      many bytes, on ``flush`` and on ``close``.
    - ``sync``: ``"never"``, ``"always"`` (after each write), or the number of seconds within which written data is on
      the disk. ``sync()`` can be called in all cases.
    - ``max_record``: the maximum size of a record in the file, in bytes, without its delimiter. A larger record is an
      error.
    - ``begin``: whether each write ensures that it follows a delimiter. Without it, the file must end with a delimiter,
      and no other process may append to it.
    - ``reopen``: whether each write goes to the file that has the path at that time, even if the previous one was
      renamed or removed, as in log rotation. Without it, all writes go to the first file.
    - ``calls``: the system calls to use.
    - ``allow_modules``: modules whose classes a spec may reference; see ``wireloom.load_spec``.
    - ``torn_delimiter``: the handling of a file that ends inside a delimiter (``FE`` without its ``FD``) after a
      crash. ``"complete"`` writes the missing byte. With it, an empty file gets no delimiter at its start, and a
      delimiter that could not be written after a torn record is written before the next one. ``"separate"`` writes a
      whole delimiter, as the reference implementation does; the torn byte is then read as part of the record before it,
      whose checksum fails.

    Raises ``WireloomError`` if the file cannot be opened, and ``UnsupportedError`` for a format without delimiters
    and for a file that is compressed, by its name or its first bytes.
    """

    @checks_keywords()
    def __init__(
        self,
        target: str | os.PathLike[str] | int,
        format: str | Format = "word_stuffed_log",
        *,
        torn_delimiter: str = "complete",
        buffer: int = 0,
        sync: str | float = NEVER,
        max_record: int | None = None,
        begin: bool = True,
        reopen: bool = True,
        calls: Calls | None = None,
        allow_modules: Sequence[str] = (),
    ) -> None:
        self.format = get(format, allow_modules)
        if not self.format.delimiter or not self.format.stands_alone:
            raise UnsupportedError(
                f"{self.format.name} has no delimiters between its rows and cannot be appended to: use wireloom.write"
            )
        if self.format.distinct:
            raise UnsupportedError(
                f"{self.format.name} cannot be appended to: {REPEATED}, and the rows that the file has are not read. "
                "Write the whole table with wireloom.write"
            )
        if torn_delimiter not in ("complete", "separate"):
            raise UnknownNameError(f"torn_delimiter must be 'complete' or 'separate', not {torn_delimiter!r}")
        check_booleans(begin=begin, reopen=reopen)
        self._every = _seconds(sync)
        limit = None if max_record is None else limit_of(max_record)
        self._encoder = RowEncoder(self.format, max_record=limit, numbered=False)
        self._calls = calls if calls is not None else SystemCalls()
        self._buffer = _bytes(buffer)
        self._guards, self._completes = begin, torn_delimiter == "complete"
        self._pending: list[bytes] = []
        self._pending_size = 0
        self._timer: threading.Timer | None = None
        self._late_error: OSError | WireloomError | None = None
        self._lock = threading.RLock()
        self._process = os.getpid()
        self._closed = False
        self._blocks = self._blocks_on(Target(target, self.format, reopen=reopen))

    def _blocks_on(self, target: Target) -> BlockWriter:
        if overlaps_itself(self.format.delimiter) and not target.readable:
            raise UnsupportedError(
                f"the delimiter {self.format.delimiter.hex()} overlaps itself, so {self.format.name} can be appended "
                "to only if the end of the file can be read: give its path, and allow reading it",
                path=target.path,
            )
        return BlockWriter(self.format, target, self._calls, guards=self._guards, completes=self._completes)

    def append(self, **values: Any) -> None:
        """Append one record, given by the format's columns by name. Raises ``AppendError``, and ``WireloomError`` for
        values that the record cannot hold."""
        self._take([self._encoder.encode_one(values)])

    def append_rows(self, rows: Any) -> int:
        """Append the rows of a table (see ``wireloom.write``), each as a record; return their number."""
        count = 0
        for batch in batches_of(rows, self.format.schema):
            self._take(self._encoder.encode(batch, count))
            count += batch.num_rows
        return count

    def begin(self) -> None:
        """Write the delimiter that is missing at the end of the file now; otherwise the next write does."""
        with self._own():
            self._check_open()
            self._follow()
            self._blocks.begin()

    def flush(self) -> None:
        """Write buffered records. After an error, the records that were not written remain buffered."""
        with self._own():
            self._check_open()
            self._flush()

    def sync(self) -> None:
        """Write buffered records and flush everything to the disk."""
        with self._own():
            self._check_open()
            self._flush()
            self._sync()

    def close(self) -> None:
        """Write buffered records, sync unless ``sync`` is ``"never"``, and close the file. Further calls do nothing."""
        if os.getpid() != self._process:
            # Buffered records are written by the process that collected them.
            self._closed = True
            self._blocks.target.close()
            return
        with self._lock:
            if self._closed:
                return
            try:
                self._raise_late_error()
                self._flush()
                if self._blocks.unsynced and self._every is not None:
                    self._sync()
            finally:
                self._closed = True
                # First, because the timer keeps running, and keeps this object alive, if stopping it is interrupted.
                self._blocks.target.close()
                if self._timer is not None:
                    self._timer.cancel()

    def __enter__(self) -> AppendWriter:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    def _own(self) -> threading.RLock:
        """Return the lock that excludes other threads. Raises ``WireloomError`` if the writer belongs to
        another process."""
        if os.getpid() != self._process:
            raise WireloomError(
                "the writer was opened before this process was forked, and can only be used in the process that opened "
                "it: open another one here",
                path=self._blocks.target.path,
            )
        return self._lock

    def _check_open(self) -> None:
        """Raise the pending error, or ``WireloomError`` if the writer is closed."""
        if self._closed:
            raise WireloomError("the writer is closed", path=self._blocks.target.path)
        self._raise_late_error()

    def _take(self, records: list[bytes]) -> None:
        with self._own():
            self._check_open()
            if self._buffer > 0:
                self._pending += records
                self._pending_size += sum(map(len, records))
                self._arm()
                if self._pending_size >= self._buffer:
                    self._flush()
                return
            for record in records:
                self._follow()
                self._blocks.put([record])
                self._written()

    def _flush(self) -> None:
        if not self._pending:
            return
        self._follow()
        try:
            self._blocks.put(self._pending)
        finally:
            self._pending_size = sum(map(len, self._pending))
        self._written()

    def _follow(self) -> None:
        """Continue with the file that the path names, if that is another one now. Raises ``AppendError``."""
        present = self._blocks
        if not present.target.renamed():
            return
        if present.unsynced:
            # The file has to be synced now, since it is closed afterwards.
            self._sync()
        try:
            found = present.target.successor()
        except WireloomError as error:
            raise AppendError(
                f"the log was renamed or removed, and its name {error.message}", path=error.path
            ) from error
        if found is not None:
            self._blocks = self._blocks_on(found)
            present.target.close()

    def _written(self) -> None:
        if self._every == 0:
            self._sync()
        else:
            self._arm()

    def _arm(self) -> None:
        """Start the timer if one is needed."""
        if self._every and self._timer is None:
            timer = threading.Timer(self._every, self._on_time)
            timer.daemon = True
            start(timer)
            # If that was interrupted, the next record starts another timer.
            self._timer = timer

    def _on_time(self) -> None:
        with self._lock:
            self._timer = None
            if self._closed:
                return
            try:
                self._flush()
                self._sync()
            except (OSError, WireloomError) as error:
                # There is no caller to raise it to; the next call raises it.
                self._late_error = error

    def _sync(self) -> None:
        target = self._blocks.target
        try:
            self._calls.sync(target.descriptor)
        except OSError as error:
            message = f"the appended records may not be on the disk: {error.strerror}"
            raise AppendError(message, path=target.path) from error
        self._blocks.unsynced = False

    def _raise_late_error(self) -> None:
        error, self._late_error = self._late_error, None
        if error is not None:
            raise error


def _seconds(sync: str | float) -> float | None:
    """Return the interval of option ``sync`` in seconds: ``None`` for never, 0 for always."""
    if isinstance(sync, str) and sync in (NEVER, ALWAYS):
        return None if sync == NEVER else 0.0
    is_number = isinstance(sync, Real) and not isinstance(sync, bool)
    # Infinity and NaN are not in that range.
    if not is_number or not 0 < float(sync) <= threading.TIMEOUT_MAX:
        longest = int(threading.TIMEOUT_MAX)
        raise WireloomError(
            f"sync must be 'never', 'always' or a number of seconds above 0, up to {longest}, not {sync!r}"
        )
    return float(sync)


def _bytes(buffer: int) -> int:
    if not isinstance(buffer, Integral) or isinstance(buffer, bool) or buffer < 0:
        raise WireloomError(f"buffer must be a number of bytes, 0 for none, not {buffer!r}")
    return int(buffer)


@contextmanager
def publish(
    path: str | os.PathLike[str], format: str | Format = "word_stuffed_log", **options: Any
) -> Iterator[AppendWriter]:
    """Yield an ``AppendWriter`` for a new file that gets its name when the block ends: readers see all of it or
    nothing.

    An existing file of that name is replaced. If the block raises, nothing is left. The content is on the disk before
    the file gets its name. Options: those of ``AppendWriter``. Raises ``WireloomError`` if the file cannot be written.
    """
    shown = path_of(path)
    refuse_name(shown)
    with (
        replacing(shown) as temporary,
        open_for_append(str(temporary), published=shown) as file,
        AppendWriter(file.fileno(), format, **options) as writer,
    ):
        yield writer
        writer.sync()
