"""The checked request of an ingest, and the data frames with which it reads."""

from __future__ import annotations

import glob
import json
import os
from collections.abc import Callable, Iterable, Mapping, Sequence
from itertools import combinations
from typing import TYPE_CHECKING, Any, ParamSpec, Protocol

from ...base.addresses import S3, is_remote, local_path, same_for_all, scheme_of
from ...base.arguments import names, shown
from ...base.dataclass import dataclass, fields
from ...base.errors import UnsupportedError, WireloomError
from ...base.ingest_options import IngestOptions
from ...base.options import documented
from ...base.text import unknown
from ...format.description import Format
from ...format.in_memory import InMemoryFormat
from ...format.registry import formats, get
from ...input.expansion import STANDARD_INPUT
from ...input.inputs import WILDCARDS, Input
from ...input.listing import hidden
from ...reading.options import GROWING
from ...reading.request import of_table
from ..folders import Folder, folder
from ..options import read_options
from ..read.file_listing import encoded, list_inputs, table_of_files
from ..registration import source_of
from .catalogs import check_place
from .conversion import RowConversion
from .table_files import FILE_BYTES, FileLayout
from .task_source import WRITES, TaskWriting, writing_name, writing_source

if TYPE_CHECKING:
    from pyspark.sql import DataFrame, SparkSession

    from .summary import IngestSummary

ARGUMENTS = {"mode": "mode", "recover": "recover", "columns": "columns", "path": "inputs", "paths": "inputs"}
"""Options of a read, in lower case, that have an equivalent argument of ``ingest``."""
PASSED_OVER = ("ignoreMissingFiles", "ignoreCorruptFiles")
"""Options that are also settings of a session."""


P = ParamSpec("P")


class Ingest(Protocol[P]):
    """A function that ingests, with the options ``P``."""

    def __call__(
        self,
        spark: SparkSession,
        format: str | Format,
        inputs: str | Sequence[str],
        table: str,
        *arguments: P.args,
        **options: P.kwargs,
    ) -> IngestSummary:
        """Run the ingest."""
        ...


def ingests(options: Callable[P, IngestOptions]) -> Callable[[Callable[..., IngestSummary]], Ingest[P]]:
    """Return a decorator for a function with ``**options``: its signature and its documentation receive the options of
    that class, for readers and for type checkers."""

    def decorate(function: Callable[..., IngestSummary]) -> Ingest[P]:
        documented(function, options)
        return function

    return decorate


@dataclass(frozen=True)
class IngestRequest:
    """The checked request of an ingest. ``source``: the name of the format's data source in Spark; ``options``: the
    options of the data source; ``settings``: those of the ingest."""

    spark: SparkSession
    format: Format
    source: str
    table: Folder
    quarantine: Folder | None
    metrics: Folder | None
    layout: FileLayout
    options: Mapping[str, str]
    settings: IngestOptions

    @property
    def partition_by(self) -> tuple[str, ...]:
        """Return the columns that name folders."""
        return self.layout.partition_by

    @property
    def places(self) -> list[Folder]:
        """Return the folders that are written to."""
        return [each for each in (self.table, self.quarantine, self.metrics) if each is not None]

    def frame(self, inputs: Iterable[Input], reports: Folder) -> DataFrame:
        """Return the good rows of these files; tasks write everything else to ``reports``."""
        reader = self.spark.read.format(self.source).options(**self._options(reports))
        return reader.option("ingests", "true").option("listedFiles", encoded(inputs)).load()

    def stream(self, reports: Folder) -> DataFrame:
        """Return the good rows of all inputs as a stream."""
        return self.spark.readStream.format(self.source).options(**self._options(reports)).load()

    def writing(self, inputs: Iterable[Input], reports: Folder, data: Folder, conversion: RowConversion) -> DataFrame:
        """Return a data frame whose tasks write the rows, converted for the table, to ``data``; its rows
        are the files written."""
        reader = self.spark.read.format(self._writing_source())
        reader = reader.options(**self._options(reports), **self._writes(data, conversion))
        return reader.option("ingests", "true").option("listedFiles", encoded(inputs)).load()

    def writing_stream(self, reports: Folder, data: Folder, conversion: RowConversion) -> DataFrame:
        """Return the same data frame for all inputs as a stream."""
        reader = self.spark.readStream.format(self._writing_source())
        return reader.options(**self._options(reports), **self._writes(data, conversion)).load()

    def _writing_source(self) -> str:
        self.spark.dataSource.register(writing_source(source_of(self.format, self.source), self.source))
        return writing_name(self.source)

    def _writes(self, data: Folder, conversion: RowConversion) -> Mapping[str, str]:
        return {WRITES: TaskWriting.into(data, conversion, self.layout).to_json()}

    def _options(self, reports: Folder) -> Mapping[str, str]:
        # Tasks may run in another folder than this process.
        return {**self.options, "reportFolder": reports.address if reports.remote else reports.path}

    @property
    def grows(self) -> bool:
        """Return whether a read waits for the completion of incomplete rows."""
        return read_options(self.format, self.options).scan.tail == GROWING

    def files(self) -> dict[str, Input]:
        """Return the existing input files by path, in order.

        Raises ``WireloomError`` if there are none."""
        found = list_inputs(read_options(self.format, self.options))
        return {each.path: each for each in found if each.path is not None}


def options_of_call(kind: type[Any], function: str, given: Mapping[str, Any]) -> Any:
    """Return the keyword arguments of a function as its dataclass of options. Raises ``UnknownNameError`` for one that
    the function does not have, and ``WireloomError``."""
    names = [each.name for each in fields(kind)]
    own = [name for name in names if name not in IngestOptions.__annotations__]
    for name in given:
        if name not in names:
            raise unknown(f"option of {function}", name, [*own, *IngestOptions.__annotations__])
    return kind(**given)


