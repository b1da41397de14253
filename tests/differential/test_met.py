"""Problems that pairs of constructs have found: the smallest case of each, with both readers."""

from __future__ import annotations

from typing import Any

import pytest
from wireloom import SpecError

from ..unit.columns_backend.specs import format_of
from .agreement import agreed, outcome

ROOT = "meta: {id: sample, endian: le, bit-endian: be, -wireloom: {rows: rows}}\n"
UNITS = """
meta: {id: sample, endian: le, bit-endian: be, -wireloom: {rows: units.body.rows}}
seq: [{id: units, type: unit, repeat: eos}]
"""
BODY = """
  unit: {seq: [{id: len, type: u1}, {id: body, type: body, size: len}]}
  body: {seq: [{id: rows, type: row, repeat: eos}]}
"""
HEADER = """
seq: [{id: head, type: head}, {id: rows, type: row, repeat: eos}]
instances: {last: {value: FIRST, -wireloom: {variable: true}}}
types:
  head:
    seq: [{id: a, type: u1}]
    instances: {set: {value: a, -wireloom: {sets: _root.last}}}
  row:
    seq: [{id: n, type: u1}]
    instances: {v: {value: LAST}}
"""
OF_ROOT = "row: {seq: [{id: n, type: u1}], instances: {v: {value: _root._io.size}}}"
COUNTED = """
instances: {total: {value: 0, -wireloom: {variable: true}}}
seq: [{id: many, type: u1}, {id: rows, type: row, repeat: expr, repeat-expr: many}]
types:
  row:
    seq: [{id: n, type: u1}]
    instances: {v: {value: _root.total + n, -wireloom: {sets: _root.total}}}
"""
MAY_FAIL = """
seq: [{id: rows, type: row, repeat: eos}]
types:
  row:
    seq: [{id: n, type: u1}]
    instances:
      quotient: {value: 100 / n + n}
      v: {value: 'n != 0 ? quotient : 0'}
"""
SUMMED = """
seq: [{id: rows, type: row, repeat: eos}]
types:
  row:
    seq:
      - {id: n, type: u1}
      - {id: v, type: u1, -wireloom: {checksum: {algorithm: sum8, over: n, if: v != 0}}}
"""
LISTED = """
seq: [{id: rows, type: row, repeat: eos}]
types:
  row:
    seq:
      - {id: n, type: u1}
      - {id: v, size: n & 7, repeat: expr, repeat-expr: 3}
      - {id: sum, type: u2be, -wireloom: {checksum: {algorithm: sum16, over: v}}}
      - {id: last, size: 1}
"""
TO_THE_END = """
seq: [{id: rows, type: row, repeat: eos}]
types:
  row: {seq: [{id: n, type: u1}, {id: v, type: u2, repeat: eos}]}
"""


@pytest.mark.parametrize(
    ("spec", "data", "column", "values"),
    [
        pytest.param(
            ROOT + HEADER.replace("FIRST", "0").replace("LAST", "_root.last"), b"\7\1\2", "v", [7, 7], id="set"
        ),
        pytest.param(
            ROOT + HEADER.replace("FIRST", "'[5]'").replace("LAST", "'_root.last[n]'"),
            b"\7\1\0",
            "v",
            [7, 5],
            id="list",
        ),
        pytest.param(
            ROOT + "seq: [{id: rows, type: row, repeat: eos}]\ntypes: {" + OF_ROOT + "}",
            b"\1\2\3",
            "v",
            [3] * 3,
            id="size",
        ),
        pytest.param(UNITS + "types:" + BODY + "  " + OF_ROOT, b"\1\7\2\1\1", "v", [5] * 3, id="size around units"),
        pytest.param(ROOT + COUNTED, b"\2\3\4", "total", [7, 7], id="a column of the root has its value at the end"),
        pytest.param(ROOT + MAY_FAIL, b"\0\5", "v", [0, 25], id="a value that is not needed"),
        pytest.param(ROOT + SUMMED, b"\3\3\4\0", "v", [3, 0], id="a checksum with a condition on itself"),
    ],
)
def test_values(spec: str, data: bytes, column: str, values: list[Any]) -> None:
    for window in (None, 1, 2):
        [rows, [file]] = agreed(format_of(spec), data, columns=[column], window=window)
        assert rows == {column: values}
        assert (file["damaged"], file["tail"]) == ([], "clean")


def test_distinct_times_of_any_year() -> None:
    """Python has no time after the year 9999."""
    row = "{seq: [{id: n, type: u1}, {id: at, type: s8, -wireloom: {timestamp: us}}]}"
    spec = ROOT.replace("rows: rows", "rows: rows, distinct: true") + "seq: [{id: rows, type: row, repeat: eos}]\n"
    times = [1 << 62, -(1 << 62), 0, 1 << 62]
    data = b"".join(b"\1" + time.to_bytes(8, "little", signed=True) for time in times)
    rows, _ = agreed(format_of(f"{spec}types: {{row: {row}}}"), data, columns=["at"])
    assert rows == {"at": times[:3]}


def test_empty_items_prove_nothing() -> None:
    """A row whose checksum covers no byte, inside of a damaged one, is not the next row."""
    _, [file] = agreed(format_of(ROOT + LISTED), bytes.fromhex("108000000180"))
    assert file["damaged"] == [[0, 4, "checksum"]]
    assert (file["tail"], file["tail_offset"]) == ("truncated", 4)


def test_an_input_that_ends_inside_an_item_is_truncated() -> None:
    _, [file] = agreed(format_of(ROOT + TO_THE_END), b"\7abc")
    assert file["tail"] == "truncated"
    _, [file] = agreed(format_of(UNITS + "types:" + BODY + TO_THE_END.partition("types:")[2]), b"\4\7abc\1\7")
    assert file["damaged"] == [[0, 5, "length"]]


@pytest.mark.parametrize(
    ("body", "row", "why"),
    [
        ("{id: rows, type: row, repeat: eos}", "{id: a, type: b7}", "end inside a byte"),
        ("{id: k, type: b3}, {id: rows, type: row, repeat: eos}", "{id: a, type: b8}", "begin inside a byte"),
    ],
)
def test_rows_in_units_are_whole_bytes(body: str, row: str, why: str) -> None:
    types = (
        f"  unit: {{seq: [{{id: len, type: u1}}, {{id: body, type: body, size: len}}]}}\n  body: {{seq: [{body}]}}\n"
    )
    with pytest.raises(SpecError, match=f"rows must consist of whole bytes, but these {why}"):
        format_of(UNITS + "types:\n" + types + f"  row: {{seq: [{row}]}}")


def test_a_row_that_is_alone_in_its_stream_may_end_inside_a_byte() -> None:
    case = "{switch-on: kind, cases: {1: row, 2: other}}"
    format = format_of(
        ROOT.replace("rows: rows", "rows: records.body.as<row>")
        + "seq: [{id: records, type: record, repeat: eos}]\ntypes:\n"
        + f"  record: {{seq: [{{id: kind, type: u1}}, {{id: body, size: 1, type: {case}}}]}}\n"
        + "  row: {seq: [{id: a, type: b7}]}\n  other: {seq: [{id: b, type: u1}]}"
    )
    assert outcome(format, b"\1\xfe\2\0\1\2", columns=["a"])[0] == {"a": [127, 1]}
