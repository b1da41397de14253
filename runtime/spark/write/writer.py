"""Writes the rows of a data frame as files of a format, which all appear when the job commits, or not at all."""

from __future__ import annotations

import secrets
from collections.abc import Iterable, Iterator, Sequence
from contextlib import suppress
from datetime import UTC, datetime, timedelta
from itertools import chain

import pyarrow as pa
from pyspark import TaskContext
from pyspark.sql.datasource import DataSourceArrowWriter, DataSourceStreamWriter, WriterCommitMessage
from pyspark.sql.types import StructType

from ...base.dataclass import dataclass
from ...base.errors import WireloomError
from ...format.description import Format
from ...reading.request import of_table
from ...writing.filled_fields import fields_of
from ...writing.messages.output import UnitWriter, columns_of
from ..errors import HideTraceback
from ..file_names import file_names
from ..folders import Folder, folder
from ..options import WriteOptions
from ..versions import to_arrow_schema
from .commit_log import LOG_FOLDER, TABLE, Commit, CommitLog, Move, clear_staging, staged_name, staging
from .driver_process import driver_process, has_ended
from .partitions import by_folder, checked_partitions, null_folder
from .task_files import ending, write_empty, write_files

JOB = "job-"
STREAM = "stream-"
"""Prefixes of the names of commits and staging folders, of jobs and of streams."""

QUERY_PROPERTY = "sql.streaming.queryId"
"""The local property in which Spark passes the id of a streaming query to its tasks."""

ABANDONED = timedelta(days=1)
"""Age from which staged files of another machine are considered abandoned."""


@dataclass(frozen=True)
class StagedFile:
    """A file that waits for the commit: its ``name`` in the staging folder, the task that wrote it, and the subfolder
    of the target for which it is meant.
    """

    name: str
    partition: int
    folder: str = ""


@dataclass
class Written(WriterCommitMessage):
    """The files that a task wrote. ``attempt``: its staging folder; ``query``: that of the stream, ``None`` in a batch
    write.
    """

    files: tuple[StagedFile, ...]
    rows: int
    attempt: str
    query: str | None = None


class FilesWriter:
    """The common base of batch and streaming writers. It is pickled to be sent to the tasks."""

    def __init__(self, format: Format, schema: StructType, options: WriteOptions, overwrite: bool) -> None:
        self.format = format
        self.options = options
        self.overwrite = overwrite
        self.job = secrets.token_hex(6)
        self._process = driver_process()
        # Missing columns are reported before any task starts.
        _check_columns(format, to_arrow_schema(schema), options)
        if self._folder().kind() == "file":
            raise WireloomError("is a file: give the folder in which to write", path=options.path)

    def write(self, iterator: Iterator[pa.RecordBatch]) -> Written:
        """Write the rows of one task to the staging folder. A task without rows writes no file."""
        context = TaskContext.get()
        partition = context.partitionId() if context is not None else 0
        query = self._query(context)
        attempt = self._attempt(query)
        files: list[StagedFile] = []
        rows = 0
        with HideTraceback():
            filled = (batch for batch in iterator if batch.num_rows)
            names = self.options.partition_by
            folders = by_folder(filled, names) if names else [("", filled)]
            for name_of_folder, batches in folders:
                several = iter(batches)
                first = next(several, None)
                if first is None:
                    continue
                directory = staging(self._folder(), attempt)
                directory.make()
                for name, count in write_files(self.format, chain([first], several), directory, self.options):
                    files.append(StagedFile(name, partition, name_of_folder))
                    rows += count
        return Written(tuple(files), rows, attempt, query)

    def _query(self, context: TaskContext | None) -> str | None:
        return None

    def _attempt(self, query: str | None) -> str:
        return f"{JOB}{self.job}-{self._process}" if query is None else f"{STREAM}{query}-{self._process}"

    def _commit(self, name: str, written: Sequence[Written], batch: int, job: str) -> CommitLog:
        """Apply commits that other processes have left undone, then commit the files of all tasks."""
        directory = self._folder()
        directory.make()
        log = _recovered(directory)
        files = [(each.attempt, file) for each in written for file in each.files]
        if not files and (self.overwrite or not directory.files()):
            # Readers reject a folder without any files.
            files = self._empty(written[0].attempt if written else self._attempt(None))
        before = [each for each in directory.names() if each != LOG_FOLDER]
        below = list(directory.files()) if self.options.partition_by else before
        own = file_names(
            self.options.file_name,
            ending(self.format, self.options.codec),
            [file.partition for _, file in files],
            [] if self.overwrite else [each.rpartition("/")[2] for each in below],
            batch=batch,
            job=job,
        )
        finals = [f"{file.folder}/{name}" if file.folder else name for (_, file), name in zip(files, own, strict=True)]
        moves = [
            Move(TABLE, staged_name(attempt, file.name), final)
            for (attempt, file), final in zip(files, finals, strict=True)
        ]
        # Replaced files are deleted last: readers may see duplicates for a moment, but never missing rows.
        removes = [(TABLE, each) for each in _replaced(before, below, finals)] if self.overwrite else []
        log.commit(Commit(name, moves, removes))
        return log

    def _empty(self, attempt: str) -> list[tuple[str, StagedFile]]:
        """Return a staged file without rows, or nothing if such a file is not valid for the format."""
        directory = staging(self._folder(), attempt)
        directory.make()
        name = write_empty(self.format, directory, self.options)
        # In a subfolder, so that readers find the partition columns.
        return [] if name is None else [(attempt, StagedFile(name, 0, null_folder(self.options.partition_by)))]

    def _clear(self, own: str) -> None:
        """Remove the staging folders whose names begin with ``own``, and those that were abandoned."""
        directory = self._folder()
        if LOG_FOLDER not in directory.names():
            return
        # A committed file may still be staged.
        _recovered(directory)
        oldest = datetime.now(UTC) - ABANDONED

        def wanted(attempt: str) -> bool:
            if attempt.startswith(own) or has_ended(attempt.rpartition("-")[2]):
                return True
            last = staging(directory, attempt).modified()
            return last is not None and last < oldest

        clear_staging(directory, wanted)

    def _folder(self) -> Folder:
        return folder(self.options.path.rstrip("/") or "/", self.options.location)


