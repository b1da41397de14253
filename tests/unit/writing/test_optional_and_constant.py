"""Attributes with an ``if``, and those of which ``valid`` allows one value, written from tables."""

import io
import json
from pathlib import Path

import pytest
import wireloom
from click.testing import CliRunner
from wireloom import Format
from wireloom.append import AppendWriter
from wireloom.command import main

from ...writing import bytes_of

ROW = """
  row:
    seq:
      - {id: version, type: u1, valid: 2}
      - {id: kind, type: u1}
      - {id: note, type: u2, if: kind == 1}
      - {id: len, type: u1, if: kind == 2}
      - {id: text, type: str, encoding: UTF-8, size: len, if: kind == 2}
"""
FLAT = """
meta: {id: optional_rows, endian: le, -wireloom: {rows: rows}}
seq:
  - {id: rows, type: row, repeat: eos}
types:
"""
HEADED = """
meta: {id: optional_rows, endian: le, -wireloom: {rows: rows, parent-columns: [flags, extra]}}
seq:
  - {id: magic, type: u1, valid: 9}
  - {id: flags, type: u1}
  - {id: extra, type: u1, if: flags == 1}
  - {id: rows, type: row, repeat: eos}
types:
"""
ROWS = [
    {"kind": 1, "note": 5, "len": None, "text": None},
    {"kind": 2, "note": None, "len": 2, "text": "hi"},
    {"kind": 3, "note": None, "len": None, "text": None},
]
WIRE = bytes.fromhex("02010500" + "0202026869" + "0203")


def loaded(folder: Path, text: str) -> Format:
    path = folder / "optional_rows.ksy"
    path.write_text(text + ROW)
    return wireloom.load_spec(path)


def test_null_stands_for_what_a_condition_leaves_out(tmp_path: Path) -> None:
    format = loaded(tmp_path, FLAT)
    assert bytes_of(format, ROWS) == WIRE
    table = wireloom.read(format, WIRE)
    assert table.to_pylist() == [{"version": 2, **each} for each in ROWS]
    assert bytes_of(format, table.to_pylist()) == WIRE


def test_a_value_where_the_condition_is_false_is_refused(tmp_path: Path) -> None:
    format = loaded(tmp_path, FLAT)
    with pytest.raises(wireloom.WireloomError, match="row 2 cannot be written: column note: it has a value, but"):
        bytes_of(format, [*ROWS[:2], {**ROWS[2], "note": 7}])
    with pytest.raises(wireloom.WireloomError, match="row 0 cannot be written: column note is null, but the condition"):
        bytes_of(format, [{**ROWS[0], "note": None}])


def test_a_constant_is_filled_in_and_another_value_refused(tmp_path: Path) -> None:
    format = loaded(tmp_path, FLAT)
    assert [each.name for each in format.columns if each.constant] == ["version"]
    assert bytes_of(format, [{"version": 2, **ROWS[2]}]) == bytes((2, 3))
    with pytest.raises(wireloom.WireloomError, match=r"row 0 cannot be written: .*expected 2, but got 3"):
        bytes_of(format, [{"version": 3, **ROWS[2]}])


def test_what_stands_before_the_rows(tmp_path: Path) -> None:
    format = loaded(tmp_path, HEADED)
    with_extra = [{**each, "flags": 1, "extra": 4} for each in ROWS]
    assert bytes_of(format, with_extra) == bytes((9, 1, 4)) + WIRE
    assert bytes_of(format, [{**each, "flags": 0, "extra": None} for each in ROWS]) == bytes((9, 0)) + WIRE
    with pytest.raises(wireloom.WireloomError, match="column extra cannot be written: it has a value, but"):
        bytes_of(format, [{**each, "flags": 0, "extra": 4} for each in ROWS])
    with pytest.raises(wireloom.WireloomError, match="row 2, column note cannot be written: it has a value, but"):
        bytes_of(format, [*with_extra[:2], {**with_extra[2], "note": 7}])


def test_appended_and_encoded_by_the_command(tmp_path: Path) -> None:
    framed = loaded(
        tmp_path, FLAT.replace("repeat: eos", "repeat: eos, -wireloom: {framing: {delimiter: [0], stuffing: cobs}}")
    )
    with AppendWriter(tmp_path / "a.log", framed) as log:
        for each in ROWS:
            log.append(**each)
        with pytest.raises(wireloom.WireloomError, match="column note: it has a value"):
            log.append(**{**ROWS[2], "note": 7})
    assert wireloom.read(framed, tmp_path / "a.log").to_pylist() == [{"version": 2, **each} for each in ROWS]
    loaded(tmp_path, FLAT)
    (tmp_path / "rows.ndjson").write_text("".join(json.dumps(each) + "\n" for each in ROWS))
    arguments = ["encode", str(tmp_path / "optional_rows.ksy"), str(tmp_path / "rows.ndjson"), "-o"]
    found = CliRunner().invoke(main, [*arguments, str(tmp_path / "b.log")])
    assert (found.exit_code, (tmp_path / "b.log").read_bytes()) == (0, WIRE), found.output


