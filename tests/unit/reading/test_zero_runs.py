"""Zeros in place of rows: reported as one range, or as the state of the tail, and not as thousands of damaged rows."""

import dataclasses
from pathlib import Path
from typing import Any

import pytest
import wireloom
from wireloom import Scanner
from wireloom.input.expansion import expand
from wireloom.reading.request import scan_request

from ..specs import format_of
from . import samples
from .running import ROW_READERS, read

CHECKED = """
meta: {id: checked, endian: le, -wireloom: {rows: records, columns: [kind, data]}}
seq:
  - {id: records, type: record, repeat: eos}
types:
  record:
    seq:
      - {id: crc, type: u4, -wireloom: {checksum: {algorithm: crc32c, over: [kind, data]}}}
      - {id: len, type: u2}
      - {id: kind, type: u1}
      - {id: data, size: len}
"""
MARKED = """
meta: {id: marked, endian: le, -wireloom: {rows: records, columns: [data]}}
seq:
  - {id: records, type: record, repeat: eos}
types:
  record:
    seq:
      - {id: magic, contents: [0xf9, 0xbe, 0xb4, 0xd9]}
      - {id: len, type: u4}
      - {id: data, size: len}
"""
MESSAGES = """
meta:
  id: framed
  -wireloom: {message: {framing: u8le, REQUIRED type: record, columns: [data]}}
types:
  record:
    -wireloom: {message: {syntax: proto2, fields: [{id: data, number: 3, type: bytes, label: LABEL}]}}
"""
WAYS: tuple[dict[str, Any], ...] = (
    {},
    {"chunk": 1, "streamed": True},
    {"chunk": 100, "streamed": True},
    {"batch_rows": 2},
    {"columns": ["data"]},
)


def records(format: wireloom.Format, count: int, folder: Path) -> tuple[bytes, list[int]]:
    """Return rows of different sizes, and where each begins and the last ends."""
    rows = [{"kind": 1, "data": b"payload" * (number % 5)} for number in range(count)]
    names = set(format.schema.names)
    wireloom.write(format, [{n: v for n, v in each.items() if n in names} for each in rows], folder / "all")
    content = (folder / "all").read_bytes()
    offsets = wireloom.read(format, content, columns=["_offset"])["_offset"].to_pylist()
    return content, [*offsets, len(content)]


@pytest.mark.slow
@pytest.mark.parametrize("row_reader", ROW_READERS)
@pytest.mark.parametrize("recover", [False, True])
@pytest.mark.parametrize(("begin", "end"), [(20, 40), (0, 10), (20, 33)])
def test_rows_that_were_wiped_are_one_range(
    row_reader: str, recover: bool, begin: int, end: int, tmp_path: Path
) -> None:
    format = format_of(CHECKED)
    content, places = records(format, 60, tmp_path)
    first, last = places[begin], places[end]
    for size in (last - first, last - first + 500):
        data = content[:first] + bytes(size) + content[last:]
        for way in WAYS:
            how = {"columns": ["data", "_offset", "_error"], **way}
            table, report = read(row_reader, format, data, recover=recover, **how)
            assert report["damaged"] == [[first, size, "zeros"]]
            assert (report["rows"], report["tail"]) == (60 - end + begin, "clean")
            if "_error" in how["columns"]:
                [null] = [row for row in table.to_pylist() if row["_error"] is not None]
                assert null["_offset"] == first
                assert null["_error"].startswith("zeros: only zeros")


@pytest.mark.parametrize("row_reader", ROW_READERS)
def test_what_a_wiped_block_leaves_of_rows_is_damaged_by_itself(row_reader: str, tmp_path: Path) -> None:
    format = format_of(CHECKED)
    content, places = records(format, 2000, tmp_path)
    data = bytearray(content)
    data[8192:16384] = bytes(8192)
    before = max(each for each in places if each <= 8192)
    after = min(each for each in places if each >= 16384)
    table, report = read(row_reader, format, bytes(data), recover=True, columns=["_offset"])
    assert table["_offset"].to_pylist() == [each for each in places[:-1] if each < before or each >= after]
    assert [each[2] for each in report["damaged"]].count("zeros") == 1
    assert len(report["damaged"]) <= 3
    assert sum(length for _, length, _ in report["damaged"]) == after - before


