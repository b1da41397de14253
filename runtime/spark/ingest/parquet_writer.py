"""Writes rows as Parquet files to an object store from the tasks' Python processes: Spark by itself needs more packages
for that. The files are in no table before ``ingest`` commits them."""

from __future__ import annotations

import json
import secrets
from collections.abc import Iterator
from contextlib import suppress
from dataclasses import asdict, dataclass
from typing import TYPE_CHECKING, Any

from pyspark.sql.datasource import DataSource, DataSourceArrowWriter, WriterCommitMessage
from pyspark.sql.types import StructType

from ...base.errors import WireloomError
from ..errors import HideTraceback
from .jobs import is_connect

if TYPE_CHECKING:
    import pyarrow as pa
    from pyspark.sql import DataFrame

    from ..folders import Folder

NAME = "wireloom_parquet"
WRITTEN = "_written.json"
"""The names of the files of all tasks that finished; there may be others, of tasks that did not."""
OPEN_FILES = 32
"""Most files that a task writes at a time: one for each combination of the partition columns' values."""
MOST_FOLDERS = 100_000
"""Most combinations of the partition columns' values among the rows of a task."""


class ParquetSink(DataSource):
    """Options: ``path``; ``partitionBy``, a list as JSON; ``location``, a ``storage.Location`` as JSON."""

    @classmethod
    def name(cls) -> str:
        """Return the name that Spark knows it by; it is not a format's."""
        return NAME

    def writer(self, schema: StructType, overwrite: bool) -> ParquetWriter:
        """Return the writer of such rows."""
        return ParquetWriter(schema, dict(self.options))


@dataclass
class Written(WriterCommitMessage):
    """The files of a task, by their names relative to the folder."""

    names: tuple[str, ...]


class ParquetWriter(DataSourceArrowWriter):
    """It is pickled on its way to the tasks."""

    def __init__(self, schema: StructType, options: dict[str, str]) -> None:
        self._schema = schema
        self._path = options["path"]
        self._partition_by = json.loads(options["partitionby"])
        self._location = json.loads(options["location"])

    def write(self, iterator: Iterator[pa.RecordBatch]) -> Written:
        """Write the rows of one task."""
        import pyarrow as pa
        import pyarrow.dataset
        from pyspark.sql.pandas.types import to_arrow_schema

        place = self._folder()
        schema = to_arrow_schema(self._schema, timezone="UTC")
        parts = pa.schema([schema.field(name) for name in self._partition_by])
        names: list[str] = []
        with HideTraceback():
            try:
                pyarrow.dataset.write_dataset(
                    (batch for batch in iterator if batch.num_rows),
                    place.path,
                    schema=schema,
                    format="parquet",
                    filesystem=place.store,
                    partitioning=pyarrow.dataset.partitioning(parts, flavor="hive") if self._partition_by else None,
                    basename_template=f"part-{secrets.token_hex(8)}-{{i}}.parquet",
                    existing_data_behavior="overwrite_or_ignore",
                    use_threads=False,
                    max_open_files=OPEN_FILES,
                    max_partitions=MOST_FOLDERS,
                    create_dir=False,
                    file_visitor=lambda file: names.append(str(file.path)[len(place.path) + 1 :]),
                )
            except OSError as error:
                raise WireloomError(f"the table's rows cannot be written: {error}", path=self._path) from None
        return Written(tuple(names))

    def commit(self, messages: list[WriterCommitMessage | None]) -> None:
        """Record which files count."""
        names = [name for each in messages if isinstance(each, Written) for name in each.names]
        with HideTraceback():
            self._folder().write(WRITTEN, json.dumps(sorted(names)).encode())

    def abort(self, messages: list[WriterCommitMessage | None]) -> None:
        """Remove what is there, as far as that is possible; the next run removes the rest."""
        with suppress(WireloomError):
            self._folder().remove()

    def _folder(self) -> Folder:
        from ...input.inputs import Location
        from ..folders import folder

        return folder(self._path, Location(**self._location))


def write_to_store(frame: DataFrame, target: Folder, partition_by: list[str]) -> None:
    """Write rows as Parquet files into a folder of an object store."""
    from ...input.inputs import Location

    session: Any = frame.sparkSession
    session.dataSource.register(ParquetSink)
    if not is_connect(session):
        # Spark looks for the source in the session that the thread has, and a new thread has none.
        session._jvm.org.apache.spark.sql.classic.SparkSession.setActiveSession(session._jsparkSession)
    # The batches of a stream are written to the same folder, and those of the batch before are not there any more.
    target.delete(WRITTEN)
    options = {
        "partitionBy": json.dumps(partition_by),
        "location": json.dumps(asdict(target.location or Location())),
    }
    frame.write.format(NAME).mode("append").options(**options).save(target.address)


def written_files(place: Folder) -> list[str]:
    """Return the names of the files in a folder whose rows count, relative to it, sorted."""
    if place.holds(WRITTEN):
        return sorted(json.loads(place.read(WRITTEN)))
    return list(place.files())
