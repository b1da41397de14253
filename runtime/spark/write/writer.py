"""Writes the rows of a data frame as files of a format, all of which are seen when the job commits, or none."""

from __future__ import annotations

import secrets
from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from contextlib import suppress
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta
from typing import TYPE_CHECKING

from pyspark import TaskContext
from pyspark.sql.datasource import DataSourceArrowWriter, DataSourceStreamArrowWriter, WriterCommitMessage
from pyspark.sql.pandas.types import to_arrow_schema
from pyspark.sql.types import StructType

from ...base.errors import WireloomError
from ...format.description import Format
from ..errors import Brief
from ..file_names import Place
from ..options import WriteOptions

if TYPE_CHECKING:
    import pyarrow as pa

    from ..folders import Folder
    from .commit_log import Journal

JOB = "job-"
STREAM = "stream-"
"""How the names of commits and of staging folders begin."""

QUERY_PROPERTY = "sql.streaming.queryId"
"""Spark tells tasks of a stream by it which query they are of."""

ABANDONED = timedelta(days=1)
"""Nothing was written for so long: whoever began it, perhaps on another machine, is not going to commit it."""


@dataclass(frozen=True)
class WrittenFile:
    """A file that waits for the commit: its ``name`` in the staging folder, which task made it, and for which folder
    below the one that is written to."""

    name: str
    partition: int
    folder: str = ""


@dataclass
class Written(WriterCommitMessage):
    """What a task made. ``attempt``: its staging folder; ``query``: the stream's, ``None`` where it is none."""

    files: tuple[WrittenFile, ...]
    rows: int
    attempt: str
    query: str | None = None


class FilesWriter:
    """What a batch write and a stream have in common. It is pickled on its way to the tasks."""

    def __init__(self, format: Format, schema: StructType, options: WriteOptions, overwrite: bool) -> None:
        from .driver_process import owner

        self.format = format
        self.options = options
        self.overwrite = overwrite
        self.job = secrets.token_hex(6)
        self._owner = owner()
        # Whoever forgot a column hears of it before any task has begun.
        _check_columns(format, to_arrow_schema(schema, timezone="UTC"), options)
        if self._folder().kind() == "file":
            raise WireloomError("is a file: give the folder that the files are to be written to", path=options.path)

    def write(self, iterator: Iterator[pa.RecordBatch]) -> Written:
        """Writes the rows of one task where no reader looks. A task without rows leaves no file."""
        from .commit_log import staging
        from .files import write_files

        context = TaskContext.get()
        partition = context.partitionId() if context is not None else 0
        query = self._query(context)
        attempt = self._attempt(query)
        files: list[WrittenFile] = []
        rows = 0
        with Brief():
            filled = (batch for batch in iterator if batch.num_rows)
            for folder, batches in self._by_folder(filled):
                first = next(batches, None)
                if first is None:
                    continue
                place = staging(self._folder(), attempt)
                place.make()
                for name, count in write_files(self.format, _again(first, batches), place, self.options):
                    files.append(WrittenFile(name, partition, folder))
                    rows += count
        return Written(tuple(files), rows, attempt, query)

    def _by_folder(self, batches: Iterator[pa.RecordBatch]) -> Iterator[tuple[str, Iterator[pa.RecordBatch]]]:
        if not self.options.partition_by:
            yield "", batches
            return
        from .partitions import by_folder

        for folder, rows in by_folder(batches, self.options.partition_by):
            yield folder, iter(rows)

    def _query(self, context: TaskContext | None) -> str | None:
        return None

    def _attempt(self, query: str | None) -> str:
        return f"{JOB}{self.job}-{self._owner}" if query is None else f"{STREAM}{query}-{self._owner}"

    def _commit(self, name: str, written: Sequence[Written], batch: int, job: str) -> Journal:
        """Carries out what others have left undone, then commits the files of all tasks."""
        from ..file_names import names
        from .commit_log import HOME, TABLE, Journal, Move, Record, staged_name
        from .files import ending

        place = self._folder()
        place.make()
        journal = Journal(place)
        _recover(journal)
        files = [(each.attempt, file) for each in written for file in each.files]
        if not files and (self.overwrite or not place.files()):
            # Readers take a folder without any file for a mistake.
            files = self._empty(written[0].attempt if written else self._attempt(None))
        before = [each for each in place.names() if each != HOME]
        below = list(place.files()) if self.options.partition_by else before
        own = names(
            self.options.file_name,
            ending(self.format, self.options.codec),
            _places(file.partition for _, file in files),
            [] if self.overwrite else [each.rpartition("/")[2] for each in below],
            batch=batch,
            job=job,
        )
        finals = [f"{file.folder}/{name}" if file.folder else name for (_, file), name in zip(files, own, strict=True)]
        moves = [
            Move(TABLE, staged_name(attempt, file.name), final)
            for (attempt, file), final in zip(files, finals, strict=True)
        ]
        # What was there goes last: readers may find too much for a moment, never nothing.
        removes = [(TABLE, each) for each in _replaced(before, below, finals)] if self.overwrite else []
        journal.commit(Record(name, moves, removes))
        return journal

    def _empty(self, attempt: str) -> list[tuple[str, WrittenFile]]:
        """A staged file without rows; none where such a file is not valid for the format."""
        from .commit_log import staging
        from .files import write_empty
        from .partitions import null_folder

        place = staging(self._folder(), attempt)
        place.make()
        name = write_empty(self.format, place, self.options)
        # Below a folder, so that readers find the columns that folders give.
        return [] if name is None else [(attempt, WrittenFile(name, 0, null_folder(self.options.partition_by)))]

    def _clear(self, own: str) -> None:
        """Removes the staging folders whose names begin with ``own``, and those that nobody is going to commit."""
        from .commit_log import HOME, Journal, clear_staging, staging
        from .driver_process import is_gone

        place = self._folder()
        if HOME not in place.names():
            return
        # What is committed may still be staged.
        _recover(Journal(place))
        oldest = datetime.now(UTC) - ABANDONED

        def wanted(attempt: str) -> bool:
            if attempt.startswith(own) or is_gone(attempt.rpartition("-")[2]):
                return True
            last = staging(place, attempt).modified()
            return last is not None and last < oldest

        clear_staging(place, wanted)

    def _folder(self) -> Folder:
        from ..folders import folder

        return folder(self.options.path.rstrip("/") or "/", self.options.location)


