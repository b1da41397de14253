"""The options of the reader and the writer. Spark passes them as strings, with their names in lower case."""

from __future__ import annotations

import json
import re
from collections.abc import Iterable, Mapping
from datetime import datetime, timedelta
from typing import Any

from .. import codecs
from ..base.dataclass import dataclass, field, replace
from ..base.errors import UnsupportedError, WireloomError
from ..base.options import (
    CHOICE,
    DURATION,
    FLAG,
    INTEGER,
    NAMES,
    NUMBER,
    OTHER,
    TEXT,
    TIME,
    WORD,
    check_options,
    option,
    options_of,
)
from ..format.description import Format
from ..input.inputs import Location
from ..reading.options import COMPLETE, GROWING, NANOSECONDS, ScanOptions
from ..reading.request import looks_up
from .file_names import DEFAULT as FILE_NAME
from .file_names import check_pattern
from .option_values import documentation, one_of, parsed, usual_names

TAIL_WORDS = {"complete": COMPLETE, "false": COMPLETE, "growing": GROWING, "true": GROWING, "auto": None}
MORE = {
    "tail": "Streams have more values.",
    "columns": "Names are separated by commas; _metadata is a column too. A schema takes precedence.",
    "verifySha256": "Such files are not split.",
}
"""Additional documentation of options of every reader that applies in Spark only."""


@dataclass(frozen=True, kw_only=True)
class ColumnTypes:
    """The types of columns for which Spark has no type of its own. Raises ``WireloomError`` for an invalid value."""

    unsigned64: str = option(
        "decimal",
        "Unsigned 64-bit integers.",
        CHOICE,
        values={"decimal": "as decimal(20,0)", "long": "as long, or an error"},
    )
    nanoseconds: str = option(
        "micros",
        "Times in nanoseconds, of which Spark has none.",
        CHOICE,
        values={name: meaning for name, meaning in NANOSECONDS.items() if name != "nanos"},
    )

    def __post_init__(self) -> None:
        check_options(self)


TYPE_OPTIONS = options_of(ColumnTypes)


@dataclass(frozen=True, kw_only=True)
class ReadOptions:
    """The checked options of a reader. ``scan``: the options of every reader; ``own``: those of the format."""

    paths: tuple[str, ...]
    scan: ScanOptions = field(default_factory=ScanOptions)
    own: Mapping[str, Any] = field(default_factory=dict)
    types: ColumnTypes = field(default_factory=ColumnTypes)
    column_name_of_corrupt_record: str = option(
        "_corrupt_record", "Name of the column with the bytes of a damaged record; default _corrupt_record.", TEXT
    )
    recursive_file_lookup: bool = option(
        True, "Also files in subfolders.", FLAG, off="Only the files directly in a folder."
    )
    path_glob_filter: str | None = option(None, "Only files whose name matches this pattern.", TEXT)
    modified_after: datetime | None = option(
        None, "Only files changed after this time, such as 2026-03-01T00:00:00; UTC unless it has another zone.", TIME
    )
    modified_before: datetime | None = option(None, "Only files changed before this time.", TIME)
    ignore_missing_files: bool | None = option(
        None,
        "true: a path that matches nothing, and a file that is gone when it is read, are skipped. Default: false for"
        " paths; for files, in a batch read, the value of spark.sql.files.ignoreMissingFiles.",
        FLAG,
    )
    """``None``: use the session's setting, which Spark makes known to tasks only."""
    ignore_corrupt_files: bool | None = option(
        None,
        "true: the rest of a file that cannot be opened or read is skipped, in mode FAILFAST also of one that is"
        " damaged; whole batches of rows before that are kept. Default: in a batch read the value of"
        " spark.sql.files.ignoreCorruptFiles, otherwise false.",
        FLAG,
    )
    """``None``: use the session's setting, as for ``ignore_missing_files``."""
    partition_columns: str = option(
        "infer",
        "Columns from folders named key=value.",
        CHOICE,
        values={
            "infer": "of int, bigint or date if all values are, otherwise string",
            "text": "all as string",
            "off": "none",
        },
    )
    base_path: str | None = option(None, "Only folders below this one become columns.", TEXT)
    max_partition_bytes: int = option(128 << 20, "Approximate number of bytes per partition.", NUMBER)
    open_cost_in_bytes: int = option(
        4 << 20,
        "The cost of opening one more object of a store, in bytes, when small files share partitions. A file on a"
        " mounted disk counts as 1/32 of it, a small one that is read together with others as 1/1024. No smaller file"
        " is split.",
        NUMBER,
        least=0,
    )
    min_partitions: int | None = option(
        None, "Minimum number of partitions, if there is enough to read; default: the driver's processors.", NUMBER
    )
    report_folder: str | None = None
    listed_files: str | None = None
    """The files to read, encoded by ``read.file_listing.encoded``; ``None``: the paths have to be listed."""

    @property
    def store(self) -> Location:
        """Return the options for access to an object store that is written to."""
        return replace(self.scan.location, verify_sha256=False)


