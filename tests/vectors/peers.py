"""Files that formats' own implementations wrote, with what these read from them.

A folder of a format has programs that made its files, and their ``cases*.jsonl``: of each file its name and ``rows``,
with bytes in hexadecimal (or their SHA-256, if they are more than 1000, and that of long text), numbers that are not
finite as text, and times in units of their column since the epoch; ``table``, if it is not the default one; ``damaged``
and ``tail``, if it is not in order; ``unchecked``, if it has events without checksums that hold, unlike others of the
format.
"""

from __future__ import annotations

import hashlib
import math
from dataclasses import dataclass, field
from typing import Any

import pyarrow as pa
import pytest
from wireloom import engine
from wireloom.format.registry import get as format_of

from .cases import HERE, rows

FORMATS = (
    "avro_blocks", "bitcoin_blocks", "etcd_wal", "kafka_log", "leveldb_log", "mcap", "mysql_binlog", "otlp_logs",
    "otlp_metrics", "otlp_spans", "pcap", "pcapng", "prometheus_wal", "tf_example", "tfrecord",
)  # fmt: skip

NOT_FINITE = {math.inf: "+Inf", -math.inf: "-Inf"}


@dataclass(frozen=True)
class PeerCase:
    """One table of one file."""

    format: str
    file: str
    rows: list[dict[str, Any]]
    table: str = ""
    damaged: list[str] = field(default_factory=list)
    tail: str = "clean"
    unchecked: bool = False

    @property
    def content(self) -> bytes:
        """Return the content of the file."""
        return HERE.joinpath(self.format, self.file).read_bytes()

    @property
    def options(self) -> dict[str, Any]:
        """Return the options of a reader of the table."""
        return {"table": self.table} if self.table else {}

    @property
    def row_readers(self) -> tuple[str, ...]:
        """Return the names of the row readers that read the table."""
        format = format_of(self.format)
        chosen = format.of_table(self.table) if self.table else format
        is_run = chosen.program is not None or chosen.message_program is not None
        return ("columns", "objects") if engine.available and is_run else ("objects",)

    @property
    def read_only(self) -> bool:
        """Return whether the table cannot be written."""
        found = format_of(self.format)
        return bool((found.of_table(self.table) if self.table else found).read_only)

    @property
    def columns(self) -> list[str]:
        """Return the names of the columns of the rows."""
        return list(self.rows[0]) if self.rows else []


def cases() -> list[PeerCase]:
    """Return all cases."""
    files = (file for name in FORMATS for file in sorted(HERE.joinpath(name).glob("cases*.jsonl")))
    return [PeerCase(file.parent.name, **each) for file in files for each in rows(file.parent.name, file.name)]


def each_case(choose: Any = bool, *, thinned: bool = False) -> Any:
    """Parametrises a test with the cases of which ``choose`` is true. ``thinned``: except in ``make thorough``, only
    with those of a file or a table of the format that none before has."""
    found, seen = [], set()
    for case in cases():
        if choose(case):
            new = {(case.format, "file", case.file), (case.format, "table", case.table)} - seen
            seen |= new
            marks = [] if new or not thinned else [pytest.mark.thorough]
            name = f"{case.format}-{case.file}-{case.table}".rstrip("-")
            found.append(pytest.param(case, id=name, marks=marks))
    return pytest.mark.parametrize("case", found)


def plain(value: Any) -> Any:
    """A value as it is in ``cases.jsonl``."""
    if isinstance(value, bytes):
        return value.hex() if len(value) <= 1000 else f"sha256:{hashlib.sha256(value).hexdigest()}"
    if isinstance(value, str) and len(value) > 1000:
        return plain(value.encode())
    if isinstance(value, float) and not math.isfinite(value):
        return NOT_FINITE.get(value, "NaN")
    if isinstance(value, list | tuple):
        return [plain(each) for each in value]
    if isinstance(value, dict):
        return {name: plain(each) for name, each in value.items()}
    return value


def plain_rows(table: pa.Table) -> list[dict[str, Any]]:
    """Rows of a table as they are in ``cases.jsonl``."""
    for index, each in enumerate(table.schema):
        if pa.types.is_timestamp(each.type):
            table = table.set_column(index, each.name, table.column(index).cast(pa.int64()))
    return [plain(each) for each in table.to_pylist()]