class FormatWriter(FilesWriter, DataSourceArrowWriter):
    """Writes one format."""

    def commit(self, messages: list[WriterCommitMessage | None]) -> None:
        """Gives the files of all tasks their places; with ``overwrite`` removes what was there."""
        name = f"{JOB}{self.job}"
        with Brief():
            self._commit(name, _written(messages), 0, self.job).forget(name)
            self._clear(name)

    def abort(self, messages: list[WriterCommitMessage | None]) -> None:
        """Removes the files of all tasks; where the commit holds already, it is carried out."""
        with suppress(WireloomError):
            self._clear(f"{JOB}{self.job}")


class FormatStreamWriter(FilesWriter, DataSourceStreamArrowWriter):
    """Writes the batches of a stream, each once. For every batch, and for its commit, Spark makes a new one of these,
    so what they have to know of each other is in the messages."""

    def commit(self, messages: list[WriterCommitMessage | None], batchId: int) -> None:  # noqa: N803
        """As ``FormatWriter.commit``; a batch of the same query that is committed already is left alone."""
        written = _written(messages)
        if not written:
            return
        stream = f"{STREAM}{written[0].query}-"
        with Brief():
            if self._last(stream) < batchId:
                journal = self._commit(f"{stream}{batchId:012d}", written, batchId, f"{written[0].query}-{batchId}")
                for name in journal.names():
                    if name.startswith(stream) and int(name.removeprefix(stream)) < batchId:
                        journal.forget(name)
            self._clear(stream)

    def abort(self, messages: list[WriterCommitMessage | None], batchId: int) -> None:  # noqa: N803
        """Removes the files of the tasks that were done; the next batch of the query removes all others."""
        with suppress(WireloomError):
            for attempt in {each.attempt for each in _written(messages)}:
                self._clear(attempt)

    def _query(self, context: TaskContext | None) -> str | None:
        query = context.getLocalProperty(QUERY_PROPERTY) if context is not None else None
        if query is None:
            raise WireloomError("Spark does not say which query this is: write with foreachBatch, in batches")
        return query

    def _last(self, stream: str) -> int:
        """The last batch of the query that is committed; -1 where there is none."""
        from .commit_log import Journal

        journal = Journal(self._folder())
        _recover(journal)
        found = (each for each in journal.names() if each.startswith(stream))
        return max((int(each.removeprefix(stream)) for each in found), default=-1)


def _recover(journal: Journal) -> None:
    """Carries out what a process committed that died, or is about to carry it out itself."""
    for each in journal.recover():
        if each.name.startswith(JOB):
            journal.forget(each.name)


def _places(partitions: Iterable[int]) -> list[Place]:
    """Each file's place among those of its task."""
    counted: Counter[int] = Counter()
    found = []
    for each in partitions:
        found.append(Place(each, counted[each]))
        counted[each] += 1
    return found


def _written(messages: list[WriterCommitMessage | None]) -> list[Written]:
    return [each for each in messages if isinstance(each, Written)]


def _replaced(there: Iterable[str], files: Iterable[str], new: Sequence[str]) -> Iterator[str]:
    """What new files replace. ``there``: files and folders directly in the folder; ``files``: all files in and below
    it, where new ones are in folders as well."""
    kept = set(new)
    shared = {each.partition("/")[0] for each in new if "/" in each}
    yield from (each for each in there if each not in kept and each not in shared)
    yield from (each for each in files if each not in kept and each.partition("/")[0] in shared)


def _again(first: pa.RecordBatch, rest: Iterator[pa.RecordBatch]) -> Iterator[pa.RecordBatch]:
    yield first
    yield from rest


def _check_columns(format: Format, schema: pa.Schema, options: WriteOptions) -> None:
    """Raises ``WireloomError`` where a writer cannot do with these columns."""
    from ...writing.fields import fields_of
    from ...writing.messages.output import UnitWriter
    from ...writing.messages.rows import columns_of

    if options.partition_by:
        from .partitions import checked_partitions

        schema = checked_partitions(schema, options.partition_by)
    if format.message is None:
        fields_of(format, schema)
    else:
        columns_of(UnitWriter(format, dict(options.format)).format, schema)
