"""An ingest without Spark: the same tables, commits and recovery, with rows that pyarrow writes.

An input file of this pipeline contains one record per line; those that begin with ``!`` are damaged. A death is an
exception that every later step of the process raises again, so that nothing is cleaned up, as after a kill.
"""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from types import SimpleNamespace
from typing import Any
from unittest.mock import patch

import pyarrow as pa
import pyarrow.dataset
import pyarrow.parquet as pq
from pyspark.sql.types import StringType, StructField, StructType
from wireloom import Damage, FileReport
from wireloom.base.ingest_options import IngestOptions
from wireloom.spark.folders import Folder, folder
from wireloom.spark.ingest.request import IngestRequest
from wireloom.spark.ingest.table_files import FileLayout, WrittenFile, write_table_files
from wireloom.spark.ingest.tables import BatchAttempt, IngestTables, StreamBatch, open_tables
from wireloom.spark.read.task_reports import QUARANTINE_SCHEMA

SCHEMA = StructType([StructField("record", StringType()), StructField("kind", StringType())])
STEPS = ("make", "move", "delete", "remove", "drop", "write")
"""The operations that change a folder."""


class Killed(BaseException):
    """The process is dead."""


@contextmanager
def dying(
    step: int, when: str, error: Callable[[], BaseException] = Killed, lasting: bool = True
) -> Iterator[list[str]]:
    """Let a process die ``before`` a step, ``after`` it or ``halfway``; yield the steps taken so far.

    ``lasting``: nothing can be done after it; otherwise it is a failure, and later steps work again.
    """
    taken: list[str] = []

    def wrap(name: str, real: Any) -> Any:
        def step_of(self: Folder, *arguments: Any) -> Any:
            taken.append(name)
            if lasting and len(taken) > step:
                raise error()
            if len(taken) == step:
                if when != "before":
                    (_half if when == "halfway" else lambda *_: real(self, *arguments))(self, name, *arguments)
                raise error()
            return real(self, *arguments)

        return step_of

    with patch.multiple(Folder, **{name: wrap(name, getattr(Folder, name)) for name in STEPS}):
        yield taken


