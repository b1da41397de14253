"""Consecutive rows, and what can be said about them if one is damaged and the rest cannot be read."""

import gzip
import io
from pathlib import Path
from typing import Any

import pyarrow as pa
import pytest
import wireloom
import zstandard
from wireloom.input.expansion import expand

from . import samples
from .running import ROW_READERS, read

FIVE = samples.frames([b"payload"] * 5)
SIZE = 28
ZEROS = bytes(150)
GARBAGE = b"\xff\xfe" * 80
TAILS = [
    # How the last of five frames is changed, how the input then ends, and where.
    pytest.param(FIVE[4 * SIZE : -3], "truncated", 4 * SIZE, id="cut"),
    pytest.param(FIVE[4 * SIZE :] + b"\0\0", "truncated", 5 * SIZE, id="two bytes"),
    pytest.param(ZEROS, "invalid_length", 4 * SIZE, id="zeros"),
    pytest.param(b"\0\0\0\x05" + GARBAGE, "invalid_length", 4 * SIZE, id="garbage"),
    pytest.param(GARBAGE, "truncated", 4 * SIZE, id="garbage that claims much"),
]


def damaged(*numbers: int, last: bytes) -> bytes:
    data = bytearray(FIVE[: 4 * SIZE])
    for number in numbers:
        data[(number + 1) * SIZE - 1] ^= 1
    return bytes(data) + last


@pytest.mark.slow
@pytest.mark.parametrize("row_reader", ROW_READERS)
@pytest.mark.parametrize("numbers", [(3,), pytest.param((2, 3), marks=pytest.mark.thorough), (0, 1, 2, 3)])
@pytest.mark.parametrize("recover", [False, True])
@pytest.mark.parametrize(("last", "tail", "offset"), TAILS)
def test_a_damaged_frame_before_a_bad_tail_is_reported(
    row_reader: str, numbers: tuple[int, ...], recover: bool, last: bytes, tail: str, offset: int
) -> None:
    data = damaged(*numbers, last=last)
    if offset == 5 * SIZE:
        # The frame in between is valid, so nothing is in doubt.
        assert last.startswith(FIVE[4 * SIZE :])
    columns = ["_offset", "tenant", "_error", "_corrupt_record"]
    for options in ({}, {"chunk": 1, "streamed": True}, {"chunk": 50, "streamed": True}, {"batch_rows": 1}):
        how: dict[str, Any] = {"recover": recover, "columns": columns, **options}
        table, report = read(row_reader, "edgemq_segment", data, **how)
        assert report["damaged"] == [[number * SIZE, SIZE, "checksum"] for number in numbers]
        assert (report["tail"], report["tail_offset"], report["tail_size"]) == (tail, offset, len(data) - offset)
        assert table["_offset"].to_pylist() == list(range(0, offset, SIZE))
        nulls = [row for row in table.to_pylist() if row["_error"]]
        assert [row["_offset"] for row in nulls] == [number * SIZE for number in numbers]
        for row in nulls:
            assert row["_corrupt_record"] == data[row["_offset"] : row["_offset"] + SIZE]
        with pytest.raises(wireloom.DamagedInputError) as caught:
            read(row_reader, "edgemq_segment", data, **{**how, "mode": "failfast", "columns": ["tenant"]})
        assert (caught.value.offset, caught.value.reason) == (numbers[0] * SIZE, "checksum")


@pytest.mark.parametrize("row_reader", ROW_READERS)
def test_the_last_frame_alone_before_a_tail_of_two_bytes(row_reader: str) -> None:
    data = FIVE[: 4 * SIZE - 1] + b"x\0\0"
    _, report = read(row_reader, "edgemq_segment", data)
    assert report["damaged"] == [[3 * SIZE, SIZE, "checksum"]]
    assert (report["tail"], report["tail_offset"], report["tail_size"]) == ("truncated", 4 * SIZE, 2)


