"""The options of the reader and the writer. Spark passes them as strings, with their names in lower case."""

from __future__ import annotations

import json
import os
import re
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field, replace
from datetime import datetime
from typing import Any

from .. import codecs
from ..base.errors import WireloomError
from ..base.nearest import unknown
from ..base.options import (
    CHOICE,
    FLAG,
    NAMES,
    NUMBER,
    TEXT,
    Option,
    camel_case,
    check_options,
    defaults_of,
    option,
    options_of,
)
from ..format.description import Format
from ..input.inputs import Location
from ..reading.options import COMPLETE, GROWING, NANOSECONDS, ScanOptions
from .file_names import DEFAULT as FILE_NAME
from .file_names import check_pattern
from .option_values import flag, integer, one_of, size, time_of

TAIL_WORDS = {"complete": COMPLETE, "false": COMPLETE, "growing": GROWING, "true": GROWING, "auto": None}
PARTITION_COLUMNS = ("infer", "text", "off")


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


SCAN_OPTIONS = {name: each for name, each in options_of(ScanOptions).items() if not each.python}
"""The options of every reader that Spark's readers have as well, in camel case."""
TYPE_OPTIONS = options_of(ColumnTypes)
STORE_OPTIONS = {
    name: each for name, each in options_of(Location).items() if name != "verify_sha256" and not each.python
}
"""The options for object stores, which writers have as well."""
MORE = {
    "tail": "Streams have more values.",
    "columns": "Names are separated by commas. A schema passed to the reader takes precedence; its names must be among"
    " these, or names of folders key=value. _metadata is a column too.",
    "verify_sha256": "Such files are not split.",
}
"""Additional documentation that applies in Spark only."""


def _text(name: str, option: Option, kind: type = ScanOptions) -> str:
    """Return the documentation of an option of a class of options, in Spark's terms."""
    default = defaults_of(kind)[name]
    text = option.text
    if option.kind == FLAG:
        text = (
            f"true (default): {_lower(text)} false: {_lower(option.off)}"
            if default
            else f"true: {_lower(text)} Default false."
        )
    elif option.kind == CHOICE:
        text += f" Default {default}."
    elif option.kind == NUMBER and default is not None:
        text += f" Default {f'{default >> 20}m' if default % (1 << 20) == 0 else default}."
    return " ".join((text, MORE[name])) if name in MORE else text


def _lower(text: str) -> str:
    return text[:1].lower() + text[1:]


READ_OPTIONS = {
    "path": "A path, glob, folder (including subfolders), or s3:// address; the argument of load(…).",
    "paths": "Several paths as a JSON list; the argument of load([…]). A file that several of them name is read once.",
    **{camel_case(name): _text(name, each) for name, each in SCAN_OPTIONS.items()},
    "columnNameOfCorruptRecord": "Name of the column with the bytes of a damaged record; default _corrupt_record.",
    **{camel_case(name): _text(name, each, ColumnTypes) for name, each in TYPE_OPTIONS.items()},
    "recursiveFileLookup": "false: only the files directly in a folder. Default true.",
    "pathGlobFilter": "Only files whose name matches this pattern.",
    "modifiedAfter": "Only files changed after this time, such as 2026-03-01T00:00:00; UTC unless it has another zone.",
    "modifiedBefore": "Only files changed before this time.",
    "ignoreMissingFiles": "true: a path that matches nothing, and a file that is gone when it is read, are skipped. "
    "Default: false for paths; for files, in a batch read, the value of spark.sql.files.ignoreMissingFiles.",
    "ignoreCorruptFiles": "true: the rest of a file that cannot be opened or read is skipped, in mode FAILFAST also of "
    "one that is damaged; whole batches of rows before that are kept. Default: in a batch read the value of "
    "spark.sql.files.ignoreCorruptFiles, otherwise false.",
    "partitionColumns": "infer (default): folders named key=value become columns, of int, bigint or date if all "
    "values are, otherwise string; text: all as string; off: none.",
    "basePath": "Only folders below this one become columns.",
    "maxPartitionBytes": "Approximate number of bytes per partition; default 128m.",
    "openCostInBytes": "The cost of opening one more object of a store, in bytes, when small files share partitions; "
    "1/32 of it for a file on a mounted disk, 1/1024 for a small one that is read together with others. No smaller "
    "file is split. Default 4m.",
    "minPartitions": "Minimum number of partitions, if there is enough to read; default: the driver's processors.",
}
"""Documentation of the options of every format's reader. A format's own options (``stride``) are added to them."""