@dataclass(frozen=True, kw_only=True)
class StreamOptions:
    """The checked options of a streaming read, in addition to ``ReadOptions``."""

    max_files_per_trigger: int = option(1000, "Maximum number of files per batch.", NUMBER)
    max_bytes_per_trigger: int | None = option(
        None,
        "Approximate number of stored bytes per batch, but at least one file, or one row of a growing file; default: no"
        " limit.",
        NUMBER,
    )
    tail: str | None = option(
        None,
        "Whether files grow at their ends. growing (or true): their complete rows are read, and later the rows that"
        " were added. complete (or false): a file is read once, when it is found. auto (default): growing for local"
        " uncompressed files of a delimited format.",
        OTHER,
    )
    fail_on_data_loss: bool = option(
        True,
        "The query fails, and names the file, if one has vanished, shrunk or been replaced, before or after it was"
        " read, and was not rotated.",
        FLAG,
        off="The file is skipped and counted.",
    )
    latest_first: bool = option(False, "Read the newest files first.", FLAG)
    max_tracked_files: int = option(
        10_000,
        "The number of read files of which the offset keeps an entry. Growing files are always kept while they exist.",
        NUMBER,
    )
    full_listing_interval: timedelta | None = option(
        None,
        "Of s3://: time, such as 10m, between full listings. In between, only the end and the parts with recently added"
        " objects are listed. Default: everything is listed for each batch.",
        DURATION,
    )
    report_folder: str | None = option(
        None,
        "Folder in which each batch creates a folder with its reports and its damaged records, which are then not"
        " returned as rows.",
        TEXT,
    )


def _codec(value: str) -> str:
    return codecs.find(value).name


@dataclass(frozen=True, kw_only=True)
class WriteOptions:
    """The checked options of a writer. ``format``: the options of the format, as for ``wireloom.write``."""

    path: str = option("", "The folder to write to; the argument of save(…).", TEXT)
    codec: str | None = option(None, f"{codecs.listed()}; by default the format's own.", WORD, check=_codec)
    compression: str | None = option(None, "The same; the name that Spark's own sources use.", WORD, check=_codec)
    max_records_per_file: int | None = option(None, "Maximum number of rows per file; default: no limit.", NUMBER)
    max_file_bytes: int | None = option(
        None, "Approximate maximum size of a file in stored bytes; default: no limit.", NUMBER
    )
    partition_by: tuple[str, ...] = option(
        (),
        "Names of columns, separated by commas, whose values name folders, day=2026-03-01/host=a, and are not in the"
        " files; default: none. Spark refuses its own partitionBy(…) for Python sources.",
        NAMES,
    )
    file_name: str = option(
        FILE_NAME,
        f"Pattern of the files' names, without their suffix; default {FILE_NAME}. {{sequence}} continues the numbers of"
        " the existing files; {batch} is the batch of a stream.",
        OTHER,
        check=check_pattern,
    )
    level: int | None = option(None, "Level of the codec.", INTEGER)
    max_record: int | None = option(None, "Largest record in bytes; default: the format's.", NUMBER)
    format: Mapping[str, Any] = field(default_factory=dict)
    location: Location = field(default_factory=Location)
    """Options for access to an object store."""

    def __post_init__(self) -> None:
        check_options(self)


READ_OPTIONS = {
    "path": "A path, glob, folder (including subfolders), or s3:// address; the argument of load(…).",
    "paths": "Several paths as a JSON list; the argument of load([…]). A file that several of them name is read once.",
    **{
        name: f"{text} {MORE[name]}" if name in MORE else text
        for kind in (ScanOptions, ColumnTypes, ReadOptions)
        for name, text in documentation(kind).items()
    },
}
"""Documentation of the options of every format's reader. A format's own options (``stride``) are added to them."""
STREAM_OPTIONS = documentation(StreamOptions)
"""Options of a streaming read in addition to ``READ_OPTIONS``; a batch read refuses them."""
WRITE_OPTIONS = {**documentation(WriteOptions), **documentation(Location, without=("verify_sha256",))}
"""Documentation of the options of every format's writer. A format's own options are added to them."""

INTERNAL_OPTIONS = ("listedFiles", "ingests")
"""Options for internal use by ``wireloom.spark``: the files that were listed for a batch read; whether the read is part
of an ingest, which may leave reports (option ``reportFolder``).
"""


def read_options(format: Format, given: Mapping[str, str]) -> ReadOptions:
    """Return the checked options of a reader. Raises ``UnknownNameError`` and ``WireloomError``."""
    own = _own_options(format)
    values = usual_names(given, (*READ_OPTIONS, *STREAM_OPTIONS, *own), INTERNAL_OPTIONS)
    for choice in format.choices:
        if choice.name in values:
            values[choice.name] = choice.checked(choice.name, values[choice.name])
    report_folder = values.get("reportFolder")
    if report_folder is not None:
        # Damage from which the ingest pipeline gets no rows goes to its quarantine. A table of the pipeline has the
        # requested columns, whatever the folders of its inputs are called.
        values = {"checkFormat": "false", "partitionColumns": "off", **values}
    if "tail" in values:
        values["tail"] = tail(values["tail"]) or COMPLETE
    return ReadOptions(
        paths=_paths(values),
        # Spark counts on a task for one processor.
        scan=ScanOptions(**parsed(ScanOptions, values), threads=1),
        own={name: values[name] for name in own if name in values},
        types=ColumnTypes(**parsed(ColumnTypes, values)),
        **parsed(ReadOptions, values),
        report_folder=report_folder,
        listed_files=values.get("listedFiles"),
    )


