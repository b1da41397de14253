"""Units inside units: damage costs the innermost one whose end is known."""

import struct
import zlib

import pytest
import wireloom

from ..specs import format_of
from .running import ROW_READERS, read

SPEC = """
meta: {id: made, endian: le, -wireloom: {rows: volumes.batches.records, columns: [volume, batch, value]}}
seq:
  - {id: version, type: u2, valid: {max: 999}}
  - {id: count, type: u1}
  - {id: volumes, type: volume, repeat: expr, repeat-expr: count}
  - {id: state, type: u2, valid: {max: 999}}
TOTAL
types:
  volume:
    seq:
      - {id: volume, type: u1, valid: {max: 100}}
      - {id: num_batches, type: u1}
      - {id: batches, type: batch, repeat: expr, repeat-expr: num_batches}
  batch:
    seq:
      - {id: batch, type: u1}
      - {id: num_records, type: u1}
      - {id: records, type: record, repeat: expr, repeat-expr: num_records}
      - {id: crc, type: u4, -wireloom: {checksum: {algorithm: crc32, over: records}}}
  record:
    seq:
      - {id: value, type: u2, valid: {max: 1000}}
"""
TOTAL = "  - {id: crc, type: u4, -wireloom: {checksum: {algorithm: crc32, over: volumes}}}"
STREAMING = SPEC.replace("repeat: expr, repeat-expr: count}", "repeat: eos}").replace(
    "  - {id: state, type: u2, valid: {max: 999}}", ""
)


def batch(number: int, *values: int) -> bytes:
    records = b"".join(struct.pack("<H", each) for each in values)
    return bytes([number, len(values)]) + records + struct.pack("<I", zlib.crc32(records))


def volume(number: int, *batches: bytes) -> bytes:
    return bytes([number, len(batches)]) + b"".join(batches)


VOLUMES = (
    volume(1, batch(1, 11, 12), batch(2, 21)),
    volume(2, batch(3, 31), batch(4), batch(5, 51, 52)),
    volume(3, batch(6, 61)),
)
DATA = b"\1\0\3" + b"".join(VOLUMES) + b"\5\0"
SUMMED = DATA + struct.pack("<I", zlib.crc32(b"".join(VOLUMES)))
ALL = [11, 12, 21, 31, 51, 52, 61]
AT = {11: 7, 12: 9, 31: 27}
"""The positions of some records."""


@pytest.fixture
def format() -> wireloom.Format:
    return format_of(SPEC.replace("TOTAL", ""))


@pytest.fixture
def summed() -> wireloom.Format:
    return format_of(SPEC.replace("TOTAL", TOTAL))


@pytest.fixture
def streaming() -> wireloom.Format:
    return format_of(STREAMING.replace("TOTAL", ""))


def changed(data: bytes, *places: tuple[int, int]) -> bytes:
    result = bytearray(data)
    for at, byte in places:
        result[at] = byte
    return bytes(result)


@pytest.mark.parametrize("row_reader", ROW_READERS)
def test_every_row_of_sound_inputs(row_reader: str, format: wireloom.Format, summed: wireloom.Format) -> None:
    for made, data in ((format, DATA), (summed, SUMMED)):
        table, report = read(row_reader, made, data)
        assert table["value"].to_pylist() == ALL
        assert table["volume"].to_pylist() == [1, 1, 1, 2, 2, 2, 3]
        assert table["batch"].to_pylist() == [1, 1, 2, 3, 5, 5, 6]
        assert report["tail"] == "clean"


@pytest.mark.parametrize("row_reader", ROW_READERS)
def test_a_checksum_costs_its_batch(row_reader: str, format: wireloom.Format, streaming: wireloom.Format) -> None:
    bad = changed(DATA, (AT[11], 99))
    table, report = read(row_reader, format, bad)
    assert table["value"].to_pylist() == ALL[2:]
    assert report["damaged"] == [[5, 10, "checksum"]]
    table, report = read(row_reader, streaming, b"\1\0\3" + bad[3:-2])
    assert (table["value"].to_pylist(), report["damaged"]) == (ALL[2:], [[5, 10, "checksum"]])
    assert read(row_reader, format, bad, verify=False)[0]["value"].to_pylist() == [99, *ALL[1:]]


