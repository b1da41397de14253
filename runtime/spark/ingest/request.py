"""What an ingest was asked for, checked, and the data frames that it reads with."""

from __future__ import annotations

import glob
import json
import os
import re
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

from ...base.addresses import local_path
from ...base.arguments import check_texts, names, one_of, shown
from ...base.errors import UnsupportedError, WireloomError
from ...format.description import Format
from ...format.explored import ExploredFormat
from ...format.registry import formats
from ...input.expansion import STANDARD_INPUT
from ...input.inputs import WILDCARDS, Input
from ...input.listing import hidden
from ...reading.options import GROWING, ScanOptions
from ...reading.request import of_kind
from ..folders import Folder, folder
from ..options import read_options
from ..read.file_listing import encoded, is_remote, list_inputs
from ..registration import source_of
from .catalogs import KINDS
from .ledger import Shape
from .schema_drift import UNKNOWN, check_drift, shape_of
from .tables import IngestTables, check_apart

if TYPE_CHECKING:
    from pyspark.sql import DataFrame, SparkSession
    from pyspark.sql.types import StructType

EXISTING = ("append", "overwrite", "error")
PASSED_OVER = ("ignoreMissingFiles", "ignoreCorruptFiles")
"""Options that are settings of a session as well."""


@dataclass(frozen=True)
class Request:
    """What was asked for. ``source``: the name that Spark knows the format by; ``options``: of the data source, those
    that say what is read and how."""

    format: Format
    source: str
    table: Folder
    quarantine: Folder | None
    metrics: Folder | None
    partition_by: tuple[str, ...]
    options: Mapping[str, str]
    existing: str
    to: str

    def frame(self, spark: SparkSession, inputs: Iterable[Input], side: Folder) -> DataFrame:
        """Return the good rows of these files; tasks leave all else in ``side``."""
        reader = spark.read.format(self.source).options(**self._options(side))
        return reader.option("listedFiles", encoded(inputs)).load()

    def stream(self, spark: SparkSession, side: Folder) -> DataFrame:
        """Return the same of all inputs, as a stream."""
        return spark.readStream.format(self.source).options(**self._options(side)).load()

    @property
    def grows(self) -> bool:
        """Whether rows that are not complete are to be waited for."""
        return read_options(self.format, self.options).scan.tail == GROWING

    def files(self) -> dict[str, Input]:
        """Return the files that there are to read now, by path, in order.

        Raises ``WireloomError`` where there is none."""
        found = list_inputs(read_options(self.format, self.options))
        return {each.path: each for each in found if each.path is not None}

    def _options(self, side: Folder) -> Mapping[str, str]:
        return {**self.options, "reportFolder": address(side)}


def request(
    spark: SparkSession,
    described: Format,
    inputs: str | Sequence[str],
    table: str,
    *,
    quarantine: str | None,
    metrics: str | None,
    mode: str,
    recover: bool,
    partition_by: Sequence[str],
    columns: Sequence[str] | None,
    options: Mapping[str, str] | None,
    existing: str,
    to: str,
) -> Request:
    """Checks all of it; see ``batches.ingest``. Raises ``UnknownNameError`` and ``WireloomError``."""
    ScanOptions(mode=mode, recover=recover)
    check_texts(quarantine=quarantine, metrics=metrics)
    one_of("value of existing", existing, EXISTING)
    one_of("kind of table", to, KINDS)
    if not isinstance(table, str):
        raise WireloomError(f"table is the address of a folder, or the name of a table, not {shown(table)}")
    if options is not None and not (isinstance(options, Mapping) and all(isinstance(each, str) for each in options)):
        raise WireloomError(f"options are texts by name, not {shown(options)}")
    for name, value in (options or {}).items():
        if not isinstance(value, str):
            raise WireloomError(f"options are texts by name, and {name} is {shown(value)}")
    given = [inputs] if isinstance(inputs, str) else names("inputs", inputs)
    partitions = names("partition_by", partition_by)
    chosen = None if columns is None else names("columns", columns)
    source = described.name
    if isinstance(described, ExploredFormat):
        # Under a name of its own, since there may be an installed format of the same id.
        source = f"{described.name}_{described.spec_sha256[:12]}"
        spark.dataSource.register(source_of(described, source))
    elif described.name not in formats():
        raise UnsupportedError(f"Spark's tasks need generated code for {described.name}: run 'wireloom generate' first")
    store = read_options(described, {**(options or {}), "path": table}).store
    places = [None if each is None else folder(each, store) for each in (table, quarantine, metrics)]
    check_apart(each for each in places if each is not None)
    for place in places[:2]:
        if place is not None and place.kind() == "file":
            raise WireloomError("is a file: name the folder of a table", path=place.address)
        if existing == "error" and place is not None and not place.is_empty():
            raise WireloomError(
                "is there already: name another table, remove it, or say append or overwrite", path=place.address
            )
    read, _ = of_kind(described, options or {})
    wanted = list(read.default_columns if chosen is None else chosen)
    wanted += [name for name in partitions if name not in wanted]
    found = folder(table, store)
    paths = tuple(_absolute(each) for each in given)
    _check_outside(paths, [each for each in places if each is not None], options or {})
    return Request(
        format=described,
        source=source,
        table=found,
        quarantine=places[1],
        metrics=places[2],
        partition_by=partitions,
        options={
            **_settings(spark),
            **_stable(options or {}),
            "paths": json.dumps(paths),
            "columns": ",".join(wanted),
            "mode": mode,
            "recover": str(recover).lower(),
        },
        existing=existing,
        to=to,
    )


