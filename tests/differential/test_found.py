"""What made-up specs and damage have found: the smallest case of each, on both readers."""

from __future__ import annotations

from ..unit.columns_backend.specs import format_of, spec_text
from .agreement import agreed

PADDED_AS_IT_ENDS = """
seq:
  - {id: kept, type: str, size: 6, encoding: ASCII, terminator: 0x2c, include: true, pad-right: 0x2c}
  - {id: cut, size: 4, terminator: 0, pad-right: 0}
"""

PEEKED = """
seq:
  - {id: number, type: u2be}
  - {id: word, terminator: 0, consume: false}
"""

LATE_CONTENTS = """
seq:
  - {id: len, type: u1}
  - {id: body, size: len}
  - {id: end, contents: [0xab]}
"""

SHORT = """
seq:
  - {id: word, type: strz, encoding: ASCII, consume: false}
  - {id: number, type: u4}
  - {id: body, size: number / 2}
"""


def test_what_pads_and_ends_a_value_alike_is_not_stripped() -> None:
    rows, _ = agreed(format_of(spec_text(PADDED_AS_IT_ENDS)), b"~ ,,,,a\0\0\0bc,xyz\0\0bc")
    assert rows["kept"] == ["~ ,", "bc,"]
    assert rows["cut"] == [b"a", b""]


def test_bytes_behind_the_largest_record_have_no_say_in_it() -> None:
    _, [report] = agreed(format_of(spec_text(LATE_CONTENTS)), b"\x1e" + b"a" * 40, max_record=20)
    assert report["tail"] == "limit"
    # The terminator is the tenth byte; the row would not take it, but look at it.
    peeked = b"\0\1abcdefg\0\0\2ab\0"
    _, [report] = agreed(format_of(spec_text(PEEKED)), peeked, max_record=9)
    assert (report["tail"], report["tail_offset"]) == ("limit", 0)
    rows, _ = agreed(format_of(spec_text(PEEKED)), peeked, max_record=9, recover=True)
    assert rows["_offset"] == [0, 1, 9]


def test_the_last_place_of_a_run_is_looked_at() -> None:
    # All zeros look alike, but only behind the last four of them the input ends.
    data = b"\0\xff\xff\xff\xff" + b"abc" + bytes(6)
    rows, [report] = agreed(format_of(spec_text(SHORT)), data, recover=True)
    assert rows["_offset"] == [0, len(data) - 4]
    assert report["tail"] == "clean"
