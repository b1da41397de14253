"""Events of OpenLineage, as the package's client sends them to a server on this machine."""

from __future__ import annotations

import json
import sys
import threading
from collections.abc import Iterator
from http.server import BaseHTTPRequestHandler, HTTPServer
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pytest
import wireloom
from wireloom import WireloomError
from wireloom.spark.ingest import ingest
from wireloom.spark.ingest_stream import ingest_stream

if TYPE_CHECKING:
    from pyspark.sql import SparkSession

pytest.importorskip("openlineage.client", reason="the package openlineage-python is not installed")
Event = dict[str, Any]


@pytest.fixture
def events(monkeypatch: pytest.MonkeyPatch) -> Iterator[list[Event]]:
    received: list[Event] = []

    class Handler(BaseHTTPRequestHandler):
        def do_POST(self) -> None:
            received.append(json.loads(self.rfile.read(int(self.headers["Content-Length"]))))
            self.send_response(201)
            self.end_headers()

        def log_message(self, *_: Any) -> None:
            pass

    with HTTPServer(("127.0.0.1", 0), Handler) as server:
        threading.Thread(target=server.serve_forever, daemon=True).start()
        # The client writes what follows from OPENLINEAGE_URL into the environment, where it would stay.
        monkeypatch.setenv("OPENLINEAGE__TRANSPORT__TYPE", "http")
        monkeypatch.setenv("OPENLINEAGE__TRANSPORT__URL", f"http://127.0.0.1:{server.server_port}")
        monkeypatch.setenv("OPENLINEAGE_NAMESPACE", "tests")
        yield received
        server.shutdown()


@pytest.fixture
def logs(tmp_path: Path) -> Path:
    """Return a folder with a good log and a damaged one."""
    folder = tmp_path / "logs"
    folder.mkdir()
    for name in ("a", "b"):
        wireloom.write("cobs_log", [{"payload": b"one"}, {"payload": b"two"}], folder / f"{name}.log")
    with (folder / "b.log").open("ab") as file:
        file.write(b"\x05bad\0")
    return folder


def test_a_run(spark: SparkSession, logs: Path, tmp_path: Path, events: list[Event]) -> None:
    table, quarantine = str(tmp_path / "table"), str(tmp_path / "quarantine")
    ingest(spark, "cobs_log", f"{logs}/*.log", table, quarantine=quarantine)
    assert [each["eventType"] for each in events] == ["START", "COMPLETE"]
    start, complete = events
    assert start["run"]["runId"] == complete["run"]["runId"]
    for each in events:
        assert each["job"] == {"namespace": "tests", "name": f"wireloom ingest {table}", "facets": {}}
        assert each["producer"].startswith("pkg:pypi/wireloom@")
        assert [(one["namespace"], one["name"]) for one in each["inputs"]] == [("file", str(logs))]
        assert [one["name"] for one in each["outputs"]] == [table, quarantine]
    counts = [one["outputFacets"]["outputStatistics"]["rowCount"] for one in complete["outputs"]]
    assert counts == [4, 1]
    facets = complete["inputs"][0]["inputFacets"]
    read = facets["inputStatistics"]
    assert (read["rowCount"], read["fileCount"]) == (4, 2)
    assert read["size"] == sum(each.stat().st_size for each in logs.iterdir())
    damage = facets["wireloom_damage"]
    assert (damage["ranges"], damage["reasons"]) == (1, {"stuffing": 1})
    assert [Path(each["path"]).name for each in damage["files"]] == ["b.log"]


def test_a_run_that_fails(spark: SparkSession, logs: Path, tmp_path: Path, events: list[Event]) -> None:
    with pytest.raises(WireloomError, match="stuffing"):
        ingest(spark, "cobs_log", str(logs), str(tmp_path / "table"), mode="failfast")
    assert [each["eventType"] for each in events] == ["START", "FAIL"]
    assert "stuffing" in events[1]["run"]["facets"]["errorMessage"]["message"]


def test_a_stream(spark: SparkSession, logs: Path, tmp_path: Path, events: list[Event]) -> None:
    options = {"maxFilesPerTrigger": "1"}
    ingest_stream(
        spark, "cobs_log", str(logs), str(tmp_path / "table"), checkpoint=str(tmp_path / "progress"), options=options
    )
    assert [each["eventType"] for each in events] == ["START", "COMPLETE"]
    assert events[1]["outputs"][0]["outputFacets"]["outputStatistics"]["rowCount"] == 4


def test_no_server(
    spark: SparkSession, logs: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    """The ingest goes on."""
    monkeypatch.setenv("OPENLINEAGE__TRANSPORT__TYPE", "http")
    monkeypatch.setenv("OPENLINEAGE__TRANSPORT__URL", "http://127.0.0.1:1")
    monkeypatch.setenv("OPENLINEAGE__TRANSPORT__RETRY__TOTAL", "0")
    assert ingest(spark, "cobs_log", str(logs), str(tmp_path / "table")).rows == 4
    assert "the event START of OpenLineage is not emitted" in caplog.text


def test_without_the_package(
    spark: SparkSession, logs: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    for each in [name for name in sys.modules if name.startswith("openlineage")]:
        monkeypatch.delitem(sys.modules, each)
    monkeypatch.setitem(sys.modules, "openlineage", None)
    assert ingest(spark, "cobs_log", str(logs), str(tmp_path / "table")).rows == 4
    assert caplog.text == ""


def test_without_settings(
    spark: SparkSession, logs: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("HOME", str(tmp_path))
    assert ingest(spark, "cobs_log", str(logs), str(tmp_path / "table")).rows == 4
    assert caplog.text == ""
