"""One Spark session for all tests that need one, with settings that save its start-up; files for every format."""

from __future__ import annotations

import os
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

import pyarrow as pa
import pytest
import wireloom

from ..storage_server import Store

if TYPE_CHECKING:
    from pyspark.sql import SparkSession

SETTINGS = {
    "spark.sql.shuffle.partitions": "1",
    "spark.default.parallelism": "1",
    "spark.sql.codegen.wholeStage": "false",
    "spark.sql.codegen.factoryMode": "NO_CODEGEN",
    "spark.driver.extraJavaOptions": "-XX:+UseSerialGC -XX:TieredStopAtLevel=1",
}

ROWS = 300


@dataclass(frozen=True)
class Sample:
    """A format's files: one of them, the folder that holds them all, and what is in the one."""

    format: str
    file: Path
    folder: Path
    table: pa.Table


def rows_of(name: str) -> pa.Table:
    """Rows of a format; payloads of 0 … 299 bytes that also hold delimiters."""
    columns = {"payload": pa.array([(b"\xfe\xfd\0" + bytes([n % 256]) * n)[:n] for n in range(ROWS)], pa.binary())}
    if name == "word_stuffed_log":
        columns = {"generation": pa.array(range(ROWS), pa.uint32()), **columns}
    if name == "edgemq_segment":
        columns = {
            "fmt": pa.array([n % 3 for n in range(ROWS)], pa.uint8()),
            "tenant": pa.array([(1 << 32) - 1 - n for n in range(ROWS)], pa.uint32()),
            "ts": pa.array([1_790_000_000_000 + n for n in range(ROWS)], pa.timestamp("ms", "UTC")),
            **columns,
        }
    return pa.table(columns)


NAMES = ("edgemq_segment", "word_stuffed_log", "cobs_log")


@pytest.fixture(scope="session")
def samples(tmp_path_factory: pytest.TempPathFactory) -> dict[str, Sample]:
    """Files of every format."""
    found = {}
    for name in NAMES:
        folder = tmp_path_factory.mktemp(name)
        inner = folder / "prod" / "eu-west-1" / "i-7" / "1" / "segments"
        inner.mkdir(parents=True)
        ending = ".wal.zst" if name == "edgemq_segment" else ".log"
        table = rows_of(name)
        for number in range(3):
            wireloom.write(name, table, inner / f"seg-{number:08d}{ending}")
        found[name] = Sample(name, inner / f"seg-00000000{ending}", folder, table)
    return found


@pytest.fixture(scope="session")
def spark(tmp_path_factory: pytest.TempPathFactory, object_store: Store) -> Iterator[SparkSession]:
    """A session that finds the data sources by itself: nothing is registered. The tasks take the credentials of the
    object store from the environment in which the session is started."""
    from wireloom.spark.session import start

    # An editable install does not list top-level packages, so the discovery packages are put on the path as they are.
    found = tmp_path_factory.mktemp("discovery")
    for package in Path(wireloom.__file__).parent.parent.glob("generated/*/pyspark_*"):
        (found / package.name).symlink_to(package)
    before = os.environ.get("PYTHONPATH")
    os.environ["PYTHONPATH"] = os.pathsep.join([str(found), *([before] if before else [])])
    warehouse = {"spark.sql.warehouse.dir": str(tmp_path_factory.mktemp("warehouse"))}
    session = start("wireloom tests", cores=1, settings={**SETTINGS, **warehouse})
    yield session
    session.stop()
    os.environ.pop("PYTHONPATH")
    if before is not None:
        os.environ["PYTHONPATH"] = before


def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    """All tests with a session run in one process, so that there is one session."""
    for item in items:
        if "spark" in getattr(item, "fixturenames", ()):
            item.add_marker(pytest.mark.xdist_group("spark"))