def _half(place: Folder, name: str, *arguments: Any) -> None:
    """Execute half of a step, as if interrupted: stores copy before they delete, and folders are processed file by
    file."""
    if name == "move":
        old, target, *new = arguments
        (Path(target.path) / (new[0] if new else old)).write_bytes(place.read(old))
    elif name == "write":
        (Path(place.path) / f".{arguments[0]}.tmp").write_bytes(arguments[1][: len(arguments[1]) // 2])
    elif name == "delete":
        files = [each for each in (Path(place.path) / arguments[0]).rglob("*") if each.is_file()]
        for each in files[::2]:
            each.unlink()


def make_inputs(where: Path, files: int, records: int = 3) -> Path:
    """Write input files, whose records all differ."""
    where.mkdir(parents=True, exist_ok=True)
    for number in range(files):
        lines = [f"{'!' if (number + each) % 3 == 0 else ''}{number}-{each}" for each in range(records)]
        (where / f"{number:04d}.txt").write_text("\n".join(lines))
    return where


def asked(
    base: Path, table: str = "table", metrics: bool = True, existing: str = "append", to: str = "parquet"
) -> IngestRequest:
    """Return the request for an ingest to ``base/table`` and ``base/quarantine``."""
    return IngestRequest(
        spark=None,  # type: ignore[arg-type]
        format=SimpleNamespace(name="lines"),  # type: ignore[arg-type]
        source="lines",
        table=folder(str(base / table)),
        quarantine=folder(str(base / "quarantine")),
        metrics=folder(str(base / "metrics")) if metrics else None,
        layout=FileLayout(("kind",)),
        options={},
        settings=IngestOptions(existing=existing, to=to),
    )


def run(
    base: Path,
    *,
    batch: int = 2,
    stream: str | None = None,
    existing: str = "append",
    to: str = "parquet",
    pause: Any = None,
) -> None:
    """Ingest the files in ``base/in`` that are not done. ``stream``: as batches of a query, whose number is that of the
    first file; ``to``: the kind of table; ``pause`` is called repeatedly."""
    with open_tables(asked(base, existing=existing, to=to)) as tables:
        paths = sorted(str(each) for each in (base / "in").iterdir())
        tables.prepare(SCHEMA)
        for start in range(0, len(paths), batch):
            chunk = paths[start : start + batch]
            if stream is None:
                chunk = [each for each in chunk if each not in tables.ledger.files]
            if not chunk or (stream is not None and start <= tables.ledger.streams.get(stream, -1)):
                continue
            _batch(tables, chunk, None if stream is None else StreamBatch(stream, start), pause or (lambda: None))


def _batch(tables: IngestTables, paths: list[str], stream: StreamBatch | None, pause: Callable[[], None]) -> None:
    attempt = tables.attempt()
    written: list[WrittenFile] = []
    for index, path in enumerate(paths):
        pause()
        written += _read(attempt, index, path)
    pause()
    tables.commit(attempt, written, dict.fromkeys(paths, 1), seconds=0.0, stream=stream)


def _read(attempt: BatchAttempt, index: int, path: str) -> list[WrittenFile]:
    """Run one task: write rows to one file per kind, and damage and report beside them."""
    lines = Path(path).read_text().splitlines()
    good = [each for each in lines if not each.startswith("!")]
    kinds = ["a" if int(each[-1]) % 2 == 0 else "b" for each in good]
    schema = pa.schema([("record", pa.string()), ("kind", pa.string())])
    batch = pa.RecordBatch.from_arrays([pa.array(good, pa.string()), pa.array(kinds, pa.string())], schema=schema)
    written = write_table_files([batch], schema, attempt.data, FileLayout(("kind",)))
    places = [number for number, each in enumerate(lines) if each.startswith("!")]
    damaged = [[path, each, None, "checksum: it does not match", lines[each].encode()] for each in places]
    columns = [pa.array([row[at] for row in damaged], kind) for at, kind in enumerate(QUARANTINE_SCHEMA.types)]
    side = Path(attempt.reports.path)
    pq.write_table(pa.Table.from_arrays(columns, schema=QUARANTINE_SCHEMA), side / f"damaged-{index:06d}.parquet")
    told = FileReport(path, len(good), len(lines), [Damage(each, 1, "checksum") for each in places], "clean")
    (side / f"report-{index:06d}.json").write_text(json.dumps([{**told.to_dict(), "begin": 0}]))
    return written


def visible(base: Path, *places: str) -> Counter[str]:
    """Return every record that a reader of Parquet finds in table and quarantine, or in one of them."""
    found: Counter[str] = Counter()
    columns = {"table": "record", "quarantine": "_corrupt_record"}
    for name, column in ((each, columns[each]) for each in places or columns):
        if (base / name).exists():
            rows = pyarrow.dataset.dataset(base / name, partitioning="hive", format="parquet")
            if rows.files:
                values = rows.to_table(columns=[column]).column(column).to_pylist()
                found.update(each.decode() if isinstance(each, bytes) else each for each in values)
    return found


def expected(base: Path) -> Counter[str]:
    """Return every record of the input."""
    return Counter(line for each in (base / "in").iterdir() for line in each.read_text().splitlines())


def check(base: Path) -> None:
    """Check that every record exists exactly once, nothing is left over, and the metrics agree."""
    assert visible(base) == expected(base)
    left = {each.name for each in (base / "table" / "_wireloom").iterdir()}
    assert left <= {"commits", "ledger.parquet"}
    assert not (base / "quarantine" / "_wireloom").exists()
    told = [json.loads(line) for each in (base / "metrics").iterdir() for line in each.read_text().splitlines()]
    files = [each["path"] for each in told if each["kind"] == "file"]
    assert len(files) == len(set(files)) == len(list((base / "in").iterdir()))
    assert sum(each["rows"] + each["quarantined"] for each in told if each["kind"] == "batch") == visible(base).total()
