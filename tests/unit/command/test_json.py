"""Output for scripts: summaries and reports as JSON, and nothing else."""

import json
from pathlib import Path
from typing import Any

import pytest
import wireloom
from wireloom import Damage, FileReport, ReadReport

from ..commands import run

SPEC = """
meta: {id: doors, endian: le, -wireloom: {rows: events}}
seq: [{id: events, type: event, repeat: eos}]
types: {event: {seq: [{id: door, type: u1}]}}
"""


@pytest.fixture
def log(tmp_path: Path) -> str:
    path = tmp_path / "a.log"
    wireloom.write("cobs_log", [{"payload": b"one"}, {"payload": b"two"}], path)
    return str(path)


def test_encode(log: str, tmp_path: Path) -> None:
    rows = tmp_path / "rows.ndjson"
    rows.write_text('{"payload": "00"}\n')
    out = str(tmp_path / "b.log")
    assert json.loads(run("encode", "cobs_log", str(rows), "-o", out, "--json").stdout) == {
        "format": "cobs_log",
        "output": out,
        "rows": 1,
        "bytes": 3,
        "stored": 3,
    }
    assert "would be mixed" in run("encode", "cobs_log", str(rows), "-o", "-", "--json", code=2).stderr


def test_reports(log: str, tmp_path: Path) -> None:
    out = str(tmp_path / "rows.ndjson")
    shown = json.loads(run("decode", "cobs_log", log, "-o", out, "--report", "-").stdout)
    report = tmp_path / "report.json"
    result = run("extract", "cobs_log", log, "--report", str(report))
    assert result.stdout == "one\ntwo\n"
    assert json.loads(report.read_text()) == shown == json.loads(run("verify", "cobs_log", log, "--json").stdout)
    assert shown["rows"] == 2
    for command in ("decode", "extract"):
        assert "would be mixed" in run(command, "cobs_log", log, "--report", "-", code=2).stderr


@pytest.mark.slow
def test_generate(tmp_path: Path) -> None:
    spec, out = tmp_path / "doors.ksy", str(tmp_path / "generated")
    spec.write_text(SPEC)
    arguments = ("generate", str(spec), "-o", out, "--json")
    missing = json.loads(run(*arguments, "--check", code=1).stdout)
    written = json.loads(run(*arguments).stdout)
    assert missing["written"] == written["written"]
    assert f"{out}/doors/parser.py" in written["written"]
    assert "+class Doors" in written["diff"]
    assert not written["clean"]
    again = json.loads(run(*arguments, "--check").stdout)
    assert again["clean"]
    assert again["unchanged"] == written["written"]


def test_ingest(monkeypatch: pytest.MonkeyPatch, log: str, tmp_path: Path) -> None:
    pytest.importorskip("pyspark")
    from contextlib import nullcontext

    from wireloom.command import ingest as command
    from wireloom.spark import ingest as pipeline

    def done(*_arguments: Any, **_options: Any) -> pipeline.IngestSummary:
        report = ReadReport("cobs_log", [FileReport(log, 2, 10, [Damage(0, 1, "length")])])
        return pipeline.IngestSummary("table", None, report, quarantined=0, seconds=1.0, partitions=1)

    monkeypatch.setattr(command, "_session", lambda: nullcontext(None))
    monkeypatch.setattr(pipeline, "ingest", done)
    result = run("ingest", "cobs_log", log, "--table", str(tmp_path / "t"), "--json")
    found = json.loads(result.stdout)
    assert (found["rows"], found["damaged"], found["table"]) == (2, 1, "table")
