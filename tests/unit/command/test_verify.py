"""``verify`` through click's runner."""

import json
from pathlib import Path
from typing import Any

import pytest
from click.testing import CliRunner
from wireloom.command import main

from ...vectors.cases import HERE
from .test_decode import CASES, DAMAGED, GOOD, run


@pytest.mark.parametrize("case", CASES.values(), ids=lambda case: case["case"])
def test_verify(case: dict[str, Any]) -> None:
    path = str(HERE / "edgemq" / case["file"])
    result = CliRunner().invoke(main, ["verify", "edgemq_segment", path, "--json"])
    report = json.loads(result.stdout)
    clean = not case["damaged"] and case["tail"] == "clean" and "error" not in case
    if case["tail"] == "any":
        clean = report["clean"]
    assert (result.exit_code == 0) is clean
    if "error" in case and not case["records"]:
        assert result.exit_code == 2
    if result.exit_code == 1:
        assert not report["clean"]
    assert report["rows"] == len(case["records"])
    text = CliRunner().invoke(main, ["verify", "edgemq_segment", path])
    assert text.exit_code == result.exit_code
    assert text.stdout.startswith(f"{path}: ")
    assert (f"{path}: clean; " in text.stdout) is clean


def test_verify_several() -> None:
    result = run("verify", "edgemq_segment", GOOD, DAMAGED, code=1)
    assert result.stdout.splitlines()[-1].startswith("2 inputs, 1 damaged; ")


@pytest.mark.parametrize(("place", "is_said"), [(12, True), (180, False)])
def test_what_is_not_read_but_could_be_searched(place: int, is_said: bool, tmp_path: Path) -> None:
    spec, log = tmp_path / "log.ksy", tmp_path / "a.log"
    spec.write_text(
        """
meta: {id: log, endian: be, -wireloom: {rows: rows, columns: [data]}}
seq: [{id: rows, type: row, repeat: eos}]
types: {row: {seq: [{id: len, type: u4}, {id: data, size: len}]}}
"""
    )
    rows = bytearray(b"\0\0\0\x08" + b"x" * 8) * 16
    rows[place] = 1
    log.write_bytes(rows)
    lines = run("verify", str(spec), str(log), code=1).stdout.splitlines()
    assert lines[0].startswith(f"{log}: ends inside a row from byte {place} on (truncated)")
    assert lines[1:] == (["  180 bytes are not read: --recover searches them for records"] if is_said else [])
    assert "--recover" not in run("verify", str(spec), str(log), "--recover", code=1).stdout