@pytest.mark.slow
@pytest.mark.parametrize("row_reader", ROW_READERS)
@pytest.mark.parametrize("recover", [False, True])
def test_a_tail_of_zeros(row_reader: str, recover: bool, tmp_path: Path) -> None:
    format = format_of(CHECKED)
    content, _ = records(format, 20, tmp_path)
    size = len(content)
    for way in WAYS:
        table, report = read(row_reader, format, content + bytes(1001), recover=recover, **way)
        assert report["damaged"] == [[size, 1001, "zeros"]]
        assert (report["rows"], report["tail"]) == (20, "clean")
    marked = format_of(MARKED)
    content, _ = records(marked, 20, tmp_path)
    for name, data, tail in (
        (marked, content, "invalid_value"),
        ("edgemq_segment", samples.frames([b"payload"] * 20), "invalid_length"),
    ):
        for way in WAYS[:4]:
            how = {key: value for key, value in way.items() if key != "columns"}
            table, report = read(row_reader, name, data + bytes(1001), recover=recover, **how)
            assert (table.num_rows, report["damaged"]) == (20, [])
            assert (report["tail"], report["tail_offset"], report["tail_size"]) == (tail, len(data), 1001)
            assert report["tail_zeros"]
            _, report = read(row_reader, name, data + bytes(1000) + b"\x01", **how)
            assert "tail_zeros" not in report


def test_a_few_zeros_are_no_run(tmp_path: Path) -> None:
    format = format_of(CHECKED)
    content, _ = records(format, 3, tmp_path)
    _, report = wireloom.read_with_report(format, content + bytes(63))
    assert {each.reason for each in report.files[0].damaged} == {"checksum"}
    assert len(report.files[0].damaged) == 9


def test_rows_of_zeros_that_hold_are_rows() -> None:
    format = format_of(CHECKED.replace("-wireloom: {checksum: {algorithm: crc32c, over: [kind, data]}}", "doc: x"))
    table, report = wireloom.read_with_report(format, bytes(7000))
    assert (table.num_rows, report.clean) == (1000, True)


@pytest.mark.slow
def test_many_short_runs_take_no_longer_than_rows_do(tmp_path: Path) -> None:
    format = format_of(CHECKED)
    content, _ = records(format, 1, tmp_path)
    _, report = wireloom.read_with_report(format, (content + bytes(70)) * 2000)
    assert report.rows == 2000
    assert report.damaged == 2000


@pytest.mark.slow
@pytest.mark.parametrize("engine", ROW_READERS)
@pytest.mark.parametrize("chunk", [None, 100])
@pytest.mark.parametrize(("required", "label"), [("least: 1,", "optional"), ("", "required")])
def test_lengths_of_zero_before_messages(
    engine: str, chunk: int | None, required: str, label: str, tmp_path: Path
) -> None:
    format = format_of(MESSAGES.replace("REQUIRED", required).replace("LABEL", label))
    wireloom.write(format, [{"data": b"x"}] * 10, tmp_path / "all")
    content = (tmp_path / "all").read_bytes()
    size = len(content)
    for data, ranges, rows in (
        (content + bytes(200_003), [(size, 200_003)], 10),
        (content + bytes(4096) + content, [(size, 4096)], 20),
    ):
        (tmp_path / "in").write_bytes(data)
        made = dataclasses.replace(scan_request(format, columns=["data", "_error"]), engine=engine, chunk=chunk)
        with Scanner(made, expand(tmp_path / "in")) as scanner:
            table = scanner.read_all()
        [file] = scanner.report.files
        assert [(each.offset, each.length, each.reason) for each in file.damaged] == [
            (*each, "zeros") for each in ranges
        ]
        assert (file.rows, table.num_rows, file.tail) == (rows, rows + 1, "clean")


def test_messages_of_no_bytes_are_messages() -> None:
    format = format_of(MESSAGES.replace("REQUIRED", "").replace("LABEL", "optional"))
    table, report = wireloom.read_with_report(format, bytes(8000))
    assert (table.num_rows, report.clean) == (1000, True)
