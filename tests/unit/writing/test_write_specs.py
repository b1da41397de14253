"""Writing formats that are not built in: a prologue, labels, text, no stuffing."""

from typing import Any

import pyarrow as pa
import pytest
import wireloom
import yaml
from wireloom import WireloomError
from wireloom.format.stuffings import Stuffing
from wireloom.objects import stuff

from ...stuffings import FRAMINGS
from ...writing import bytes_of
from ..specs import format_of

BOXED = """
meta:
  id: boxed
  endian: be
  -wireloom: {rows: rows, columns: [value], selectable: [size], parent-columns: [version]}
seq:
  - {id: magic, contents: BX}
  - {id: version, type: u2}
  - {id: rows, type: row, repeat: eos}
types:
  row:
    seq:
      - {id: size, type: u1}
      - {id: value, size: size}
"""

STUFFED = """
meta: {id: stuffed, -wireloom: {rows: rows}}
seq:
  - {id: rows, type: row, repeat: eos, -wireloom: {framing: FRAMING}}
types:
  row: {seq: [{id: value, size-eos: true}]}
"""

LABELLED = """
meta:
  id: labelled
  endian: le
  -wireloom: {rows: rows, columns: [kind, text, at], selectable: [size]}
seq:
  - {id: rows, type: row, repeat: eos}
enums:
  kind: {0: start, 1: stop}
types:
  row:
    seq:
      - {id: kind, type: u1, enum: kind, -wireloom: {labels: true}}
      - {id: size, type: u2}
      - {id: text, type: str, size: size, encoding: UTF-8}
      - {id: at, type: u4, -wireloom: {timestamp: s}}
"""

COMMAS = """
meta:
  id: commas
  -wireloom: {rows: rows, columns: [value]}
seq:
  - id: rows
    type: row
    repeat: eos
    -wireloom: {framing: {delimiter: [0x2c], stuffing: none}}
types:
  row:
    seq:
      - {id: value, size-eos: true}
"""


def test_a_format_with_a_prologue() -> None:
    format = format_of(BOXED)
    rows = [{"value": b"a", "version": 7}, {"value": b"", "version": 7}]
    data = bytes_of(format, rows)
    assert data == b"BX\x00\x07\x01a\x00"
    assert wireloom.read(format, data).to_pylist() == rows
    with pytest.raises(WireloomError, match="row 1, column version: 8 after 7, and a file has one value of it"):
        bytes_of(format, [rows[0], {"value": b"", "version": 8}])
    with pytest.raises(WireloomError, match="row 1 cannot be written: size"):
        bytes_of(format, [rows[0], {"value": b"x" * 256, "version": 7}])


def test_labels_text_and_a_time_of_its_own() -> None:
    format = format_of(LABELLED)
    at = pa.array([0, 2**32 - 1], pa.timestamp("s", "UTC"))
    rows = pa.table({"kind": ["stop", "7"], "text": ["é", ""], "at": at})
    data = bytes_of(format, rows)
    assert data == b"\x01\x02\x00\xc3\xa9\x00\x00\x00\x00" + b"\x07\x00\x00\xff\xff\xff\xff"
    assert wireloom.read(format, data).to_pylist() == rows.to_pylist()
    assert bytes_of(format, rows.set_column(0, "kind", pa.array(["stop", "7"]).dictionary_encode())) == data
    assert bytes_of(format, rows.set_column(0, "kind", pa.array([1, 7]))) == data
    with pytest.raises(WireloomError, match=r"row 0, column kind: 'stpo'.*did you mean 'stop'"):
        bytes_of(format, rows.set_column(0, "kind", pa.array(["stpo", "7"])))
    with pytest.raises(WireloomError, match="row 1 cannot be written"):
        bytes_of(format, rows.set_column(2, "at", pa.array([0, 2**32], pa.timestamp("s", "UTC"))))
    with pytest.raises(WireloomError, match="row 0 cannot be written"):
        bytes_of(format, rows.set_column(1, "text", pa.array(["x" * 65536, ""])))


def test_delimiters_without_stuffing() -> None:
    format = format_of(COMMAS)
    assert bytes_of(format, [{"value": b"a"}, {"value": b"b"}]) == b"a,b,"
    with pytest.raises(WireloomError, match="row 1: the record holds the delimiter 2c"):
        bytes_of(format, [{"value": b"a"}, {"value": b"b,c"}])


@pytest.mark.parametrize(("framing", "stuffing", "delimiter"), FRAMINGS, ids=lambda each: repr(each)[:30])
def test_rows_between_delimiters_of_every_kind(framing: dict[str, Any], stuffing: Stuffing, delimiter: bytes) -> None:
    format = format_of(STUFFED.replace("FRAMING", yaml.dump(framing, default_flow_style=True).strip()))
    values = [b"a", bytes(range(256)) * 5, delimiter * 300, b"\xdb\x7d\2" * 3, b"x" * 254, b"\0"]
    data = bytes_of(format, pa.table({"value": values * 50}))
    assert data == b"".join(stuff(each, stuffing) + delimiter for each in values) * 50
    rows = format.root_class.from_bytes(data).rows
    assert [row.value for row in rows] == values * 50
    assert format.root_class.from_bytes(data).to_bytes() == data
    if stuffing.holds_empty:
        assert wireloom.read(format, bytes_of(format, [{"value": b""}]))["value"].to_pylist() == [b""]
    else:
        for rows in (pa.table({"value": [b"a", b""]}), [{"value": b"a"}, {"value": b""}]):
            with pytest.raises(WireloomError, match="row 1: the record is empty"):
                bytes_of(format, rows)
