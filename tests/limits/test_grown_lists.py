"""Repetitions in decompressed bytes: a few stored bytes could become any number of items."""

from __future__ import annotations

import json
import struct
import zlib
from collections.abc import Callable
from pathlib import Path

import pytest
import wireloom
from click.testing import CliRunner
from wireloom import Format
from wireloom.base.limits import MAX_COMPUTED
from wireloom.codegen.loading import load_format
from wireloom.command import main
from wireloom.objects import ComputedError, computing

from .children import MEGABYTE, measured, needs_proc

TYPES = """
  point: {seq: [{id: x, type: u1}]}
  points: {seq: [{id: p, type: point, repeat: eos}]}
  node: {seq: [{id: x, type: u1}, {id: left, type: node, if: x == 1}, {id: right, type: node, if: x == 1}]}
  nodes: {seq: [{id: p, type: node, repeat: eos}]}
  pair: {seq: [{id: some, type: point, repeat: expr, repeat-expr: 9}, {id: x, type: u1}]}
  packed: {seq: [{id: n, type: u4}, {id: d, size: n, process: zlib, type: points}]}
  switched: {seq: [{id: x, type: u1}, {id: y, type: {switch-on: x, cases: {0: point}}}]}
"""

Content = Callable[[int], bytes]


def zeros(count: int) -> bytes:
    return bytes(count)


def ended(count: int) -> bytes:
    return bytes(count - 1) + b"\1"


