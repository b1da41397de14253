"""Spark's data source, compared with its bounds: prebuilt batches through Spark, and Spark's own Parquet reader.

One local session on one core does the work; other sessions are started before the measurement begins. Everything is
created when it is first measured, so that ``--only`` does not wait for Spark.
"""

from __future__ import annotations

import os
import tempfile
from collections.abc import Iterator
from functools import cached_property
from pathlib import Path
from typing import TYPE_CHECKING

import pyarrow as pa
import pyarrow.parquet as pq
from wireloom import WireloomError

from .data import drain, events, segment
from .measure import Comparison, Work, missing

if TYPE_CHECKING:
    from pyspark.sql import DataFrame, SparkSession

FORMAT = "edgemq_segment"
SMALL_FILES = 1000
BATCH_ROWS = 16_384
SCHEMA = pa.schema(
    [("fmt", pa.int16()), ("tenant", pa.int64()), ("ts", pa.timestamp("us", "UTC")), ("payload", pa.binary())]
)
"""The columns in the types that Spark requires of Python sources."""


class Stage:
    """The session and the inputs, each created on first access."""

    def __init__(self, size: int) -> None:
        self.size = size
        self._folder = tempfile.TemporaryDirectory()
        self.folder = Path(self._folder.name)
        self._session: SparkSession | None = None
        self._cores = 0

    def session(self, cores: int = 1) -> SparkSession:
        """Return the session with that many cores."""
        from wireloom.spark import register
        from wireloom.spark.session import start

        from . import spark_toys

        if self._session is not None and self._cores == cores:
            return self._session
        self.close()
        # The workers import the toy sources by name.
        paths = [str(Path(__file__).parents[2]), *filter(None, [os.environ.get("PYTHONPATH")])]
        os.environ["PYTHONPATH"] = os.pathsep.join(dict.fromkeys(paths))
        session = start("wireloom bench", cores=cores)
        session.sparkContext.setLogLevel("ERROR")
        register(session)
        session.dataSource.register(spark_toys.PrebuiltSource)
        self._session, self._cores = session, cores
        return session

    def close(self) -> None:
        if self._session is not None:
            self._session.stop()
            self._session = None

    @cached_property
    def whole(self) -> Path:
        """Return one raw segment."""
        path = self.folder / "whole.wal"
        path.write_bytes(segment(self.size))
        return path

    @cached_property
    def halves(self) -> Path:
        """Return a folder of two raw segments of half the size."""
        folder = self.folder / "halves"
        folder.mkdir()
        for number in range(2):
            (folder / f"{number}.wal").write_bytes(segment(self.size // 2))
        return folder

    @cached_property
    def many(self) -> Path:
        """Return a folder of raw segments with the total size of ``whole``."""
        folder = self.folder / "many"
        folder.mkdir()
        data = segment(self.size // SMALL_FILES)
        for number in range(SMALL_FILES):
            (folder / f"{number:04d}.wal").write_bytes(data)
        return folder

    @cached_property
    def block(self) -> tuple[Path, int]:
        """Return an Arrow file of the rows that ``whole`` repeats, and the number of repetitions."""
        size = min(self.size, 32_000_000)
        path = self.folder / "block.arrow"
        table = events(size).select(SCHEMA.names).cast(SCHEMA)
        with pa.ipc.new_file(path, SCHEMA) as file:
            file.write_table(table, max_chunksize=BATCH_ROWS)
        return path, max(1, self.size // size)

    @cached_property
    def parquet(self) -> Path:
        """Return the rows of ``whole`` as uncompressed Parquet."""
        path = self.folder / "whole.parquet"
        block, times = self.block
        with pa.ipc.open_file(block) as file:
            table = file.read_all()
        with pq.ParquetWriter(path, SCHEMA, compression="none", use_dictionary=False) as writer:
            for _ in range(times):
                writer.write_table(table)
        return path

    # Queries ----------------------------------------------------------------------------------------------------------

    def source(self, path: Path, schema: str = "", cores: int = 1) -> DataFrame:
        reader = self.session(cores).read.format(FORMAT)
        return (reader.schema(schema) if schema else reader).load(str(path))

    def prebuilt(self) -> DataFrame:
        path, times = self.block
        return self.session().read.format("prebuilt").option("times", times).load(str(path))


def consume(frame: DataFrame) -> None:
    """Read every row and discard it."""
    frame.write.format("noop").mode("overwrite").save()


def throughput(stage: Stage) -> Iterator[Comparison]:
    def work(name: str, path: str, schema: str = "") -> Work:
        return Work(name, stage.size, lambda: consume(stage.source(getattr(stage, path), schema)))

    title = "Spark, raw EdgeMQ segment → noop, local[1]"
    whole = work("wireloom's source", "whole")
    prebuilt = Work("prebuilt Arrow batches", stage.size, lambda: consume(stage.prebuilt()))
    yield Comparison(title, whole, prebuilt, target=0.85, note="Spark's own cost per row is the bound")
    parquet = Work(
        "Spark's Parquet reader, uncompressed",
        stage.size,
        lambda: consume(stage.session().read.parquet(str(stage.parquet))),
    )
    yield Comparison(title, whole, parquet, target=1.0, note="prebuilt batches against Parquet are the bound of this")
    yield Comparison(title, prebuilt, parquet, note="prebuilt batches are what no source in Python can go beyond")
    alone = Work("wireloom without Spark", stage.size, lambda: drain(FORMAT, str(stage.whole)))
    yield Comparison(title, whole, alone)
    narrow = work("one column by schema", "whole", "tenant long")
    yield Comparison("Spark, pruning by schema, local[1]", narrow, whole)
    many = work(f"{SMALL_FILES} files", "many")
    one = work("one file", "whole")
    yield Comparison("Spark, small files, local[1]", many, one, target=1 / 1.1, note="at most a tenth longer")


def sessions(stage: Stage) -> Iterator[Comparison]:
    """Yield the comparisons that need a session for each side, which is started before the measurement begins."""

    def on(cores: int) -> Work:
        def warm() -> None:
            consume(stage.source(stage.halves, "tenant long", cores))

        return Work(
            f"local[{cores}]", stage.size, lambda: consume(stage.source(stage.halves, cores=cores)), prepare=warm
        )

    yield Comparison("Spark, two raw EdgeMQ segments → noop", on(2), on(1), note="a task keeps two processes busy")


def absence() -> str | None:
    """Return why Spark cannot run here."""
    from wireloom.spark.java import prepare_java

    try:
        prepare_java()
    except WireloomError as error:
        return str(error)
    return None


def comparisons(size: int) -> Iterator[Comparison]:
    absent = missing("pyspark") or absence()
    if absent:
        nothing = Work("wireloom's source", 1, lambda: None)
        yield Comparison("Spark, raw EdgeMQ segment → noop", nothing, nothing, absent=absent)
        return
    stage = Stage(size)
    try:
        yield from throughput(stage)
        yield from sessions(stage)
    finally:
        stage.close()
