"""The options of ``ingest``, which its command lists without loading Spark."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from .arguments import shown
from .dataclass import dataclass
from .errors import WireloomError
from .options import CHOICE, FLAG, NAMES, NUMBER, OTHER, TEXT, check_options, option


@dataclass(frozen=True)
class TableKind:
    """A kind of table that an ingest writes.

    ``doc``: its description as a value of the option. ``package``: the package that its log requires, which the extra
    with the name of the kind installs, and ``title``: what that is needed for; empty for plain Parquet, without a log.
    """

    doc: str
    package: str = ""
    title: str = ""


TABLE_KINDS = {
    "parquet": TableKind("a folder of files"),
    "delta": TableKind("Delta Lake", "deltalake", "a Delta table"),
    "iceberg": TableKind("Iceberg", "pyiceberg", "an Iceberg table"),
}
REFUSE, ADD, QUARANTINE = "refuse", "add", "quarantine"


def _dictionary(value: Any) -> Mapping[str, str]:
    if not (isinstance(value, Mapping) and all(isinstance(each, str) for each in value)):
        raise WireloomError(f"options must be a dictionary of strings, not {shown(value)}")
    for name, each in value.items():
        if not isinstance(each, str):
            raise WireloomError(f"options must be a dictionary of strings, and {name} is {shown(each)}")
    return value


@dataclass(frozen=True, kw_only=True)
class IngestOptions:
    """The options of every ingest. Raises ``WireloomError`` for an invalid value."""

    quarantine: str | None = option(
        None,
        "Folder of a Parquet table for the damaged records. It has the columns ``_path``, ``_offset``, ``_length``,"
        " ``_error`` and ``_corrupt_record``, with one row for each damaged range, including the end of a file that is"
        " truncated or cannot be read further.",
        TEXT,
    )
    metrics: str | None = option(
        None, "Folder for metrics of each batch and its files, a file of JSON lines per batch.", TEXT
    )
    mode: str = option(
        "permissive",
        "How damage is treated.",
        CHOICE,
        values={
            "permissive": "damaged records are left out of the table",
            "dropmalformed": "so are they, and the quarantine has no bytes of them",
            "failfast": "the first damage is an error",
        },
        what="mode",
    )
    recover: bool = option(False, "Search for the next good row after a damaged length.", FLAG)
    partition_by: Sequence[str] = option((), "Columns whose values name the table's folders.", NAMES)
    columns: Sequence[str] | None = option(
        None, "Columns of the table, by default the format's own; those of ``partition_by`` are added.", NAMES
    )
    options: Mapping[str, str] | None = option(None, "Further options of the data source.", OTHER, check=_dictionary)
    existing: str = option(
        "append",
        "Handling of an existing table.",
        CHOICE,
        values={
            "append": "the rows of new files are added, if it has the same columns",
            "adopt": "like append, but also to Parquet files of other software",
            "overwrite": "all files are read, and then replace the existing content",
            "error": "nothing is done",
        },
    )
    to: str = option(
        "parquet",
        "Kind of the table.",
        CHOICE,
        values={name: kind.doc for name, kind in TABLE_KINDS.items()},
        what="kind of table",
    )
    allow_modules: Sequence[str] = option(
        (), "Modules whose classes a spec may reference; see ``wireloom.load_spec``.", NAMES
    )
    sort_by: Sequence[str] = option((), "Columns by which each file of the table is sorted.", NAMES)
    file_bytes: int | None = option(
        None, "Approximate maximum size in bytes of a file of the table, by default 1 GiB.", NUMBER
    )
    compression: str = option(
        "snappy",
        "Compression of the table's files: snappy, zstd, lz4, gzip or none.",
        CHOICE,
        values=dict.fromkeys(("snappy", "zstd", "lz4", "gzip", "none"), ""),
        what="compression",
    )
    dictionary: Sequence[str] | None = option(
        None, "Columns with dictionary encoding, by default all except binary ones.", NAMES
    )
    schema_evolution: str = option(
        REFUSE,
        "Handling of a read whose columns differ from those of the table.",
        CHOICE,
        values={
            REFUSE: "nothing is done",
            ADD: "its new columns are added",
            QUARANTINE: "the records that it cannot hold are quarantined",
        },
    )
    prometheus_file: str | None = option(
        None,
        "File for metrics that Prometheus reads, NAME.prom in the folder of node_exporter's textfile collector.",
        TEXT,
    )
    prometheus_port: int | None = option(None, "Port on 127.0.0.1 for the same metrics, during the run.", NUMBER)

    def __post_init__(self) -> None:
        check_options(self)
        twice = next((each for each in self.partition_by if self.partition_by.count(each) > 1), None)
        if twice is not None:
            raise WireloomError(f"partition_by names {twice!r} twice: name it once")
        if self.schema_evolution == QUARANTINE and self.quarantine is None:
            raise WireloomError(
                "schema_evolution=quarantine needs a quarantine for the records that the table cannot hold: name its"
                " folder"
            )
