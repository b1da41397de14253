"""The generated classes of the built-in formats."""

import gzip
import io
import json
from pathlib import Path

import pytest
import zstandard
from hypothesis import given
from hypothesis import strategies as st
from wireloom.formats.cobs_log.parser import CobsLog
from wireloom.formats.edgemq_segment.parser import EdgemqSegment
from wireloom.formats.word_stuffed_log.parser import WordStuffedLog
from wireloom.objects import (
    ChecksumError,
    EndOfStreamError,
    MemoryStream,
    StuffingError,
    ValidationLessThanError,
)

VECTORS = Path(__file__).parents[2] / "vectors"
WORDS = [json.loads(line) for line in (VECTORS / "word_stuffing" / "encode.jsonl").read_text().splitlines()]
SEGMENTS = [json.loads(line) for line in (VECTORS / "edgemq" / "cases.jsonl").read_text().splitlines()]
CLEAN = [row for row in SEGMENTS if row["tail"] == "clean" and not row["damaged"] and row["stride"] == "layout"]


def segment(name):
    data = (VECTORS / "edgemq" / name).read_bytes()
    reader = zstandard.ZstdDecompressor().stream_reader(io.BytesIO(data), read_across_frames=True)
    return reader.read() if name.endswith(".zst") else data


@pytest.mark.parametrize("row", [row for row in CLEAN if "bomb" not in row["file"]], ids=lambda row: row["case"])
def test_clean_segments_are_read_and_written_as_they_stand(row):
    data = segment(row["file"])
    value = EdgemqSegment.from_bytes(data)
    assert value.to_bytes() == data
    fresh = [
        EdgemqSegment.Frame(fmt=each.fmt, tenant=each.tenant, ts_millis=each.ts_millis, payload=each.payload)
        for each in value.frames
    ]
    assert EdgemqSegment(frames=fresh).to_bytes() == data
    assert list(EdgemqSegment.iter_frames(io.BytesIO(data))) == value.frames
    if isinstance(row["records"], int):
        assert len(value.frames) == row["records"]


@pytest.mark.parametrize(
    ("name", "error"),
    [
        ("trunc_header.wal.zst", EndOfStreamError),
        ("trunc_payload.wal.zst", EndOfStreamError),
        ("len_huge_tail.wal.zst", EndOfStreamError),
        ("len_12_tail.wal.zst", ValidationLessThanError),
        ("crc_payload_flip.wal.zst", ChecksumError),
    ],
)
def test_damaged_segments_raise(name, error):
    with pytest.raises(error):
        EdgemqSegment.from_bytes(segment(name))


def test_rows_come_one_by_one_before_damage():
    data = segment("trunc_payload.wal.zst")
    rows = EdgemqSegment.iter_frames(MemoryStream(data))
    first = next(rows)
    assert first._parent is first._root
    assert isinstance(first._root, EdgemqSegment)
    with pytest.raises(EndOfStreamError):
        list(rows)


def test_the_timestamp_is_the_number_of_milliseconds():
    assert EdgemqSegment.Frame(ts_millis=5).ts == 5


def test_records_of_the_word_stuffed_log(subtests):
    for row in WORDS:
        with subtests.test(row["id"]):
            if "payload" in row:
                payload = bytes.fromhex(row["payload"])
            else:
                payload = gzip.decompress((VECTORS / "word_stuffing" / f"{row['file']}.payload.gz").read_bytes())
            record = WordStuffedLog.Record(generation=row["generation"], payload=payload)
            stream = WordStuffedLog(records=[record]).to_bytes()
            assert record.crc == row["crc"]
            assert len(stream) == row["stream_len"]
            if "stream" in row:
                assert stream.hex() == row["stream"]
                assert record.to_bytes().hex() == row["record"]
            assert WordStuffedLog.from_bytes(stream).records == [record]


@pytest.mark.slow
@given(st.lists(st.binary(max_size=600), max_size=8))
def test_logs_round_trip(payloads):
    # An empty COBS record is one byte, an empty word-stuffed one nine; neither is an empty frame.
    cobs = CobsLog(records=[CobsLog.Record(payload=each) for each in payloads])
    assert CobsLog.from_bytes(cobs.to_bytes()) == cobs
    words = WordStuffedLog(records=[WordStuffedLog.Record(generation=1, payload=each) for each in payloads])
    assert WordStuffedLog.from_bytes(words.to_bytes()) == words
    assert list(WordStuffedLog.iter_records(io.BytesIO(words.to_bytes()))) == words.records


def test_bad_frames_raise():
    with pytest.raises(StuffingError):
        CobsLog.from_bytes(b"\x05ab\0")
