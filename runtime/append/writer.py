"""``AppendWriter``."""

from __future__ import annotations

import os
import threading
from contextlib import suppress
from io import FileIO
from typing import Any

from ..errors import UnknownNameError, UnsupportedError, WireloomError
from ..format import Format
from ..registry import get
from ..threads import start
from ..writing.batches import batches_of
from ..writing.encoder import RowEncoder
from .calls import Calls, SystemCalls, locked, open_for_append
from .tail import missing_delimiter

TRIES = 3
"""How often a record is written before an error is raised; as often as the reference does."""
NEVER, ALWAYS = "never", "always"


class AppendError(WireloomError):
    """A record could not be appended; ``__cause__`` is the system's error, ``None`` where writes came back short."""


class AppendWriter:
    """Appends records to a log of a delimited format. Threads may share one.

    ``target``: a path (created where it is missing) or a descriptor that was opened with ``O_APPEND``, which stays open
    on ``close``. ``buffer``: 0 writes each record at once; otherwise records are gathered and written together when
    there are that many bytes of them, on ``flush`` and on ``close``. ``sync``: ``"never"``, ``"always"`` (after each
    write), or a number of seconds within which what was written is on the disk; ``sync()`` works with each of them.
    ``max_record``: the largest record on the wire, in bytes, without its delimiter; larger ones are refused. ``calls``:
    the system calls. ``begin``: whether the first write makes sure that the file ends in a delimiter.

    ``torn_delimiter`` says what happens to a file that ends inside a delimiter (``FE`` without its ``FD``), as a crash
    can leave it. The reference puts a whole delimiter there (``"separate"``). The torn byte is then read as the last
    one of the record before it, which does not hold with it and is lost. So by default (``"complete"``) only the
    missing byte is put. With ``"complete"`` an empty file is also left without a delimiter at its start, and a
    delimiter that could not be written after a torn record is put before the next one.

    Raises ``WireloomError`` where the file cannot be opened and ``UnsupportedError`` for a format without delimiters.
    """

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
        calls: Calls | None = None,
    ) -> None:
        self.format = get(format)
        if not self.format.delimiter or self.format.has_prologue:
            raise UnsupportedError(
                f"{self.format.name} has no delimiters between its rows and cannot be appended to: use wireloom.write"
            )
        if torn_delimiter not in ("complete", "separate"):
            raise UnknownNameError(f"torn_delimiter is 'complete' or 'separate', not {torn_delimiter!r}")
        self._completes = torn_delimiter == "complete"
        self._every = _seconds(sync)
        self._encoder = RowEncoder(self.format, max_record=max_record, numbered=False)
        self._calls = calls if calls is not None else SystemCalls()
        self._buffer = buffer
        self._pending: list[bytes] = []
        self._pending_size = 0
        self._begun = not begin
        self._torn = False
        self._unsynced = False
        self._timer: threading.Timer | None = None
        self._late_error: OSError | WireloomError | None = None
        self._lock = threading.RLock()
        self._path: str | None = None
        self._file: FileIO | None = None
        """What is ours to close."""
        if isinstance(target, int):
            self._descriptor = target
        else:
            self._path = os.fspath(target)
            self._file = open_for_append(self._path)
            self._descriptor = self._file.fileno()

    def append(self, **values: Any) -> None:
        """Appends one record: the format's columns by name. Raises ``AppendError``, and ``WireloomError`` for values
        that the record cannot hold."""
        self._take([self._encoder.encode_one(values)])

    def append_rows(self, rows: Any) -> int:
        """Appends the rows of a table (see ``wireloom.write``), each as a record; gives their number."""
        count = 0
        for batch in batches_of(rows, self.format.schema):
            self._take(self._encoder.encode(batch, count))
            count += batch.num_rows
        return count

    def begin(self) -> None:
        """Makes sure now that what is appended next stands behind a delimiter; else the first write does."""
        with self._lock:
            self._begun = True
            delimiter = self.format.delimiter
            if not self._completes:
                if self._calls.tail(self._descriptor, len(delimiter)) != delimiter:
                    self._put([delimiter])
                return
            # The lock keeps two writers from completing the same delimiter.
            with locked(self._descriptor):
                missing = missing_delimiter(self.format, self._calls, self._descriptor)
                if missing:
                    self._put([missing])

    def flush(self) -> None:
        """Writes what is buffered. After an error the records that did not get through stay buffered."""
        with self._lock:
            self._raise_late_error()
            self._flush()

    def sync(self) -> None:
        """Writes what is buffered and returns when everything is on the disk."""
        with self._lock:
            self._raise_late_error()
            self._flush()
            self._sync()

    def close(self) -> None:
        """Writes what is buffered, syncs unless that is never wanted, and closes the file. Again: nothing."""
        with self._lock:
            if self._descriptor < 0:
                return
            try:
                self._raise_late_error()
                self._flush()
                if self._unsynced and self._every is not None:
                    self._sync()
            finally:
                self._descriptor = -1
                # First: the timer, which holds this object, may not end where stopping it is interrupted.
                if self._file is not None:
                    self._file.close()
                if self._timer is not None:
                    self._timer.cancel()

    def __enter__(self) -> AppendWriter:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    def _take(self, records: list[bytes]) -> None:
        with self._lock:
            if self._descriptor < 0:
                raise WireloomError("the writer is closed", path=self._path)
            self._raise_late_error()
            if self._buffer > 0:
                self._pending += records
                self._pending_size += sum(map(len, records))
                self._arm()
                if self._pending_size >= self._buffer:
                    self._flush()
                return
            if not self._begun:
                self.begin()
            for record in records:
                self._put([record])

    def _flush(self) -> None:
        if not self._pending:
            return
        if not self._begun:
            self.begin()
        try:
            self._put(self._pending)
        finally:
            self._pending_size = sum(map(len, self._pending))

    def _put(self, records: list[bytes]) -> None:
        """Writes ``records`` in one go, behind a delimiter once something was torn; takes off what got through.

        Where the first of them does not get through in ``TRIES`` writes, a last delimiter is put for whoever writes
        next, and ``AppendError`` is raised.
        """
        delimiter = self.format.delimiter
        tries = 0
        written, error = 0, None
        while tries < TRIES:
            front = len(delimiter) if self._torn else 0
            block = b"".join([delimiter, *records] if front else records)
            try:
                written, error = self._calls.write(self._descriptor, block), None
            except OSError as caught:
                error = caught
                tries += 1
                continue
            self._unsynced = self._unsynced or written > 0
            through = written - front
            complete = 0
            while complete < len(records) and through >= len(records[complete]):
                through -= len(records[complete])
                complete += 1
            del records[:complete]
            if complete:
                tries = 0
            if not records:
                self._torn = False
                self._written()
                return
            # Records that end where the write did leave nothing torn.
            self._torn = (self._torn or written > 0) and not (complete and through == 0)
            tries += 1
        if self._torn:
            self._separate()
        raise AppendError(
            f"a record could not be appended in {TRIES} tries: {error.strerror or error}"
            if error
            else f"a record could not be appended in {TRIES} tries: the writes came back short",
            path=self._path,
        ) from error

    def _separate(self) -> None:
        """Tries to leave a delimiter behind a torn record, for whoever writes next."""
        whole = False
        with suppress(OSError):
            whole = self._calls.write(self._descriptor, self.format.delimiter) == len(self.format.delimiter)
        # The reference does not remember a delimiter that it owes.
        self._torn = self._completes and not whole

    def _written(self) -> None:
        if self._every == 0:
            self._sync()
        else:
            self._arm()

    def _arm(self) -> None:
        """Starts the timer, where there is one to be started."""
        if self._every and self._timer is None:
            timer = threading.Timer(self._every, self._on_time)
            timer.daemon = True
            start(timer)
            # Where that was interrupted, the next record starts another one.
            self._timer = timer

    def _on_time(self) -> None:
        with self._lock:
            self._timer = None
            if self._descriptor < 0:
                return
            try:
                self._flush()
                self._sync()
            except (OSError, WireloomError) as error:
                # There is nobody to raise it to; the next call does.
                self._late_error = error

    def _sync(self) -> None:
        try:
            self._calls.sync(self._descriptor)
        except OSError as error:
            raise AppendError(f"what was appended may not be on the disk: {error.strerror}", path=self._path) from error
        self._unsynced = False

    def _raise_late_error(self) -> None:
        error, self._late_error = self._late_error, None
        if error is not None:
            raise error


def _seconds(sync: str | float) -> float | None:
    """``None`` for never, 0 for always, otherwise the interval."""
    if sync == NEVER:
        return None
    if sync == ALWAYS:
        return 0.0
    if isinstance(sync, str | bool) or sync <= 0:
        raise WireloomError(f"sync is 'never', 'always' or a number of seconds above 0, not {sync!r}")
    return float(sync)
