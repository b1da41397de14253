"""Lists in decompressed bytes: a few stored bytes could become any number of items."""

from __future__ import annotations

import json
import struct
import zlib
from pathlib import Path

import pytest
import wireloom
from click.testing import CliRunner
from wireloom.codegen.explore import load_format
from wireloom.command import main
from wireloom.format import Format
from wireloom.limits import MAX_COMPUTED
from wireloom.parsing.errors import ComputedError

ITEMS = {"numbers": "u1", "objects": "point"}


def row(count: int) -> bytes:
    stored = zlib.compress(bytes(count))
    return struct.pack("<I", len(stored)) + stored + b"\7"


SMALL, LARGE = row(1000), row(MAX_COMPUTED + 1)


@pytest.fixture(params=ITEMS)
def path(request: pytest.FixtureRequest, tmp_path: Path) -> Path:
    made = tmp_path / "grown.ksy"
    made.write_text(
        "meta: {id: grown, endian: le, -wireloom: {rows: rows}}\nseq: [{id: rows, type: row, repeat: eos}]\ntypes:\n"
        "  row:\n    seq: [{id: n, type: u4}, {id: d, size: n, process: zlib, type: inner}, {id: t, type: u1}]\n"
        f"  inner: {{seq: [{{id: z, type: {ITEMS[request.param]}, repeat: eos}}]}}\n"
        "  point: {seq: [{id: x, type: u1}]}\n"
    )
    return made


@pytest.fixture
def grown(path: Path) -> Format:
    return load_format(path)


def test_a_row_with_too_many_is_damaged_and_the_others_are_read(grown: Format) -> None:
    table, report = wireloom.read_with_report(grown, SMALL + LARGE + SMALL, columns=["n", "t"])
    assert table["t"].to_pylist() == [7, 7]
    [file] = report.files
    assert [(each.offset, each.length, each.reason) for each in file.damaged] == [(len(SMALL), len(LARGE), "limit")]
    assert file.tail == "clean"


def test_the_limit_is_an_option(grown: Format) -> None:
    data = SMALL + row(2000) + SMALL
    assert wireloom.read(grown, data, columns=["t"], max_computed=2000).num_rows == 3
    assert wireloom.read(grown, data, columns=["t"], max_computed=1999).num_rows == 2


def test_objects_by_themselves(grown: Format) -> None:
    assert len(grown.root_class.from_bytes(row(MAX_COMPUTED)).rows[0].d.z) == MAX_COMPUTED
    with pytest.raises(ComputedError, match="a larger max_computed takes it"):
        grown.root_class.from_bytes(LARGE)


def test_inspect(path: Path) -> None:
    data = path.with_name("a.bin")
    data.write_bytes(SMALL + row(2000))
    command = ["inspect", str(path), str(data), "--json", "--option", "max_computed=1999"]
    result = CliRunner().invoke(main, command)
    assert result.exit_code == 0, result.exception
    small, large = json.loads(result.stdout)
    assert [each["problem"] for each in small["fields"] if each["problem"]] == []
    assert large["reason"] == "limit"
    assert ["max_computed" in each["problem"] for each in large["fields"] if each["problem"]] == [True]
