"""Objects that are nested more deeply than is shown, or than Python's calls allow."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest
from click.testing import CliRunner
from wireloom.command import main
from wireloom.inspecting import MOST_DEPTH

from .samples import run

SPEC = """
meta: {id: nested, endian: le, -wireloom: {rows: rows}}
seq: [{id: rows, type: row, repeat: eos}]
types:
  row:
    seq: [{id: a, type: u1}, {id: r, type: row, if: a != 0}]
"""
REFUSED = "objects are nested too deeply"
ENDED = "requested 1 bytes, but only 0 bytes available"


@pytest.fixture
def spec(tmp_path: Path) -> Path:
    path = tmp_path / "nested.ksy"
    path.write_text(SPEC)
    return path


def shown(spec: Path, data: bytes) -> list[dict[str, Any]]:
    path = spec.with_name("a.bin")
    path.write_bytes(data)
    result = CliRunner().invoke(main, ["inspect", str(spec), str(path), "-n", "1", "--json"])
    assert result.exit_code == 0, result.exception
    [record] = json.loads(result.stdout)
    fields: list[dict[str, Any]] = record["fields"]
    return fields


@pytest.mark.parametrize(("count", "problem"), [(100_000, REFUSED), (100, ENDED)])
def test_what_is_too_deep_is_left_out_and_the_reason_is_shown(spec: Path, count: int, problem: str) -> None:
    fields = shown(spec, b"\1" * count)
    assert len(fields) == 2 * MOST_DEPTH
    assert [each["at"] for each in fields if each["field"].endswith("a")] == list(range(MOST_DEPTH))
    assert [(each["value"], each["problem"]) for each in fields if each["problem"]] == [("…", problem)]
    assert fields[-1]["problem"] == problem


def test_objects_that_hold(spec: Path) -> None:
    fields = shown(spec, b"\1" * 200 + b"\0")
    assert [each["problem"] for each in fields if each["problem"]] == []
    assert (fields[-1]["value"], fields[-1]["at"], fields[-1]["size"]) == ("…", MOST_DEPTH, 201 - MOST_DEPTH)
    assert "…" not in [each["value"] for each in shown(spec, b"\1" * (MOST_DEPTH - 1) + b"\0")]


@pytest.mark.slow
def test_as_text_and_as_a_page(spec: Path) -> None:
    path, page = spec.with_name("a.bin"), spec.with_name("a.html")
    path.write_bytes(b"\1" * 100_000)
    assert REFUSED in run("inspect", spec, path, "-n", 1)
    run("inspect", spec, path, "-n", 1, "--html", page)
    assert REFUSED in page.read_text()