class FormatWriter(FilesWriter, DataSourceArrowWriter):
    """Writes a data frame as files of one format."""

    def commit(self, messages: list[WriterCommitMessage | None]) -> None:
        """Move the files of all tasks into place; with ``overwrite``, remove the previous files."""
        name = f"{JOB}{self.job}"
        with HideTraceback():
            self._commit(name, _written(messages), 0, self.job).forget(name)
            self._clear(name)

    def abort(self, messages: list[WriterCommitMessage | None]) -> None:
        """Remove the files of all tasks; a commit that is already in effect is applied."""
        with suppress(WireloomError):
            self._clear(f"{JOB}{self.job}")


class FormatStreamWriter(FilesWriter, DataSourceStreamWriter, DataSourceArrowWriter):
    """Writes the batches of a stream, each exactly once. Spark creates a new instance for every batch and for its
    commit, so shared state is in the messages. With the base of batch writers, PySpark 4.0 passes Arrow batches too.
    """

    def commit(self, messages: list[WriterCommitMessage | None], batchId: int) -> None:  # type: ignore[override]  # noqa: N803
        """Like ``FormatWriter.commit``; a batch of the same query that is already committed is skipped."""
        written = _written(messages)
        if not written:
            return
        stream = f"{STREAM}{written[0].query}-"
        with HideTraceback():
            done = (each for each in _recovered(self._folder()).names() if each.startswith(stream))
            if max((int(each.removeprefix(stream)) for each in done), default=-1) < batchId:
                log = self._commit(f"{stream}{batchId:012d}", written, batchId, f"{written[0].query}-{batchId}")
                for name in log.names():
                    if name.startswith(stream) and int(name.removeprefix(stream)) < batchId:
                        log.forget(name)
            self._clear(stream)

    def abort(self, messages: list[WriterCommitMessage | None], batchId: int) -> None:  # type: ignore[override]  # noqa: N803
        """Remove the files of completed tasks; the next batch of the query removes all others."""
        with suppress(WireloomError):
            for attempt in {each.attempt for each in _written(messages)}:
                self._clear(attempt)

    def _query(self, context: TaskContext | None) -> str | None:
        query = context.getLocalProperty(QUERY_PROPERTY) if context is not None else None
        if query is None:
            raise WireloomError("Spark does not provide the id of this query: use foreachBatch and a batch write")
        return query


def _recovered(directory: Folder) -> CommitLog:
    """Return the commit log, after applying the commits that another process has left pending or is about to apply."""
    log = CommitLog(directory)
    for each in log.recover():
        if each.name.startswith(JOB):
            log.forget(each.name)
    return log


def _written(messages: list[WriterCommitMessage | None]) -> list[Written]:
    return [each for each in messages if isinstance(each, Written)]


def _replaced(there: Iterable[str], files: Iterable[str], new: Sequence[str]) -> Iterator[str]:
    """Yield the files that new files replace. ``there``: files and folders directly in the folder; ``files``: all files
    in it and its subfolders, used if new files are in subfolders as well.
    """
    kept = set(new)
    shared = {each.partition("/")[0] for each in new if "/" in each}
    yield from (each for each in there if each not in kept and each not in shared)
    yield from (each for each in files if each not in kept and each.partition("/")[0] in shared)


def _check_columns(format: Format, schema: pa.Schema, options: WriteOptions) -> None:
    """Raise ``WireloomError`` if a writer cannot write these columns."""
    if options.partition_by:
        schema = checked_partitions(schema, options.partition_by)
    if format.message is None:
        fields_of(of_table(format, options.format)[0], schema)
    else:
        columns_of(UnitWriter(format, dict(options.format)).format, schema)
