"""Writes rows as Parquet files to an object store, from the tasks' own Python: Spark by itself cannot, without more
packages. Nothing but ``ingest`` uses it; files that are written here are in no table before it commits them."""

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
from ..errors import Brief
from .jobs import is_connect

if TYPE_CHECKING:
    import pyarrow as pa
    from pyspark.sql import DataFrame

    from ..folders import Folder

NAME = "wireloom_table_sink"
WRITTEN = "_written.json"
"""The names of the files of all tasks that came to their end; there may be others, of tasks that did not."""
OPEN_FILES = 32
"""Most files that a task writes at a time: one for each combination of the partition columns' values."""
MOST_FOLDERS = 100_000
"""Most combinations of the partition columns' values among the rows of a task."""


class TableSink(DataSource):
    """Options: ``path``; ``partitionBy``, a list as JSON; ``location``, a ``storage.Location`` as JSON."""

    @classmethod
    def name(cls) -> str:
        """Not a format's."""
        return NAME

    def writer(self, schema: StructType, overwrite: bool) -> TableWriter:
        """What writes such rows."""
        options = self.options
        return TableWriter(options["path"], schema, json.loads(options["partitionBy"]), json.loads(options["location"]))


@dataclass
class Written(WriterCommitMessage):
    """The files of a task, by their names from the folder on."""

    names: tuple[str, ...]


class TableWriter(DataSourceArrowWriter):
    """It is pickled on its way to the tasks."""

    def __init__(self, path: str, schema: StructType, partition_by: list[str], location: dict[str, Any]) -> None:
        self._path = path
        self._schema = schema
        self._partition_by = partition_by
        self._location = location

    def write(self, iterator: Iterator[pa.RecordBatch]) -> Written:
        """Writes the rows of one task."""
        import pyarrow as pa
        import pyarrow.dataset
        from pyspark.sql.pandas.types import to_arrow_schema

        place = self._folder()
        schema = to_arrow_schema(self._schema, timezone="UTC")
        parts = pa.schema([schema.field(name) for name in self._partition_by])
        names: list[str] = []
        with Brief():
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
        """Says which files count."""
        names = [name for each in messages if isinstance(each, Written) for name in each.names]
        with Brief():
            self._folder().write(WRITTEN, json.dumps(sorted(names)).encode())

    def abort(self, messages: list[WriterCommitMessage | None]) -> None:
        """Removes what is there, as far as that is possible; the next run removes the rest."""
        with suppress(WireloomError):
            self._folder().remove()

    def _folder(self) -> Folder:
        from ...input.inputs import Location
        from ..folders import folder

        return folder(self._path, Location(**self._location))


def write_remote(frame: DataFrame, target: Folder, partition_by: list[str]) -> None:
    """Writes rows as Parquet files into a folder of an object store."""
    from ...input.inputs import Location

    session: Any = frame.sparkSession
    session.dataSource.register(TableSink)
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


def written(place: Folder) -> list[str]:
    """The names of the files in a folder whose rows count, from there on, sorted."""
    if place.holds(WRITTEN):
        return sorted(json.loads(place.read(WRITTEN)))
    return list(place.files())