@pytest.mark.parametrize("row_reader", ROW_READERS)
def test_a_frame_that_lacks_bytes_is_told_by_the_next_that_holds(row_reader: str) -> None:
    data = FIVE[: SIZE + 6] + FIVE[SIZE + 19 :]
    _, report = read(row_reader, "edgemq_segment", data)
    assert report["damaged"] == []
    assert (report["tail"], report["tail_offset"]) == ("invalid_length", SIZE)
    table, report = read(row_reader, "edgemq_segment", data, recover=True, columns=["tenant", "_corrupt_record"])
    assert report["damaged"] == [[SIZE, SIZE - 13, "checksum"]]
    assert table["tenant"].to_pylist() == [0, None, 2, 3, 4]
    assert table["_corrupt_record"][1].as_py() == data[SIZE : 2 * SIZE - 13]
    with pytest.raises(wireloom.DamagedInputError) as caught:
        read(row_reader, "edgemq_segment", data, mode="failfast")
    assert (caught.value.offset, caught.value.reason) == (SIZE, "checksum")


@pytest.mark.parametrize("row_reader", ROW_READERS)
@pytest.mark.parametrize("size", [400, 5000])
def test_the_next_frame_that_holds_may_stand_after_what_is_at_hand(row_reader: str, size: int) -> None:
    """A length that was made smaller leads into the frame's own payload, where no frame can begin."""
    begin, data = len(FIVE), bytearray(FIVE + samples.frame(b"x" + bytes(size)) + FIVE)
    data[begin : begin + 4] = (13 + 20).to_bytes(4, "big")
    after = len(data) - len(FIVE)
    for options in ({}, {"chunk": 100, "streamed": True}):
        how: dict[str, Any] = {"columns": ["_offset", "_error"], **options}
        _, report = read(row_reader, "edgemq_segment", bytes(data), **how)
        assert report["damaged"] == []
        assert (report["tail"], report["tail_offset"]) == ("invalid_length", begin)
        table, report = read(row_reader, "edgemq_segment", bytes(data), recover=True, **how)
        assert report["damaged"] == [[begin, after - begin, "checksum"]]
        offsets = [*range(0, begin, SIZE), begin, *range(after, len(data), SIZE)]
        assert table["_offset"].to_pylist() == offsets


@pytest.mark.parametrize("row_reader", ROW_READERS)
def test_failfast_raises_where_the_layout_is_lost(row_reader: str) -> None:
    journal = wireloom.load_spec(Path(__file__).parent / "specs" / "journal.ksy")
    for format, data, options, offset, reason in (
        ("edgemq_segment", FIVE + ZEROS, {}, 5 * SIZE, "length"),
        ("edgemq_segment", FIVE, {"max_record": 20}, 0, "limit"),
        (journal, b"JRNX\x03\x00", {}, 0, "value"),
        (journal, b"JRNL\x0a\x00", {}, 0, "value"),
    ):
        for recover in (False, True):
            with pytest.raises(wireloom.DamagedInputError) as caught:
                read(row_reader, format, data, mode="failfast", recover=recover, **options)
            assert (caught.value.offset, caught.value.reason) == (offset, reason)
    for cut in (1, 3, 20):
        with pytest.raises(wireloom.DamagedInputError) as caught:
            read(row_reader, "edgemq_segment", FIVE + FIVE[:cut], mode="failfast")
        assert (caught.value.offset, caught.value.reason) == (len(FIVE), "truncated")


@pytest.mark.slow
def test_the_size_of_the_tail(tmp_path: Path) -> None:
    tail = bytes(3_000_000)
    content = FIVE + tail
    path = tmp_path / "a.wal"
    path.write_bytes(content)
    packed = zstandard.ZstdCompressor(write_checksum=True).compress(content)
    for source in (content, path, io.BytesIO(content), packed, gzip.compress(content, 1)):
        _, report = wireloom.read_with_report("edgemq_segment", source)
        [file] = report.files
        assert (file.tail, file.tail_offset, file.tail_size) == ("invalid_length", len(FIVE), len(tail))
        assert (file.bytes, file.error) == (len(FIVE), None)
        assert report.to_dict()["files"][0]["tail_size"] == len(tail)
    # A codec's error far after the beginning of the tail.
    columns = ["tenant", "_error"]
    table, report = wireloom.read_with_report("edgemq_segment", packed[:-1] + b"x", columns=columns)
    [file] = report.files
    assert (file.tail, file.tail_offset, file.tail_size) == ("invalid_length", len(FIVE), None)
    assert file.error == "the zstd content checksum does not match"
    assert [damage.reason for damage in file.damaged] == ["codec"]
    assert table.num_rows == 6
    _, report = wireloom.read_with_report("edgemq_segment", FIVE)
    assert report.files[0].tail_size == 0
    with wireloom.scan("edgemq_segment", FIVE, batch_rows=2) as scanner:
        next(scanner)
        assert scanner.report.bytes == 2 * SIZE
        assert scanner.report.files[0].tail_size is None


