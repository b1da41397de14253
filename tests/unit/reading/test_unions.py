"""A switch as a dense union."""

import io
from pathlib import Path
from random import Random

import pyarrow as pa
import pytest
import wireloom
from click.testing import CliRunner
from wireloom import SpecError, engine
from wireloom.command import main

from tests.differential.agreement import agreed
from tests.differential.damage import damaged

from ...examples import examples
from ..specs import format_of

SPEC = """
meta: {id: log, endian: le, -wireloom: {rows: events, columns: [kind, body, deep]}}
seq: [{id: events, type: event, repeat: eos}]
types:
  event:
    seq:
      - {id: kind, type: u1, valid: {max: 9}}
      - {id: len, type: u1}
      - {id: body, size: len, type: {switch-on: kind, cases: {1: login, 2: reading}}, -wireloom: {union: dense}}
      - {id: deep, type: deep}
  deep:
    seq:
      - {id: kind, type: u1}
      - {id: what, type: {switch-on: kind, cases: {1: u2, 2: small, 3: f4}}, -wireloom: {union: dense}}
  small: {seq: [{id: x, type: u1}]}
  login:
    seq: [{id: user, type: str, size-eos: true, encoding: UTF-8}]
  reading:
    seq: [{id: sensor, type: u1}, {id: values, type: s2, repeat: eos}]
"""
EVENTS = [b"\1\3eve\1\5\0", b"\2\5\x09\1\0\xff\xff\2\7", b"\7\2??\3\0\0\x80\x3f", b"\2\1\3\x09"]
DATA = b"".join(EVENTS)
ROWS = [
    ({"user": "eve"}, 5),
    ({"sensor": 9, "values": [1, -1]}, {"x": 7}),
    (b"??", 1.0),
    ({"sensor": 3, "values": []}, None),
]


def values(table: pa.Table) -> list[tuple[object, object]]:
    return [(each["body"], each["deep"]["what"]) for each in table.to_pylist()]


def test_it_has_what_was_chosen() -> None:
    format = format_of(SPEC)
    assert format.engine_refusal is None or not engine.available
    table = wireloom.read(format, DATA)
    table.validate(full=True)
    assert pa.types.is_union(table.schema.field("body").type)
    assert values(table) == ROWS
    assert values(wireloom.read(format, DATA, batch_rows=1)) == ROWS
    assert values(table.slice(1, 2)) == ROWS[1:3]


@pytest.mark.slow
def test_both_readers_agree_on_damage() -> None:
    format = format_of(SPEC)
    for seed in range(examples(60)):
        for options in ({}, {"recover": True}, {"batch_rows": 2}):
            agreed(format, damaged(Random(seed), DATA * 2), **options)


def test_it_is_written() -> None:
    format = format_of(SPEC)
    table = wireloom.read(format, DATA)
    for rows, expected in ((table, DATA), (table.slice(1), b"".join(EVENTS[1:])), (table.slice(1, 2), DATA[8:26])):
        written = io.BytesIO()
        wireloom.write(format, rows, written)
        assert written.getvalue() == expected
    written = io.BytesIO()
    wireloom.write(
        format, [{"kind": 1, "body": {"login": {"user": "bo"}}, "deep": {"kind": 3, "what": {"float": 1}}}], written
    )
    assert written.getvalue() == b"\1\2bo\3\0\0\x80\x3f"


@pytest.mark.parametrize("suffix", ["parquet", "csv", "jsonl", "arrow"])
def test_it_is_a_struct_where_there_are_no_unions(tmp_path: Path, suffix: str) -> None:
    (tmp_path / "log.ksy").write_text(SPEC)
    (tmp_path / "a.log").write_bytes(DATA)
    spec, log, rows, again = (str(tmp_path / name) for name in ("log.ksy", "a.log", f"a.{suffix}", "b.log"))
    for arguments in (["decode", spec, log, "-o", rows], ["encode", spec, rows, "-o", again]):
        result = CliRunner().invoke(main, arguments)
        assert result.exit_code == 0, result.output
    assert (tmp_path / "b.log").read_bytes() == DATA


def test_mistakes() -> None:
    with pytest.raises(SpecError, match="'union' requires an attribute whose type is a switch"):
        format_of(SPEC.replace("{id: x, type: u1}", "{id: x, type: u1, -wireloom: {union: dense}}"))
    with pytest.raises(SpecError, match="dense"):
        format_of(SPEC.replace("{union: dense}", "{union: sparse}"))
