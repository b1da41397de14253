"""The time saved by passing columns, conditions and limits of queries to the reader: own options, Polars, DuckDB."""

from __future__ import annotations

import importlib
import random
import tempfile
import time
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from datetime import UTC, datetime
from functools import partial
from pathlib import Path
from typing import Any

import pyarrow as pa
import wireloom

from . import wide
from .data import HOUR, START, drain, segment
from .measure import Comparison, Work, missing

NOTE = "by CPU time, which filtering batches takes on several cores"
UNTIL = START + HOUR // 1000
"""A time in milliseconds before which there is one event in a thousand."""
TENANT = 4711
"""The tenant of one event in twenty."""
ROWS = 1000
SUM_OF_TENANTS = "EdgeMQ, the sum of one column of four"
FEW_EVENTS = "EdgeMQ, all columns of 0.1 % of the rows"
TIMES_OF_TENANT = "EdgeMQ, another column of 5 % of the rows"
FIRST_EVENTS = f"EdgeMQ, the first {ROWS:,} rows"
SUM_OF_FIELDS = "200 fixed fields, the sum of one"
FEW_ROWS = "200 fixed fields, all of 0.4 % of the rows"


@dataclass(frozen=True)
class Source:
    """A file of a format."""

    format: str | wireloom.Format
    path: Path

    def table(self) -> pa.Table:
        """Read all rows and columns."""
        return wireloom.read(self.format, self.path)


def comparisons(size: int) -> Iterator[Comparison]:
    raw = segment(size)
    yield from _filters(raw)
    with tempfile.TemporaryDirectory() as folder:
        events = Source("edgemq_segment", Path(folder) / "events.wal")
        events.path.write_bytes(raw)
        fields = _wide(Path(folder), size)
        few = partial(wireloom.read, events.format, events.path, limit=ROWS)
        yield _compared(f"limit={ROWS}, EdgeMQ", events, few, lambda: events.table().slice(0, ROWS))
        yield from _polars(events, fields)
        yield from _duckdb(events, fields)


def _filters(raw: bytes) -> Iterator[Comparison]:
    """Yield filters that keep one row in a thousand: the engine evaluates the condition, or, if it is computed, it is
    evaluated on batches."""
    # Imported here, since it takes longer than everything else that an unrelated benchmark imports.
    import pyarrow.compute as pc

    most = pa.scalar(UNTIL, pa.uint64())
    at = pc.field("ts_millis")
    works = {
        "a filter, CRC on": {"filter": at < most},
        "all rows": {},
        "filtered batches": {"filter": pc.bit_wise_or(at, at) < most},
    }
    few, whole, after = (
        Work(f"wireloom, {name}", len(raw), partial(drain, "edgemq_segment", raw, **more), clock=time.process_time)
        for name, more in works.items()
    )
    title = "EdgeMQ raw, all columns of 0.1 % of the rows"
    yield Comparison(f"{title}, beside all rows", few, whole, target=1, note=NOTE)
    yield Comparison(f"{title}, beside batches that are filtered", few, after, target=1, note=NOTE)


def _wide(folder: Path, size: int) -> Source:
    """Write rows of 200 random integers, of which one has a byte of its own kind in each."""
    spec = folder / "wide_rows.ksy"
    spec.write_text(wide.spec())
    path = folder / "rows.bin"
    rows = random.Random(1).randbytes(wide.ROW * min(size // wide.ROW, 10_000))
    path.write_bytes(rows * max(1, size // len(rows)))
    return Source(wireloom.load_spec(spec), path)


def _compared(
    title: str, source: Source, pushed: Callable[[], Any], read_first: Callable[[], Any], absent: str | None = None
) -> Comparison:
    size = source.path.stat().st_size
    works = [
        Work(name, size, run, clock=time.process_time)
        for name, run in (("with push-down", pushed), ("all rows and columns, then the query", read_first))
    ]
    return Comparison(title, works[0], works[1], target=1, absent=absent, note=NOTE)


def _polars(events: Source, fields: Source) -> Iterator[Comparison]:
    absent = missing("polars")
    polars = None if absent else importlib.import_module("polars")
    until = datetime.fromtimestamp(UNTIL / 1000, UTC)
    queries: dict[str, tuple[Source, Callable[[Any], Any]]] = {
        SUM_OF_TENANTS: (events, lambda frame: frame.select(polars.col("tenant").sum())),
        FEW_EVENTS: (events, lambda frame: frame.filter(polars.col("ts") < until)),
        TIMES_OF_TENANT: (events, lambda frame: frame.filter(polars.col("tenant") == TENANT).select("ts")),
        FIRST_EVENTS: (events, lambda frame: frame.head(ROWS)),
        SUM_OF_FIELDS: (fields, lambda frame: frame.select(polars.col("field_003").sum())),
        FEW_ROWS: (fields, lambda frame: frame.filter(polars.col("field_004") == 7)),
    }
    for title, (source, query) in queries.items():

        def pushed(source: Source = source, query: Callable[[Any], Any] = query) -> Any:
            return query(wireloom.scan(source.format, source.path).lazy()).collect()

        def read_first(source: Source = source, query: Callable[[Any], Any] = query) -> Any:
            return query(polars.DataFrame(source.table()).lazy()).collect()

        yield _compared(f"Polars: {title}", source, pushed, read_first, absent)


def _duckdb(events: Source, fields: Source) -> Iterator[Comparison]:
    absent = missing("duckdb")
    connection = None if absent else importlib.import_module("duckdb").connect()
    # DuckDB passes no limits.
    queries = {
        SUM_OF_TENANTS: (events, "SELECT sum(tenant) FROM log"),
        FEW_EVENTS: (events, f"SELECT * FROM log WHERE ts < make_timestamptz({UNTIL * 1000})"),
        TIMES_OF_TENANT: (events, f"SELECT ts FROM log WHERE tenant = {TENANT}"),
        SUM_OF_FIELDS: (fields, "SELECT sum(field_003) FROM log"),
        FEW_ROWS: (fields, "SELECT * FROM log WHERE field_004 = 7"),
    }
    for title, (source, query) in queries.items():

        def pushed(source: Source = source, query: str = query) -> Any:
            importlib.import_module("wireloom.duckdb").register(connection, "log", source.format, source.path)
            return connection.sql(query).to_arrow_table()

        def read_first(source: Source = source, query: str = query) -> Any:
            connection.register("log", source.table())
            return connection.sql(query).to_arrow_table()

        yield _compared(f"DuckDB: {title}", source, pushed, read_first, absent)