@pytest.mark.parametrize("row_reader", ROW_READERS)
def test_a_refused_value_costs_its_row_its_batch_or_its_volume(row_reader: str, format: wireloom.Format) -> None:
    table, report = read(row_reader, format, changed(DATA, (AT[12] + 1, 9)), verify=False)
    assert table["value"].to_pylist() == [11, *ALL[2:]]
    assert report["damaged"] == [[AT[12], 2, "value"]]
    table, report = read(row_reader, format, changed(DATA, (3, 101)))
    assert table["value"].to_pylist() == ALL[3:]
    assert report["damaged"] == [[3, len(VOLUMES[0]), "value"]]


@pytest.mark.parametrize("row_reader", ROW_READERS)
def test_damage_of_every_level_is_noted_once(row_reader: str, format: wireloom.Format) -> None:
    """The batch's damage is not reported again if its volume is damaged."""
    bad = changed(DATA, (3, 101), (AT[11], 99), (AT[31], 32))
    table, report = read(row_reader, format, bad, columns=["value", "_error", "_corrupt_record"])
    assert [each for each in table["value"].to_pylist() if each is not None] == [51, 52, 61]
    begin = 3 + len(VOLUMES[0]) + 2
    assert report["damaged"] == [[3, len(VOLUMES[0]), "value"], [begin, 8, "checksum"]]
    assert [each for each in table["_corrupt_record"].to_pylist() if each] == [
        VOLUMES[0].replace(b"\1\2", b"\x65\2", 1).replace(b"\x0b", b"\x63"),
        bad[begin : begin + 8],
    ]


@pytest.mark.parametrize("row_reader", ROW_READERS)
def test_what_is_refused_after_the_rows_costs_none(
    row_reader: str, format: wireloom.Format, summed: wireloom.Format
) -> None:
    table, report = read(row_reader, format, DATA[:-1] + b"\x77")
    assert (table["value"].to_pylist(), report["damaged"]) == (ALL, [[len(DATA) - 2, 2, "value"]])
    bad = changed(SUMMED, (len(DATA) - 1, 0x77))
    table, report = read(row_reader, summed, bad)
    assert (table["value"].to_pylist(), report["damaged"]) == (ALL, [[len(DATA) - 2, 6, "value"]])
    # Its checksum covers the rows.
    table, report = read(row_reader, summed, changed(bad, (len(SUMMED) - 1, SUMMED[-1] ^ 1)))
    assert (table.num_rows, report["damaged"]) == (0, [[0, len(SUMMED), "checksum"]])


@pytest.mark.parametrize("row_reader", ROW_READERS)
def test_what_is_refused_before_the_rows_costs_all(row_reader: str, format: wireloom.Format) -> None:
    table, report = read(row_reader, format, changed(DATA, (1, 0x77)))
    assert (table.num_rows, report["damaged"]) == (0, [[0, len(DATA), "value"]])


@pytest.mark.slow
@pytest.mark.parametrize("row_reader", ROW_READERS)
@pytest.mark.parametrize("verify", [True, False])
def test_cut_off_inputs_keep_the_batches_that_are_complete(
    row_reader: str, verify: bool, format: wireloom.Format
) -> None:
    for end in range(3, len(DATA)):
        table, report = read(row_reader, format, DATA[:end], verify=verify)
        values = table["value"].to_pylist()
        assert values == ALL[: len(values)]
        assert (report["tail"], report["damaged"]) == ("truncated", [])
    first_batch_end = 3 + 2 + 10
    assert read(row_reader, format, DATA[:first_batch_end], verify=verify)[0]["value"].to_pylist() == ALL[:2]
    # Its checksum does not exist.
    rows = read(row_reader, format, DATA[: first_batch_end - 1], verify=verify)[0]["value"].to_pylist()
    assert rows == ([] if verify else ALL[:2])
