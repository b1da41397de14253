"""The specs of the cookbook's page about streams in containers read what others write, as these do: python-can's BLF,
MPEG-TS of ffmpeg, and Ogg pages of mutagen."""

from __future__ import annotations

import gzip
import hashlib
import io
import random
import struct
import zlib
from pathlib import Path
from typing import Any

import pytest
import wireloom
from wireloom import Format

from ..unit.reading.running import ROW_READERS, read
from ..unit.specs import format_of
from .blocks import blocks

PAGE = Path(__file__).parents[2] / "docs" / "cookbook" / "streams_in_containers.md"
COLUMNS = ["_offset", "timestamp", "channel", "arbitration_id", "dlc", "payload"]
BEGIN = 1_700_000_000.5
"""The time of the first message, from which those in the file count."""


def of_page(name: str) -> Format:
    head = f"# {name}.ksy\n"
    [spec] = [each.text for each in blocks(PAGE.read_text()) if each.kind == "yaml" and each.text.startswith(head)]
    return format_of(spec, name)


@pytest.fixture
def can() -> Any:
    return pytest.importorskip("can", reason="python-can is not installed")


class Kept(io.BytesIO):
    """A file whose content is still there after python-can has closed it."""

    content = b""

    def close(self) -> None:
        self.content = self.content or self.getvalue()
        super().close()


def written(can: Any, count: int, **options: Any) -> bytes:
    """Return a file of messages of 0 to 8 bytes, with other kinds of objects between them."""
    file = Kept()
    with can.BLFWriter(file, **options) as writer:
        for number in range(count):
            data = bytes([number % 256]) * (number % 9)
            writer.on_message_received(
                can.Message(
                    timestamp=BEGIN + number / 1000,
                    arbitration_id=number * 7 if number % 2 else number,
                    is_extended_id=bool(number % 2),
                    is_rx=number % 3 > 0,
                    data=data,
                    channel=number % 4,
                )
            )
            if number % 50 == 17:
                writer.log_event("a marker", BEGIN + number / 1000)
    return file.content


def seen_by_python_can(can: Any, data: bytes) -> list[tuple[int, int, bytes]]:
    return [(each.channel + 1, each.arbitration_id, bytes(each.data)) for each in can.BLFReader(io.BytesIO(data))]


def bounds(data: bytes) -> list[tuple[int, int]]:
    found, begin = list[tuple[int, int]](), 144
    while begin < len(data):
        size = struct.unpack_from("<I", data, begin + 8)[0]
        found.append((begin, min(begin + size + size % 4, len(data))))
        begin = found[-1][1]
    return found


@pytest.mark.parametrize("row_reader", ROW_READERS)
@pytest.mark.parametrize(
    "options", [{}, {"max_container_size": 1000}, {"compression_level": 0}, {"max_container_size": 61}]
)
def test_the_same_messages(can: Any, options: dict[str, int], row_reader: str) -> None:
    data = written(can, 200, **options)
    table, file = read(row_reader, of_page("blf"), data, columns=COLUMNS)
    rows = table.to_pylist()
    assert [(each["channel"], each["arbitration_id"], each["payload"]) for each in rows] == seen_by_python_can(
        can, data
    )
    assert len(rows) == 200
    assert all(abs(each["timestamp"] - 1_000_000 * number) < 1000 for number, each in enumerate(rows))
    assert {each["_offset"] for each in rows} <= {begin for begin, _ in bounds(data)}
    assert (file["tail"], file["damaged"], file["bytes"]) == ("clean", [], len(data))


@pytest.mark.parametrize("row_reader", ROW_READERS)
def test_a_damaged_container_costs_its_messages(can: Any, row_reader: str) -> None:
    data = written(can, 200, max_container_size=1000)
    all_rows = wireloom.read(of_page("blf"), data, columns=COLUMNS).to_pylist()
    places = bounds(data)
    # Of each message, the containers that it is in: by where one begins in the stream.
    stream = b"".join(zlib.decompress(data[begin + 32 : end]) for begin, end in places)
    starts = [at for at in range(len(stream)) if stream.startswith(b"LOBJ", at) and stream[at + 12] == 1]
    touched = [{at // 1000, (at + 47) // 1000} for at in starts]
    assert len(touched) == len(all_rows)
    step = 19 if row_reader == "columns" else 97
    for place in range(144, len(data), step):
        damaged = bytearray(data)
        damaged[place] ^= 0xFF
        table, file = read(row_reader, of_page("blf"), bytes(damaged), columns=COLUMNS, recover=True)
        rows = table.to_pylist()
        number = next(index for index, (begin, end) in enumerate(places) if begin <= place < end)
        spared = [row for row, at in zip(all_rows, touched, strict=True) if number not in at]
        # Some bytes of a container mean nothing, and then no row is lost.
        assert rows in (spared, all_rows)
        lost = [at for row, at in zip(all_rows, touched, strict=True) if row not in rows]
        for begin, end in (places[index] for at in lost for index in at):
            is_tail = file["tail"] != "clean" and file["tail_offset"] <= begin
            assert is_tail or any(first <= begin and end <= first + size for first, size, _ in file["damaged"])


@pytest.mark.parametrize("row_reader", ROW_READERS)
def test_the_sound_that_ffmpeg_extracts(row_reader: str) -> None:
    """ffmpeg 9.0 wrote two seconds of sound and some pictures, and extracted 8,064 bytes of sound with this digest."""
    table, file = read(row_reader, of_page("sound"), Path(__file__).with_name("ffmpeg.ts.gz"))
    sound = b"".join(table["payload"].to_pylist())
    assert hashlib.sha256(sound).hexdigest() == "ec4b33f8c97f53a4b7ad750c6628082f6f2a2b117f395f71321630ed3dd42f61"
    assert (file["tail"], file["damaged"], file["bytes"]) == ("clean", [], 21_244)
    # A part of the file from any packet on has whole packets of sound alone.
    whole = gzip.decompress(Path(__file__).with_name("ffmpeg.ts.gz").read_bytes())
    for first in (1, 5, 40, 77):
        part, file = read(row_reader, of_page("sound"), whole[188 * first :])
        payloads = table["payload"].to_pylist()
        assert part["payload"].to_pylist() == payloads[len(payloads) - len(part) :]
        assert {reason for *_, reason in file["damaged"]} <= {"fragment"}


@pytest.mark.parametrize("row_reader", ROW_READERS)
def test_the_packets_that_mutagen_puts_into_pages(row_reader: str) -> None:
    ogg = pytest.importorskip("mutagen.ogg", reason="mutagen is not installed")
    source = random.Random(1)
    sizes = [19, 255, 0, 510, 254, 256, 70_000, 1, 255 * 255, 255 * 255 + 1, 0]
    packets = [source.randbytes(size) for size in (*sizes, *(source.randrange(3000) for _ in range(50)))]
    pages = [each.write() for each in ogg.OggPage.from_packets(packets, default_size=4096, wiggle_room=0)]
    table, file = read(row_reader, of_page("ogg"), b"".join(pages))
    assert table["data"].to_pylist() == packets
    assert (file["tail"], file["damaged"]) == ("clean", [])
    damaged = bytearray(b"".join(pages))
    damaged[len(b"".join(pages[:5])) + 100] ^= 1  # in the packet of 70,000 bytes
    table, file = read(row_reader, of_page("ogg"), bytes(damaged))
    assert table["data"].to_pylist() == [each for each in packets if len(each) != 70_000]
    assert {reason for *_, reason in file["damaged"]} == {"checksum", "fragment"}