@pytest.mark.slow
def test_a_tail_that_grows_without_end_is_not_counted() -> None:
    packed = zstandard.ZstdCompressor().compress(bytes(200 * 1024 * 1024))
    _, report = wireloom.read_with_report("edgemq_segment", packed)
    [file] = report.files
    assert (file.tail, file.tail_size, file.bytes) == ("invalid_length", None, 0)


@pytest.mark.parametrize("row_reader", ROW_READERS)
@pytest.mark.parametrize("padding", ["rules", "layout"])
@pytest.mark.parametrize("number", [0, 1, 2])
@pytest.mark.parametrize("value", [bytes(4), b"\xff\xff\xff\xff", b"\0\0\0\x16", b"\0\0\0\x40"])
def test_the_stride_where_a_first_length_is_damaged(row_reader: str, padding: str, number: int, value: bytes) -> None:
    payloads = samples.payloads(40, largest=60)
    filler = b"\xaa" * 13 if padding == "rules" else b""
    data = bytearray(samples.frames(payloads, padding=filler))
    begin = len(samples.frames(payloads[:number], padding=filler))
    data[begin : begin + 4] = value
    table, report = read(row_reader, "edgemq_segment", bytes(data), recover=True, columns=["tenant"])
    assert report["stride"] == padding
    assert table.num_rows >= 38
    chunked = read(row_reader, "edgemq_segment", bytes(data), recover=True, columns=["tenant"], chunk=30, streamed=True)
    assert chunked[1] == report


HOSTILE = """
meta: {id: ID, endian: be, -wireloom: {rows: nodes}}
seq:
  - {id: nodes, type: node, repeat: eos}
types:
  node:
    seq:
      - {id: n, type: u1}
      - {id: child, type: node, if: n == 1}
"""
HEADED = HOSTILE.replace("seq:\n  - {id: nodes", "seq:\n  - {id: head, type: node}\n  - {id: nodes", 1)


@pytest.mark.slow
@pytest.mark.parametrize("recover", [False, True])
@pytest.mark.parametrize("name", ["hostile", "headed"])
def test_objects_inside_each_other_too_deep(tmp_path: Path, name: str, recover: bool) -> None:
    path = tmp_path / f"{name}.ksy"
    path.write_text((HOSTILE if name == "hostile" else HEADED).replace("ID", name))
    _, report = wireloom.read_with_report(path, b"\x01" * 2000, recover=recover, check_format=False)
    [file] = report.files
    assert (file.tail, file.tail_offset, file.tail_size) == ("limit", 0, 2000)
    assert file.error == "objects are nested too deeply"
    with pytest.raises(wireloom.DamagedInputError) as caught:
        wireloom.read(path, b"\x01" * 2000, mode="failfast")
    assert caught.value.reason == "limit"


@pytest.mark.slow
def test_deep_objects_are_a_damaged_range_where_rows_follow(tmp_path: Path) -> None:
    path = tmp_path / "hostile.ksy"
    path.write_text(HOSTILE.replace("ID", "hostile"))
    table, report = wireloom.read_with_report(path, b"\0" + b"\x01" * 2000 + b"\0\0", recover=True)
    assert table.num_rows >= 2
    assert report.files[0].damaged[0].reason == "limit"
    assert report.files[0].tail == "clean"


def test_buffers_of_any_kind_are_sources(tmp_path: Path) -> None:
    import array

    for source in (pa.py_buffer(FIVE), array.array("B", FIVE), memoryview(FIVE)):
        assert wireloom.read("edgemq_segment", source).num_rows == 5
    [each] = expand(pa.py_buffer(FIVE))
    assert each.content == FIVE
    with pytest.raises(wireloom.WireloomError, match="cannot read from int"):
        wireloom.read("edgemq_segment", array.array("I", [1]))
