"""Rows with a size of their own: read one by one, each with its position, and damage in one affects only that one."""

import zlib
from pathlib import Path

import pytest
import wireloom
from wireloom import Damage

from ..specs import format_of
from .running import ROW_READERS, read

SPEC = """
meta: {id: blocks, endian: le, -wireloom: {rows: blocks, parent-columns: [unit]}}
seq:
  - {id: unit, type: u2}
  - {id: blocks, type: block, size: SIZE, repeat: eos}
types:
  block:
    seq:
      - {id: kind, type: u1}
      - {id: len, type: u1}
      - {id: text, size: len}
"""
HEAD = b"\x02\0"
BLOCKS = [bytes([kind, 3]) + b"abc\0\0\0" for kind in range(8)]
WHOLE = HEAD + b"".join(BLOCKS)


@pytest.fixture(params=["8", "unit * 4"])
def blocks(request: pytest.FixtureRequest) -> wireloom.Format:
    return format_of(SPEC.replace("SIZE", request.param))


def test_each_row_has_its_place(blocks: wireloom.Format) -> None:
    table, report = wireloom.read_with_report(blocks, WHOLE, columns=["_offset", "unit", "kind", "text"])
    assert table["_offset"].to_pylist() == [2 + 8 * number for number in range(8)]
    assert table["kind"].to_pylist() == list(range(8))
    assert set(table["unit"].to_pylist()) == {2}
    assert report.clean
    batches = list(wireloom.scan(blocks, WHOLE, batch_rows=3))
    assert [each.num_rows for each in batches] == [3, 3, 2]


@pytest.mark.parametrize("recover", [False, True])
def test_what_is_cut_off_is_the_last_row(blocks: wireloom.Format, recover: bool) -> None:
    table, report = wireloom.read_with_report(blocks, WHOLE + b"\x01\x02", recover=recover)
    assert table.num_rows == 8
    [file] = report.files
    assert (file.tail, file.tail_offset, file.tail_size) == ("truncated", len(WHOLE), 2)


@pytest.mark.parametrize("recover", [False, True])
def test_damage_in_a_row_is_that_of_the_row(blocks: wireloom.Format, recover: bool) -> None:
    data = bytearray(WHOLE)
    data[2 + 8 * 3 + 1] = 200
    columns = ["kind", "_error", "_corrupt_record"]
    table, report = wireloom.read_with_report(blocks, bytes(data), columns=columns, recover=recover)
    assert report.files[0].damaged == [Damage(26, 8, "length")]
    assert report.files[0].tail == "clean"
    assert table["kind"].to_pylist() == [0, 1, 2, None, 4, 5, 6, 7]
    assert table["_corrupt_record"][3].as_py() == bytes(data[26:34])
    with pytest.raises(wireloom.DamagedInputError, match="record 4: a length or a count is wrong") as caught:
        wireloom.read(blocks, bytes(data), mode="failfast")
    assert caught.value.offset == 26


def test_rows_larger_than_the_limit_are_refused(blocks: wireloom.Format) -> None:
    table, report = wireloom.read_with_report(blocks, WHOLE, max_record=7, check_format=False)
    assert table.num_rows == 0
    assert (report.files[0].tail, report.files[0].tail_offset) == ("limit", 2)


def test_they_are_written_with_their_size(blocks: wireloom.Format, tmp_path: Path) -> None:
    table = wireloom.read(blocks, WHOLE, columns=["unit", "kind", "text"])
    wireloom.write(blocks, table, tmp_path / "blocks.bin")
    assert (tmp_path / "blocks.bin").read_bytes() == WHOLE


def test_rows_whose_size_needs_all_of_the_input_are_read_as_a_whole() -> None:
    table, report = wireloom.read_with_report(format_of(SPEC.replace("SIZE", "_io.size / 8")), WHOLE)
    assert table["kind"].to_pylist() == list(range(8))
    assert report.clean


CHECKED = """
meta: {id: checked, endian: le, -wireloom: {rows: ROWS, columns: [x]}}
seq:
  - {id: recs, type: rec, repeat: eos, size: 16}
types:
  rec:
    seq:
      - {id: body, type: body, size: 12}
      - {id: crc, type: u4, -wireloom: {checksum: {algorithm: crc32, over: body}}}
  body: {seq: [{id: items, type: item, repeat: eos}]}
  item: {seq: [{id: x, type: u4}]}
"""


@pytest.mark.parametrize("row_reader", ROW_READERS)
@pytest.mark.parametrize("chunk", [None, 7])
def test_rows_and_units_that_have_shifted_are_found(row_reader: str, chunk: int | None) -> None:
    """Also after more damaged rows than are kept in memory, and back in their first places."""
    units = format_of(CHECKED.replace("ROWS", "recs.body.items"))
    bodies = [number.to_bytes(4, "little") * 3 for number in range(300)]
    good = [each + zlib.crc32(each).to_bytes(4, "little") for each in bodies]
    noise = b"\xff" * 16 * 200
    data = b"".join([*good[:100], b"garbage", *good[100:200], noise, good[200], good[201][:9], *good[202:]])
    table, report = read(row_reader, units, data, chunk=chunk, recover=True)
    values = [number for number in range(300) if number != 201]
    assert table["x"].to_pylist() == [number for number in values for _ in range(3)]
    begin = len(b"".join(good[:100]))
    lost = [each for each in report["damaged"] if each[1] != 16]
    assert lost == [[begin, 7, "checksum"], [begin + 7 + 16 * 301, 9, "checksum"]]
    assert [sum(each[1] for each in report["damaged"]), report["tail"]] == [7 + len(noise) + 9, "clean"]
