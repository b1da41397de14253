"""Files of the package `mcap` in which one bit of a length is another: what that costs."""

import io
import struct

import pytest
from mcap.writer import CompressionType, Writer

from ..unit.reading.running import ROW_READERS, read

MESSAGES = 400
CHUNK, RESERVED, PRIVATE = 6, 0x30, 0x90


def written(*more: bytes) -> bytes:
    """A file of chunks of some 20 messages each. ``more``: records before them."""
    file = io.BytesIO()
    writer = Writer(file, chunk_size=2000, compression=CompressionType.LZ4)
    writer.start()
    for each in more:
        file.write(each)
    channel = writer.register_channel("/text", "json", writer.register_schema("text", "jsonschema", b"{}"))
    for number in range(MESSAGES):
        writer.add_message(channel, number, b"message %d, " % number + b"abcdefgh" * 8, number, number)
    writer.finish()
    return file.getvalue()


def chunks(content: bytes) -> list[int]:
    """Where the chunks begin."""
    place, found = 8, []
    while place < len(content) - 8:
        opcode, size = struct.unpack_from("<BQ", content, place)
        found += [place] if opcode == CHUNK else []
        place += 9 + size
    return found


@pytest.mark.slow
@pytest.mark.parametrize("row_reader", ROW_READERS)
def test_a_bit_of_a_chunks_length_costs_its_messages(row_reader: str) -> None:
    content = written()
    places = chunks(content)
    most = -(-MESSAGES // len(places)) + 1
    for place in places[:: 7 if row_reader == "columns" else 11]:
        for bit in range(32):
            damaged = bytearray(content)
            damaged[place + 1 + bit // 8] ^= 1 << bit % 8
            table, report = read(row_reader, "mcap", bytes(damaged), recover=True)
            found = table["sequence"].to_pylist()
            lost = sorted(set(range(MESSAGES)) - set(found))
            assert found == [number for number in range(MESSAGES) if number not in lost], (place, bit)
            # One chunk, and all of them.
            assert len(lost) <= most, (place, bit)
            assert report["damaged"] or not lost, (place, bit)


@pytest.mark.parametrize("row_reader", ROW_READERS)
def test_a_reserved_opcode_is_damage_and_a_private_one_is_passed_over(row_reader: str) -> None:
    reserved, private = (struct.pack("<BQ", opcode, 5) + b"bytes" for opcode in (RESERVED, PRIVATE))
    table, report = read(row_reader, "mcap", written(private, reserved))
    assert table["sequence"].to_pylist() == list(range(MESSAGES))
    [(_, size, reason)] = report["damaged"]
    assert (size, reason) == (len(reserved), "value")