def test_lengths_and_counts_under_the_same_condition_are_filled_in(tmp_path: Path) -> None:
    path = tmp_path / "optional_rows.ksy"
    path.write_text(
        FLAT.replace("rows: rows", "rows: rows, columns: [kind, text, numbers, other, tail]")
        + """
  row:
    seq:
      - {id: kind, type: u1}
      - {id: len, type: u1, if: kind == 2}
      - {id: text, type: str, encoding: UTF-8, size: len - 1, if: kind == 2}
      - {id: count, type: u1, if: kind != 2}
      - {id: numbers, type: u1, repeat: expr, repeat-expr: count, if: kind != 2}
      - {id: other, type: u1, if: kind != 0}
      - {id: tail, size: other, if: kind == 2}
"""
    )
    format = wireloom.load_spec(path)
    assert [each.name for each in format.columns if each.derived] == ["len", "count"]
    rows = [
        {"kind": 2, "text": "hi", "numbers": None, "other": 1, "tail": b"x"},
        {"kind": 3, "text": None, "numbers": [7, 8], "other": 5, "tail": None},
    ]
    names = ["kind", "text", "numbers", "other", "tail"]
    found = wireloom.read(format, bytes_of(format, rows), columns=[*names, "len", "count"]).to_pylist()
    assert [{name: row[name] for name in names} for row in found] == rows
    assert [(row["len"], row["count"]) for row in found] == [(3, None), (None, 2)]


TRAILING = """
meta: {id: trailing, endian: le, -wireloom: {rows: blocks, columns: [kind, body], selectable: [len2]}}
seq: [{id: blocks, type: block, repeat: eos}]
types:
  block:
    seq:
      - {id: kind, type: u1}
      - {id: len, type: u4}
      - {id: body, size: len - 11}
      - {id: len2, type: u4, valid: len}
      - {id: rest, type: u2, valid: len2 - payload}
    instances:
      payload: {value: len - 11}
"""


def test_what_equals_a_length_is_filled_in(tmp_path: Path) -> None:
    (tmp_path / "trailing.ksy").write_text(TRAILING)
    format = wireloom.load_spec(tmp_path / "trailing.ksy")
    data = bytes.fromhex("01 0e000000 616263 0e000000 0b00" + "02 0b000000 0b000000 0b00")
    rows = [{"kind": 1, "body": b"abc"}, {"kind": 2, "body": b""}]
    assert bytes_of(format, rows) == data
    # Like the length itself, it is not taken from a table.
    assert bytes_of(format, [row | {"len2": 1} for row in rows]) == data
    block = format.row_class.from_bytes(data[:14])
    block.body = b"a"
    assert block.to_bytes() == bytes.fromhex("01 0c000000 61 0c000000 0b00")


INSIDE = """
meta: {id: inside, -wireloom: {rows: ROWS, columns: [head, items]}}
seq:
  - {id: blocks, type: block, repeat: eos}
types:
  block:
    seq:
      - {id: len, type: u1}
      - {id: body, type: body, size: len}
  body:
    seq: [{id: rows, type: row, repeat: eos}]
  row:
    seq:
      - {id: head, type: head}
      - {id: num_items, type: u1}
      - {id: items, type: head, repeat: expr, repeat-expr: num_items}
  head:
    seq:
      - {id: flag, type: u1}
      - {id: extra, type: u1, if: flag == 1}
"""
PLAIN = INSIDE.replace("{id: blocks, type: block,", "{id: rows, type: row,").replace("ROWS", "rows")


@pytest.mark.parametrize("text", [PLAIN, INSIDE.replace("ROWS", "blocks.body.rows")], ids=["rows", "rows of units"])
def test_a_value_inside_of_a_column_that_a_condition_leaves_out_is_refused(text: str, tmp_path: Path) -> None:
    (tmp_path / "inside.ksy").write_text(text)
    format = wireloom.load_spec(tmp_path / "inside.ksy")
    absent, present = {"flag": 0, "extra": None}, {"flag": 1, "extra": 5}
    rows = [{"head": absent, "items": [present, absent]}, {"head": present, "items": []}]
    assert wireloom.read(format, io.BytesIO(bytes_of(format, rows))).to_pylist() == rows
    stray = {"flag": 0, "extra": 7}
    for row, place in (
        ({"head": stray, "items": []}, "head.extra"),
        ({"head": absent, "items": [stray]}, "items[0].extra"),
    ):
        with pytest.raises(wireloom.WireloomError) as error:
            bytes_of(format, [row])
        assert f"column {place}" in str(error.value)
        assert "the condition of the attribute is false" in str(error.value)


MESSAGES = """
meta: {id: entries, endian: be, -wireloom: {rows: frames.entry, columns: [source, line, part, name]}}
seq: [{id: frames, type: frame, repeat: eos}]
types:
  frame: {seq: [{id: len, type: u4}, {id: entry, type: entry, size: len}]}
  entry:
    -wireloom:
      message:
        fields:
          - {id: source, number: 1, type: string}
          - {id: line, number: 2, type: bytes}
          - {id: part, number: 3, type: part}
          - {id: name, number: 4, type: string, label: optional}
  part: {-wireloom: {message: {fields: [{id: ordinal, number: 1, type: int32}]}}}
"""


def test_optional_fields_of_messages_in_a_layout(tmp_path: Path) -> None:
    spec, log = tmp_path / "entries.ksy", tmp_path / "a.log"
    spec.write_text(MESSAGES)
    rows = [
        {"source": "out", "line": b"a", "part": None, "name": None},
        {"source": "", "line": b"b", "part": {"ordinal": 2}, "name": ""},
    ]
    wireloom.write(spec, rows, log)
    assert wireloom.read(spec, log).to_pylist() == rows
    assert log.read_bytes() == b"\0\0\0\x08\n\x03out\x12\x01a" + b'\0\0\0\x09\x12\x01b\x1a\x02\x08\x02"\0'
    wireloom.write(spec, [{"source": "out", "line": b"a"}], log)
    assert wireloom.read(spec, log).to_pylist() == rows[:1]
    with pytest.raises(wireloom.WireloomError, match="row 0, column line: null, but the format has no null"):
        wireloom.write(spec, [rows[0] | {"line": None}], log)
