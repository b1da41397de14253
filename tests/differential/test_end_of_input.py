"""``_io.eof`` of an input whose rows are read one after another: with both readers, in blocks of any size."""

from __future__ import annotations

from itertools import product
from random import Random

import pytest

from ..unit.columns_backend.specs import format_of
from .agreement import agreed

CONDITIONS = ["not _root._io.eof", "a == 3", "_io.eof == false and a > 1"]


def spec(first: str, second: str, last: str) -> str:
    return f"""
meta: {{id: sample, endian: le, -wireloom: {{rows: rows}}}}
seq: [{{id: rows, type: row, repeat: eos}}]
types:
  row:
    seq:
      - {{id: a, type: u1}}
      - {{id: n, type: u1}}
      - {{id: data, size: n}}
      - {{id: check, type: u2, if: {first}}}
      - {{id: end, size: 1, if: '{second}'}}
    instances: {{last: {{value: {last}}}}}
"""


@pytest.mark.parametrize("second", CONDITIONS)
@pytest.mark.parametrize("first", ["a == 1", "not _io.eof", "a == 1 and not _root._io.eof"])
def test_rows_ask_for_the_end_of_the_input(first: str, second: str) -> None:
    random = Random(first + second)
    for last in ("_root._io.eof", "a"):
        format = format_of(spec(first, second, last))
        assert format.engine_refusal is None
        for size, window in product(range(0, 60, 7), (None, 1, 3, 16)):
            agreed(format, bytes(random.choices([0, 1, 1, 2, 3], k=size)), window=window)


def test_a_row_that_asks_must_be_shorter_than_the_limit() -> None:
    format = format_of(spec("a == 1", "not _root._io.eof", "a"))
    _, [report] = agreed(format, bytes([3, 3, 1, 1, 0, 0, 3]), max_record=5)
    assert (report["rows"], report["tail"], report["tail_offset"]) == (0, "limit", 0)