def tree(count: int) -> bytes:
    """Return that many nodes: those of a list, each of which contains two others."""
    return b"\1\0\0" * (count // 3) + bytes(count % 3)


def packed(count: int) -> bytes:
    stored = zlib.compress(bytes(count))
    return struct.pack("<I", len(stored)) + stored


KINDS: dict[str, tuple[str, Content]] = {
    "numbers": ("{id: z, type: u1, repeat: eos}", zeros),
    "objects": ("{id: z, type: point, repeat: eos}", zeros),
    "counted-numbers": ("{id: z, type: u1, repeat: expr, repeat-expr: _io.size}", zeros),
    "counted-objects": ("{id: z, type: point, repeat: expr, repeat-expr: _io.size}", zeros),
    "counted-texts": ("{id: z, type: str, size: 1, encoding: ASCII, repeat: expr, repeat-expr: _io.size}", zeros),
    "numbers-until": ("{id: z, type: u1, repeat: until, repeat-until: _ == 1}", ended),
    "objects-until": ("{id: z, type: point, repeat: until, repeat-until: _.x == 1}", ended),
    "bytes-until-index": ("{id: z, size: 1, repeat: until, repeat-until: _index + 1 == _io.size}", zeros),
    "part-to-the-end": ("{id: z, size-eos: true, type: points}", zeros),
    "part-with-a-size": ("{id: z, size: _io.size, type: points}", zeros),
    "part-with-a-process": ("{id: z, size-eos: true, process: xor(0), type: points}", zeros),
    "decompressed-twice": ("{id: z, type: packed}", packed),
    "inside-items": ("{id: z, type: pair, repeat: eos}", lambda count: bytes(count // 10 * 10)),
    "inside-each-other": ("{id: z, type: nodes}", tree),
    "switched": ("{id: z, type: switched, repeat: eos}", lambda count: bytes(2 * count)),
}
"""The content of the decompressed bytes, and bytes with that many items."""


def row(content: bytes) -> bytes:
    stored = zlib.compress(content)
    return struct.pack("<I", len(stored)) + stored + b"\7"


@pytest.fixture(params=KINDS)
def kind(request: pytest.FixtureRequest) -> str:
    name: str = request.param
    return name


@pytest.fixture
def path(kind: str, tmp_path: Path) -> Path:
    return written(tmp_path, kind)


def written(folder: Path, kind: str) -> Path:
    made = folder / "grown.ksy"
    made.write_text(
        "meta: {id: grown, endian: le, -wireloom: {rows: rows}}\nseq: [{id: rows, type: row, repeat: eos}]\ntypes:\n"
        "  row:\n    seq: [{id: n, type: u4}, {id: d, size: n, process: zlib, type: inner}, {id: t, type: u1}]\n"
        f"  inner: {{seq: [{KINDS[kind][0]}]}}\n" + TYPES
    )
    return made


@pytest.fixture
def grown(path: Path) -> Format:
    return load_format(path)


@pytest.fixture
def content(kind: str) -> Content:
    return KINDS[kind][1]


def test_a_row_with_too_many_is_damaged_and_the_others_are_read(grown: Format, content: Content) -> None:
    small, large = row(content(400)), row(content(1200))
    table, report = wireloom.read_with_report(
        grown, small + large + small, columns=["n", "t"], max_computed=800, mode="permissive"
    )
    assert table["t"].to_pylist() == [7, 7]
    [file] = report.files
    assert [(each.offset, each.length, each.reason) for each in file.damaged] == [(len(small), len(large), "limit")]
    assert file.tail == "clean"


def test_columns_of_the_bad_row(grown: Format, content: Content) -> None:
    small, large = row(content(400)), row(content(1200))
    table = wireloom.read(grown, small + large + small, columns=["t", "_error", "_corrupt_record"], max_computed=800)
    assert table["t"].to_pylist() == [7, None, 7]
    assert table["_corrupt_record"].to_pylist() == [None, large, None]


def test_decode(path: Path, content: Content) -> None:
    data = path.with_name("a.bin")
    data.write_bytes(row(content(400)) + row(content(1200)) + row(content(400)))
    command = ["decode", str(path), str(data), "--columns", "t", "--option", "max_computed=800"]
    result = CliRunner().invoke(main, command)
    assert result.stdout == '{"t":7}\n{"t":7}\n', result.output
    assert "limit" in result.stderr or "max_computed" in result.stderr


def test_inspect(path: Path, content: Content) -> None:
    data = path.with_name("a.bin")
    data.write_bytes(row(content(400)) + row(content(1200)) + row(content(200)))
    command = ["inspect", str(path), str(data), "--json", "--option", "max_computed=800"]
    result = CliRunner().invoke(main, command)
    assert result.exit_code == 0, result.exception
    small, large, last = json.loads(result.stdout)
    assert [each["problem"] for each in (*small["fields"], *last["fields"]) if each["problem"]] == []
    assert large["reason"] == "limit"
    assert ["max_computed" in each["problem"] for each in large["fields"] if each["problem"]] == [True]
    assert large["fields"][-1]["field"] == "t"


def check_limit_of_objects(grown: Format, content: Content, limit: int) -> None:
    assert len(grown.root_class.from_bytes(row(content(limit))).rows[0].d.z) == limit
    with pytest.raises(ComputedError, match="raise max_computed to allow it"):
        grown.root_class.from_bytes(row(content(limit + 1)))


@pytest.mark.parametrize("kind", ["counted-numbers"], indirect=True)
def test_objects_by_themselves(grown: Format, content: Content) -> None:
    check_limit_of_objects(grown, content, MAX_COMPUTED)


@pytest.mark.parametrize("kind", ["objects", "objects-until"], indirect=True)
def test_items_by_themselves(grown: Format, content: Content, monkeypatch: pytest.MonkeyPatch) -> None:
    """As above, with a lower limit: a million objects take seconds."""
    monkeypatch.setattr(computing, "MAX_COMPUTED", 5_000)
    check_limit_of_objects(grown, content, 5_000)


READ = """
import sys
import wireloom
from wireloom.codegen.loading import load_format
wireloom.read("cobs_log", b"")
BEFORE = resident()
for spec, data in zip(sys.argv[1::2], sys.argv[2::2]):
    table, report = wireloom.read_with_report(load_format(spec), data, columns=["t"], max_computed=10_000)
    print(table.num_rows, *(each.reason for each in report.files[0].damaged))
"""


@needs_proc
def test_memory(tmp_path: Path) -> None:
    """One process reads inputs of all of these kinds."""
    files = []
    for kind in ("counted-numbers", "objects-until", "part-to-the-end", "inside-items", "inside-each-other"):
        folder = tmp_path / kind
        folder.mkdir()
        _, content = KINDS[kind]
        files += [written(folder, kind), folder / "a.bin"]
        files[-1].write_bytes(row(content(100)) + row(content(3_000_000)) + row(content(100)))
    words, grown = measured(READ, *files)
    assert words == ["2", "limit"] * 5
    assert grown < 120 * MEGABYTE


def test_instances(tmp_path: Path) -> None:
    """Lists that are read on access."""
    path = tmp_path / "grown.ksy"
    path.write_text(
        "meta: {id: grown, endian: le, -wireloom: {rows: rows, columns: [t, n]}}\n"
        "seq: [{id: rows, type: row, repeat: eos}]\ntypes:\n"
        "  row:\n    seq: [{id: size, type: u4}, {id: stored, size: size, type: stored}, {id: t, type: u1}]\n"
        "    instances: {n: {value: stored.d.p.size}}\n"
        "  stored:\n    instances: {d: {pos: 0, size-eos: true, process: zlib, type: points}}\n" + TYPES
    )
    data = row(bytes(1000)) + row(bytes(3000)) + row(bytes(1000))
    table, report = wireloom.read_with_report(load_format(path), data, max_computed=2000)
    assert table.to_pylist() == [{"t": 7, "n": 1000}] * 2
    assert [each.reason for each in report.files[0].damaged] == ["limit"]


def test_what_is_not_decompressed_has_no_such_limit(tmp_path: Path) -> None:
    path = tmp_path / "plain.ksy"
    path.write_text(
        "meta: {id: plain, endian: le, -wireloom: {rows: rows}}\nseq: [{id: rows, type: row, repeat: eos}]\ntypes:\n"
        "  row:\n    seq: [{id: n, type: u4}, {id: d, size: n, process: xor(1), type: points}, {id: t, type: u1}]\n"
        + TYPES
    )
    data = struct.pack("<I", 3000) + bytes(3000) + b"\7"
    assert wireloom.read(load_format(path), data, columns=["t"], max_computed=10)["t"].to_pylist() == [7]
