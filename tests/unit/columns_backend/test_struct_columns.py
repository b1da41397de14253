"""The key ``columns`` of a type: which attributes its structs have in tables."""

from __future__ import annotations

from pathlib import Path

import pytest
import wireloom

from ...writing import bytes_of
from ..reading.running import ROW_READERS, read

SPEC = """
meta: {id: pairs, -wireloom: {rows: records, columns: [num, pairs, last]}}
seq: [{id: records, type: record, repeat: eos}]
types:
  record:
    seq:
      - {id: num, type: u1}
      - {id: pairs, type: pair, repeat: expr, repeat-expr: num}
      - {id: last, type: pair}
  pair:
    -wireloom: {columns: [key, value]}
    seq:
      - {id: len_key, type: u1}
      - {id: key, size: len_key}
      - {id: len_value, type: u1}
      - {id: value, size: len_value, type: str, encoding: UTF-8}
"""
CONTENT = b"\1\1a\2bc\0\0" + b"\0\2de\0"
ROWS = [
    {"num": 1, "pairs": [{"key": b"a", "value": "bc"}], "last": {"key": b"", "value": ""}},
    {"num": 0, "pairs": [], "last": {"key": b"de", "value": ""}},
]


@pytest.mark.parametrize("row_reader", ROW_READERS)
def test_structs_have_the_attributes_that_are_named(tmp_path: Path, row_reader: str) -> None:
    spec = tmp_path / "pairs.ksy"
    spec.write_text(SPEC)
    table, report = read(row_reader, spec, CONTENT)
    assert table.to_pylist() == ROWS
    assert report["tail"] == "clean"
    assert bytes_of(spec, table) == CONTENT


@pytest.mark.parametrize(
    ("found", "message"),
    [
        ("columns: [kee]", "pairs::pair has no attribute, value instance or parameter 'kee'; did you mean 'key'?"),
        ("columns: [key, key]", "'key' is listed twice"),
        ("columns: [key], varint: le", "'columns' and 'varint' cannot be used together"),
    ],
)
def test_errors(tmp_path: Path, found: str, message: str) -> None:
    spec = tmp_path / "pairs.ksy"
    text = SPEC.replace("columns: [key, value]", found)
    if "varint" in found:
        text = text[: text.rindex("    seq:")]
    spec.write_text(text)
    with pytest.raises(wireloom.WireloomError) as caught:
        wireloom.load_spec(spec)
    assert message in str(caught.value)