def prepared(spark: SparkSession, wanted: Request, tables: IngestTables, frame: DataFrame) -> Shape:
    """Makes the tables ready for the frame's rows: checks that they fit, or has those that are there replaced.

    Raises ``WireloomError`` where they do not fit, or where the ledger is not that of the table.
    """
    shape = shape_of(frame.schema, wanted.partition_by, wanted.to)
    if tables.catalog is not None:
        tables.catalog.check(wanted.table, shape)
    if wanted.existing == "overwrite":
        tables.replace()
        return shape
    tables.check()
    there = tables.ledger.shape or _found_shape(spark, wanted, tables, shape)
    if there is not None:
        check_drift(wanted.table.address, there, shape)
    return shape


def _found_shape(spark: SparkSession, wanted: Request, tables: IngestTables, new: Shape) -> Shape | None:
    """The shape of a table that something else has made."""
    if tables.catalog is not None:
        names = tables.catalog.columns(wanted.table)
        return None if names is None else Shape(tuple((name, UNKNOWN) for name in names), new.partition_by, new.to)
    if not wanted.table.files():
        return None
    schema = _schema_in_store(wanted.table) if wanted.table.remote else _schema_on_disk(spark, wanted.table)
    inside = {each.name: each.dataType.simpleString() for each in schema.fields}
    # The types of what stands in folders' names are Spark's guesses.
    return Shape(
        tuple((name, UNKNOWN if name in new.partition_by else kind) for name, kind in inside.items()),
        new.partition_by if set(new.partition_by) <= set(inside) else (),
        new.to,
    )


def _schema_on_disk(spark: SparkSession, table: Folder) -> StructType:
    # What is read may be a pattern, other than what is written.
    return spark.read.parquet(re.sub(r"([\\\[\]{}*?])", r"\\\1", spark_address(table))).schema


def _schema_in_store(table: Folder) -> StructType:
    """As ``_schema_on_disk``: Spark may not be able to read there."""
    import pyarrow.dataset
    from pyspark.sql.pandas.types import from_arrow_schema

    found = pyarrow.dataset.dataset(table.path, filesystem=table.store, format="parquet", partitioning="hive")
    return from_arrow_schema(found.schema.remove_metadata())


def address(place: Folder) -> str:
    """A folder for tasks, which may run in another folder than this process."""
    return place.address if place.remote else place.path


def spark_address(place: Folder) -> str:
    """As Spark wants it: a local path with its scheme, whatever file system is Spark's default; stores as Hadoop calls
    them. Blanks and the like stand as they are: Hadoop takes ``%20`` for the name of another folder."""
    return f"s3a://{place.address.partition('://')[2]}" if place.remote else f"file://{place.path}"


def _settings(spark: SparkSession) -> dict[str, str]:
    """What the session says of files that are missing or cannot be read, as options; a planned read cannot ask it."""
    settings = {name: spark.conf.get(f"spark.sql.files.{name}", "false") for name in PASSED_OVER}
    return {name: "true" for name, value in settings.items() if value == "true"}


def _stable(options: Mapping[str, str]) -> dict[str, str]:
    """The options; types of columns out of folders' names must not hang on what folders there are today."""
    given = {each.lower() for each in options}
    return dict(options) if "partitioncolumns" in given else {"partitionColumns": "text", **options}


def _check_outside(inputs: Iterable[str], places: Iterable[Folder], options: Mapping[str, str]) -> None:
    """Raises ``WireloomError`` where a later run would read what this one writes."""
    if "pathglobfilter" in {each.lower() for each in options}:
        return
    for path in inputs:
        remote = is_remote(path)
        outer = path.partition("://")[2].rstrip("/") if remote else _local(path)
        for place in places:
            inside = place.remote == remote and f"{place.path}/".startswith(f"{outer.rstrip('/')}/")
            if inside and not any(map(hidden, place.path[len(outer) :].strip("/").split("/"))):
                raise WireloomError(
                    f"is in {path}, where the next run would read it: name a folder beside that, or choose the files "
                    "with option pathGlobFilter",
                    path=place.address,
                )


def _local(path: str) -> str:
    return os.path.abspath(local_path(path))


def _absolute(path: str) -> str:
    """Spark's workers may run in another folder than the caller's process."""
    if "://" in path or path.startswith("file:/") or path == STANDARD_INPUT:
        return path
    absolute = os.path.abspath(path)
    if os.path.exists(absolute) or WILDCARDS.isdisjoint(path):
        return absolute
    # It is a pattern, which the folder that it starts from is no part of.
    return os.path.normpath(os.path.join(glob.escape(os.getcwd()), path))
