"""Metrics of an ingest as read by a scraper of Prometheus; without Spark."""

from __future__ import annotations

import logging
import urllib.request
from pathlib import Path
from typing import Any

import pytest
from wireloom import UnsupportedError, WireloomError
from wireloom.spark.folders import folder
from wireloom.spark.ingest.ledger import compact_ledger
from wireloom.spark.ingest.prometheus import PrometheusMetrics
from wireloom.spark.ingest.tables import open_tables

from ..ports import free_ports
from .pipeline import asked, check, make_inputs, run

pytest.importorskip("prometheus_client", reason="the package prometheus-client is not installed")


def samples(text: str) -> dict[str, float]:
    """Return names without prefix and table, and values; for several with different labels the sum."""
    from prometheus_client.parser import text_string_to_metric_families

    found: dict[str, float] = {}
    for family in text_string_to_metric_families(text):
        for sample in family.samples:
            name = sample.name.removeprefix("wireloom_ingest_")
            found[name] = found.get(name, 0) + sample.value
    return found


def shown(base: Path, **more: Any) -> dict[str, float]:
    """Open the tables as in a run that finds nothing to do; return the content of the file then."""
    file = base / "w.prom"
    prometheus = PrometheusMetrics(folder(str(base / "table")), str(file), None)
    with prometheus.run(), open_tables(asked(base)) as tables:
        prometheus.show(tables.ledger, **more)
    assert [each.name for each in base.glob("w.prom*")] == ["w.prom"], "nothing is left beside it"
    return samples(file.read_text())


def test_counters_are_the_sums_of_all_commits(tmp_path: Path) -> None:
    make_inputs(tmp_path / "in", 6)
    run(tmp_path, batch=4)
    check(tmp_path)
    first = shown(tmp_path, files=3, size=70)
    wanted = {"batches_total": 2, "files_total": 6, "rows_total": 12, "quarantined_total": 6, "damaged_total": 6}
    assert {name: first[name] for name in wanted} == wanted
    assert (first["waiting_files"], first["waiting_bytes"], first["last_run_success"]) == (3, 70, 1)
    run(tmp_path, existing="overwrite")
    again = shown(tmp_path)
    assert again["rows_total"] == 24, "counters never fall"
    assert again["batches_total"] == 5
    assert again["last_success_timestamp_seconds"] >= first["last_success_timestamp_seconds"]


def test_counters_outlive_the_records_of_commits(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(compact_ledger, "__defaults__", (2,))
    make_inputs(tmp_path / "in", 5)
    run(tmp_path, batch=1)
    assert (tmp_path / "table" / "_wireloom" / "ledger.parquet").exists()
    assert shown(tmp_path)["rows_total"] == 10
    assert shown(tmp_path)["batches_total"] == 5


def test_a_run_that_fails_says_so_and_when_one_succeeded(tmp_path: Path) -> None:
    make_inputs(tmp_path / "in", 2)
    run(tmp_path)
    good = shown(tmp_path)
    prometheus = PrometheusMetrics(folder(str(tmp_path / "table")), str(tmp_path / "w.prom"), None)

    def fail() -> None:
        with prometheus.run(), open_tables(asked(tmp_path)) as tables:
            prometheus.show(tables.ledger)
            raise KeyError

    with pytest.raises(KeyError):
        fail()
    bad = samples((tmp_path / "w.prom").read_text())
    assert bad["last_run_success"] == 0
    assert bad["last_success_timestamp_seconds"] == good["last_success_timestamp_seconds"]
    (tmp_path / "w.prom").write_bytes(b"\xff{{{ not metrics")
    assert shown(tmp_path)["last_run_success"] == 1


def test_a_port_shows_them_while_the_run_goes_on(tmp_path: Path) -> None:
    make_inputs(tmp_path / "in", 2)
    run(tmp_path)
    [port] = free_ports(1)
    prometheus = PrometheusMetrics(folder(str(tmp_path / "table")), None, port)
    address = f"http://127.0.0.1:{port}/metrics"
    with prometheus.run(), open_tables(asked(tmp_path)) as tables:
        prometheus.show(tables.ledger)
        with urllib.request.urlopen(address) as answer:
            assert samples(answer.read().decode())["rows_total"] == 4
        second = PrometheusMetrics(folder(str(tmp_path / "other")), None, port)
        with pytest.raises(WireloomError, match=f"prometheus_port {port} cannot be used"), second.run():
            pass
    with pytest.raises(OSError, match="refused"):
        urllib.request.urlopen(address)


def test_files_that_cannot_be(tmp_path: Path, caplog: pytest.LogCaptureFixture) -> None:
    place = folder(str(tmp_path / "table"))
    with pytest.raises(WireloomError, match=r"must end with \.prom"):
        PrometheusMetrics(place, str(tmp_path / "w.txt"), None)
    with pytest.raises(WireloomError, match="no such folder"):
        PrometheusMetrics(place, str(tmp_path / "no" / "w.prom"), None)
    make_inputs(tmp_path / "in", 1)
    run(tmp_path)
    (tmp_path / "w.prom").mkdir()
    prometheus = PrometheusMetrics(place, str(tmp_path / "w.prom"), None)
    with caplog.at_level(logging.WARNING), prometheus.run(), open_tables(asked(tmp_path)) as tables:
        prometheus.show(tables.ledger)
    assert "the metrics cannot be written" in caplog.text


def test_the_package_is_named(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    import sys

    monkeypatch.setitem(sys.modules, "prometheus_client", None)
    with pytest.raises(UnsupportedError, match=r"pip install 'wireloom\[prometheus\]'"):
        PrometheusMetrics(folder(str(tmp_path)), str(tmp_path / "w.prom"), None)