def stream_options(format: Format, columns: Iterable[str], given: Mapping[str, str]) -> StreamOptions:
    """Return the checked options of a streaming read. Raises ``WireloomError``."""
    names = {name.lower(): name for name in STREAM_OPTIONS}
    values = {names[key.lower()]: value for key, value in given.items() if key.lower() in names}
    found = StreamOptions(**parsed(StreamOptions, values) | {"tail": tail(values.get("tail", "auto"))})
    if found.tail == GROWING and not can_grow(format, columns):
        raise UnsupportedError(
            "tail=growing needs rows that can be read one by one, but a file "
            f"of {format.name} is read as a whole: leave it out"
        )
    return found


def can_grow(format: Format, columns: Iterable[str]) -> bool:
    """Return whether these columns of the first rows of a file can be read before the file is complete."""
    if format.message is not None or looks_up(format, columns):
        return False
    one_by_one = format.streaming and not format.in_pieces
    return (one_by_one or format.input_format.block > 0) and not format.has_prologue and not format.stateful


def check_batch_options(given: Mapping[str, str]) -> None:
    """Raise ``WireloomError`` if a batch read has an option that applies to streams only."""
    names = {name.lower(): name for name in STREAM_OPTIONS if name != "tail"}
    if "ingests" in given:
        del names["reportfolder"]
    found = next((names[key.lower()] for key in given if key.lower() in names), None)
    if found is not None:
        raise WireloomError(f"option {found} applies only to streams: leave it out of a batch read, or use readStream")


def _own_options(format: Format, *, writing: bool = False) -> tuple[str, ...]:
    """Return the options that the format itself declares."""
    choices = tuple(each.name for each in format.choices)
    table = (format.option,) if format.option else ()
    # Imported here because most formats have no units or messages, and imports would delay a first query.
    if format.message is None and (not writing or format.stands_alone):
        return (*choices, *table)
    if format.message is None:
        from ..writing.output import unit_options

        return (*choices, *table, *unit_options(format))
    from ..reading.request import message_options
    from ..writing.messages.output import written_options

    return (*choices, *table, *(written_options(format) if writing else message_options(format)))


def table_of(format: Format, given: Mapping[str, str]) -> Format:
    """Return the table that the options select, or the format itself if it has one only. Raises
    ``UnknownNameError``."""
    if not format.option:
        return format
    return format.of_table(
        next((value for name, value in given.items() if name.lower() == format.option), format.table)
    )


def write_options(format: Format, given: Mapping[str, str]) -> WriteOptions:
    """Return the checked options of a writer. Raises ``UnknownNameError`` and ``WireloomError``."""
    own = _own_options(format, writing=True)
    # Spark adds its own options of a stream to those of the source.
    values = usual_names(given, (*WRITE_OPTIONS, *own), ("checkpointLocation", "queryName"))
    if "path" not in values:
        raise WireloomError(
            "no folder to write to: give one to save(…), or as option path. Spark does not pass on that of "
            "a table of the catalog: INSERT INTO t WITH (path = '…') SELECT …, or save(…) to the table's folder"
        )
    options: dict[str, Any] = {name: values[name] for name in own if name in values}
    found = WriteOptions(**parsed(WriteOptions, values), format=options, location=Location(**parsed(Location, values)))
    if found.max_record is not None:
        options["max_record"] = found.max_record
    return replace(found, codec=found.codec or found.compression)


def _paths(values: Mapping[str, str]) -> tuple[str, ...]:
    """Return the paths of the options ``path`` and ``paths``; Spark passes the paths of ``load([a, b])`` as a JSON
    list.
    """
    found = [values["path"]] if "path" in values else []
    if "paths" in values:
        try:
            several = json.loads(values["paths"])
        except ValueError:
            several = [values["paths"]]
        found += [str(each) for each in (several if isinstance(several, list) else [several])]
    if not found:
        raise WireloomError(
            "no path to read: give one to load(…), or as option path. Of a table of the catalog it is known only if "
            "the table was made by CREATE TABLE without a list of columns: create it again with OPTIONS (path '…', "
            "columns 'a,b'), or read it with SELECT … FROM t WITH (path = '…')"
        )
    # Spark shows paths in Hadoop's spelling, which has a single slash.
    return tuple(f"file://{each[5:]}" if re.match("file:/(?!/)", each) else each for each in found)


def tail(value: str) -> str | None:
    """Return the value of option ``tail``, one of ``wireloom.reading.options.TAILS``; ``None`` selects the default for
    the file.
    """
    return TAIL_WORDS[one_of("tail", value.strip().lower(), TAIL_WORDS)]
