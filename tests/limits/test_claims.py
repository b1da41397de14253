"""Lengths, counts and depths that an input only claims, or really has: they allocate nothing."""

from __future__ import annotations

from pathlib import Path

import pytest
import wireloom
from wireloom import engine
from wireloom.objects.messages.wire import write_varint

from ..unit.reading.samples import word_log
from ..unit.specs import format_of
from .children import MEGABYTE, measured_reads, needs_engine, needs_proc

SPEC = """
meta: {{id: claims, endian: be, -wireloom: {{rows: rows}}}}
seq:
  - {{id: rows, type: row, repeat: eos}}
types:
  row:
    seq:
      - {{id: size, type: {type}}}
      - {{id: data, size: size}}
"""
MESSAGES = """
meta: {{id: claims, -wireloom: {{message: {{framing: {framing}, type: row}}}}}}
types:
  row:
    -wireloom:
      message:
        fields:
          - {{id: data, number: 1, type: bytes}}
"""
LARGE = (2**32 - 1, 2**32, 2**63 - 1, 2**63, 2**64 - 1)


@pytest.mark.parametrize("recover", [False, True])
@pytest.mark.parametrize(
    ("type", "size", "claimed"),
    [("u4", 4, LARGE[0]), *(("u8", 8, each) for each in LARGE), *(("s8", 8, each) for each in LARGE)],
)
def test_lengths_of_rows(type: str, size: int, claimed: int, recover: bool) -> None:
    good = (3).to_bytes(size, "big") + b"abc"
    data = good + claimed.to_bytes(size, "big") + b"x" * 30
    table, report = wireloom.read_with_report(format_of(SPEC.format(type=type)), data, recover=recover)
    assert table["data"].to_pylist()[:1] == [b"abc"]
    [file] = report.files
    assert file.tail in ("truncated", "invalid_length", "limit")
    if not recover:
        assert (table.num_rows, file.tail_offset) == (1, len(good))


@pytest.mark.parametrize("claimed", LARGE)
def test_lengths_of_frames(claimed: int) -> None:
    good = (13 + 3).to_bytes(4, "big") + bytes(4 + 13) + b"abc"
    data = (claimed % 2**32).to_bytes(4, "big") + bytes(40) + good
    for recover in (False, True):
        table, report = wireloom.read_with_report("edgemq_segment", data, recover=recover, check_format=False)
        assert table.num_rows == 0
        assert report.files[0].tail in ("truncated", "invalid_length", "limit")


@pytest.mark.parametrize(
    ("framing", "prefix"),
    [
        ("varint", write_varint(2**63)),
        ("varint", write_varint(2**64 - 1)),
        ("u4le", b"\xff" * 4),
        ("u4be", b"\xff" * 4),
        ("u8le", b"\xff" * 8),
        ("u8be", b"\x80" + bytes(7)),
    ],
)
def test_lengths_before_messages(framing: str, prefix: bytes) -> None:
    table, report = wireloom.read_with_report(
        format_of(MESSAGES.format(framing=framing)), prefix + b"x" * 30, check_format=False
    )
    assert table.num_rows == 0
    assert report.files[0].tail == "limit"


@pytest.mark.parametrize("claimed", LARGE)
def test_lengths_inside_messages(claimed: int) -> None:
    # A batch whose first record, or that record's body, has that length.
    for data in (b"\x0a" + write_varint(claimed), b"\x0a\x0c\x22" + write_varint(claimed) + b"x"):
        table, report = wireloom.read_with_report("s2_messages", data + b"x" * 12, check_format=False)
        assert table.num_rows == 0
        # A length beyond the end of the only message may be that of one that is cut off.
        [file] = report.files
        assert [each.reason for each in file.damaged] == ([] if file.tail == "truncated" else ["message"])
        assert not report.clean


def test_many_fields() -> None:
    # The same number of headers in one record, of records in one batch, and of unknown fields.
    many = 10**6 if engine.available else 10**4
    header = b"\x1a\x06\x0a\x01n\x12\x01v"
    headers = b"\x0a" + write_varint(8 * many) + header * many
    record = b"\x0a\x04\x08\x01\x10\x02"
    for data, rows in ((headers, 1), (record * many, many), (b"\x7a\x00" * many + record, 1)):
        table, report = wireloom.read_with_report("s2_messages", data, max_record=len(data))
        assert (table.num_rows, report.clean) == (rows, True)
    assert len(wireloom.read("s2_messages", headers)["headers"][0]) == many


@needs_proc
@needs_engine
def test_many_damaged_rows(tmp_path: Path) -> None:
    path = tmp_path / "many"
    path.write_bytes(word_log([b"good"]) + b"\x05\xfe\xfd" * 700_000)
    [words], grown = measured_reads(("word_stuffed_log", path))
    assert words[0] == "1"
    assert grown < 90 * MEGABYTE


def test_depth_of_messages() -> None:
    # Unknown groups that are nested and never end.
    for data in (b"\x7b" * 1_000_000, b"\x7b" * 1000 + b"\x7c" * 1000):
        table, report = wireloom.read_with_report("s2_messages", data, check_format=False)
        assert table.num_rows == 0
        assert [each.reason for each in report.files[0].damaged] in (["limit"], ["message"])


DEEP = """
meta: {id: deep, endian: be, -wireloom: {rows: rows}}
seq:
  - {id: rows, type: row, repeat: eos}
types:
  row:
    seq:
      - {id: more, type: u1}
      - {id: inner, type: row, if: more == 1}
"""


def test_depth_of_types() -> None:
    table, report = wireloom.read_with_report(format_of(DEEP), b"\x00" + b"\x01" * 100_000 + b"\x00")
    assert table.num_rows == 1
    [file] = report.files
    assert file.tail != "clean"
    assert file.error
