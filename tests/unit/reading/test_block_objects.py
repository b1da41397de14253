"""Compressed attributes, as objects and as rows that are written, and in ``inspect``."""

from __future__ import annotations

import io
import json
import struct
import zlib
from pathlib import Path
from typing import Any

import pytest
import wireloom
from click.testing import CliRunner
from wireloom import WireloomError
from wireloom.command import main

from ...writing import bytes_of
from ..specs import format_of
from .blocks import CODECS, CONTENT, ROWS, UNITS, batch, records, row


def test_objects_are_compressed_again() -> None:
    format = format_of(UNITS)
    data = b"".join(batch(codec, 1, *records(1)) for codec in CODECS)
    value = format.root_class.from_bytes(data)
    assert value.batches[3].body.records[2].text == "text 2" * 20
    assert value.to_bytes() == data
    value.batches[1].body.records[0].text = "changed"
    value.batches[1].len_content -= len("text 0" * 20) - len("changed")
    again = format.root_class.from_bytes(value.to_bytes())
    assert again == value
    assert again.batches[1].len != len(data) // len(CODECS)


def test_rows_are_compressed_again() -> None:
    format = format_of(ROWS)
    data = b"".join(row(codec, CONTENT) for codec in CODECS)
    assert bytes_of(format, wireloom.read(format, data, columns=["kind", "len_content", "body", "after"])) == data


@pytest.mark.parametrize(
    ("given", "message"),
    [
        ({"kind": 200, "len_content": 1, "body": b"a"}, "no case of 'codec' matches"),
        ({"kind": 2, "len_content": 100_001, "body": bytes(100_001)}, "exceed the 100000"),
    ],
)
def test_what_could_not_be_read_again_is_not_written(given: dict[str, Any], message: str) -> None:
    with pytest.raises(WireloomError, match=message):
        wireloom.write(format_of(ROWS), [{**given, "after": 1}], io.BytesIO())


def test_sizes_of_compressed_content_are_filled_in() -> None:
    format, target = format_of(ROWS), io.BytesIO()
    wireloom.write(format, [{"kind": 2, "len_content": 2, "body": b"a", "after": 1}], target)
    assert wireloom.read(format, target.getvalue(), columns=["len_content"]).to_pylist() == [{"len_content": 1}]


def test_positions_and_switches() -> None:
    text = """
meta: {id: made, endian: le, -wireloom: {rows: rows}}
seq:
  - {id: kind, type: u1}
  - {id: len, type: u2}
  - {id: body, size: len, type: {switch-on: kind, cases: {1: pair}}, -wireloom: {codec: zlib}}
  - {id: rows, type: pair, repeat: eos}
instances:
  again: {pos: 3, size: len, -wireloom: {codec: zlib}}
types: {pair: {seq: [{id: a, type: u2}, {id: b, type: u2}]}}
"""
    format = format_of(text)
    block = zlib.compress(b"\1\0\2\0")
    for kind in (1, 2):
        value = format.root_class.from_bytes(struct.pack("<BH", kind, len(block)) + block)
        assert value.again == b"\1\0\2\0"
        assert (value.body.a, value.body.b) == (1, 2) if kind == 1 else value.body == b"\1\0\2\0"


def test_inspect_shows_what_is_inside(tmp_path: Path) -> None:
    spec, data = tmp_path / "made.ksy", tmp_path / "data"
    spec.write_text(UNITS)
    data.write_bytes(batch("zstd", 1, *records(1)) + batch("zstd", 2, block=b"none"))
    result = CliRunner().invoke(main, ["inspect", str(spec), str(data), "--json"])
    assert result.exit_code == 0, result.output
    shown = json.dumps(json.loads(result.stdout))
    assert "text 2" in shown
    assert "not a zstd stream" in shown