STREAM_OPTIONS = {
    "maxFilesPerTrigger": "Maximum number of files per batch; default 1000.",
    "maxBytesPerTrigger": "Approximate number of stored bytes per batch, but at least one file, or one row of a "
    "growing file; default: no limit.",
    "tail": "Whether files grow at their ends. growing (or true): their complete rows are read, and later the rows "
    "that were added; complete (or false): a file is read once, when it is found; auto (default): growing for local "
    "uncompressed files of a delimited format.",
    "failOnDataLoss": "true (default): the query fails, and names the file, if one has vanished, shrunk or been "
    "replaced, before or after it was read, and was not rotated; false: the file is skipped and "
    "counted.",
    "latestFirst": "true: read the newest files first. Default false.",
    "maxTrackedFiles": "The number of read files of which the offset keeps an entry; default 10000. Growing files "
    "are always kept while they exist.",
    "fullListingInterval": "Of s3://: time, such as 10m, between full listings. In between, only the end and the parts "
    "with recently added objects are listed. Default: everything is listed for each batch.",
    "reportFolder": "Folder in which each batch creates a folder with its reports and its damaged records, which are "
    "then not returned as rows.",
}
"""Options of a streaming read in addition to ``READ_OPTIONS``; a batch read refuses them."""

WRITE_OPTIONS = {
    "path": "The folder to write to; the argument of save(…).",
    "codec": f"{codecs.listed()}; by default the format's own.",
    "compression": "The same; the name that Spark's own sources use.",
    "maxRecordsPerFile": "Maximum number of rows per file; default: no limit.",
    "maxFileBytes": "Approximate maximum size of a file in stored bytes; default: no limit.",
    "partitionBy": "Names of columns, separated by commas, whose values name folders, day=2026-03-01/host=a, and "
    "are not in the files; default: none. Spark refuses its own partitionBy(…) for Python sources.",
    **{camel_case(name): _text(name, each) for name, each in STORE_OPTIONS.items()},
    "fileName": "Pattern of the files' names, without their suffix; default part-{partition:05d}-{number:03d}-{job}. "
    "{sequence} continues the numbers of the existing files; {batch} is the batch of a stream.",
    "level": "Level of the codec.",
    "maxRecord": "Largest record in bytes; default: the format's.",
}
"""Documentation of the options of every format's writer. A format's own options are added to them."""

INTERNAL_OPTIONS = ("reportfolder", "listedfiles", "ingests")
"""Options for internal use by ``wireloom.spark``: the folder for the reports of a batch read; the files that were
listed for it; whether the read is part of an ingest, which may leave reports.
"""


@dataclass(frozen=True)
class ReadOptions:
    """The checked options of a reader. ``scan``: the options of every reader; ``own``: those of the format."""

    paths: tuple[str, ...]
    scan: ScanOptions = field(default_factory=ScanOptions)
    own: Mapping[str, Any] = field(default_factory=dict)
    corrupt_record: str = "_corrupt_record"
    types: ColumnTypes = field(default_factory=ColumnTypes)
    recursive: bool = True
    name_filter: str | None = None
    modified_after: datetime | None = None
    modified_before: datetime | None = None
    ignore_missing: bool | None = None
    """``None``: use the session's setting, which Spark makes known to tasks only."""
    ignore_corrupt: bool | None = None
    """``None``: use the session's setting, as for ``ignore_missing``."""
    partition_columns: str = "infer"
    """One of ``PARTITION_COLUMNS``."""
    base_path: str | None = None
    max_partition_bytes: int = 128 << 20
    open_cost: int = 4 << 20
    min_partitions: int = 1
    report_folder: str | None = None
    listed_files: str | None = None
    """The files to read, encoded by ``read.file_listing.encoded``; ``None``: the paths have to be listed."""

    @property
    def store(self) -> Location:
        """Return the options for access to an object store that is written to."""
        return replace(self.scan.location, verify_sha256=False)


@dataclass(frozen=True)
class WriteOptions:
    """The checked options of a writer."""

    path: str
    codec: str | None = None
    level: int | None = None
    format: Mapping[str, Any] = field(default_factory=dict)
    max_records: int | None = None
    max_bytes: int | None = None
    file_name: str = FILE_NAME
    partition_by: tuple[str, ...] = ()
    location: Location = field(default_factory=Location)
    """Options for access to an object store."""


