"""Items without bytes: both readers accept as many as a count says, and stop if there would be no end."""

import pytest
from wireloom import Format
from wireloom.base.limits import MAX_COMPUTED

from tests.differential.agreement import agreed, read_rows

from ..specs import format_of

MARKS = """
meta: {id: marks, endian: le, -wireloom: {rows: groups.marks, columns: [flags, more]}}
seq: [{id: groups, type: group, repeat: eos}]
types:
  group:
    seq:
      - {id: flags, type: u1}
      - {id: count, type: u4}
      - {id: marks, type: mark, repeat: expr, repeat-expr: count}
  mark:
    seq: [{id: more, type: u1, if: _parent.flags == 1}]
"""
NESTED = """
meta: {id: nested, endian: le, -wireloom: {rows: outer}}
seq: [{id: outer, type: outer, repeat: eos}]
types:
  outer: {seq: [{id: count, type: u2}, {id: inner, type: inner, repeat: expr, repeat-expr: count}]}
  inner: {seq: [{id: nothing, type: nothing, repeat: expr, repeat-expr: _parent.count}]}
  nothing: {seq: [{id: nothing, size: 0}]}
"""


@pytest.fixture(scope="module")
def marks() -> Format:
    return loaded(MARKS)


def loaded(text: str) -> Format:
    format = format_of(text)
    assert format.engine_refusal is None
    return format


def test_as_many_as_the_count_says(marks: Format) -> None:
    data = b"\0\3\0\0\0" + b"\1\2\0\0\0\7\x08"
    found = [(each["flags"], each["more"]) for each in read_rows(marks, data, ["flags", "more"])]
    assert found == [(0, None), (0, None), (0, None), (1, 7), (1, 8)]
    agreed(marks, data)


THOROUGH = pytest.mark.thorough


@pytest.mark.slow
@pytest.mark.parametrize(
    "count",
    [
        pytest.param(0xFFFF, marks=THOROUGH),
        0x10000,
        pytest.param(0x10001, marks=THOROUGH),
        0xFFFFFFFF,
    ],
)
def test_too_many_in_a_row_are_no_count(marks: Format, count: int) -> None:
    rows, [report] = agreed(marks, b"\0" + count.to_bytes(4, "little"))
    assert len(rows["_offset"]) == min(count, 0x10001)  # the one that exceeds the limit is still a row
    assert report["tail"] == ("clean" if count <= 0x10000 else "invalid_length")


def test_a_record_has_so_many_at_most() -> None:
    """Items without bytes inside others could be any number."""
    format = loaded(NESTED)
    assert MAX_COMPUTED < 0xFFFF**2
    _, [report] = agreed(format, b"\2\0\xff\xff", max_computed=3000)
    assert report["tail"] == "limit"
    rows, [report] = agreed(format, b"\x09\0\x0a\0", max_computed=99)
    assert (rows["count"], report["tail"]) == ([9], "limit")