def ingest_request(
    spark: SparkSession, format: str | Format, inputs: str | Sequence[str], table: str, settings: IngestOptions
) -> IngestRequest:
    """Return the request with all arguments checked; see ``ingest``. Raises ``UnknownNameError`` and
    ``WireloomError``."""
    described, options, existing = get(format, settings.allow_modules), settings.options or {}, settings.existing
    if not isinstance(table, str):
        raise WireloomError(f"table must be the address of a folder, or the name of a table, not {shown(table)}")
    given = [inputs] if isinstance(inputs, str) else names("inputs", inputs)
    partitions, sizes = tuple(settings.partition_by), settings.file_bytes or FILE_BYTES
    dictionary = None if settings.dictionary is None else tuple(settings.dictionary)
    layout = FileLayout(partitions, tuple(settings.sort_by), sizes, settings.compression, dictionary)
    source = described.name
    if isinstance(described, InMemoryFormat):
        # Registered under a distinct name, since an installed format may have the same id.
        source = f"{described.name}_{described.spec_sha256[:12]}"
        spark.dataSource.register(source_of(described, source))
    elif described.name not in formats():
        raise UnsupportedError(f"Spark's tasks need generated code for {described.name}: run 'wireloom generate' first")
    store = read_options(described, {**options, "path": table}).store
    target = folder(table, store)
    check_place(target, settings.to)
    beside = [None if each is None else folder(each, store) for each in (settings.quarantine, settings.metrics)]
    places = [target, *(each for each in beside if each is not None)]
    check_disjoint(places)
    for place in (target, beside[0]):
        if place is not None and place.kind() == "file":
            raise WireloomError("is a file: name the folder of a table", path=place.address)
        if existing == "error" and place is not None and not place.is_empty():
            raise WireloomError(
                "already exists: name another table, remove it, or use append or overwrite", path=place.address
            )
    _check_options(options)
    read, _ = of_table(described, options)
    paths = tuple(_absolute(each) for each in given)
    if settings.columns is None:
        read = table_of_files(read, read_options(described, {**options, "paths": json.dumps(paths)}))
    columns = list(read.default_columns if settings.columns is None else settings.columns)
    columns += [name for name in layout.partition_by if name not in columns]
    _check_outside(paths, places, options)
    return IngestRequest(
        spark=spark,
        format=described,
        source=source,
        table=target,
        quarantine=beside[0],
        metrics=beside[1],
        layout=layout,
        options={
            # The session's settings are not available during planning.
            **{name: "true" for name in PASSED_OVER if spark.conf.get(f"spark.sql.files.{name}", "false") == "true"},
            # Types of partition columns must not depend on the currently existing folders.
            **({} if "partitioncolumns" in {each.lower() for each in options} else {"partitionColumns": "text"}),
            **options,
            "paths": json.dumps(paths),
            "columns": ",".join(columns),
            "mode": settings.mode,
            "recover": str(settings.recover).lower(),
        },
        settings=settings,
    )


def _check_options(options: Mapping[str, str]) -> None:
    """Raise ``WireloomError`` for an option of a read for which ``ingest`` has an argument."""
    for name in options:
        if name.lower() in ARGUMENTS:
            argument = ARGUMENTS[name.lower()]
            raise WireloomError(f"{name!r} is not an option of ingest: pass {argument} as a separate argument")


def check_disjoint(places: Iterable[Folder]) -> None:
    """Raise ``WireloomError`` if one of the folders is equal to or inside of another."""
    for one, other in combinations(places, 2):
        pairs = ((one.place, other.place), (other.place, one.place))
        if any(f"{inner}/".startswith(f"{outer}/") for inner, outer in pairs):
            raise WireloomError(
                "table, quarantine and metrics need separate folders, none inside of another", path=other.address
            )


def spark_address(place: Folder) -> str:
    """Return the address in Spark's form: a local path has its scheme, since Spark's default file system may be another
    one; schemes of stores are Hadoop's. It is not percent-encoded, since Hadoop takes ``%20`` literally."""
    if not place.remote:
        return f"file://{place.path}"
    return f"s3a://{place.address.partition('://')[2]}" if scheme_of(place.address) in S3 else place.address


def _check_outside(inputs: Iterable[str], places: Iterable[Folder], options: Mapping[str, str]) -> None:
    """Raise ``WireloomError`` if a later run would read the files that this one writes."""
    if "pathglobfilter" in {each.lower() for each in options}:
        return
    for path in inputs:
        outer = same_for_all(path) if is_remote(path) else os.path.abspath(local_path(path))
        for place in places:
            inside = f"{place.place}/".startswith(f"{outer.rstrip('/')}/")
            if inside and not any(map(hidden, place.place[len(outer) :].strip("/").split("/"))):
                raise WireloomError(
                    f"is in {path}, where the next run would read it: name a folder beside that, or choose the files "
                    "with option pathGlobFilter",
                    path=place.address,
                )


def _absolute(path: str) -> str:
    """Return a path that is valid in Spark's workers, which may run in another folder than the caller's process."""
    if "://" in path or path.startswith("file:/") or path == STANDARD_INPUT:
        return path
    absolute = os.path.abspath(path)
    if os.path.exists(absolute) or WILDCARDS.isdisjoint(path):
        return absolute
    # The path is a pattern, but the working directory is not a part of it.
    return os.path.normpath(os.path.join(glob.escape(os.getcwd()), path))
