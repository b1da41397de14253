"""A growing input: a row that no more bytes can complete is damaged; one that they can complete does not exist yet."""

import pytest
import wireloom

from ..specs import format_of
from .running import ROW_READERS, read
from .samples import frames, payloads

PAYLOADS = payloads(40)
SEGMENT = frames(PAYLOADS)
PLAIN = """
meta: {id: plain_rows, endian: le, -wireloom: {rows: rows}}
seq: [{id: rows, type: row, repeat: eos}]
types:
  row: {seq: [{id: len, type: u2}, {id: payload, size: len}]}
"""


def with_length(row: int, length: int) -> bytes:
    """Return the segment with another length before one of its frames."""
    at = len(frames(PAYLOADS[:row]))
    return SEGMENT[:at] + length.to_bytes(4, "big") + SEGMENT[at + 4 :]


@pytest.mark.parametrize("row_reader", ROW_READERS)
@pytest.mark.parametrize("row", [0, 3])
@pytest.mark.parametrize("length", [0x7FFFFFFF, 0x200000])
def test_rows_after_a_damaged_length_are_no_reason_to_wait(row_reader: str, row: int, length: int) -> None:
    data = with_length(row, length)
    table, report = read(row_reader, "edgemq_segment", data, tail="growing")
    assert (table.num_rows, report["tail"]) == (row, "invalid_length")
    table, report = read(row_reader, "edgemq_segment", data, tail="growing", recover=True)
    assert table["payload"].to_pylist() == PAYLOADS[:row] + PAYLOADS[row + 1 :]
    assert [each[2] for each in report["damaged"]] == ["length"]
    with pytest.raises(wireloom.DamagedInputError, match="length"):
        read(row_reader, "edgemq_segment", data, tail="growing", mode="failfast")


@pytest.mark.parametrize("row_reader", ROW_READERS)
def test_a_last_row_that_is_larger_than_any_may_be(row_reader: str) -> None:
    last = len(PAYLOADS) - 1
    _, report = read(row_reader, "edgemq_segment", with_length(last, 0x7FFFFFFF), tail="growing")
    assert report["tail"] == "limit"
    _, report = read(row_reader, "edgemq_segment", with_length(last, 5000), tail="growing")
    assert report["tail"] == "growing"
    _, report = read(row_reader, "edgemq_segment", with_length(last, 5000), tail="growing", max_record=4000)
    assert report["tail"] == "limit"


@pytest.mark.slow
@pytest.mark.parametrize("row_reader", ROW_READERS)
def test_every_cut_of_a_log_without_damage_is_waited_for(row_reader: str) -> None:
    plain = format_of(PLAIN)
    content = b"".join(len(each).to_bytes(2, "little") + each for each in PAYLOADS)
    for format, data in (("edgemq_segment", SEGMENT), (plain, content)):
        for cut in range(len(data) - 200, len(data), 3):
            _, report = read(row_reader, format, data[:cut], tail="growing", mode="failfast")
            assert report["tail"] in ("growing", "clean")
