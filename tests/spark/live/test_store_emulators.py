"""Tables in Azure's and Google's stores, with their emulators if these are installed.

`azurite` (npm) and the package adlfs; `fake-gcs-server` (Go: github.com/fsouza/fake-gcs-server) and the package gcsfs.
"""

from __future__ import annotations

import json
import os
import shutil
import socket
import subprocess
import time
import urllib.request
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pyarrow.dataset
import pytest
import wireloom
from wireloom import TemporaryError
from wireloom.input.inputs import Location
from wireloom.input.stores import store_of
from wireloom.spark.folders import folder
from wireloom.spark.ingest import ingest, numbered_lock
from wireloom.spark.ingest.lock import locked
from wireloom.spark.ingest_stream import ingest_stream
from wireloom.writing import opened

from ...ports import free_ports
from ...waiting import SECONDS
from ..conftest import ROWS, Sample

if TYPE_CHECKING:
    from pyspark.sql import SparkSession

ACCOUNT = "devstoreaccount1"
KEY = "Eby8vdM02xNOcqFlqUwJPLlmEtlCDXJ1OUzFT50uSRZ6IFsuFq2UVErCz4I6tq/K1SZFPTOtr/KBHBeksoGMGw=="
"""The account that every azurite has, and its key, which is not secret."""
CONTAINER = "wireloom"
AZURITE, FAKE_GCS = shutil.which("azurite"), shutil.which("fake-gcs-server")
if AZURITE is not None:
    # Spark's Python processes have the environment in which the session was started, which is before any test.
    os.environ.update({"AZURE_STORAGE_ACCOUNT_NAME": ACCOUNT, "AZURE_STORAGE_ACCOUNT_KEY": KEY})


@dataclass(frozen=True)
class Emulator:
    """A server. ``root``: the address of its only bucket or container; ``options``: how to access it."""

    root: str
    options: dict[str, str]

    @property
    def location(self) -> Location:
        return Location(endpoint=self.options["endpoint"], anonymous="anonymous" in self.options)


@contextmanager
def _server(command: list[str], port: int) -> Iterator[str]:
    with subprocess.Popen(command, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL) as process:
        try:
            until = time.monotonic() + SECONDS
            while True:
                with socket.socket() as tried:
                    if tried.connect_ex(("127.0.0.1", port)) == 0:
                        break
                assert process.poll() is None
                assert time.monotonic() < until
                time.sleep(0.05)
            yield f"http://127.0.0.1:{port}"
        finally:
            process.terminate()


@contextmanager
def azure() -> Iterator[Emulator]:
    """Start Azurite, which has no hierarchical namespace."""
    pytest.importorskip("adlfs", reason="the package adlfs is not installed")
    if AZURITE is None:
        pytest.skip("azurite is not installed: npm install -g azurite")
    blob, queue, table = free_ports(3)
    ports = ["--blobPort", str(blob), "--queuePort", str(queue), "--tablePort", str(table)]
    command = [AZURITE, "--silent", "--inMemoryPersistence", "--skipApiVersionCheck", "--disableTelemetry", *ports]
    with _server(command, blob) as endpoint:
        found = Emulator(f"abfss://{CONTAINER}@{ACCOUNT}.dfs.core.windows.net", {"endpoint": endpoint})
        store_of(found.root, found.location).files.create_dir(CONTAINER)
        yield found


@contextmanager
def google() -> Iterator[Emulator]:
    """Start fake-gcs-server, over plain HTTP."""
    if FAKE_GCS is not None:
        # Otherwise gcsfs asks over gRPC what kind of bucket it is, and waits for a long time.
        os.environ["GCSFS_EXPERIMENTAL_ZB_HNS_SUPPORT"] = "false"
    pytest.importorskip("gcsfs", reason="the package gcsfs is not installed")
    if FAKE_GCS is None:
        pytest.skip("fake-gcs-server is not installed: go install github.com/fsouza/fake-gcs-server@latest")
    [port] = free_ports(1)
    address = f"127.0.0.1:{port}"
    command = [FAKE_GCS, "-scheme", "http", "-host", "127.0.0.1", "-port", str(port), "-backend", "memory"]
    with _server([*command, "-public-host", address, "-external-url", f"http://{address}"], port) as endpoint:
        made = urllib.request.Request(f"{endpoint}/storage/v1/b?project=p", json.dumps({"name": CONTAINER}).encode())
        made.add_header("Content-Type", "application/json")
        urllib.request.urlopen(made).close()
        yield Emulator(f"gs://{CONTAINER}", {"endpoint": endpoint, "anonymous": "true"})


STORES: dict[str, Callable[[], Any]] = {"abfss": azure, "gs": google}


@pytest.fixture(scope="module", params=STORES)
def emulator(request: pytest.FixtureRequest) -> Iterator[Emulator]:
    with STORES[request.param]() as found:
        yield found


