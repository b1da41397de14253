"""Writes the rows of a data frame as files of a format: a file per task, all of them visible at once or not at all."""

from __future__ import annotations

import secrets
from collections.abc import Iterator
from contextlib import suppress
from dataclasses import dataclass
from typing import TYPE_CHECKING

from pyspark import TaskContext
from pyspark.sql.datasource import DataSourceArrowWriter, WriterCommitMessage
from pyspark.sql.pandas.types import to_arrow_schema
from pyspark.sql.types import StructType

from ..errors import WireloomError
from ..format import Format
from .brief import Brief
from .options import WriteOptions

if TYPE_CHECKING:
    import pyarrow as pa

    from .folders import Folder

TEMPORARY = "_temporary-wireloom"
"""Folder inside the target where files stand until the commit; readers leave names with an underscore out."""


@dataclass
class Written(WriterCommitMessage):
    """What a task made: ``name`` of its file, ``None`` where it had no rows."""

    name: str | None
    rows: int = 0


class FormatWriter(DataSourceArrowWriter):
    """Writes one format. It is pickled on its way to the tasks."""

    def __init__(self, format: Format, schema: StructType, options: WriteOptions, overwrite: bool) -> None:
        from ..writing.fields import fields_of

        self.format = format
        self.options = options
        self.overwrite = overwrite
        self.job = secrets.token_hex(6)
        # Whoever forgot a column hears of it before any task has begun.
        fields_of(format, to_arrow_schema(schema, timezone="UTC"))
        if self._folder().kind() == "file":
            raise WireloomError("is a file: give the folder that the files are to be written to", path=options.path)

    def write(self, iterator: Iterator[pa.RecordBatch]) -> Written:
        """Writes the rows of one task under a temporary name."""
        from ..writing import write

        # A task without rows leaves no file, so the first batch with rows has to be seen before one is opened.
        filled = (batch for batch in iterator if batch.num_rows)
        first = next(filled, None)
        if first is None:
            return Written(None)
        context = TaskContext.get()
        number = context.partitionId() if context is not None else 0
        name = f"part-{number:05d}-{secrets.token_hex(6)}{self._ending()}"
        temporary = self._temporary()
        temporary.make()

        def batches() -> Iterator[pa.RecordBatch]:
            yield first
            yield from filled

        with Brief():
            report = write(
                self.format,
                batches(),
                temporary.child(name),
                codec=self.options.codec,
                level=self.options.level,
                **self.options.format,
            )
        return Written(name, report.rows)

    def commit(self, messages: list[WriterCommitMessage | None]) -> None:
        """Gives the files of all tasks their places; with ``overwrite`` removes what was there."""
        with Brief():
            self._commit(messages)

    def _commit(self, messages: list[WriterCommitMessage | None]) -> None:
        target, temporary = self._folder(), self._temporary()
        target.make()
        before = [name for name in target.names() if name != TEMPORARY] if self.overwrite else []
        for message in messages:
            if isinstance(message, Written) and message.name is not None:
                temporary.move(message.name, target)
        # What was there goes last: a failure on the way leaves too much, never nothing.
        for name in before:
            target.delete(name)
        temporary.remove()
        self._remove_unused(target)

    def abort(self, messages: list[WriterCommitMessage | None]) -> None:
        """Removes the files of all tasks."""
        with suppress(WireloomError):
            self._temporary().remove()
            self._remove_unused(self._folder())

    def _remove_unused(self, target: Folder) -> None:
        """Removes the folder of temporary ones where no other job is using it."""
        if TEMPORARY in target.names():
            outer = self._folder(TEMPORARY)
            if not outer.names():
                outer.remove()

    def _folder(self, *inside: str) -> Folder:
        from .folders import folder

        return folder("/".join((self.options.path.rstrip("/") or "/", *inside)))

    def _temporary(self) -> Folder:
        return self._folder(TEMPORARY, self.job)

    def _ending(self) -> str:
        """The ending of the files' names, by which readers of all kinds know format and codec."""
        endings = {"zstd": ".zst", "gzip": ".gz", "none": ""}
        codec = self.options.codec or self.format.codec
        extensions = [each if each.startswith(".") else f".{each}" for each in self.format.extensions]
        plain = [each for each in extensions if not each.endswith((".zst", ".gz"))]
        base = plain[0] if plain else extensions[0].rpartition(".")[0] if extensions else f".{self.format.name}"
        return base + endings.get(codec, "")