def read_options(format: Format, given: Mapping[str, str]) -> ReadOptions:
    """Return the checked options of a reader. Raises ``UnknownNameError`` and ``WireloomError``."""
    own = _own_options(format)
    values = _known(given, (*READ_OPTIONS, *STREAM_OPTIONS, *own), INTERNAL_OPTIONS)
    for choice in format.choices:
        if choice.name in values:
            one_of(choice.name, values[choice.name], ("auto", *(name for name, _ in choice.padding)))
    ingests = "reportfolder" in values
    return ReadOptions(
        paths=_paths(values),
        # Damage from which the ingest pipeline gets no rows goes to its quarantine.
        scan=ScanOptions(**{"check_format": not ingests, **_of_texts(SCAN_OPTIONS, values)}),
        own={name: values[name] for name in own if name in values},
        corrupt_record=values.get("columnNameOfCorruptRecord", "_corrupt_record"),
        types=ColumnTypes(**_of_texts(TYPE_OPTIONS, values)),
        recursive=flag("recursiveFileLookup", values.get("recursiveFileLookup", "true")),
        name_filter=values.get("pathGlobFilter"),
        modified_after=time_of("modifiedAfter", values.get("modifiedAfter")),
        modified_before=time_of("modifiedBefore", values.get("modifiedBefore")),
        ignore_missing=_flag_or_none("ignoreMissingFiles", values),
        ignore_corrupt=_flag_or_none("ignoreCorruptFiles", values),
        # A table of the pipeline has the requested columns, whatever the folders of its inputs are called.
        partition_columns=one_of(
            "partitionColumns",
            values.get("partitionColumns", "off" if ingests else "infer").lower(),
            PARTITION_COLUMNS,
        ),
        base_path=values.get("basePath"),
        max_partition_bytes=size("maxPartitionBytes", values.get("maxPartitionBytes", "128m")),
        open_cost=size("openCostInBytes", values.get("openCostInBytes", "4m"), least=0),
        min_partitions=size("minPartitions", values.get("minPartitions", str(os.cpu_count() or 1))),
        report_folder=values.get("reportfolder"),
        listed_files=values.get("listedfiles"),
    )


def check_batch_options(given: Mapping[str, str]) -> None:
    """Raise ``WireloomError`` if a batch read has an option that applies to streams only."""
    names = {name.lower(): name for name in STREAM_OPTIONS if name != "tail"}
    if "ingests" in given:
        del names["reportfolder"]
    found = next((names[key.lower()] for key in given if key.lower() in names), None)
    if found is not None:
        raise WireloomError(f"option {found} applies only to streams: leave it out of a batch read, or use readStream")


def _of_texts(options: Mapping[str, Option], values: Mapping[str, str]) -> dict[str, Any]:
    """Return the parsed values of the options that were given as strings, by their usual names."""
    spelled = {camel_case(name): name for name in options}
    return {spelled[key]: _of_text(key, options[spelled[key]], text) for key, text in values.items() if key in spelled}


def _of_text(name: str, option: Option, text: str) -> Any:
    if name == "tail":
        return tail(text) or COMPLETE
    if option.kind == FLAG:
        return flag(name, text)
    if option.kind == NUMBER:
        return size(name, text)
    if option.kind == NAMES:
        return tuple(each.strip() for each in text.split(",") if each.strip())
    if option.kind == CHOICE:
        return one_of(name, text.lower(), option.values)
    return text if option.kind == TEXT else text.strip().lower()


def _own_options(format: Format, *, writing: bool = False) -> tuple[str, ...]:
    """Return the options that the format itself declares."""
    choices = tuple(each.name for each in format.choices)
    table = (format.option,) if format.option else ()
    # Imported here because most formats have no units or messages, and imports would delay a first query.
    if format.message is None and (not writing or format.stands_alone):
        return (*choices, *table)
    if format.message is None:
        from ..writing.limits import unit_options

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
    values = _known(given, (*WRITE_OPTIONS, *own), ("checkpointLocation", "queryName"))
    codec = values.get("codec", values.get("compression"))
    if "path" not in values:
        raise WireloomError(
            "no folder to write to: give one to save(…), or as option path. Spark does not pass on that of "
            "a table of the catalog: INSERT INTO t WITH (path = '…') SELECT …, or save(…) to the table's folder"
        )
    options: dict[str, Any] = {name: values[name] for name in own if name in values}
    if "maxRecord" in values:
        options["max_record"] = size("maxRecord", values["maxRecord"])
    level = values.get("level")
    pattern = values.get("fileName", FILE_NAME)
    check_pattern(pattern)
    return WriteOptions(
        values["path"],
        None if codec is None else one_of("codec", codec.strip().lower(), codecs.CODECS),
        None if level is None else integer("level", level),
        options,
        max_records=size("maxRecordsPerFile", values["maxRecordsPerFile"]) if "maxRecordsPerFile" in values else None,
        max_bytes=size("maxFileBytes", values["maxFileBytes"]) if "maxFileBytes" in values else None,
        file_name=pattern,
        partition_by=tuple(filter(None, (each.strip() for each in values.get("partitionBy", "").split(",")))),
        location=Location(**_of_texts(STORE_OPTIONS, values)),
    )


def _known(given: Mapping[str, str], names: Iterable[str], internal: Iterable[str]) -> dict[str, str]:
    """Return the options by their usual spelling. An unknown option is refused with the nearest known one as a
    suggestion.
    """
    spelling = {name.lower(): name for name in (*names, *internal)}
    values = {}
    for key, value in given.items():
        name = spelling.get(key.lower())
        if name is None:
            raise unknown("option", key, dict.fromkeys(names))
        values[name] = value
    return values


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


def _flag_or_none(name: str, values: Mapping[str, str]) -> bool | None:
    return flag(name, values[name]) if name in values else None
