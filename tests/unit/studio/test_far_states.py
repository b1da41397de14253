"""Places far into files whose units depend on those before them, or are messages: what is shown there is what a reading
from the beginning shows, and little is read for it."""

import random
import struct
from pathlib import Path
from typing import Any

import crc32c
import pytest
from wireloom.input import inputs
from wireloom.studio import survey
from wireloom.studio.workshop import Workshop

from ...writing import bytes_of
from ..messages.wire_inputs import delimited, varint

SPECS = Path(__file__).parents[3] / "specs"
LARGE = 1024 * 1024
SIZE = 8000
"""Bytes of the data of a record."""
COUNT = LARGE // SIZE


def session() -> bytes:
    batches = [{"seq_num": n, "timestamp": n, "headers": [], "body": b"x" * SIZE} for n in range(COUNT)]
    return b"".join(bytes_of("s2_session", batches[n : n + 4]) for n in range(0, COUNT, 4))


def logs(length: Any) -> bytes:
    found = []
    for number in range(COUNT):
        body = delimited(1, b"%d " % number + b"x" * SIZE)
        message = delimited(1, delimited(2, delimited(2, varint(16) + varint(number % 20 + 1) + delimited(5, body))))
        found.append(length(len(message)) + message)
    # A severity that is not a varint.
    found[-10] = length(12) + delimited(1, delimited(2, delimited(2, b"\x10" + b"\xff" * 5)))
    return b"".join(found)


def logs_after_integers() -> bytes:
    return logs(lambda size: struct.pack(">I", size))


def logs_after_varints() -> bytes:
    return logs(varint)


def capture() -> bytes:
    """Return packets of two interfaces with different resolutions, in a section of the other byte order after the
    first."""

    def block(order: str, kind: int, body: bytes) -> bytes:
        body += bytes(-len(body) % 4)
        size = struct.pack(order + "I", len(body) + 12)
        return struct.pack(order + "I", kind) + size + body + size

    def packets(order: str, first: int) -> bytes:
        found = [block(order, 0x0A0D0D0A, struct.pack(order + "IHHq", 0x1A2B3C4D, 1, 0, -1))]
        for resolution in (first, 9):
            option = struct.pack(order + "HHB3xI", 9, 1, resolution, 0)
            found.append(block(order, 1, struct.pack(order + "HHI", 1, 0, 0) + option))
        for number in range(COUNT // 2):
            head = struct.pack(order + "IIIII", number % 2, 0, 1000 * number, SIZE, SIZE)
            found.append(block(order, 6, head + bytes(SIZE)))
        return b"".join(found)

    return packets("<", 3) + packets(">", 6)


def with_running_checksum() -> bytes:
    """Return records with running checksums, one of them wrong."""
    found, crc = [], 0
    for number in range(COUNT):
        data = varint(16) + varint(1) + varint(24) + varint(number) + delimited(4, b"x" * SIZE)
        crc = crc32c.crc32c(data, crc)
        stored = crc ^ (number == COUNT - 10)
        record = varint(8) + varint(2) + varint(16) + varint(stored) + delimited(3, data)
        padding = -len(record) % 8
        size = len(record) | (0x80 | padding) << 56 if padding else len(record)
        found.append(struct.pack("<Q", size) + record + bytes(padding))
    return b"".join(found)


def recording() -> bytes:
    """Return messages in compressed chunks, of channels some of which begin late."""
    source = random.Random(1)
    rows = []
    for number in range(COUNT):
        channel = number % 3 + (1 if number < COUNT // 2 else 3)
        times = {"log_time": number, "publish_time": number}
        message = {"channel_id": channel, "topic": f"/{channel}", "sequence": number, "data": source.randbytes(SIZE)}
        rows.append(message | times)
    return bytes_of("mcap", rows, unit_rows=4)


SAMPLES = {
    "s2_session": session,
    "otlp_logs": logs_after_integers,
    "otlp_logs after varints": logs_after_varints,
    "pcapng": capture,
    "etcd_wal": with_running_checksum,
    "mcap": recording,
}


@pytest.mark.slow
@pytest.mark.parametrize(
    "name",
    [
        pytest.param(each, marks=pytest.mark.thorough if each in ("otlp_logs after varints", "etcd_wal") else ())
        for each in SAMPLES
    ],
)
def test_what_is_shown_is_what_a_reading_from_the_beginning_shows(
    name: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    spec, file = SPECS / f"{name.partition(' ')[0]}.ksy", tmp_path / "content"
    file.write_bytes(SAMPLES[name]())
    monkeypatch.setattr(survey, "SPACING", 32 * 1024)
    made = Workshop(spec, str(file))
    assert made.compile(spec.read_text())["name"]
    rows = made.rows(0, 2 * COUNT)["rows"]
    assert len(rows) >= COUNT - 1
    # The number of records before a place is known only for messages.
    records = [each | {"title": ""} for each in made.records(0, 2 * COUNT)["records"]]
    while not made.survey(seconds=0)["done"]:
        pass
    sizes = read_sizes(monkeypatch)
    for place in (LARGE // 2 + 1, rows[-20]["at"], rows[-8]["at"], 1):
        sizes.clear()
        shown = made.rows(place, 8)["rows"]
        assert shown == [each for each in rows if each["at"] >= place][:8]
        found = [each | {"title": ""} for each in made.records(place, 2)["records"]]
        assert len(found) >= 2
        assert found == [each for each in records if each["end"] > place][: len(found)]
        assert sum(sizes) < LARGE * 3 // 4


def read_sizes(monkeypatch: pytest.MonkeyPatch) -> list[int]:
    """Return a list of the number of bytes that each subsequent read of a file returns."""
    sizes: list[int] = []
    plain = inputs.LocalStream.readinto

    def counted(self: Any, buffer: Any, /) -> int:
        sizes.append(plain(self, buffer))
        return sizes[-1]

    monkeypatch.setattr(inputs.LocalStream, "readinto", counted)
    return sizes