@pytest.fixture
def place(emulator: Emulator, samples: dict[str, Sample], tmp_path: Path) -> str:
    """Return a separate prefix with an intact log and a damaged one."""
    content = samples["cobs_log"].file.read_bytes()
    for name, more in (("a", b""), ("b", b"\x05bad\x00")):
        put(f"{emulator.root}/{tmp_path.name}/in/{name}.log", content + more, emulator)
    return f"{emulator.root}/{tmp_path.name}"


def put(address: str, content: bytes, emulator: Emulator) -> None:
    with opened(address, emulator.location) as file:
        file.write(content)


def rows(address: str, emulator: Emulator) -> Any:
    store = store_of(address, emulator.location)
    return pyarrow.dataset.dataset(store.path, filesystem=store.files, format="parquet", partitioning="hive").to_table()


def test_batches(spark: SparkSession, emulator: Emulator, place: str) -> None:
    def run(**more: Any) -> Any:
        return ingest(
            spark,
            "cobs_log",
            f"{place}/in",
            f"{place}/table",
            quarantine=f"{place}/bad",
            metrics=f"{place}/metrics",
            options=emulator.options,
            columns=["payload", "_path"],
            **more,
        )

    summary = run()
    assert (summary.rows, summary.damaged, summary.quarantined) == (2 * ROWS, 1, 1)
    assert set(rows(f"{place}/table", emulator)["_path"].to_pylist()) == {f"{place}/in/{name}.log" for name in "ab"}
    [bad] = rows(f"{place}/bad", emulator).to_pylist()
    assert (bad["_path"], bad["_length"]) == (f"{place}/in/b.log", 5)
    assert run().rows == 0, "done files are done"
    put(f"{place}/in/c.log", b"\x02c\x00", emulator)
    assert run().rows == 1
    assert run(existing="overwrite").rows == 2 * ROWS + 1
    assert rows(f"{place}/table", emulator).num_rows == 2 * ROWS + 1
    left = folder(f"{place}/table/_wireloom", emulator.location)
    # An empty folder may remain.
    assert set(left.names()) - {"commits", "pending"} == {"lock-000000004"}
    assert left.inside("pending").names() == []


def test_partitions(spark: SparkSession, emulator: Emulator, place: str, samples: dict[str, Sample]) -> None:
    table, log = f"{place}/lake/events", str(samples["edgemq_segment"].file)
    ingest(spark, "edgemq_segment", log, table, partition_by=["fmt"], options=emulator.options)
    assert {f"fmt={each}" for each in range(3)} <= set(folder(table, emulator.location).names())
    assert sorted(rows(table, emulator)["payload"].to_pylist()) == sorted(
        samples["edgemq_segment"].table["payload"].to_pylist()
    )


def test_a_stream(spark: SparkSession, emulator: Emulator, place: str, tmp_path: Path) -> None:
    def run() -> list[int]:
        summary = ingest_stream(
            spark,
            "cobs_log",
            f"{place}/in",
            f"{place}/table",
            checkpoint=str(tmp_path / "progress"),
            options={**emulator.options, "maxFilesPerTrigger": "1"},
        )
        return [each["rows"] for each in summary.batches]

    assert run() == [ROWS, ROWS]
    put(f"{place}/in/c.log", b"\x02c\x00", emulator)
    assert run() == [1]
    assert rows(f"{place}/table", emulator).num_rows == 2 * ROWS + 1


def test_a_commit_that_was_cut_off_is_carried_out(
    spark: SparkSession, emulator: Emulator, place: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    from wireloom.spark.write import commit_log

    def run() -> Any:
        return ingest(spark, "cobs_log", f"{place}/in", f"{place}/table", options=emulator.options)

    def dead(*_: Any) -> None:
        raise KeyboardInterrupt

    monkeypatch.setattr(commit_log, "_move_staged", dead)
    with pytest.raises(KeyboardInterrupt):
        run()
    monkeypatch.undo()
    assert [each["rows"] for each in run().recovered] == [2 * ROWS]
    assert rows(f"{place}/table", emulator).num_rows == 2 * ROWS


def test_one_at_a_time(emulator: Emulator, place: str, monkeypatch: pytest.MonkeyPatch) -> None:
    table = folder(f"{place}/table", emulator.location)
    with locked(table) as check:
        check()
        with pytest.raises(TemporaryError, match="another ingest writes to it"):
            locked(table).__enter__()
        check()
    with locked(table) as check:
        # As if nothing had been heard from this process for a long time.
        monkeypatch.setattr(numbered_lock, "LEASE", -1.0)
        with locked(table) as other:
            other()
            with pytest.raises(TemporaryError, match="another ingest has taken over the table"):
                check()


def test_reading_and_writing(emulator: Emulator, place: str) -> None:
    found = wireloom.read("cobs_log", f"{place}/in/*.log", columns=["_path"], **options(emulator))
    assert found.num_rows == 2 * ROWS
    with pytest.raises(wireloom.WireloomError, match="not found"):
        wireloom.read("cobs_log", f"{place}/none/", **options(emulator))


def options(emulator: Emulator) -> dict[str, Any]:
    return {"endpoint": emulator.location.endpoint, "anonymous": emulator.location.anonymous}
