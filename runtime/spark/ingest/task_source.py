"""The data source with which ingest reads: its tasks write the table's files, and Spark gets a row for each of them."""

from __future__ import annotations

import json
from collections.abc import Iterator
from typing import TYPE_CHECKING, Any

from pyspark.sql.datasource import DataSource, InputPartition
from pyspark.sql.types import StructType

from ...base.dataclass import asdict, dataclass
from ...input.inputs import Location
from ..errors import HideTraceback
from ..folders import Folder, folder
from ..read.reader import FormatReader
from ..versions import from_arrow_schema
from .conversion import RowConversion
from .table_files import HANDED_BACK, FileLayout, handed_back, write_table_files

if TYPE_CHECKING:
    import pyarrow as pa

    from ..read.task_reports import TaskReportWriter
    from ..source import FormatSource
    from ..stream.reader import FormatStreamReader

WRITES = "ingestwrites"
"""The option of the source that describes what its tasks write, as JSON. All others are those of the
format's source."""


@dataclass(frozen=True)
class TaskWriting:
    """The output of tasks: rows, converted for the table, in the folder at ``address``."""

    conversion: RowConversion
    address: str
    location: Location
    layout: FileLayout

    @classmethod
    def into(cls, directory: Folder, conversion: RowConversion, layout: FileLayout) -> TaskWriting:
        """Return the task writing for a folder."""
        address = directory.address if directory.remote else directory.path
        return cls(conversion, address, directory.location or Location(), layout)

    def to_json(self) -> str:
        """Return the value of the option."""
        return json.dumps(asdict(self))

    @classmethod
    def from_json(cls, text: str) -> TaskWriting:
        """Parse the value of the option."""
        found = json.loads(text)
        parts: dict[str, Any] = {
            name: tuple(value) if isinstance(value, list) else value for name, value in found["layout"].items()
        }
        conversion, location = RowConversion(**found["conversion"]), Location(**found["location"])
        return cls(conversion, found["address"], location, FileLayout(**parts))

    def write(self, batches: Iterator[pa.RecordBatch]) -> Iterator[pa.RecordBatch]:
        """Write all batches of a task; then yield the rows that report the files to the driver."""
        with HideTraceback():
            directory = folder(self.address, self.location)
            yield from handed_back(write_table_files(batches, self.conversion.schema, directory, self.layout))


class ConvertingReader(FormatReader):
    """Reads rows and converts them for the table."""

    def __init__(self, reader: FormatReader, writing: TaskWriting) -> None:
        vars(self).update(vars(reader))
        self._writing = writing

    def finish(self, rows: pa.RecordBatch, origins: pa.RecordBatch, reports: TaskReportWriter | None) -> pa.RecordBatch:
        """Return rows of the table; rows that do not fit go to the quarantine."""
        return self._writing.conversion.convert(rows, origins, reports)


class WritingReader(ConvertingReader):
    """The batch reader whose tasks write the rows."""

    def read(self, partition: InputPartition) -> Iterator[pa.RecordBatch]:
        """Write the rows of one partition; yield a row for each file."""
        return self._writing.write(super().read(partition))


def writing_stream(stream: FormatStreamReader, writing: TaskWriting) -> FormatStreamReader:
    """Return the streaming reader whose tasks write the rows."""
    # Versions of PySpark without such streams do not have the base class.
    from ..stream.reader import FormatStreamReader

    class WritingStreamReader(FormatStreamReader):
        def read(self, partition: InputPartition) -> Iterator[pa.RecordBatch]:
            return writing.write(super().read(partition))

    return WritingStreamReader(ConvertingReader(stream.reader, writing), stream.stream)


def writing_source(base: type[FormatSource], source: str) -> type[DataSource]:
    """Return the data source of a format whose tasks write. ``source``: the name of the format's own data source."""

    class WritingSource(DataSource):
        @classmethod
        def name(cls) -> str:
            return writing_name(source)

        def schema(self) -> StructType:
            found: StructType = from_arrow_schema(HANDED_BACK)
            return found

        def reader(self, schema: StructType) -> WritingReader:
            inner, writing = self._inner()
            return WritingReader(inner.reader(writing.conversion.columns), writing)

        def streamReader(self, schema: StructType) -> FormatStreamReader:  # noqa: N802
            inner, writing = self._inner()
            return writing_stream(inner.streamReader(writing.conversion.columns), writing)

        def _inner(self) -> tuple[Any, TaskWriting]:
            options = {name: value for name, value in self.options.items() if name.lower() != WRITES}
            return base(options), TaskWriting.from_json(self.options[WRITES])

    return WritingSource


def writing_name(source: str) -> str:
    """Return the name of that data source in Spark."""
    return f"wireloom_ingest_{source}"
