import gzip
import hashlib
import io
import json
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st
from wireloom.format.program import Stuffing
from wireloom.formats.word_stuffed_log.parser import WordStuffedLog
from wireloom.objects import (
    FileStream,
    Frame,
    FrameError,
    KaitaiStructError,
    MemoryStream,
    SubStream,
    delimited_frames,
    frames,
    frames_in,
    frames_of,
    unstuffed,
)

VECTORS = Path(__file__).parents[2] / "vectors" / "word_stuffing"
STREAMS = [json.loads(line) for line in (VECTORS / "decode_streams.jsonl").read_text().splitlines()]
STOCK_LIMIT = 1024


def stream_of(row):
    return bytes.fromhex(row["stream"]) if "stream" in row else gzip.decompress((VECTORS / row["file"]).read_bytes())


def records(data):
    for frame in frames(data, b"\xfe\xfd"):
        # The reference that made the vectors was built with this limit.
        if len(frame.content) <= STOCK_LIMIT:
            try:
                record = WordStuffedLog.Record(SubStream(unstuffed(frame, Stuffing.WORD, STOCK_LIMIT)))
            except KaitaiStructError:
                continue
            yield frame, record


@pytest.mark.parametrize("row", STREAMS, ids=lambda row: row["name"])
def test_damaged_streams_give_the_records_of_the_reference(row):
    found = list(records(stream_of(row)))
    expected = row["records"]
    assert [(frame.position, frame.end, record.generation) for frame, record in found] == [
        (each["offset"], each["end"], each["generation"]) for each in expected
    ]
    for (_, record), each in zip(found, expected, strict=True):
        if "payload" in each:
            assert record.payload.hex() == each["payload"]
        else:
            assert hashlib.sha256(record.payload).hexdigest() == each["payload_sha256"]


@pytest.mark.parametrize(
    ("data", "expected"),
    [
        (b"", []),
        (b",", []),
        (b",,", []),
        (b"a", [Frame(0, 1, b"a", False)]),
        (b"a,", [Frame(0, 1, b"a", True)]),
        (b",a", [Frame(0, 2, b"a", False)]),
        (b"a,,b,", [Frame(0, 1, b"a", True), Frame(2, 4, b"b", True)]),
    ],
)
def test_the_edges_of_frames(data, expected):
    assert list(frames(data, b",")) == expected
    assert list(frames_in(MemoryStream(data), b",", 10)) == expected
    assert list(frames_in(FileStream(io.BytesIO(data)), b",", 10)) == expected


@given(
    st.lists(st.sampled_from([b"\xfe", b"\xfd", b"\xfe\xfd", b"x", b"y" * 9]), max_size=30).map(b"".join),
    st.sampled_from([b"\xfe\xfd", b"\xfe", b"\xfe\xfe"]),
    st.integers(1, 7),
)
def test_a_stream_has_the_frames_of_its_bytes_in_chunks_of_any_size(data, delimiter, chunk):
    file = io.BytesIO(data)

    def read(_):
        return file.read(chunk)

    assert list(frames_of(read, delimiter, 1000)) == list(frames(data, delimiter))


def test_a_stream_without_delimiters_is_not_held_beyond_the_limit(monkeypatch):
    monkeypatch.setattr(delimited_frames, "CHUNK", 100)
    asked = []

    def read(size):
        asked.append(size)
        return b"x" * size

    with pytest.raises(FrameError) as caught:
        list(frames_of(read, b"\xfe\xfd", 1000))
    assert caught.value.reason == "limit"
    assert sum(asked) <= 1200


def test_what_a_frame_holds_is_limited():
    assert unstuffed(Frame(0, 3, b"\x01a", True), Stuffing.WORD, 2) == b"a"
    with pytest.raises(FrameError) as caught:
        unstuffed(Frame(0, 4, b"\x02ab", True), Stuffing.WORD, 2)
    assert caught.value.reason == "limit"
