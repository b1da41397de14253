"""Bytes before the rows that are the same in all inputs: they are compared, and classes are not needed."""

from __future__ import annotations

import sys
from pathlib import Path

import pytest
import wireloom
from wireloom import Format, engine

from tests.unit.specs import format_of

SPEC = """
meta:
  id: headed
  endian: be
  -wireloom: {rows: rows, columns: [a, b], selectable: [version]}
seq:
  - {id: magic, contents: HEAD}
  - {id: version, contents: [1]}
  - {id: rows, type: row, repeat: eos}
types:
  row:
    seq: [{id: a, type: u1}, {id: b, type: u1, valid: {max: 9}}]
    instances: {version: {value: '_root.version[0] + _root.magic.length'}}
"""
DATA = b"HEAD\x01\x01\x02\x03\x04"


@pytest.fixture
def headed() -> Format:
    return format_of(SPEC, "headed")


@pytest.mark.skipif(not engine.available, reason="the object parser has classes")
def test_a_constant_head_is_read_without_classes(tmp_path: Path) -> None:
    path = tmp_path / "headed.ksy"
    path.write_text(SPEC.replace(", selectable: [version]", "").partition("    instances:")[0])
    found = wireloom.load_spec(path)
    assert found.head == b"HEAD\x01"
    expected = [{"a": 1, "b": 2}, {"a": 3, "b": 4}]
    assert wireloom.read(found, DATA, columns=["a", "b"]).to_pylist() == expected
    (tmp_path / "rows").write_bytes(DATA)
    assert wireloom.read(found, tmp_path / "rows", columns=["a", "b"]).to_pylist() == expected
    assert f"{found.module}.parser" not in sys.modules


@pytest.mark.parametrize("reader", ["", "objects"])
def test_the_head_can_be_shown_with_the_rows(headed: Format, reader: str, monkeypatch: pytest.MonkeyPatch) -> None:
    if reader:
        monkeypatch.setenv("WIRELOOM_ENGINE", reader)
    table = wireloom.read(headed, DATA, columns=["a", "version"])
    assert table.to_pylist() == [{"a": 1, "version": 5}, {"a": 3, "version": 5}]


def test_another_head_is_damage(headed: Format) -> None:
    for data in (b"", DATA[:3]):
        table, report = wireloom.read_with_report(headed, data)
        assert (table.num_rows, report.files[0].tail) == (0, "truncated")
    with pytest.raises(wireloom.WireloomError, match="the first magic is invalid: 48454158 instead of 48454144"):
        wireloom.read(headed, b"HEAX" + DATA[4:])


def test_a_damaged_row_after_the_head_is_reported(headed: Format) -> None:
    table, report = wireloom.read_with_report(headed, DATA[:-1] + b"\x0a" + DATA[5:])
    assert table.num_rows == 3
    [damage] = report.files[0].damaged
    assert (damage.offset, damage.length, damage.reason) == (7, 2, "value")


def test_no_head_is_constant_that_depends_on_more() -> None:
    others = [
        SPEC.replace("{id: magic, contents: HEAD}", "{id: magic, size: 4}"),
        SPEC.replace("{id: version, contents: [1]}", "{id: version, contents: [1], if: 'magic[0] == 72'}"),
        SPEC + "instances:\n  late: {pos: 0, type: u1}\n",
    ]
    assert [format_of(each, "headed").head for each in others] == [b""] * 3
